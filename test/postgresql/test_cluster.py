#!/usr/bin/env python3
"""The servers that the other tests are given: they answer, they come back at
their port, a standby follows and is promoted, and nothing is left of a test
that was killed."""

import os
import pathlib
import subprocess
import sys
import unittest

from cluster import Pooler, Postgres, await_that, need_servers

CHILD = """
import sys, time
from cluster import Postgres
with Postgres() as server:
    print(server.process.pid, server.path, flush=True)
    time.sleep(600)
"""


class Cluster(unittest.TestCase):
    def test_a_killed_server_comes_back_with_what_was_committed(self):
        with Postgres() as server:
            server.sql("CREATE TABLE t AS SELECT 1 AS a", user="holdfast")
            port = server.port
            server.kill()
            server.start()
            self.assertEqual(server.port, port)
            self.assertEqual(server.sql("SELECT a FROM t"), "1")
            self.assertEqual(server.sql("SHOW fsync"), "on")

    def test_a_killed_server_leaves_no_memory_behind(self):
        def segments():
            with open("/proc/sysvipc/shm") as lines:
                return [line.split()[1] for line in lines]
        with Postgres() as server:
            segment = server.segment()
            self.assertIn(segment, segments())
            server.kill()
            self.assertNotIn(segment, segments())
            server.start()
            self.assertEqual(
                server.sql("SHOW dynamic_shared_memory_type"), "mmap")

    def test_a_session_holds_what_it_holds(self):
        with Postgres() as server, server.session() as first, \
                server.session() as second:
            first.do("CREATE TABLE t AS SELECT 1 AS a; BEGIN;"
                     "LOCK TABLE t")
            self.assertIn("lock timeout", second.do(
                "SET lock_timeout = 10; SELECT a FROM t"))
            second.send("SET lock_timeout = 0; SELECT a FROM t")
            await_that(lambda: server.sql(
                "SELECT count(*) FROM pg_locks WHERE NOT granted") == "1")
            first.do("COMMIT")
            self.assertEqual(second.wait(), "1")

    def test_a_standby_follows_and_is_promoted(self):
        with Postgres() as server, server.standby() as standby:
            self.assertEqual(len(server.senders()), 1)
            server.sql("CREATE TABLE t AS SELECT 1 AS a")
            standby.await_replayed(server.position())
            self.assertEqual(standby.sql("SELECT a FROM t"), "1")
            server.kill()
            standby.promote()
            self.assertEqual(standby.sql("UPDATE t SET a = 2 RETURNING a"), "2")
            self.assertEqual(standby.sql(
                "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"),
                "00000002")

    def test_a_pooler_gives_each_transaction_any_connection(self):
        with Postgres() as server, \
                Pooler(server, default_pool_size=1) as pooler, \
                pooler.session() as first, pooler.session() as second:
            self.assertEqual(first.pid(), second.pid())

    def test_nothing_is_left_of_a_test_that_was_killed(self):
        child = subprocess.Popen([sys.executable, "-c", CHILD],
                                 stdout=subprocess.PIPE, text=True,
                                 cwd=pathlib.Path(__file__).parent)
        with child:
            pid, path = child.stdout.readline().split()
            child.kill()
        await_that(lambda: not os.path.exists(f"/proc/{pid}"))
        await_that(lambda: not os.path.exists(path))


need_servers()
unittest.main()
