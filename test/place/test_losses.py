#!/usr/bin/env python3
"""Whatever is lost on the way, the store tells the truth about what it did.

usage: test_losses.py KIND DRIVER FAULT...

A claim, a beat, a release and a takeover go through a proxy that does one thing
wrong, a FAULT, at the n-th message, for each n of either direction; on a
connection that is there, on one that is dialled for them, and behind what clients
may meet instead of the server.  Each verdict is then compared with what the server
has: *unavailable* is never there, *applied* always is, *unknown* may be either,
and nothing else is ever said.

All of it goes side by side, for most of a silence is waiting.
"""

import collections
import concurrent.futures
import contextlib
import itertools
import sys
import time

from driver import Driver
from fixture import await_that
from kinds import subject_of
from proxy import DELAY, FAULTS, HOLE, SWALLOW, TO_CLIENT, TO_SERVER, Fault

# An answer is awaited for a third of it at most.
PATIENCE_MS = {HOLE: 1500, SWALLOW: 1500, DELAY: 1500}
LONG_MS = 30000
TRIES = 5 # to reach a message, on a machine that may be busy
EXPECTED = {"applied", "unavailable", "unknown"}

# Each has the operations of one group, of a lock that is there or is not.
CLAIM = "claim", False, ("put:{name}:{version}:mine",)
BEAT = "beat", True, ("beat:{name}:{version}:mine",)
RELEASE = "release", True, ("delete:{name}:{version}",)
TAKEOVER = "takeover", True, ("put:{name}:{version}:mine", "mark:{name}")
OPERATIONS = (CLAIM, BEAT, RELEASE, TAKEOVER)

STRAIGHT, ANEW = "straight", "dialled anew"


class Sweep:
    """One operation, over and over, through a proxy and a client of its own;
    what it needs before and looks at afterwards goes by another way."""

    def __init__(self, server, program, operation, way, direction):
        self.server = server
        self.program = program
        self.word, self.exists, self.ops = operation
        self.way = way
        self.direction = direction
        self.title = f"{self.word}, {way}"
        self.scope = f"sweep {self.word} {way} {direction}".replace(" ", "_")
        self.count = 0
        self.told = collections.Counter()
        self.wrong = []

    def prepare(self):
        """A lock of a new name: (name, version to expect)."""
        self.count += 1
        name = f"{self.word}-{self.count}"
        if self.exists:
            self.direct.do("commit 10000",
                           f"put:{name}:{self.direct.version(name)}:theirs")
        return name, self.direct.version(name)

    def ask(self, driver, name, version, patience_ms=LONG_MS):
        return driver.ask(f"commit {patience_ms}", *(
            op.format(name=name, version=version) for op in self.ops))

    def is_done(self, name):
        """As the server has it, once nothing of the client's is under way."""
        self.looker.settle(self.scope)
        values = {space: value for (space, key), (_, value)
                  in self.looker.records(self.scope).items() if key == name}
        lock = values.get("default", "")
        marked = "!RECLAIM" in values
        if self.word == "release":
            return lock == ""
        if marked != (self.word == "takeover" and lock == "mine"):
            self.wrong.append(f"{name}: half of it is there: {values}")
        return lock == "mine"

    def one(self, driver, fault):
        """Until it has come to that: a call may have given up before, and is
        given more time."""
        for again in range(TRIES):
            patience_ms = PATIENCE_MS.get(fault.kind, LONG_MS) * (1 + again)
            if self.try_one(driver, fault, patience_ms):
                return
        self.wrong.append(f"{fault}: it never came to that")

    def try_one(self, driver, fault, patience_ms):
        name, version = self.prepare()
        self.begin(driver)
        self.proxy.arm(fault)
        what, why = self.ask(driver, name, version, patience_ms)
        word = what.split()[0]
        if word == "applied": # something of it is still on the way
            self.proxy.await_fired()
        fired = self.proxy.fired
        kinds = [kind for _, direction, kind in self.proxy.seen
                 if direction == fault.direction]
        self.proxy.arm()
        self.proxy.close_silent()
        done = self.is_done(name)
        self.told[word, done] += 1
        where = f"{fault} ({kinds[fault.n - 1] if fired else 'never'})"
        if (word not in EXPECTED or (word == "applied" and not done)
                or (word == "unavailable" and done)):
            self.wrong.append(
                f"{where}: {what}, but it is {'' if done else 'not '}there"
                f" # {why}")
        return fired

    def warm_up(self, driver):
        """It has a connection, and nothing of what was lost before."""
        await_that(lambda: driver.ask("read warm-up")[0] != "failed",
                   "the store to dial anew")

    def begin(self, driver):
        """With a connection, or with none that works."""
        self.warm_up(driver)
        if self.way == ANEW:
            self.proxy.refuse(True)
            self.proxy.close_all()
            await_that(lambda: driver.ask("read warm-up")[0] == "failed",
                       "the store to lose its connection")
            self.proxy.refuse(False)

    def messages(self, driver):
        """How many there are, of an operation that goes well."""
        for _ in range(TRIES):
            name, version = self.prepare()
            self.begin(driver)
            self.proxy.arm()
            what, why = self.ask(driver, name, version)
            if what.split()[0] == "applied" and self.is_done(name):
                return self.proxy.counted(self.direction)
        raise RuntimeError(f"{self.word}: {what} # {why}")

    def run(self, faults):
        with contextlib.ExitStack() as stack:
            self.proxy = stack.enter_context(self.server.proxy())
            front = self.server.front(self.way, self.proxy, stack,
                                      narrow=True)
            self.looker = self.server.looker(stack)
            self.direct = stack.enter_context(Driver(
                self.program, self.server.place(self.scope)))
            driver = stack.enter_context(Driver(
                self.program,
                self.server.place(self.scope, at=(front.address, front.port)),
                self.server.client_environment(self.scope)))
            count = self.messages(driver)
            for kind, n in itertools.product(faults, range(1, count + 1)):
                self.one(driver, Fault(kind, self.direction, n))
        return count


def check_told(told, faults):
    """A sweep in which nothing was ever lost shows nothing."""
    if faults == [DELAY]:
        return
    for outcome in (("unknown", True), ("unknown", False),
                    ("unavailable", False)):
        if not told[outcome]:
            sys.exit(f"nothing was ever {outcome}")


def main():
    kind, program, *faults = sys.argv[1:]
    if not faults or not set(faults) <= set(FAULTS):
        sys.exit(__doc__)
    subject = subject_of(kind)
    begun = time.monotonic()
    told = collections.Counter()
    with subject() as server:
        sweeps = [Sweep(server, program, *each) for each in itertools.product(
            OPERATIONS, (STRAIGHT, ANEW, *server.fronts),
            (TO_SERVER, TO_CLIENT))]
        with concurrent.futures.ThreadPoolExecutor(len(sweeps)) as pool:
            runs = [pool.submit(sweep.run, faults) for sweep in sweeps]
        for sweep, run in zip(sweeps, runs):
            print(f"{sweep.title}: {run.result()} messages {sweep.direction}:")
            for (word, done), count in sorted(sweep.told.items()):
                print(f"  {count:4} {word}, {'' if done else 'not '}there")
            told += sweep.told
    for sweep in sweeps:
        for line in sweep.wrong:
            print(f"WRONG: {line}")
    check_told(told, faults)
    print(f"{sum(told.values())} in {time.monotonic() - begun:.0f} s")
    sys.exit(any(sweep.wrong for sweep in sweeps))


main()
