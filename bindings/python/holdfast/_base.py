"""What locks for threads and locks for tasks have in common."""

from __future__ import annotations

import itertools
import time
import weakref
from typing import Any

from . import _report
from ._connection import Connection, desk
from ._errors import InDoubt, Invalid, Lost, NotHeld
from ._handle import LockHandle
from ._options import LockOptions, kept
from ._view import View
from ._words import Outcome, State

# One label a thread or task, which no later one has.
_lanes: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
_numbers = itertools.count(1)


def lane_of(owner: Any) -> str:
    """Who asks again for what it holds is told so, and does not wait for
    itself."""
    return _lanes.setdefault(owner, f"python {next(_numbers)}")


class BaseLock:
    """Names and how they are asked for, which are judged when it is made; then
    a request, one after the other.

    Everything here answers at once, in any thread.  Before the first request,
    it is not held, and its fence is 0.
    """

    def __init__(self, client: Connection, names: tuple[str, ...],
                 options: LockOptions) -> None:
        self.client: Any = client  # for the program: its Client
        self._connection = client  # for us: what we need of it
        self.names = names
        self.name = names[0]  # by which it is called
        self.options = kept(options)
        self._handle: LockHandle | None = None
        self._asked = False
        self._fill(LockHandle(desk(), self.name)).verify()

    @property
    def id(self) -> int:
        """Of the request; what its notices say.  0: none yet."""
        return self._handle.id if self._handle else 0

    @property
    def fence(self) -> int:
        """The fence of the grant: hand it to what the lock protects, and let
        that refuse a write whose fence is below the highest it has seen."""
        return self._handle.fence() if self._handle else 0

    @property
    def state(self) -> State:
        return self._handle.state() if self._handle else State.NEW

    @property
    def outcome(self) -> Outcome:
        """What became of it, by the clock of this call."""
        return self._handle.check() if self._handle else Outcome.NOT_HELD

    @property
    def right(self) -> float:
        """For how many seconds the right is proved to last, as of now."""
        if self._handle is None:
            return 0.0
        end = self._handle.right_ms() / 1000
        return max(0.0, end - time.clock_gettime(time.CLOCK_BOOTTIME))

    def view(self) -> View:
        """What is known of the holder it waits for, or waited for to the end.
        """
        return self._handle.view() if self._handle else View()

    def check(self) -> None:
        """Raise unless it is held: Lost when another process may hold it,
        InDoubt when a refuse lock's right ran out unconfirmed, NotHeld when it
        was not acquired, or was given back.

        Judged by the clock at the call, so that a process that was frozen
        past its right is told at its first look.
        """
        outcome = self.outcome
        if outcome == Outcome.LOST:
            raise self._lost()
        if outcome == Outcome.IN_DOUBT:
            raise InDoubt(f"lock {self.name} is in doubt: its right has run "
                          "out unconfirmed", view=self.view())
        if outcome != Outcome.GRANTED:
            raise NotHeld(f"lock {self.name} is not held")

    def cancel(self) -> None:
        """Give it up, or give it back, from any thread; returns at once.  Who
        waits for it gets Cancelled."""
        if self._handle is not None:
            self._handle.cancel()

    def abandon(self) -> None:
        """Stop at once, and leave the record as it stands: for a refuse lock
        whose work was cut short and which a person must look at."""
        if self._handle is not None:
            self._handle.abandon()

    def _fill(self, handle: LockHandle) -> LockHandle:
        handle.set(**self.options)
        for name in self.names[1:]:
            handle.add(name, self.options.get("mode", "exclusive"))
        return handle

    def _require_asked(self) -> None:
        if not self._asked:
            raise Invalid(f"lock {self.name}: it was not asked for yet")

    def _new_handle(self, lane: str | None) -> LockHandle:
        if self._handle is not None and not self._handle.is_over():
            raise Invalid(f"lock {self.name}: it was asked for already")
        handle = LockHandle(self._connection, self.name)
        if lane is not None and "lane" not in self.options:
            handle.set(lane=lane)
        self._handle = self._fill(handle)
        return handle

    def _judge(self, handle: LockHandle) -> None:
        """Raise unless it was granted."""
        outcome = handle.check()
        if outcome in (Outcome.GRANTED, Outcome.IN_DOUBT):
            handle.held = True
            return
        handle.raise_error()
        if outcome == Outcome.LOST:
            raise self._lost()
        raise _report.refusal(self._connection.place, self.name,
                              handle.limit_ms(), outcome, handle.view())

    def _lost(self) -> Lost:
        view = self.view()
        why = "another process may hold it"
        if view.cleared:  # as a lock server has told
            why = f"{view.by_user}@{view.by_host} cleared it: {view.by_reason}"
        return Lost(f"lock {self.name} is lost: {why}", view=view)

    def _raise_end(self, handle: LockHandle, before: Outcome) -> None:
        """After it was given back: was it ours until then?"""
        if Outcome.LOST in (before, handle.check()):
            raise self._lost()
        handle.raise_error()

    def __repr__(self) -> str:
        return (f"<{type(self).__name__} {self.name!r} "
                f"{self.state.name.lower().replace('_', ' ')}>")
