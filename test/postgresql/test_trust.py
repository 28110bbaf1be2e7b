#!/usr/bin/env python3
"""?trust_clock=2s: a lock that is stale by the database's clock is taken over at
once, and not where that clock may say nothing of the time before.

usage: test_trust.py SHIM HOLDFAST

Nobody waits for time to pass: the server's clock is set on.
"""

import pathlib
import subprocess
import sys
import unittest

from cluster import Postgres, make_folder, need_servers
from place import (BEAT, Op, absent, apply, claim, make)

RECORD = ('{"lock":"1_0","if_dead":"%s","ttl_ms":60000,"beat_ms":2000,'
          '"owner":{"host":"elsewhere","user":"u"}}')
UNAVAILABLE, TIMED_OUT = 69, 75
STOOD = "SELECT stood FROM holdfast.find('{default}', '{%s}', true)" \
    " WHERE op = 1"


class Wall:
    """The clock of all servers here."""

    def __init__(self):
        self.file = pathlib.Path(make_folder(), "wall")
        self.environment = {"LD_PRELOAD": SHIM, "HF_WALL": str(self.file)}

    def set(self, seconds):
        # At once: a reader may not see half of it.
        new = self.file.with_suffix(".new")
        new.write_text(f"{seconds}\n")
        new.rename(self.file)


class Trust(unittest.TestCase):
    def setUp(self):
        self.wall = Wall()
        self.server = self.enterContext(
            Postgres(environment=self.wall.environment))
        make(self.server)

    def stood(self, server=None, name="a"):
        """In seconds; None: it cannot be told."""
        shown = (server or self.server).sql(STOOD % name, user="holdfast")
        return int(shown) / 1000 if shown else None

    def assert_about(self, stood, seconds):
        """A busy machine may take its time."""
        self.assertGreaterEqual(stood, seconds - 0.01)
        self.assertLess(stood, seconds + 25)

    # ---- What a read says ---------------------------------------------------

    def test_an_age_is_what_the_clock_has_shown_since_the_last_write(self):
        version = claim(self.server, "a")
        self.assert_about(self.stood(), 0)
        self.wall.set(100)
        self.assert_about(self.stood(), 100)
        apply(self.server, Op(BEAT, "a", version))
        self.assert_about(self.stood(), 0)
        self.wall.set(50)
        self.assertLess(self.stood(), -20)

    def test_nobody_is_told_who_does_not_ask_nor_of_what_is_not_there(self):
        claim(self.server, "a")
        self.assertEqual(self.server.sql(
            "SELECT count(stood) FROM holdfast.find('{default}', '{a}')"), "0")
        self.assertIsNone(self.stood(name="b"))

    def test_the_time_before_the_server_started_does_not_count(self):
        claim(self.server, "a")
        self.wall.set(100)
        self.server.stop()
        self.server.start()
        self.assert_about(self.stood(), 0)
        self.wall.set(200)
        self.assert_about(self.stood(), 100)

    def test_nor_that_before_files_of_an_older_day_were_put_back(self):
        version = claim(self.server, "a")
        self.server.stop()
        self.server.copy_files()
        self.server.start()
        self.wall.set(1000)
        apply(self.server, Op(BEAT, "a", version))
        self.server.stop()
        self.server.put_files_back()
        self.server.start()
        self.assertEqual(absent(self.server, "a"), version)
        self.assert_about(self.stood(), 0)

    def test_nor_that_before_a_promotion(self):
        with self.server.standby(environment=self.wall.environment) as standby:
            version = claim(self.server, "a")
            standby.await_replayed(self.server.position())
            self.wall.set(1000)
            self.server.kill()
            standby.promote()
            # The standby has run for all that time, and nobody has written.
            self.assertIsNone(self.stood(standby))
            apply(standby, Op(BEAT, "b", version))
            self.assert_about(self.stood(standby), 0)
            self.wall.set(1100)
            self.assert_about(self.stood(standby), 100)

    def test_nor_that_before_a_dump_was_restored(self):
        version = claim(self.server, "a")
        dump = self.server.dump("holdfast")
        self.wall.set(1000)
        apply(self.server, Op(BEAT, "a", version))
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        self.server.sql(dump)
        self.assertEqual(absent(self.server, "a"), version)
        self.assertIsNone(self.stood())
        apply(self.server, Op(BEAT, "b", version))
        self.assert_about(self.stood(), 0)

    # ---- What a waiter does -------------------------------------------------

    def holdfast(self, *words, **parameters):
        done = subprocess.run(
            [HOLDFAST, words[0], "--at", self.server.url(**parameters),
             *words[1:]], text=True, capture_output=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def is_had(self, wait, **parameters):
        """By who waits for less than its ttl, a minute.  A busy machine may leave
        him no time to see the place: that says nothing."""
        for _ in range(30):
            code, said = self.holdfast("run", "--wait", wait, "a", "--", "true",
                                       **parameters)
            if code != UNAVAILABLE:
                break
        self.assertIn(code, (0, TIMED_OUT), said)
        return code == 0

    def test_a_stale_lock_is_had_at_once_by_who_trusts_the_clock(self):
        claim(self.server, "a", RECORD % "takeover")
        self.wall.set(3600)
        self.assertFalse(self.is_had("2s"))
        self.assertTrue(self.is_had("30s", trust_clock="2s"))

    def test_the_error_is_added_to_the_ttl(self):
        claim(self.server, "a", RECORD % "takeover")
        self.wall.set(1000)
        self.assertFalse(self.is_had("2s", trust_clock="1000s"))
        self.assertTrue(self.is_had("30s", trust_clock="900s"))

    def test_a_refuse_lock_is_had_by_nobody_and_not_suspected(self):
        claim(self.server, "a", RECORD % "refuse")
        self.wall.set(3600)
        self.assertFalse(self.is_had("2s", trust_clock="2s"))

    def test_doctor_says_that_the_clock_is_trusted(self):
        _, said = self.holdfast("doctor", trust_clock="2s")
        self.assertIn("trusted to err by 2s at most", " ".join(said.split()))
        self.assertNotIn("proves nothing", said)
        _, said = self.holdfast("doctor")
        self.assertNotIn("trusted", said)

    def test_doctor_says_when_the_clock_proves_nothing(self):
        version = claim(self.server, "a")
        dump = self.server.dump("holdfast")
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        self.server.sql(dump)
        self.assertIn("it proves nothing until the next write",
                      self.holdfast("doctor", trust_clock="2s")[1])
        self.assertNotIn("proves nothing", self.holdfast("doctor")[1])
        apply(self.server, Op(BEAT, "a", version))
        self.assertNotIn("proves nothing",
                         self.holdfast("doctor", trust_clock="2s")[1])


need_servers()
HOLDFAST = sys.argv.pop(2)
SHIM = sys.argv.pop(1)
unittest.main()
