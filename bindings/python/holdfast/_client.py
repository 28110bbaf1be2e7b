"""A client of one place."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Unpack

from . import _query
from ._alock import AsyncLock, OnNews
from ._connection import Connection
from ._library import lib
from ._lock import Lock
from ._options import Duration, LockOptions
from ._post import Notice
from ._view import View


class Client(Connection):
    """A client of one place, for any number of locks, threads and loops.

        with holdfast.Client("sqlite:/srv/locks/locks.db") as client:
            with client.lock("report"):
                ...

        async with holdfast.Client() as client:
            async with client.alock("report"):
                ...

    place      "sqlite:/path/locks.db", or "memory:NAME" for tests; None:
               $HOLDFAST_AT, or else the default of whoever runs it
    look_only  to list and examine: nothing is made or written
    trace      called with a line of text for each event, for debugging, on a
               thread of the library's that can do nothing else meanwhile: it
               must be brief, and call nothing of this module

    It is opened by `with`, by open(), or when it is first used, and closed by
    `with` or close(), or when the program ends.  A name with an `a` in front
    is the same for asyncio: nothing of it blocks the loop.

    After a fork, the child's calls on its parent's clients raise Invalid, and
    the parent's locks stay the parent's.
    """

    # ---- Locks --------------------------------------------------------------

    def lock(self, name: str, *more: str,
             **options: Unpack[LockOptions]) -> Lock:
        """A lock for `with`; the options are those of LockOptions.  Invalid,
        and why, if they or the name cannot be right at any place.  With `more`
        names it holds all of them or none, under one fence: a lock server's.
        """
        return Lock(self, (name, *more), options)

    def alock(self, name: str, *more: str, on_news: OnNews | None = None,
              **options: Unpack[LockOptions]) -> AsyncLock:
        """The same for `async with`; on_news(lock, news) is called in the loop
        when there is News of it."""
        return AsyncLock(self, (name, *more), options, on_news)

    # ---- To look, and to clear ----------------------------------------------

    def list(self, prefix: str | None = None, *, space: str | None = None,
             limit: int | None = None) -> Iterator[View]:
        """The locks of a space, in the order of their names' bytes; asked for
        in pages of `limit`, as they are wanted."""
        return _query.pages(self, _query.LIST, prefix=prefix, space=space,
                            limit=limit)

    def alist(self, prefix: str | None = None, *, space: str | None = None,
              limit: int | None = None) -> AsyncIterator[View]:
        return _query.apages(self, _query.LIST, prefix=prefix, space=space,
                             limit=limit)

    def examine(self, name: str, *, space: str | None = None,
                watch: Duration | None = None) -> View:
        """Is its holder alive?  Reads once, or watches for a sign of life for
        as long as `watch`, "forever" being up to the record's ttl.  Of a lock
        that is not there `exists` is False."""
        return _query.one(self, _query.EXAMINE, name=name, space=space,
                          watch=watch)

    async def aexamine(self, name: str, *, space: str | None = None,
                       watch: Duration | None = None) -> View:
        return await _query.aone(self, _query.EXAMINE, name=name, space=space,
                                 watch=watch)

    def clear(self, name: str, *, reason: str, space: str | None = None,
              fence: int | None = None, force: bool = False) -> View:
        """Delete the record of a dead holder, of this `fence` and no later
        one; the reason is kept in the audit.

        First it watches for a sign of life, for one ttl, unless its processes
        are gone or `force` is said, which goes on though it beats meanwhile.
        Raises NotCleared when it showed life, it changed, its fence is
        another, or there is no such lock.
        """
        return _query.cleared(name, _query.one(
            self, _query.CLEAR, name=name, reason=reason, space=space,
            fence=fence, force=force))

    async def aclear(self, name: str, *, reason: str, space: str | None = None,
                     fence: int | None = None, force: bool = False) -> View:
        return _query.cleared(name, await _query.aone(
            self, _query.CLEAR, name=name, reason=reason, space=space,
            fence=fence, force=force))

    def audit(self, name: str | None = None, *, space: str | None = None,
              since: datetime | None = None,
              limit: int | None = None) -> Iterator[View]:
        """What was cleared, by whom, when and why; the oldest first."""
        return _query.pages(self, _query.AUDIT, name=name, space=space,
                            since=since, limit=limit)

    def aaudit(self, name: str | None = None, *, space: str | None = None,
               since: datetime | None = None,
               limit: int | None = None) -> AsyncIterator[View]:
        return _query.apages(self, _query.AUDIT, name=name, space=space,
                             since=since, limit=limit)

    def doctor(self) -> Iterator[View]:
        """Is the place sound, and this host?  One view a check."""
        return _query.rows(self, _query.DOCTOR)

    def adoctor(self) -> AsyncIterator[View]:
        return _query.arows(self, _query.DOCTOR)

    # ---- For loops of the program's own -------------------------------------

    def fileno(self) -> int:
        """Readable while there are notices: for select and its like.  Never
        read it; take notices() until there are none."""
        self.open()
        with self._mutex:
            return int(lib.hf_client_fd(self._alive()))

    def notices(self) -> Iterator[Notice]:
        """The notices that are there, without waiting; those of asyncio's
        locks go to their loops."""
        while True:
            notices = self._post.take()
            yield from notices
            if not notices:
                return


# ---- The one of the process --------------------------------------------------

_default: Client | None = None
_default_mutex = threading.Lock()


def client() -> Client:
    """The client of this process, for the place that $HOLDFAST_AT names or the
    default one.  It is opened when it is first used, and closed at the end."""
    global _default
    with _default_mutex:
        if _default is None or _default.closed:
            _default = Client()
        return _default


def _after_fork() -> None:
    """In the child: its parent's client is not its own."""
    global _default, _default_mutex
    _default, _default_mutex = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
