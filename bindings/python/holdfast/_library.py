"""libholdfast: where it is, and what its functions take."""

import ctypes
import ctypes.util
import os
from ctypes import (CDLL, CFUNCTYPE, POINTER, Structure, c_bool, c_char,
                    c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64,
                    c_void_p)
from typing import Any, Iterator

from ._version import __version__

MAJOR, MINOR = (int(part) for part in __version__.split(".")[:2])
SONAME = f"libholdfast.so.{MAJOR}.{MINOR}"


class Duration(Structure):
    """struct hf_duration"""

    _fields_ = [("ms", c_int64)]


class ErrorText(Structure):
    """struct hf_error"""

    _fields_ = [("status", c_int), ("text", c_char * 256)]


TraceFunction = CFUNCTYPE(None, c_void_p, c_char_p)

FOREVER = Duration(2**63 - 1)
NOW = Duration(0)

_error = POINTER(ErrorText)
_handle = POINTER(c_void_p)

# name: what it returns, what it takes.  Enums are int.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "hf_version": (c_char_p, []),
    "hf_version_num": (c_int, []),
    "hf_status_name": (c_char_p, [c_int]),
    "hf_status_sentence": (c_char_p, [c_int]),
    "hf_status_exit": (c_int, [c_int]),
    "hf_outcome_word": (c_char_p, [c_int]),
    "hf_outcome_exit": (c_int, [c_int]),
    "hf_duration_parse": (c_int, [c_char_p, POINTER(Duration), _error]),
    "hf_duration_text": (c_char_p, [Duration, c_char_p, c_size_t]),

    "hf_client_new": (c_int, [c_void_p, _handle, _error]),
    "hf_client_set": (c_int, [c_void_p, c_char_p, c_char_p, _error]),
    "hf_client_trace": (None, [c_void_p, TraceFunction, c_void_p]),
    "hf_client_open": (c_int, [c_void_p, c_char_p, _error]),
    "hf_client_close": (c_int, [c_void_p, Duration]),
    "hf_client_place": (c_char_p, [c_void_p]),
    "hf_client_made_place": (c_bool, [c_void_p]),
    "hf_client_trouble": (c_int, [c_void_p, _error]),
    "hf_client_fd": (c_int, [c_void_p]),
    "hf_client_next": (c_void_p, [c_void_p]),
    "hf_notice_id": (c_uint64, [c_void_p]),
    "hf_notice_news": (c_uint, [c_void_p]),
    "hf_notice_state": (c_int, [c_void_p]),

    "hf_lock_new": (c_int, [c_void_p, c_char_p, _handle, _error]),
    "hf_lock_add": (c_int, [c_void_p, c_char_p, c_int, _error]),
    "hf_lock_set": (c_int, [c_void_p, c_char_p, c_char_p, _error]),
    "hf_lock_duration": (Duration, [c_void_p, c_char_p]),
    "hf_lock_verify": (c_int, [c_void_p, _error]),
    "hf_lock_start": (c_int, [c_void_p, _error]),
    "hf_lock_wait": (c_int, [c_void_p, Duration]),
    "hf_lock_state": (c_int, [c_void_p]),
    "hf_lock_check": (c_int, [c_void_p]),
    "hf_lock_error": (c_int, [c_void_p, _error]),
    "hf_lock_id": (c_uint64, [c_void_p]),
    "hf_lock_fence": (c_uint64, [c_void_p]),
    "hf_lock_right_ms": (c_int64, [c_void_p]),
    "hf_lock_view": (c_void_p, [c_void_p]),
    "hf_lock_release": (None, [c_void_p]),
    "hf_lock_cancel": (None, [c_void_p]),
    "hf_lock_abandon": (None, [c_void_p]),
    "hf_lock_free": (None, [c_void_p]),

    "hf_query_new": (c_int, [c_void_p, c_int, _handle, _error]),
    "hf_query_set": (c_int, [c_void_p, c_char_p, c_char_p, _error]),
    "hf_query_start": (c_int, [c_void_p, _error]),
    "hf_query_wait": (c_bool, [c_void_p, Duration]),
    "hf_query_error": (c_int, [c_void_p, _error]),
    "hf_query_view": (c_void_p, [c_void_p]),
    "hf_query_next": (c_void_p, [c_void_p]),
    "hf_query_id": (c_uint64, [c_void_p]),
    "hf_query_cancel": (None, [c_void_p]),
    "hf_query_free": (None, [c_void_p]),

    "hf_field_word": (c_char_p, [c_int]),
    "hf_field_kind": (c_int, [c_int]),
    "hf_view_has": (c_bool, [c_void_p, c_int]),
    "hf_view_text": (c_char_p, [c_void_p, c_int]),
    "hf_view_number": (c_int64, [c_void_p, c_int]),
    "hf_view_item": (c_int64, [c_void_p, c_int, c_size_t]),
    "hf_view_json": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "hf_view_free": (None, [c_void_p]),
}


def _names() -> Iterator[str]:
    """The name says which version it is; any other is tried after it, so that
    it can be said that it is too old, or too new."""
    chosen = os.environ.get("HOLDFAST_LIBRARY")
    if chosen:
        yield chosen
        return
    yield SONAME
    found = ctypes.util.find_library("holdfast")
    if found:
        yield found


def _open() -> tuple[str, CDLL]:
    """A CDLL lets other threads run during each call.  That is not only for
    those that wait: a trace is called while the client can do nothing else,
    and wants the interpreter then."""
    why: OSError | None = None
    for name in _names():
        try:
            return name, CDLL(name)
        except OSError as error:
            why = why or error
    raise ImportError(
        f"holdfast: {why}; install libholdfast {MAJOR}.{MINOR}, or name its "
        f"file in HOLDFAST_LIBRARY")


def _fits(number: int) -> bool:
    """Before 1.0 a minor version breaks its callers; then a major one."""
    major, minor = number // 10000, number // 100 % 100
    return major == MAJOR and (minor == MINOR or MINOR < minor and MAJOR > 0)


def _load() -> CDLL:
    name, library = _open()
    try:
        for function, (returns, takes) in _FUNCTIONS.items():
            getattr(library, function).restype = returns
            getattr(library, function).argtypes = takes
        version = library.hf_version().decode()
        fits = _fits(library.hf_version_num())
    except AttributeError as error:
        raise ImportError(
            f"holdfast: {name} is no libholdfast, or is older than "
            f"{MAJOR}.{MINOR}: {error}") from None
    if not fits:
        raise ImportError(
            f"holdfast: {name} is libholdfast {version}, and this module is "
            f"for {MAJOR}.{MINOR}: install the two of one version")
    return library


lib = _load()


def decode(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def duration_text(ms: int) -> str:
    """As the command writes it: "1.5s", "3h05m"."""
    buffer = ctypes.create_string_buffer(32)
    return decode(lib.hf_duration_text(Duration(ms), buffer, len(buffer)))
