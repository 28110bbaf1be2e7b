"""A handle that a task waits for, in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from ._handle import LockHandle, QueryHandle
from ._library import FOREVER
from ._options import Duration, limit_ms
from ._post import Notice
from ._words import News


class Request:
    """It is told of until it has ended, also when nobody waits any more: what
    was given up settles behind our back."""

    def __init__(self, handle: LockHandle | QueryHandle,
                 on_notice: Callable[[Notice], None] | None = None) -> None:
        self._handle = handle
        self._on_notice = on_notice
        self._changed = asyncio.Event()
        self._inboxes: list[list[News]] = []

    def start(self) -> None:
        post = self._handle.connection._post
        post.add(self._handle.id, self._tell)
        try:
            self._handle.start()
        except BaseException:
            post.remove(self._handle.id)
            raise

    async def until(self, done: Callable[[], bool]) -> None:
        while not done():
            await self._changed.wait()

    async def settle(self, limit: Duration | None = None) -> bool:
        """Until nothing of it is left; False when the limit was over first."""
        ms = limit_ms(limit)
        try:
            async with asyncio.timeout(None if ms == FOREVER.ms else ms / 1000):
                await self.until(self._handle.is_over)
        except TimeoutError:
            return self._handle.is_over()
        return True

    async def give_up(self) -> None:
        self._handle.cancel()
        await self.until(self._handle.is_over)

    async def news(self) -> AsyncIterator[News]:
        """What is new, each time that something is; until it has ended."""
        inbox = [News(0)]
        self._inboxes.append(inbox)
        try:
            while True:
                await self.until(lambda: inbox[0] != 0
                                 or self._handle.is_over())
                news, inbox[0] = inbox[0], News(0)
                if news:
                    yield news
                else:
                    return
        finally:
            self._inboxes.remove(inbox)

    def _tell(self, notice: Notice) -> None:
        if notice.news & News.ENDED:
            self._handle.connection._post.remove(self._handle.id)
        for inbox in self._inboxes:
            inbox[0] |= notice.news
        self._changed.set()  # who waits now is woken,
        self._changed.clear()  # and nobody who waits later
        if self._on_notice is not None:
            self._on_notice(notice)
        if notice.news & News.ENDED:
            self._on_notice = None  # there is no more: free what refers to us
