#!/usr/bin/env python3
"""A standby is promoted: nobody is granted what another may still believe in.

usage: test_failover.py HOLDFAST DRIVER [Synchronous | Asynchronous]

Clients name both servers.  The process that sends to the standby is stopped, so
that what is granted from then on is lost when the primary is killed.
"""

import os
import signal
import subprocess
import sys
import time
import unittest

from cluster import Postgres, await_that, need_servers
from driver import Driver

# No promotion is believed to be over sooner, whatever the ttl.
PAUSE_S = 60


class Case(unittest.TestCase):
    def start_servers(self, synchronous, **parameters):
        more = ({"synchronous_standby_names": "standby"} if synchronous
                else {})
        self.primary = self.enterContext(Postgres())
        self.standby = self.enterContext(self.primary.standby())
        if synchronous:
            self.primary.stop()
            self.primary.settings.update(more)
            self.primary.start()
            await_that(lambda: self.primary.sql(
                "SELECT sync_state FROM pg_stat_replication") == "sync")
        query = "".join(f"{'&' if i else '?'}{name}={value}" for i, (name, value)
                        in enumerate(parameters.items()))
        self.place = (f"postgresql://holdfast@{self.primary.address}:"
                      f"{self.primary.port},{self.standby.address}:"
                      f"{self.standby.port}/holdfast{query}")

    def run_lock(self, name, *words, command=("cat",)):
        process = subprocess.Popen(
            [HOLDFAST, "run", "--at", self.place, "--ttl", "10s", *words, name,
             "--", *command], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def hold(self, name, *words):
        """A holder whose command has begun."""
        process = self.run_lock(
            name, *words, command=("sh", "-c", "echo begun; exec cat"))
        self.assertEqual(process.stdout.readline(), "begun\n",
                         process.poll() is not None and process.stderr.read())
        return process

    def lose_the_primary(self):
        self.primary.kill()
        self.standby.promote()
        return time.monotonic()

    def freeze_the_standby(self):
        """It keeps what it has."""
        self.standby.await_replayed(self.primary.position())
        for pid in self.primary.senders():
            os.kill(pid, signal.SIGSTOP)


class Asynchronous(Case):
    """It takes a minute."""

    def test_what_a_promotion_lost_is_granted_to_nobody_for_its_right(self):
        self.start_servers(synchronous=False)
        kept = self.hold("kept", "--if-dead", "refuse")
        taken = self.hold("taken")
        self.freeze_the_standby()
        lost = self.hold("lost")
        promoted = self.lose_the_primary()
        said = self.run_lock("lost", "-n").communicate()[1]
        self.assertIn("promoted", said)
        heir = self.run_lock("lost", "-w", "120s",
                             command=("date", "+%s.%N"))
        # Whose record is gone has lost its lock, and its command is ended.
        lost.wait(timeout=30)
        self.assertNotEqual(lost.returncode, 0)
        ended = time.monotonic()
        self.assertIsNone(heir.poll())
        heir.wait(timeout=120)
        began = time.monotonic()
        self.assertEqual(heir.returncode, 0, heir.stderr.read())
        print(f"the command of the lost lock ended {ended - promoted:.1f} s"
              f" after the promotion, the next one began"
              f" {began - promoted:.1f} s after it")
        self.assertGreaterEqual(began - promoted, PAUSE_S - 2)
        # Who was there cannot know what was lost of it.
        self.assertEqual(taken.wait(), 76)
        # Or has a holder that asks no machine, and goes on.
        self.assertIsNone(kept.poll())
        kept.communicate()
        self.assertEqual(kept.returncode, 0)


class Synchronous(Case):
    def test_a_synchronous_standby_loses_nothing_and_pauses_nothing(self):
        self.start_servers(synchronous=True, promotion="synchronous")
        kept = self.hold("kept")
        for pid in self.primary.senders():
            os.kill(pid, signal.SIGSTOP)
        # Its commit is on the primary, and waits for the standby.
        waiting = self.run_lock("new", "-w", "120s", command=("echo", "mine"))
        await_that(lambda: self.primary.sql(
            "SELECT count(*) > 0 FROM pg_stat_activity"
            " WHERE wait_event = 'SyncRep'") == "t")
        promoted = self.lose_the_primary()
        out, said = waiting.communicate()
        took = time.monotonic() - promoted
        self.assertEqual((waiting.returncode, out), (0, "mine\n"), said)
        print(f"granted {took:.1f} s after the promotion")
        self.assertLess(took, 30)
        self.assertIsNone(kept.poll())
        kept.communicate()
        self.assertEqual(kept.returncode, 0)

    def test_a_commit_that_was_cancelled_while_it_waits_is_unknown(self):
        self.start_servers(synchronous=True)
        with Driver(DRIVER, self.place) as driver:
            version = driver.version("a")
            for pid in self.primary.senders():
                os.kill(pid, signal.SIGSTOP)
            driver.send(f"commit 30000 put:a:{version}:x")
            waits = (" FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                     " AND usename = 'holdfast'")
            await_that(lambda: self.primary.sql(
                "SELECT count(*)" + waits) == "1")
            self.primary.sql("SELECT pg_cancel_backend(pid)" + waits)
            what, why = driver.wait()
            self.assertEqual(what, "unknown", why)
        self.assertEqual(self.primary.sql(
            "SELECT value FROM holdfast.records WHERE name = 'a'"), "x")


HOLDFAST, DRIVER = sys.argv[1:3]
del sys.argv[1:3]
need_servers()
unittest.main()
