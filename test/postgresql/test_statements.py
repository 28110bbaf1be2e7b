#!/usr/bin/env python3
"""What waiters ask a server: one statement a second for all of a process, or four
where nothing wakes them, and a few for each beat that they see, in one read.

usage: test_statements.py CROWD
"""

import contextlib
import re
import sys
import time
import unittest

from cluster import Pooler, Postgres, need_servers
from place import make
from test_crowd import Crowd

SECONDS = 15
FEW = 8 # of what comes once: the first looks, and a connection more

HOLDER, WAITER = "postgres", "holdfast" # roles, by which the log tells them
CALL = re.compile(r"^(\w+) LOG:  execute [^:]*: SELECT \* FROM "
                  r'"holdfast"\.(\w+)\(', re.MULTILINE)


# Locks that are held by hand, and beats of their holders, hundreds a second or more.
HELD = """
INSERT INTO holdfast.records (space, name, version, token, stamp, value)
    SELECT 'default', 'held-' || i, 1 << 30, 1 << 30, 0,
           '{"lock":"' || i || '_0","if_dead":"takeover","ttl_ms":600000,'
           '"beat_ms":2000,"owner":{"host":"elsewhere","user":"u"}}'
    FROM generate_series(0, %d - 1) AS i"""
BEATS = """
DO $$
DECLARE
    until timestamptz := clock_timestamp() + '%d s';
    beats integer := 0;
BEGIN
    WHILE clock_timestamp() < until LOOP
        UPDATE holdfast.records SET version = version + 1
            WHERE name = 'held-' || beats %% %d;
        COMMIT;
        PERFORM pg_sleep(0.0003);
        beats := beats + 1;
    END LOOP;
    RAISE NOTICE '%% beats', beats;
END $$"""


class Statements(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(
            Postgres(log_statement="all", log_line_prefix="%u "))

    def count(self, endpoint, locks):
        """(the holder's beats, the waiters' looks, their reads, seconds)."""
        with contextlib.ExitStack() as stack:
            holder = stack.enter_context(
                Crowd(CROWD, self.server.url(user=HOLDER), locks, 0, 0, 0))
            holder.await_word("held")
            self.server.sql(
                f"GRANT USAGE ON SCHEMA holdfast TO {WAITER};"
                f"GRANT ALL ON ALL TABLES IN SCHEMA holdfast TO {WAITER}")
            waiter = stack.enter_context(
                Crowd(CROWD, endpoint.url(user=WAITER), 0, 0, locks, 0))
            waiter.await_word("held") # none
            waiter.await_word("waiting")
            begun, before = time.monotonic(), len(self.server.log_text())
            time.sleep(SECONDS)
            calls = CALL.findall(self.server.log_text()[before:])
            seconds = time.monotonic() - begun
        counts = (calls.count((HOLDER, "apply")),
                  calls.count((WAITER, "changed")),
                  calls.count((WAITER, "find")), seconds)
        print("%d beats, %d looks, %d reads in %.0f s" % counts)
        self.assertGreater(counts[1], 0)
        return counts

    def assert_few(self, endpoint, locks, looks_a_second):
        """A look sees a beat, is followed by a read and then by another; and a
        waiter reads by itself about as often as there are beats."""
        beats, looks, reads, seconds = self.count(endpoint, locks)
        self.assertLessEqual(looks, looks_a_second * seconds + 2 * beats + FEW)
        self.assertLessEqual(reads, seconds / 2 + 2 * beats + FEW)

    def test_one_that_is_woken_looks_each_second(self):
        self.assert_few(self.server, 1, 1)

    def test_many_of_a_process_look_as_one(self):
        self.assert_few(self.server, 500, 1)

    def test_however_many_beat_it_looks_ten_times_a_second(self):
        locks = 500
        make(self.server)
        self.server.sql(HELD % locks)
        with Crowd(CROWD, self.server.url(user=WAITER), 0, 0, locks, 0) as crowd:
            crowd.await_word("held") # none
            crowd.await_word("waiting")
            begun, before = time.monotonic(), len(self.server.log_text())
            with self.server.session() as session:
                print(session.do(BEATS % (SECONDS, locks)))
            seconds = time.monotonic() - begun
            calls = CALL.findall(self.server.log_text()[before:])
        looks = calls.count((WAITER, "changed"))
        print(f"{looks} looks in {seconds:.0f} s")
        self.assertGreater(looks, SECONDS)
        self.assertLess(looks, 10 * seconds + FEW)

    def test_one_that_nothing_wakes_looks_four_times_a_second(self):
        pooler = self.enterContext(Pooler(self.server))
        self.assert_few(pooler, 1, 4)


if __name__ == "__main__":
    need_servers()
    CROWD = sys.argv.pop(1)
    unittest.main()
