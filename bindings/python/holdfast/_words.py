"""The words that the library speaks, as numbers with names.

A newer library may have more of each.  What has no name here still is what it
is: a member called UNKNOWN_12, equal to 12.
"""

import enum
from typing import Self


class _Word(enum.IntEnum):
    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        word = int.__new__(cls, value)
        word._name_ = f"UNKNOWN_{value}"
        word._value_ = value
        return word


class Status(_Word):
    """Did the call happen; and if not, what may the caller do next?"""

    OK = 0
    INVALID = 1
    UNAVAILABLE = 2
    UNKNOWN = 3
    DENIED = 4
    LIMIT = 5
    CANCELLED = 6
    NO_MEMORY = 7
    CORRUPT = 8


class Outcome(_Word):
    """What became of a lock."""

    NOT_HELD = 0
    GRANTED = 1
    TIMED_OUT = 2
    HELD_TOO_LONG = 3
    SUSPECTED_DEAD = 4
    GONE = 5
    IN_DOUBT = 6
    LOST = 7
    ALREADY_HELD = 8
    DEADLOCK = 9
    AT_LIMIT = 10


class State(_Word):
    """Where a lock is on its way."""

    NEW = 0
    WAITING = 1
    HELD = 2
    IN_DOUBT = 3
    LOST = 4
    RELEASING = 5
    ENDED = 6


class News(enum.IntFlag):
    """What a notice tells; several at once, perhaps."""

    HOLDER = 1  # somebody else holds it: the first sight
    SUSPECTED = 2  # its refuse holder stood unchanged for its ttl
    GRANTED = 4  # held from now on
    ENDED = 8  # nothing of it is left
    AT_RISK = 16  # its grace is left of the right; nothing is lost
    CERTAIN = 32  # confirmed again: neither risk nor doubt
    IN_DOUBT = 64  # refuse: the right ran out unconfirmed
    LOST = 128  # another process may hold it from now on
    CHANGED = 256  # what is known of the holder has changed
