"""Options are text, as on the command line; these are what Python calls them.
"""

import ctypes
import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

from . import _library
from ._errors import call, encode
from ._library import FOREVER, lib

# A timedelta, seconds, or text as "20s", "1.5s", "3h05m"; math.inf is
# "forever".
Duration = timedelta | float | str

_DURATIONS = {"ttl", "beat", "grace", "wait", "watch"}
_TEXTS = {"name", "prefix", "space", "if_dead", "if_suspected", "reason",
          "command", "lane", "mode"}


class LockOptions(TypedDict, total=False):
    """How a lock is asked for.  What is not said is the library's default.

    space         which names are apart from which; default: "default"
    if_dead       what a waiter may do when this holder is dead: "takeover"
                  (default), or "refuse", and a person looks first
    ttl           default: 30s, 60s for refuse
    beat          default: 2s, less for a ttl too short for it
    grace         default: 10s, or a third of a shorter ttl's
    wait          a duration, "forever", or "try": to the holder's first sign
                  of life; default: 10m
    if_suspected  "wait" (default) to the limit for a suspected holder of
                  refuse, or "fail" at once
    reason        for people
    command       for people; default: this process's own command line
    processes     pids, whose end proves the holder gone; default: this process
    lane          requests under one label never wait for each other; default:
                  in a `with` the thread, in an `async with` the task
    mode          "exclusive" (default); a lock server also has "shared"
    """

    space: str
    if_dead: Literal["takeover", "refuse"]
    ttl: Duration
    beat: Duration
    grace: Duration
    wait: Duration
    if_suspected: Literal["wait", "fail"]
    reason: str
    command: str
    processes: Iterable[int] | str
    lane: str
    mode: str


def kept(options: LockOptions) -> dict[str, Any]:
    """They are read more than once, as not every iterable can be."""
    return {option: value if isinstance(value, str)
            or not isinstance(value, Iterable) else tuple(value)
            for option, value in options.items()}


def _milliseconds(seconds: float) -> str:
    if math.isnan(seconds):
        raise ValueError("not a number of seconds")
    return "forever" if seconds == math.inf else f"{round(seconds * 1000)}ms"


def option_text(option: str, value: Any) -> str:
    """A value as the text that the library takes, which then judges it."""
    if isinstance(value, str):
        return value
    if option in _TEXTS:
        raise TypeError(f"{option} is text, not a {type(value).__name__}")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return _milliseconds(value.total_seconds())
    if isinstance(value, datetime):
        return str(round(value.timestamp() * 1000))
    if isinstance(value, (int, float)):
        return _milliseconds(value) if option in _DURATIONS else str(value)
    if option == "processes" and isinstance(value, Iterable):
        return " ".join(str(item) for item in value)
    raise TypeError(f"{option}: what is a {type(value).__name__}?")


def _parse(text: str) -> int:
    duration = _library.Duration()
    call(lib.hf_duration_parse, encode(text), ctypes.byref(duration))
    return int(duration.ms)


def limit_ms(limit: Duration | None) -> int:
    """For calls that wait: None is without a limit."""
    if limit is None or limit == "forever" or limit == math.inf:
        return int(FOREVER.ms)
    if isinstance(limit, str):
        return _parse(limit)
    if isinstance(limit, timedelta):
        limit = limit.total_seconds()
    return max(0, round(limit * 1000))
