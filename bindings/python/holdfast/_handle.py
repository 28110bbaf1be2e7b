"""A lock or a query of the library, from before it is asked for until it is
freed.

It is freed when nothing refers to it any more: so no call can run on what is
being freed, whatever other threads do.
"""

from __future__ import annotations

import ctypes
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from ._connection import Connection
from ._errors import call, encode, of_status
from ._library import Duration, ErrorText, decode, lib
from ._options import option_text
from ._view import View
from ._words import Outcome, State, Status

T = TypeVar("T")

# Python runs signal handlers in its main thread, between two calls, and no
# signal ends a call of the library: this is how long Ctrl-C may have to wait.
# A grant wakes the call at once.
_SLICE_MS = 50


def in_slices(wait: Callable[[Duration], T], done: Callable[[T], bool],
              limit_ms: int) -> T:
    """Wait for at most `limit_ms`, until what is answered is `done`."""
    if threading.current_thread() is not threading.main_thread():
        return wait(Duration(limit_ms))
    until = time.monotonic() + limit_ms / 1000
    while True:
        left_ms = max(0, round((until - time.monotonic()) * 1000))
        answer = wait(Duration(min(left_ms, _SLICE_MS)))
        if left_ms == 0 or done(answer):
            return answer


def is_settled(state: State) -> bool:
    return state not in (State.WAITING, State.RELEASING)


def _encode_name(name: str) -> bytes:
    if not isinstance(name, str):
        raise TypeError("a lock's name is text, not a "
                        f"{type(name).__name__}; several are asked for as "
                        'lock("a", "b")')
    return encode(name)


class Handle:
    """What the two kinds have in common."""

    __slots__ = ("connection", "pointer", "id", "__weakref__")

    _new: Any
    _set: Any
    _start: Any
    _error: Any
    _id: Any
    _cancel: Any
    _free: Any

    def __init__(self, connection: Connection, what: bytes | int) -> None:
        self.connection = connection
        self.pointer = connection._make(self._new, what)
        self.id = int(self._id(self.pointer))

    def __del__(self) -> None:
        if hasattr(self, "pointer"):
            self.connection._dispose(self.pointer, self._cancel, self._free)

    def set(self, **options: Any) -> None:
        for option, value in options.items():
            if value is not None:
                call(self._set, self.pointer, option.encode(),
                     encode(option_text(option, value)))

    def start(self) -> None:
        call(self._start, self.pointer)

    def cancel(self) -> None:
        self._cancel(self.pointer)

    def raise_error(self) -> None:
        """Why it ended without an answer, if it did."""
        error = ErrorText()
        status = self._error(self.pointer, ctypes.byref(error))
        if status != Status.OK:
            raise of_status(status, decode(error.text))


class LockHandle(Handle):
    __slots__ = ("held",)

    _new = lib.hf_lock_new
    _set = lib.hf_lock_set
    _start = lib.hf_lock_start
    _error = lib.hf_lock_error
    _id = lib.hf_lock_id
    _cancel = lib.hf_lock_cancel
    _free = lib.hf_lock_free

    def __init__(self, connection: Connection, name: str) -> None:
        super().__init__(connection, _encode_name(name))
        self.held = False  # and whoever holds it has not given it back

    def __del__(self) -> None:
        if getattr(self, "held", False) and self.connection._is_open():
            warnings.warn("a lock was dropped while it was held: release it",
                          ResourceWarning, source=self)
        super().__del__()

    def add(self, name: str, mode: str) -> None:
        """One more name under the same grant."""
        call(lib.hf_lock_add, self.pointer, _encode_name(name),
             mode == "shared")

    def verify(self) -> None:
        """Raise Invalid unless its options go together."""
        call(lib.hf_lock_verify, self.pointer)

    def state(self) -> State:
        return State(lib.hf_lock_state(self.pointer))

    def check(self) -> Outcome:
        return Outcome(lib.hf_lock_check(self.pointer))

    def fence(self) -> int:
        return int(lib.hf_lock_fence(self.pointer))

    def limit_ms(self) -> int:
        """Of its wait; 0 for a try."""
        return int(lib.hf_lock_duration(self.pointer, b"wait").ms)

    def right_ms(self) -> int:
        return int(lib.hf_lock_right_ms(self.pointer))

    def view(self) -> View:
        return View.take(lib.hf_lock_view(self.pointer))

    def cancel(self) -> None:
        self.held = False
        super().cancel()

    def release(self) -> None:
        self.held = False
        lib.hf_lock_release(self.pointer)

    def abandon(self) -> None:
        self.held = False
        lib.hf_lock_abandon(self.pointer)

    def is_over(self) -> bool:
        return self.state() in (State.NEW, State.ENDED)

    def is_settled(self) -> bool:
        return is_settled(self.state())

    def wait(self, limit_ms: int) -> State:
        """Block until it is neither waiting nor releasing."""
        return in_slices(
            lambda limit: State(lib.hf_lock_wait(self.pointer, limit)),
            is_settled, limit_ms)


class QueryHandle(Handle):
    __slots__ = ()

    _new = lib.hf_query_new
    _set = lib.hf_query_set
    _start = lib.hf_query_start
    _error = lib.hf_query_error
    _id = lib.hf_query_id
    _cancel = lib.hf_query_cancel
    _free = lib.hf_query_free

    def is_over(self) -> bool:
        return bool(lib.hf_query_wait(self.pointer, Duration(0)))

    def view(self) -> View:
        return View.take(lib.hf_query_view(self.pointer))

    def row(self) -> View | None:
        row = lib.hf_query_next(self.pointer)
        return View.take(row) if row else None

    def wait(self, limit_ms: int) -> bool:
        """Block until it has ended."""
        return in_slices(
            lambda limit: bool(lib.hf_query_wait(self.pointer, limit)),
            bool, limit_ms)
