"""Locks across processes, that tell the truth about themselves.

    import holdfast

    with holdfast.lock("migrate", if_dead="refuse", wait="20s") as lock:
        write(fence=lock.fence)
        lock.check()

    async with holdfast.alock("migrate") as lock:
        await write(fence=lock.fence)

A lock is advice; a fence is proof.  Hand the fence to whatever the lock
protects, and let that refuse a write whose fence is below the highest it has
seen.

lock and alock use the client of the process; a Client is for a place of one's
own, and lists, examines and clears.  What is blocking has the plain name, what
is asyncio's the same with an `a` in front.
"""

from typing import Unpack

from ._alock import AsyncLock, OnNews
from ._client import Client, client
from ._errors import (AlreadyHeld, AtLimit, Cancelled, Corrupt, Deadlock,
                      Denied, Error, Gone, HeldTooLong, InDoubt, Invalid,
                      LimitReached, Lost, NoMemory, NotAcquired, NotCleared,
                      NotHeld, SuspectedDead, TimedOut, Unavailable, Unknown)
from ._lock import Lock
from ._options import Duration, LockOptions
from ._post import Notice
from ._version import __version__
from ._view import View
from ._words import News, Outcome, State, Status

__all__ = [
    "AlreadyHeld", "AsyncLock", "AtLimit", "Cancelled", "Client", "Corrupt",
    "Deadlock", "Denied", "Duration", "Error", "Gone", "HeldTooLong",
    "InDoubt", "Invalid", "LimitReached", "Lock", "LockOptions", "Lost",
    "News", "NoMemory", "NotAcquired", "NotCleared", "NotHeld", "Notice",
    "OnNews", "Outcome", "State", "Status", "SuspectedDead", "TimedOut",
    "Unavailable", "Unknown", "View", "__version__", "alock", "client", "lock",
]


def lock(name: str, *more: str, **options: Unpack[LockOptions]) -> Lock:
    """A lock of the process's client, for `with`; see Client.lock."""
    return client().lock(name, *more, **options)


def alock(name: str, *more: str, on_news: OnNews | None = None,
          **options: Unpack[LockOptions]) -> AsyncLock:
    """A lock of the process's client, for `async with`; see Client.alock."""
    return client().alock(name, *more, on_news=on_news, **options)
