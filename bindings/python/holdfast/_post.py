"""Takes the notices of a client, and hands each to whoever waits for it, in
the event loop that he waits in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ._library import lib
from ._link import Link
from ._words import News, State

# Taken at once; the descriptor stays readable while there are more, and so
# the loop has a turn in between.
_MANY = 256


@dataclass(frozen=True, slots=True)
class Notice:
    """News of one lock or query, since the last; and its state then."""

    id: int
    news: News
    state: State


@dataclass(frozen=True, slots=True)
class _Listener:
    loop: asyncio.AbstractEventLoop
    tell: Callable[[Notice], None]


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Post:
    """One reader in each loop that has listeners.

    Whichever loop is awake first takes a notice, and passes on what is not its
    own: a client has one queue, from which one thread takes at a time.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._listeners: dict[int, _Listener] = {}
        self._readers: dict[asyncio.AbstractEventLoop, int] = {}
        self._fd = -1

    def add(self, id: int, tell: Callable[[Notice], None]) -> None:
        """Tell of this handle, in the running loop, until it is removed."""
        loop = asyncio.get_running_loop()
        with self._link._mutex:
            self._fd = lib.hf_client_fd(self._link._alive())
            self._listeners[id] = _Listener(loop, tell)
            self._readers[loop] = self._readers.get(loop, 0) + 1
            if self._readers[loop] == 1:
                loop.add_reader(self._fd, self._read)

    def remove(self, id: int) -> None:
        with self._link._mutex:
            listener = self._listeners.pop(id, None)
            if listener is None:
                return
            loop = listener.loop
            self._readers[loop] -= 1
            if self._readers[loop] == 0:
                del self._readers[loop]
                if not loop.is_closed():
                    loop.remove_reader(self._fd)

    def take(self) -> list[Notice]:
        """Hand out what there is; what nobody listens to is returned."""
        notices: list[Notice] = []
        with self._link._mutex:
            if self._link._closing:
                return []
            client = self._link._alive()
            while len(notices) < _MANY:
                notice = lib.hf_client_next(client)
                if notice is None:
                    break
                notices.append(Notice(lib.hf_notice_id(notice),
                                      News(lib.hf_notice_news(notice)),
                                      State(lib.hf_notice_state(notice))))
        return [notice for notice in notices if not self._deliver(notice)]

    def stop(self) -> None:
        """Before the client is closed: nothing reads it any more."""
        for loop in list(self._readers):
            if loop is _running():
                loop.remove_reader(self._fd)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(loop.remove_reader, self._fd)

    def end(self) -> None:
        """After the client was closed: whatever was going on has ended."""
        for id in list(self._listeners):
            self._deliver(Notice(id, News.ENDED, State.ENDED))

    def _read(self) -> None:
        if self._link._closing:
            asyncio.get_running_loop().remove_reader(self._fd)
        else:
            self.take()

    def _deliver(self, notice: Notice) -> bool:
        listener = self._listeners.get(notice.id)
        if listener is None:
            return False
        if listener.loop is _running():
            listener.tell(notice)
            return True
        try:
            listener.loop.call_soon_threadsafe(listener.tell, notice)
        except RuntimeError:  # that loop was closed
            self.remove(notice.id)
        return True
