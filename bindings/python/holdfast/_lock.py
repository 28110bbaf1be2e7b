"""A lock for threads, and for programs without any."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from ._base import BaseLock, lane_of
from ._library import FOREVER
from ._options import Duration, limit_ms
from ._words import Outcome, State


class Lock(BaseLock):
    """Made by lock() or Client.lock().

        with holdfast.lock("migrate", if_dead="refuse", wait="20s") as lock:
            write(fence=lock.fence)
            lock.check()

    Waiting lets other threads run, and Ctrl-C, or any signal whose handler
    raises, ends it: the request is given up, and nothing of it is left behind.
    A second Ctrl-C does not wait for that: the client settles it meanwhile.

    Leaving the block gives the lock back and waits for that.  It raises Lost
    when the lock was lost by then, unless the block raises something else.

    It can be used again, and by one user at a time: the second gets Invalid.
    """

    def acquire(self) -> None:
        """Wait for it, up to its limit; raises NotAcquired."""
        self._acquire(None)

    def release(self, limit: Duration | None = None) -> bool:
        """Give it back, wait for that up to `limit`, and return whether
        nothing of it is left.  Does nothing the second time; Invalid where
        it was never asked for."""
        self._require_asked()
        handle = self._handle
        if handle is None:
            return True
        handle.release()
        return handle.wait(limit_ms(limit)) in (State.NEW, State.ENDED)

    def __enter__(self) -> Self:
        self._acquire(lane_of(threading.current_thread()))
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        handle = self._handle
        assert handle is not None
        try:
            before = handle.check()
        finally:
            self.release()
        if error is None and before != Outcome.NOT_HELD:
            self._raise_end(handle, before)

    def _acquire(self, lane: str | None) -> None:
        self._asked = True
        self._connection.open()
        handle = self._new_handle(lane)
        try:
            handle.start()
            handle.wait(FOREVER.ms)
            self._judge(handle)
        except BaseException:
            handle.cancel()
            handle.wait(FOREVER.ms)
            raise
