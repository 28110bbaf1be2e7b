#!/usr/bin/env python3
"""What becomes of a commit that meets other sessions: it tells the truth, and one
that has to wait keeps no other waiting for long.

usage: test_commit.py STORE_DRIVER CROWD
"""

import subprocess
import sys
import threading
import time
import unittest

from cluster import Postgres, await_that, need_servers
from driver import Driver

TTL_S = 6
HELD, LOCKED = 40, 20


class Commit(unittest.TestCase):
    def test_what_a_cancel_meets_in_its_flush_is_not_said_to_be_undone(self):
        """It is raised behind COMMIT's tag where durations are logged."""
        server = self.enterContext(Postgres(
            log_min_duration_statement=0, commit_delay=20000,
            commit_siblings=0))
        driver = self.enterContext(Driver(DRIVER, server.url()))
        floor = driver.version("k")
        session = self.enterContext(server.session())
        told = []

        def cancel():
            while len(told) < 20:
                session.do("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                           " WHERE application_name = 'holdfast'"
                           " AND query = 'COMMIT' AND state = 'active'")

        canceller = threading.Thread(target=cancel)
        canceller.start()
        try:
            for i in range(20):
                told.append(driver.ask("commit 10000",
                                       f"put:k{i}:{floor}:x")[0].split()[0])
        finally:
            told += [""] * 20
            canceller.join()
        told = told[:20]
        there = {name for name in server.sql(
            "SELECT name FROM holdfast.records").splitlines()}
        for i, verdict in enumerate(told):
            if verdict == "unavailable":
                self.assertNotIn(f"k{i}", there)
            if verdict == "applied":
                self.assertIn(f"k{i}", there)
        self.assertIn("unknown", told, "no cancel has met a flush")

    def test_locked_rows_cost_only_their_own_locks(self):
        server = self.enterContext(Postgres())
        crowd = subprocess.Popen(
            [CROWD, server.url(), f"{TTL_S}s", str(HELD), "0", "0", "0"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(crowd.communicate)
        self.addCleanup(crowd.kill)
        self.assertEqual(crowd.stdout.readline(), "held\n")
        session = self.enterContext(server.session())
        session.do("BEGIN; SELECT FROM holdfast.records"
                   f" WHERE substr(name, 6)::integer < {LOCKED} FOR UPDATE")
        time.sleep(1.5 * TTL_S)
        session.do("ROLLBACK")
        out, _ = crowd.communicate("")
        self.assertEqual(out.split()[-1], str(HELD - LOCKED))

    def test_groups_that_met_a_lock_for_a_moment_go_again_together(self):
        """One by one they would have no time, so far away."""
        server = self.enterContext(Postgres())
        proxy = self.enterContext(server.proxy(latency=0.15))
        driver = self.enterContext(Driver(DRIVER, server.url(at=proxy.at)))
        floor = driver.version("k0")
        names = [f"k{i}" for i in range(12)]
        first = driver.do("batch 10000", *(f"put:{name}:{floor}:x"
                                           for name in names))
        self.assertEqual(first.count("applied"), len(names))
        versions = [int(word.rstrip(",")) for word in first
                    if word != "applied"]
        driver.version("k0")
        with server.session() as other:
            other.do("BEGIN; SELECT FROM holdfast.records FOR UPDATE")
            driver.send("batch 10000", *(
                f"beat:{name}:{version}:y"
                for name, version in zip(names, versions)))
            await_that(lambda: server.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle'"
                " AND application_name = 'holdfast' AND query = 'COMMIT'"
                ) == "1", "the first try")
            other.do("ROLLBACK")
        what, why = driver.wait()
        self.assertEqual(what.count("applied"), len(names), (what, why))

    def test_a_hand_that_hinders_a_write_makes_no_hot_loop(self):
        server = self.enterContext(Postgres())
        driver = self.enterContext(Driver(DRIVER, server.url()))
        floor = driver.version("k")
        driver.do("commit 10000", f"put:k:{floor}:x")
        server.sql("""
            CREATE SEQUENCE holdfast.tries;
            GRANT ALL ON holdfast.tries TO holdfast;
            CREATE FUNCTION holdfast.nothing() RETURNS trigger
            LANGUAGE plpgsql AS $$ BEGIN
                PERFORM nextval('holdfast.tries'); RETURN NULL; END $$;
            CREATE TRIGGER hand BEFORE UPDATE ON holdfast.records FOR EACH ROW
                EXECUTE FUNCTION holdfast.nothing()""")
        what, why = driver.ask("commit 10000", f"put:k:{driver.version('k')}:y")
        self.assertEqual(what.split()[0], "unavailable")
        self.assertIn("a hand that takes no locks", why)
        self.assertLess(int(server.sql("SELECT last_value FROM"
                                       " holdfast.tries")), 15)


DRIVER, CROWD = sys.argv.pop(1), sys.argv.pop(1)
need_servers()
unittest.main()
