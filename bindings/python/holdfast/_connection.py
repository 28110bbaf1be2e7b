"""A connection to one place: opened, used by any number of locks and queries,
and closed."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from ._errors import Unknown, call, encode, of_status
from ._library import Duration as _Duration
from ._library import ErrorText, TraceFunction, decode, lib
from ._link import Link
from ._options import Duration, limit_ms
from ._post import Post
from ._words import Status

# How long the end of the program waits until what it held is given back.
_EXIT_LIMIT = "10s"

_open: set[Connection] = set()


class Connection(Link):
    """What locks and queries need of their client."""

    def __init__(self, place: str | None = None, *, look_only: bool = False,
                 trace: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._wanted = place
        self._look_only = look_only
        self._trace = trace
        self._thunk: Any = None  # called by the library while it is open
        self._post = Post(self)

    def _renew(self) -> None:
        super()._renew()
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

    # ---- The place ----------------------------------------------------------

    @property
    def place(self) -> str:
        """The place as a URL that means the same to any process; "" before it
        is open."""
        with self._mutex:
            if self._pointer is None or self._closing:
                return ""
            return decode(lib.hf_client_place(self._pointer))

    @property
    def made_place(self) -> bool:
        """Was its file not there, and did we make it?  Then nobody has held a
        lock there before; they may do so elsewhere."""
        with self._mutex:
            return (self._pointer is not None and not self._closing and
                    bool(lib.hf_client_made_place(self._pointer)))

    def trouble(self) -> str:
        """Why the place does not answer just now, for people; "" if it does.
        """
        error = ErrorText()
        with self._mutex:
            status = lib.hf_client_trouble(self._alive(), ctypes.byref(error))
        return "" if status == Status.OK else str(of_status(
            status, decode(error.text)))


# ---- One that is never opened ------------------------------------------------

class _Desk(Connection):
    """Locks that are made of it are judged, and asked for nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self._pointer = ctypes.c_void_p()
        call(lib.hf_client_new, None, ctypes.byref(self._pointer))


_desk: _Desk | None = None


def desk() -> Connection:
    global _desk
    if _desk is None:  # twice by two threads is no harm
        _desk = _Desk()
    return _desk


# ---- At the end, and after a fork -------------------------------------------

def _close_all() -> None:
    for each in list(_open):
        each._close_at_exit()


def _after_fork() -> None:
    """In the child: its parent's connections are not its own."""
    global _desk
    _desk = None
    for each in list(_open):
        each._renew()
    _open.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
