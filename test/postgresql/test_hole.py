#!/usr/bin/env python3
"""A connection that goes silent for good costs no lock.

usage: test_hole.py HOLDFAST

A lock with a ttl of 10 s, whose holder's connections are black-holed, one after the
other, while each has a beat under way: the lock is kept, and its record is never
older than two thirds of the ttl.  Then the same of a waiter: it gets the lock soon
after it is free, though all that it had is silent.
"""

import subprocess
import sys
import time
import unittest

from cluster import Postgres, await_that, need_servers
from proxy import HOLE, SWALLOW, TO_CLIENT, TO_SERVER, Fault, Proxy

TTL_S = 10


class Hole(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Postgres())
        self.proxy = self.enterContext(
            Proxy(self.server.address, self.server.port))
        self.place = self.server.url(at=self.proxy.at)

    def start(self, *words):
        process = subprocess.Popen(
            [HOLDFAST, "run", "--at", self.place, *words], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def version(self):
        return self.server.sql("SELECT version FROM holdfast.records"
                               " WHERE name = 'job' AND value IS NOT NULL")

    def watch(self, until, process):
        """How old the record was at most, until something is true."""
        version, since, oldest = self.version(), time.monotonic(), 0
        while not until():
            self.assertIsNone(process.poll(), "the command was ended")
            now = self.version()
            oldest = max(oldest, time.monotonic() - since)
            if now != version:
                version, since = now, time.monotonic()
            time.sleep(0.02)
        return oldest

    def lose(self, kind, direction):
        """The next message, on whatever connection; more follow it there."""
        self.proxy.arm(Fault(kind, direction))

    def test_a_lock_is_kept_whichever_connections_go_silent(self):
        holder = self.start("--ttl", f"{TTL_S}s", "job", "--", "cat")
        await_that(self.version_is_there)
        oldest = 0
        for kind, direction in ((HOLE, TO_SERVER), (SWALLOW, TO_SERVER),
                                (HOLE, TO_CLIENT)):
            self.lose(kind, direction)
            oldest = max(oldest, self.watch(lambda: self.proxy.fired, holder))
            # For longer than the ttl after it.
            end = time.monotonic() + TTL_S + 2
            oldest = max(oldest, self.watch(
                lambda: time.monotonic() > end, holder))
        print(f"the record was {oldest:.1f} s old at most")
        self.assertLess(oldest, TTL_S * 2 / 3)
        _, said = holder.communicate()
        self.assertEqual(holder.returncode, 0, said)

    def version_is_there(self):
        return (self.server.sql("SELECT to_regclass('holdfast.records')") != ""
                and self.version() != "")

    def test_a_waiter_is_not_left_behind(self):
        holder = self.start("job", "--", "cat")
        await_that(self.version_is_there)
        waiter = self.start("-w", "60s", "job", "--", "echo", "mine")
        self.assertRegex(waiter.stderr.readline(), "job")
        for connection in list(self.proxy.connections):
            connection.silence()
        holder.communicate()
        self.assertEqual(holder.returncode, 0)
        begun = time.monotonic()
        out, said = waiter.communicate()
        print(f"the waiter ran {time.monotonic() - begun:.1f} s later")
        self.assertEqual((waiter.returncode, out), (0, "mine\n"), said)


HOLDFAST = sys.argv.pop(1)
need_servers()
unittest.main()
