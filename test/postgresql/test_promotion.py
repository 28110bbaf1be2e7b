#!/usr/bin/env python3
"""A place that went back: a standby that was promoted without what was answered
last, a dump that was restored, files of an older day, a schema made anew."""

import os
import signal
import unittest

from cluster import Postgres, await_that, need_servers
from place import (ABSENT, ANYTHING, APPLIED, BEAT, BEGIN, CLAIM, DELETE,
                   PROMOTED, VALUE, Held, Op, absent, apply, apply_sql, claim,
                   make)

FIND = "SELECT version, value FROM holdfast.find('{default}', '{a}')"
STORE = "SELECT store FROM holdfast.read_head(%d)"


def meta(server, key):
    return int(server.sql(
        f"SELECT number FROM holdfast.meta WHERE key = '{key}'"))


def let_pass(server, seconds):
    """As if so much time had passed since the promotion."""
    server.sql(f"UPDATE holdfast.meta SET number = number - {seconds}000000"
               " WHERE key IN ('promoted_us', 'copied_us') AND number > 0")


class Pause(unittest.TestCase):
    def check_pause(self, server, seconds, promised=APPLIED):
        """Nothing new is granted for so long; all else goes on.  `promised`: to
        who says that a promotion loses nothing."""
        version = absent(server, "held")
        answer = apply(server, Op(CLAIM, "new", absent(server, "new")),
                       Op(CLAIM, "x", ABSENT, space="!audit"),
                       Op(BEAT, "held", version), Op(DELETE, "d", ANYTHING))
        self.assertEqual(answer.verdicts(), {1: PROMOTED, 2: PROMOTED,
                                             3: APPLIED, 4: APPLIED})
        _, since_ms, left_ms = answer.rows[1]
        # A claim that is refused is none to pause for.
        self.assertEqual(apply(server, Op(CLAIM, "long", ABSENT, VALUE % 9000000)
                               ).verdicts(), {1: PROMOTED})
        self.assertAlmostEqual(since_ms + int(left_ms), seconds * 1000, delta=2)
        self.assertEqual(apply(server, Op(CLAIM, "d", ANYTHING)).verdicts(),
                         {1: PROMOTED})
        self.assertEqual(apply(server, Op(CLAIM, "new", ABSENT), flags=1
                               ).verdicts(), {1: promised})
        let_pass(server, seconds - 30)
        self.assertEqual(apply(server, Op(CLAIM, "new2", ABSENT)).verdicts(),
                         {1: PROMOTED})
        let_pass(server, 30)
        self.assertEqual(apply(server, Op(CLAIM, "new2", ABSENT)).verdicts(),
                         {1: APPLIED})


class Promotion(Pause):
    def test_who_may_have_lost_grants_grants_nothing_for_a_while(self):
        with Postgres() as server, server.standby() as standby:
            make(server)
            claim(server, "held", VALUE % 90000)
            place, store = apply(server, Op(BEAT, "x", 1)).place, \
                [server.sql(STORE % flags) for flags in (0, 1)]
            standby.await_replayed(server.position())
            server.kill()
            standby.promote()
            # Nothing was written yet, and those who read know already.
            self.assertNotEqual(standby.sql(FIND).split("\n")[0].split("|")[1],
                                place)
            self.assertEqual(meta(standby, "timeline"), 1)
            self.assertNotEqual(standby.sql(STORE % 0), store[0])
            self.assertEqual(standby.sql(STORE % 1), store[1])
            self.check_pause(standby, 90)
            self.assertEqual(meta(standby, "timeline"), 2)

    def test_the_pause_is_at_least_a_minute_and_begins_with_any_write(self):
        with Postgres() as server, server.standby() as standby:
            make(server)
            version = claim(server, "held", VALUE % 1000)
            standby.await_replayed(server.position())
            server.kill()
            standby.promote()
            apply(standby, Op(BEAT, "held", version, VALUE % 1000))
            begun = meta(standby, "promoted_us")
            self.assertGreater(begun, 0)
            self.check_pause(standby, 60)
            self.assertEqual(meta(standby, "promoted_us"),
                             begun - 60 * 1000000)

    def test_a_claim_that_the_standby_never_had_keeps_others_out(self):
        """Its holder was told that it was applied."""
        with Postgres() as server, server.standby() as standby:
            make(server)
            standby.await_replayed(server.position())
            for pid in server.senders():
                os.kill(pid, signal.SIGSTOP)
            claim(server, "a")
            server.kill()
            standby.promote()
            self.assertEqual(
                apply(standby, Op(CLAIM, "a", absent(standby, "a"))).verdicts(),
                {1: PROMOTED})

    def test_of_two_first_writes_one_keeps_when_and_neither_waits(self):
        with Postgres() as server, server.standby() as standby:
            make(server)
            claim(server, "held")
            standby.await_replayed(server.position())
            server.kill()
            standby.promote()
            statement = apply_sql([Op(DELETE, "d", ANYTHING)])
            with Held(standby, statement) as first:
                first.await_rest()
                self.assertEqual(apply(standby, Op(CLAIM, "a", ABSENT)
                                       ).verdicts(), {1: PROMOTED})
                self.assertEqual(meta(standby, "promoted_us"), 0)
                first.finish()
            self.assertGreater(meta(standby, "promoted_us"), 0)

    def test_a_standby_that_was_not_promoted_is_no_place(self):
        with Postgres() as server, server.standby() as standby:
            make(server)
            standby.await_replayed(server.position())
            for statement in (FIND, STORE % 0,
                              apply_sql([Op(BEAT, "a", 1)])):
                with self.assertRaisesRegex(RuntimeError, "recovery|read-only"):
                    standby.sql(statement)


class Synchronous(unittest.TestCase):
    """A standby that the server waits for, whatever the database's default."""

    def setUp(self):
        self.server = self.enterContext(Postgres(
            synchronous_standby_names="standby"))
        # Before there is one, nothing can be waited for.
        self.server.sql("ALTER SYSTEM SET synchronous_commit = local;"
                        "SELECT pg_reload_conf()")
        make(self.server)
        self.standby = self.enterContext(self.server.standby())
        await_that(lambda: self.server.sql(
            "SELECT sync_state FROM pg_stat_replication") == "sync")

    def set_default(self, value):
        self.server.sql("ALTER DATABASE holdfast SET synchronous_commit ="
                        f" '{value}'")

    def test_a_commit_waits_for_the_standby(self):
        for default in ("local", "off", "remote_write"):
            self.set_default(default)
            (sender,) = self.server.senders()
            os.kill(sender, signal.SIGSTOP)
            with self.server.session("holdfast") as session:
                pid = session.pid()
                session.do(BEGIN)
                session.do(apply_sql([Op(DELETE, "a", ANYTHING)]))
                session.send("COMMIT")
                await_that(lambda: self.server.sql(
                    "SELECT wait_event FROM pg_stat_activity"
                    f" WHERE pid = {pid}") == "SyncRep")
                os.kill(sender, signal.SIGCONT)
                self.assertEqual(session.wait(), "")

    def test_with_remote_apply_it_shows_what_was_answered(self):
        self.set_default("remote_apply")
        version = absent(self.server, "a")
        for kind in (CLAIM, BEAT, BEAT, BEAT, DELETE) * 4:
            version = apply(self.server, Op(kind, "a", version)).version()
            self.assertEqual(self.standby.sql(
                "SELECT version FROM holdfast.records"), str(version))


class Restore(Pause):
    def setUp(self):
        self.server = self.enterContext(Postgres())
        make(self.server)
        claim(self.server, "held")

    def test_a_dump_that_was_restored_is_as_one_that_was_promoted(self):
        place = apply(self.server, Op(BEAT, "x", 1)).place
        dump = self.server.dump("holdfast")
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        self.server.sql(dump)
        paused = "SELECT paused_ms FROM holdfast.read_head(%d)"
        self.assertEqual([self.server.sql(paused % flags) for flags in (0, 1)],
                         ["60000", "60000"])
        self.assertNotEqual(apply(self.server, Op(BEAT, "x", 1)).place, place)
        self.assertLess(int(self.server.sql(paused % 1)), 60000)
        self.check_pause(self.server, 60, promised=PROMOTED)

    def test_files_of_an_older_day_show_an_earlier_position(self):
        """Neither the cluster nor the timeline tells: only who knows the
        position."""
        self.server.stop()
        self.server.copy_files()
        self.server.start()
        claim(self.server, "b")
        before = apply(self.server, Op(BEAT, "x", 1))
        self.server.stop()
        self.server.put_files_back()
        self.server.start()
        after = apply(self.server, Op(BEAT, "x", 1))
        self.assertEqual(after.place, before.place)
        self.assertLess(after.flushed, before.flushed)

    def test_a_crash_takes_no_position_back(self):
        for _ in range(3):
            version = absent(self.server, "held")
            apply(self.server, Op(BEAT, "held", version))
            before = apply(self.server, Op(BEAT, "x", 1))
            self.server.kill()
            self.server.start()
            after = apply(self.server, Op(BEAT, "x", 1))
            self.assertEqual(after.place, before.place)
            self.assertGreaterEqual(after.flushed, before.flushed)

    def test_a_schema_that_was_made_anew_is_another_place(self):
        place = apply(self.server, Op(BEAT, "x", 1)).place
        version = absent(self.server, "held")
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        make(self.server)
        self.assertNotEqual(apply(self.server, Op(BEAT, "x", 1)).place, place)
        self.assertGreater(absent(self.server, "held"), version)


need_servers()
unittest.main()
