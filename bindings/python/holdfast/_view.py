"""What was known at one moment of a lock and its holder, of an entry of the
audit, or of a place."""

import ctypes
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from ._library import decode, lib

_JSON_MAX = 20 * 1024

# What an attribute is of which nothing is known, by the kind of its field: a
# text, a number, a flag, a word, a list.
_EMPTY: dict[int, Any] = dict(enumerate(("", 0, False, "", ())))


def _fields() -> Iterator[tuple[int, str, Any]]:
    """Every field of the library, which may have more than we: its number, its
    word, and what it is where nothing is known."""
    for number in count():
        word = decode(lib.hf_field_word(number))
        if word == "?":
            return
        yield number, word, _EMPTY.get(lib.hf_field_kind(number), "")


_FIELDS = list(_fields())
_NOTHING = {word: empty for _, word, empty in _FIELDS}


def _read(view: int, field: int, empty: Any) -> Any:
    if isinstance(empty, str):
        return decode(lib.hf_view_text(view, field))
    number = lib.hf_view_number(view, field)
    if isinstance(empty, tuple):
        return tuple(lib.hf_view_item(view, field, index)
                     for index in range(number))
    return type(empty)(number)


class View(Mapping[str, Any]):
    """A snapshot: what the library tells, under the library's words.

    As a mapping it has the fields of which something is known, and no others.
    As attributes it has every field: "", 0, False or () of which nothing is.
    Times are in ms; those of clocks are Unix time.  Words are text: life is
    "unknown", "beating", "running", "suspected dead" or "gone".
    """

    # The fields, for who checks types.
    # The record of the lock, as read from the place.
    space: str
    name: str
    exists: bool
    corrupt: bool
    foreign_name: bool
    fence: int
    version: int
    stamp_ms: int
    claim: int
    beat: int
    if_dead: str
    ttl_ms: int
    beat_ms: int
    since_ms: int
    host: str
    user: str
    command: str
    reason: str
    processes: tuple[int, ...]
    # What a lock server tells beside it.
    mode: str
    waiters: int
    position: int
    waited_ms: int
    parked_ms: int
    # What is known of its holder's life.
    life: str
    here: bool
    running: bool
    same_boot: bool
    unchanged_ms: int
    watched_ms: int
    status: str
    error: str
    # A clear, and the audit of it.
    cleared: bool
    cleared_ms: int
    asked_ms: int
    forced: bool
    by_host: str
    by_user: str
    by_command: str
    by_reason: str
    # One check of a place.
    check: str
    grade: str
    found: str
    remedy: str
    # One session of a lock server.
    session: str
    who: str
    silent_ms: int
    holds: int
    waits: int
    by_acquire: bool
    # Why it waits, of who does.
    why: str

    _told: dict[str, Any]
    _json: str
    __slots__ = ("_told", "_json")

    def __init__(self, told: Mapping[str, Any] | None = None,
                 json: str = "null") -> None:
        object.__setattr__(self, "_told", dict(told or {}))
        object.__setattr__(self, "_json", json)

    @classmethod
    def take(cls, view: int | None) -> "View":
        """Read the library's view, and free it."""
        if not view:
            return cls()
        try:
            told = {word: _read(view, field, empty)
                    for field, word, empty in _FIELDS
                    if lib.hf_view_has(view, field)}
            buffer = ctypes.create_string_buffer(_JSON_MAX)
            lib.hf_view_json(view, buffer, len(buffer))
            return cls(told, decode(buffer.value))
        finally:
            lib.hf_view_free(view)

    def json(self) -> str:
        """One JSON object, as the command's --json has it."""
        return self._json

    def __getitem__(self, word: str) -> Any:
        return self._told[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)

    def __getattr__(self, word: str) -> Any:
        if word.startswith("_"):
            raise AttributeError(word)
        if word in self._told:
            return self._told[word]
        if word in _NOTHING:
            return _NOTHING[word]
        raise AttributeError(f"a view has no {word!r}")

    def __setattr__(self, word: str, value: Any) -> None:
        raise AttributeError("a view is never changed")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_NOTHING, *self._told})

    def __reduce__(self) -> tuple[Any, ...]:
        return View, (self._told, self._json)

    def __repr__(self) -> str:
        return f"View({self._told!r})"
