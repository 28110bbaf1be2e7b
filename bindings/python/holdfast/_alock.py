"""A lock for tasks of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Self

from ._base import BaseLock, lane_of
from ._connection import Connection
from ._errors import Invalid
from ._options import Duration, LockOptions
from ._post import Notice
from ._request import Request
from ._words import News, Outcome

OnNews = Callable[["AsyncLock", News], None]


class AsyncLock(BaseLock):
    """Made by alock() or Client.alock().

        async with holdfast.alock("migrate", if_dead="refuse") as lock:
            await write(fence=lock.fence)

    Waiting does not block the loop.  A task that is cancelled while it waits
    gives its request up, waits until nothing of it is left, and then ends as
    cancelled; a second cancel does not wait for that.

    A lock that is lost while the block runs cancels the task, and Lost comes
    out of the `async with`.  As with asyncio.timeout: only the CancelledError
    that was caused becomes Lost; where somebody else cancelled the task as
    well, or the block raises something else, that comes out.  AT_RISK and
    IN_DOUBT cancel nothing: see news() and `on_news`.
    """

    def __init__(self, client: Connection, names: tuple[str, ...],
                 options: LockOptions, on_news: OnNews | None = None) -> None:
        super().__init__(client, names, options)
        self._on_news = on_news
        self._request: Request | None = None
        self._task: asyncio.Task[Any] | None = None  # in the block
        self._cancelling = 0  # what else had cancelled it before
        self._struck = False  # we have cancelled it

    async def acquire(self) -> None:
        """Wait for it, up to its limit; raises NotAcquired.  No task is ended
        when it is lost: that is `async with`'s.  Nobody but release() gives it
        back before its client is closed."""
        await self._acquire(None)

    async def release(self, limit: Duration | None = None) -> bool:
        """Give it back, wait for that up to `limit`, and return whether
        nothing of it is left.  Does nothing the second time; Invalid where
        it was never asked for."""
        self._require_asked()
        if self._handle is None or self._request is None:
            return True
        self._handle.release()
        return await self._request.settle(limit)

    def news(self) -> AsyncIterator[News]:
        """What is new of it from now on, until it has ended: AT_RISK, CERTAIN,
        IN_DOUBT, LOST and the others, several at once where several came
        since the last.  For a task beside the one that holds it."""
        if self._request is None:
            raise Invalid(f"lock {self.name}: it was not asked for yet")
        return self._request.news()

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("an `async with` of a lock is for tasks")
        await self._acquire(lane_of(task))
        self._task, self._cancelling = task, task.cancelling()
        self._struck = False
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        task, handle = self._task, self._handle
        assert task is not None and handle is not None
        self._task = None  # what is told from now on cancels nothing
        ours = self._struck and task.uncancel() <= self._cancelling \
            and isinstance(error, asyncio.CancelledError)
        before = handle.check()
        await self.release()
        if ours:
            raise self._lost() from error
        if error is None and before != Outcome.NOT_HELD:
            self._raise_end(handle, before)

    async def _acquire(self, lane: str | None) -> None:
        self._asked = True
        await self._connection.aopen()
        handle = self._new_handle(lane)
        request = Request(handle, self._tell)
        request.start()
        self._request = request
        try:
            await request.until(handle.is_settled)
            self._judge(handle)
        except BaseException:
            await request.give_up()
            raise

    def _tell(self, notice: Notice) -> None:
        if notice.news & News.LOST and self._task is not None \
                and not self._struck:
            self._struck = True
            self._task.cancel()
        if self._on_news is not None:
            self._on_news(self, notice.news)
