"""Who holds it and what to do, in the words of the command."""

from __future__ import annotations

import shlex
import time

from ._errors import NotAcquired, of_outcome
from ._library import decode, duration_text, lib
from ._view import View
from ._words import Outcome

# A look so short that a beat need not have come: not worth a number.
_JUST_MS = 1000


def _who(view: View) -> str:
    return f"{view.user or '?'}@{view.host or '?'}"


def _processes(view: View) -> str:
    pids = [str(pid) for pid in view.processes]
    if not pids:
        return "none listed"
    return " and ".join([", ".join(pids[:-1]), pids[-1]] if pids[1:] else pids)


def _since(ms: int) -> str:
    if ms <= 0:
        return "unknown"
    date = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(ms / 1000))
    age = max(0, round(time.time() * 1000) - ms)
    return f"{date} ({duration_text(age)})"


def _life(view: View) -> str:
    unchanged = duration_text(view.unchanged_ms)
    if view.life == "gone":
        return (f"gone: of its processes ({_processes(view)}) none is left on "
                "this host")
    if view.life == "suspected dead":
        there = ", yet a process of it is there (stopped?)"
        return (f"suspected dead: unchanged for {unchanged}"
                + (there if view.running else ""))
    if view.life == "beating":
        ago = "just now" if view.unchanged_ms < _JUST_MS else f"{unchanged} ago"
        return f"it beats: the last beat came {ago}"
    if view.life == "running":
        return "alive: a process of it runs"
    if view.life == "unknown":
        return "not known: no beat was seen"
    return view.life


def _holder(view: View) -> list[str]:
    lines = [f"holder: {_who(view)}, since {_since(view.since_ms)}, "
             f"processes {_processes(view)}",
             f"runs: {view.command or '?'}"]
    if view.reason:
        lines.append(f"reason: {view.reason}")
    lines.append(f"fence: {view.fence}; if dead: {view.if_dead}")
    lines.append(f"life: {_life(view)}")
    return [f"  {line}" for line in lines]


def _command(verb: str, place: str, view: View, *words: str) -> str:
    line = ["holdfast", verb, "--at", place]
    if view.space not in ("", "default"):
        line += ["--space", view.space]
    line += [*words, *(["--"] if view.name.startswith("-") else []), view.name]
    return "    " + " ".join(shlex.quote(word) for word in line)


def _clear(place: str, view: View) -> list[str]:
    before = "see how far it came, put that right"
    if view.life == "suspected dead" and view.running:
        before = (f"end what is left of processes {_processes(view)} and of "
                  "what they run, or it goes on beside the next one; " + before)
    return [f"nobody takes it over: {before}, and then",
            _command("clear", place, view, "--fence", str(view.fence),
                     "--reason", "…")]


def _headline(name: str, limit_ms: int, outcome: Outcome, view: View) -> str:
    limit = duration_text(limit_ms)
    if outcome == Outcome.GONE:
        return (f"the holder of {name} is dead: its processes are gone from "
                "this host")
    if outcome == Outcome.SUSPECTED_DEAD:
        return (f"the holder of {name} is suspected dead: it has not beaten "
                f"for longer than its ttl of {duration_text(view.ttl_ms)}")
    if outcome == Outcome.HELD_TOO_LONG:
        return (f"{name} is held too long: one live holder kept it past our "
                f"limit of {limit}")
    if outcome == Outcome.TIMED_OUT and limit_ms == 0:
        return f"{name} is held, and a try does not wait"
    if outcome == Outcome.TIMED_OUT:
        return f"{name} was not free within {limit}"
    if outcome == Outcome.ALREADY_HELD:
        return (f"{name} is held by the same thread of control: waiting for "
                "it would never end")
    return f"{name}: {decode(lib.hf_outcome_word(outcome))}"


def _remedy(place: str, outcome: Outcome, view: View) -> list[str]:
    if outcome in (Outcome.GONE, Outcome.SUSPECTED_DEAD):
        return _clear(place, view)
    if outcome == Outcome.HELD_TOO_LONG:
        whom = _who(view) if view.user else "its holder"
        return [f"it is alive, so there is nothing to clear: ask {whom}, or "
                "wait longer"]
    if outcome == Outcome.TIMED_OUT:
        return ["to learn more", _command("why", place, view)]
    if outcome == Outcome.ALREADY_HELD:
        return ["leave out the inner one, or give it a lock of its own"]
    return []


def refusal(place: str, name: str, limit_ms: int, outcome: Outcome,
            view: View) -> NotAcquired:
    name = shlex.quote(name)
    lines = _holder(view) if view.exists and not view.corrupt else []
    return of_outcome(outcome)(
        f"{_headline(name, limit_ms, outcome, view)} ({place})", outcome, view,
        "\n".join(lines + _remedy(place, outcome, view)))
