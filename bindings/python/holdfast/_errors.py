"""What is raised.

Error
    Invalid, Unavailable, Unknown, Denied, LimitReached, Cancelled, Corrupt,
    NoMemory        the call did not happen: its status
    NotAcquired     it happened, and the lock was not to be had: its outcome
        TimedOut, HeldTooLong, SuspectedDead, Gone, AlreadyHeld, Deadlock,
        AtLimit
    NotHeld         it is not held, or no longer
        Lost, InDoubt
    NotCleared      a record was not cleared, since it is not a dead holder's
"""

import ctypes
from typing import Any, ClassVar

from ._library import ErrorText, decode, lib
from ._view import View
from ._words import Outcome, Status


class Error(Exception):
    """The root of what this module raises.

    text       one clause that names its object, without a full stop
    status     why the call did not happen; OK where it did
    exit_code  with which the command would end
    """

    usual: ClassVar[Status] = Status.OK

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.status = self.usual if status is None else Status(status)

    @property
    def exit_code(self) -> int:
        return int(lib.hf_status_exit(self.status))


class Invalid(Error):
    """The request is wrong: fix it."""

    usual = Status.INVALID


class Unavailable(Error):
    """The place is unavailable, and nothing was done."""

    usual = Status.UNAVAILABLE


class Unknown(Error):
    """No answer came: it may or may not have been done."""

    usual = Status.UNKNOWN


class Denied(Error):
    """Permission denied."""

    usual = Status.DENIED


class LimitReached(Error):
    """A limit was reached."""

    usual = Status.LIMIT


class Cancelled(Error):
    """It was cancelled, or its client was closed.  Nothing is held."""

    usual = Status.CANCELLED


class NoMemory(Error, MemoryError):
    """Out of memory; nothing was changed."""

    usual = Status.NO_MEMORY


class Corrupt(Error):
    """The place holds something that is not Holdfast's."""

    usual = Status.CORRUPT


class _OutcomeError(Error):
    outcome: Outcome = Outcome.NOT_HELD

    def __init__(self, text: str, outcome: int | None = None,
                 view: View | None = None, advice: str = "") -> None:
        super().__init__(text)
        self.outcome = self.outcome if outcome is None else Outcome(outcome)
        self.view = View() if view is None else view
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.text}\n{self.advice}" if self.advice else self.text

    @property
    def exit_code(self) -> int:
        return int(lib.hf_outcome_exit(self.outcome))


class NotAcquired(_OutcomeError):
    """The lock was not to be had.

    outcome  which answer this is
    view     what is known of the holder
    advice   who holds it and what to do, in lines, as the command says it
    """


class TimedOut(NotAcquired):
    """It was not free within the limit."""

    outcome = Outcome.TIMED_OUT


class HeldTooLong(NotAcquired):
    """One holder, who lives, kept it past the limit."""

    outcome = Outcome.HELD_TOO_LONG


class SuspectedDead(NotAcquired):
    """A refuse holder stood unchanged for its ttl: a person decides."""

    outcome = Outcome.SUSPECTED_DEAD


class Gone(NotAcquired):
    """A refuse holder's processes are gone: a person decides."""

    outcome = Outcome.GONE


class AlreadyHeld(NotAcquired):
    """The one who asks holds it already: it would never be free."""

    outcome = Outcome.ALREADY_HELD


class Deadlock(NotAcquired):
    """It would be waited for in a circle."""

    outcome = Outcome.DEADLOCK


class AtLimit(NotAcquired):
    """The place takes no more of this kind."""

    outcome = Outcome.AT_LIMIT


class NotHeld(_OutcomeError):
    """The lock is not held: never was, or was given back."""


class Lost(NotHeld):
    """Another process may hold the lock by now: stop."""

    outcome = Outcome.LOST


class InDoubt(NotHeld):
    """The right to a refuse lock ran out unconfirmed.

    Nobody overrides such a lock, so most work may go on: catch it.  It becomes
    certain again, or is found to be lost.
    """

    outcome = Outcome.IN_DOUBT


class NotCleared(Error):
    """The record stands as it was; `view` tells of its holder."""

    def __init__(self, text: str, view: View) -> None:
        super().__init__(text)
        self.view = view

    @property
    def exit_code(self) -> int:
        return 1


def _below(root: Any) -> Any:
    for each in root.__subclasses__():
        yield each
        yield from _below(each)


_OF_STATUS: dict[Status, type[Error]] = {
    each.usual: each for each in _below(Error) if each.usual != Status.OK}
_OF_OUTCOME: dict[Outcome, type[NotAcquired]] = {
    each.outcome: each for each in _below(NotAcquired)}


def of_status(status: int, text: str) -> Error:
    """The exception for a status, known or not."""
    text = text or decode(lib.hf_status_sentence(status))
    return _OF_STATUS.get(Status(status), Error)(text, status)


def of_outcome(outcome: int) -> type[NotAcquired]:
    return _OF_OUTCOME.get(Outcome(outcome), NotAcquired)


def call(function: Any, *words: Any) -> None:
    """Call what takes an error at the end, and raise it."""
    error = ErrorText()
    status = function(*words, ctypes.byref(error))
    if status != Status.OK:
        raise of_status(status, decode(error.text))


def encode(text: str) -> bytes:
    """Text for the library, which refuses what is not UTF-8.  A NUL would end
    it where the caller does not."""
    if "\0" in text:
        raise Invalid(f"there is a NUL in {text!r}")
    return text.encode("utf-8", "surrogateescape")
