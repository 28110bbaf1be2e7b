#!/usr/bin/env python3
"""A server whose clock is wrong: no version is made of it, and where it is only
behind, versions grow all the same.

usage: test_clock.py SHIM HOLDFAST
"""

import datetime
import pathlib
import re
import subprocess
import sys
import unittest

from cluster import Postgres, make_folder, need_servers
from place import (ABSENT, APPLIED, BEAT, BEGIN, CLAIM, DELETE, Op,
                   absent, apply, apply_sql, claim, make, schema_sql, write_sql)

SHIM = HOLDFAST = None


class Clock(unittest.TestCase):
    def setUp(self):
        self.wall = pathlib.Path(make_folder(), "wall")
        self.server = self.enterContext(Postgres(environment={
            "LD_PRELOAD": SHIM, "HF_WALL": str(self.wall)}))

    def set_wrong_by(self, seconds):
        self.wall.write_text(f"{seconds}\n")

    def in_year(self, year):
        away = datetime.datetime(year, 6, 1) - datetime.datetime.now()
        self.set_wrong_by(int(away.total_seconds()))

    def check_refused(self, statement):
        """With its date, and nothing written."""
        for year in (2024, 2113):
            self.in_year(year)
            with self.server.session("holdfast") as session:
                session.do("\\set VERBOSITY verbose")
                session.do(BEGIN)
                said = session.do(statement)
                self.assertTrue(re.search(f"HF001: {year}-", said), said)
                session.do("ROLLBACK")
            self.wall.unlink()

    def test_nothing_is_written_by_a_clock_that_is_wrong(self):
        self.check_refused(schema_sql())
        make(self.server)
        version = claim(self.server, "a")
        self.check_refused(apply_sql([Op(CLAIM, "b", ABSENT)]))
        self.check_refused(apply_sql([Op(BEAT, "a", version)]))
        self.check_refused(write_sql(absent(self.server, "b")))
        self.check_refused("SELECT * FROM holdfast.purge(0, 1)")
        self.assertEqual(absent(self.server, "a"), version)
        self.assertEqual(apply(self.server, Op(BEAT, "a", version)).verdicts(),
                         {1: APPLIED})

    def run_it(self):
        return subprocess.run(
            [HOLDFAST, "run", "-n", "--at", self.server.url(), "a", "--", "echo",
             "ran"], text=True, capture_output=True, timeout=60)

    def test_a_command_says_what_is_wrong(self):
        """Where the place would be made, and where it is there."""
        for there in "", "holdfast":
            self.in_year(2024)
            done = self.run_it()
            self.assertEqual((done.returncode, done.stdout), (69, ""))
            last = done.stderr.splitlines()[-1]
            self.assertRegex(last, "the server's clock says 2024-")
            self.assertEqual(self.server.sql(
                "SELECT nspname FROM pg_namespace WHERE nspname = 'holdfast'"),
                there)
            self.wall.unlink()
            self.assertEqual(self.run_it().stdout, "ran\n")

    def test_versions_grow_while_the_clock_is_behind(self):
        make(self.server)
        self.set_wrong_by(3600)
        version = claim(self.server, "a")
        self.wall.unlink()
        self.assertEqual(apply(self.server, Op(BEAT, "a", version)).version(),
                         version + 1)
        self.assertEqual(apply(self.server, Op(DELETE, "a", version + 1)
                               ).version(), version + 2)
        # And beyond a purge of it.
        self.assertEqual(self.server.sql(
            "SELECT purged FROM holdfast.purge(-7200000, 9)"), "1")
        self.assertEqual(absent(self.server, "a"), version + 3)
        self.assertEqual(claim(self.server, "b"), version + 4)


need_servers()
SHIM, HOLDFAST = sys.argv.pop(1), sys.argv.pop(1)
unittest.main()
