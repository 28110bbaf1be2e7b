"""A client of one place."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from types import TracebackType
from typing import Any, Self, Unpack

from . import _query
from ._alock import AsyncLock, OnNews
from ._errors import Invalid, Unknown, call, encode, of_status
from ._handle import LockHandle, QueryHandle
from ._library import Duration as _Duration
from ._library import ErrorText, TraceFunction, decode, lib
from ._lock import Lock
from ._options import Duration, LockOptions, limit_ms
from ._post import Notice, Post
from ._view import View
from ._words import Status

# How long the end of the program waits until what it held is given back.
_EXIT_LIMIT = "10s"

_open: set[Client] = set()


class Client:
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

    def __init__(self, place: str | None = None, *, look_only: bool = False,
                 trace: Callable[[str], None] | None = None) -> None:
        self._wanted = place
        self._look_only = look_only
        self._trace = trace
        self._thunk: Any = None  # called by the library while it is open
        self._pointer: ctypes.c_void_p | None = None
        self._closing = False  # also once it is closed
        self._left: deque[tuple[ctypes.c_void_p, Any]] = deque()
        self._post = Post(self)
        self._renew()

    def _renew(self) -> None:
        """Mutexes that nobody holds: here, and in the child of a fork."""
        self._mutex = threading.RLock()
        self._opening = threading.Lock()

    # ---- Opening and closing ------------------------------------------------

    def open(self) -> Self:
        """Open it, unless it is; takes as long as the place does."""
        with self._opening:
            if self._pointer is None and not self._closing:
                self._open()
        self._alive()
        return self

    def _open(self) -> None:
        pointer = ctypes.c_void_p()
        call(lib.hf_client_new, None, ctypes.byref(pointer))
        try:
            if self._look_only:
                call(lib.hf_client_set, pointer, b"look_only", b"yes")
            if self._trace is not None:
                self._thunk = TraceFunction(self._tell_trace)
                lib.hf_client_trace(pointer, self._thunk, None)
            call(lib.hf_client_open, pointer,
                 None if self._wanted is None else encode(self._wanted))
        except BaseException:
            lib.hf_client_close(pointer, _Duration(0))
            raise
        self._pointer = pointer
        _open.add(self)

    def _tell_trace(self, _: int, line: bytes) -> None:
        if self._trace is not None:
            self._trace(decode(line))

    async def aopen(self) -> Self:
        if self._pointer is None:
            await asyncio.to_thread(self.open)
        self._alive()
        return self

    def _alive(self) -> ctypes.c_void_p:
        if self._pointer is None or self._closing:
            raise Invalid("the client is closed" if self._closing
                          else "the client is not open")
        return self._pointer

    def _is_open(self) -> bool:
        """And this process's, not its parent's."""
        return self in _open

    def close(self, limit: Duration | None = None) -> None:
        """Give back what is held, give up what is waited for, wait up to
        `limit` until that is settled, and close.

        Who waits meanwhile gets Cancelled.  Raises Unknown when the limit was
        over first: a record may be left behind that nobody beats.  Ctrl-C ends
        the wait; closing goes on behind it.
        """
        ms = limit_ms(limit)
        if not self._begin_close():
            return
        result: list[int] = []
        closer = threading.Thread(
            target=lambda: result.append(self._finish_close(ms)))
        try:
            closer.start()
        except RuntimeError:  # the program ends, or no thread is left
            result.append(self._finish_close(ms))
        else:
            closer.join()  # which a signal interrupts, as no call of ours
        self._judge_close(result[0])

    async def aclose(self, limit: Duration | None = None) -> None:
        ms = limit_ms(limit)
        if self._begin_close():
            self._judge_close(await asyncio.to_thread(self._finish_close, ms))

    def _close_at_exit(self) -> None:
        if self._begin_close():
            self._judge_close(self._finish_close(limit_ms(_EXIT_LIMIT)))

    def _begin_close(self) -> bool:
        with self._opening, self._mutex:
            if self._closing or self._pointer is None:
                self._closing = True
                return False
            self._closing = True
        self._post.stop()
        return True

    def _finish_close(self, ms: int) -> int:
        status = lib.hf_client_close(self._pointer, _Duration(ms))
        _open.discard(self)
        self._pointer = None
        self._post.end()
        self._free_left()
        return int(status)

    def _judge_close(self, status: int) -> None:
        if status == Status.UNKNOWN:
            raise Unknown("closed before all was settled: a record may be left "
                          "behind that nobody beats")

    @property
    def closed(self) -> bool:
        return self._closing

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await self.aopen()

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.aclose()

    # ---- Handles ------------------------------------------------------------

    def _lock(self, name: str) -> LockHandle:
        self._free_left()
        pointer = ctypes.c_void_p()
        with self._mutex:
            call(lib.hf_lock_new, self._alive(), encode(name),
                 ctypes.byref(pointer))
        return LockHandle(self, pointer)

    def _query(self, kind: int) -> QueryHandle:
        self._free_left()
        pointer = ctypes.c_void_p()
        with self._mutex:
            call(lib.hf_query_new, self._alive(), kind, ctypes.byref(pointer))
        return QueryHandle(self, pointer)

    def _dispose(self, pointer: ctypes.c_void_p, cancel: Any,
                 free: Any) -> None:
        """Nothing refers to it any more.  This may run in the middle of
        anything, also of a trace, when only a cancel may be called; so it is
        freed later."""
        if self._pointer is None:
            free(pointer)
        else:
            cancel(pointer)
            self._left.append((pointer, free))

    def _free_left(self) -> None:
        while self._left:
            try:
                pointer, free = self._left.popleft()
            except IndexError:  # another thread was quicker
                return
            free(pointer)

    # ---- Locks --------------------------------------------------------------

    def lock(self, name: str, **options: Unpack[LockOptions]) -> Lock:
        """A lock for `with`; the options are those of LockOptions."""
        return Lock(self, name, options)

    def alock(self, name: str, *, on_news: OnNews | None = None,
              **options: Unpack[LockOptions]) -> AsyncLock:
        """A lock for `async with`; on_news(lock, news) is called in the loop
        when there is News of it."""
        return AsyncLock(self, name, options, on_news)

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
        are gone or `force` is said.  Raises NotCleared when it showed life, it
        changed, its fence is another, or there is no such lock.
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

    @property
    def place(self) -> str:
        """The place as a URL that means the same to any process; "" before it
        is open."""
        with self._mutex:
            if self._pointer is None or self._closing:
                return ""
            return decode(lib.hf_client_place(self._pointer))

    def trouble(self) -> str:
        """Why the place does not answer just now, for people; "" if it does.
        """
        error = ErrorText()
        with self._mutex:
            status = lib.hf_client_trouble(self._alive(), ctypes.byref(error))
        return "" if status == Status.OK else str(of_status(
            status, decode(error.text)))

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


def _close_all() -> None:
    for each in list(_open):
        each._close_at_exit()


def _after_fork() -> None:
    """In the child: its parent's clients are not its own."""
    global _default, _default_mutex
    _default, _default_mutex = None, threading.Lock()
    for each in list(_open):
        each._renew()
    _open.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
