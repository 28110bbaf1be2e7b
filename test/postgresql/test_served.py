#!/usr/bin/env python3
"""Lock servers on a place in PostgreSQL: one leads, another takes over with all
that was granted; a database that was killed is waited for; and a standby that
was promoted is a place that may have forgotten.

usage: test_served.py HOLDFASTD HOLDFAST
"""

import subprocess
import sys
import time
import unittest

from cluster import Postgres, await_that, need_servers
from node import Node

LEADER_TTL = 5
FORGOT = "grants nothing yet"


class Served(unittest.TestCase):
    def start(self, place, *options):
        return self.enterContext(Node(HOLDFASTD, place, *options))

    def hold(self, nodes, name, command="cat"):
        """A lock, held until the process is told that its input ends."""
        process = subprocess.Popen(
            [HOLDFAST, "run", "--at", self.place_of(nodes), "--ttl", "10s",
             name, "--", "sh", "-c", f"echo held; {command}"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "held\n")
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    @staticmethod
    def place_of(nodes):
        return "http://" + ",".join(node.address for node in nodes)

    def run_once(self, nodes, name, *options):
        return subprocess.run(
            [HOLDFAST, "run", "--at", self.place_of(nodes), *options, name,
             "--", "true"], text=True, capture_output=True)

    def gives_back(self, process):
        """It held the lock to the end."""
        said = process.communicate("")
        self.assertEqual(process.returncode, 0, said)

    @staticmethod
    def doctor(server):
        return subprocess.run([HOLDFAST, "doctor", "--at", server.url()],
                              text=True, capture_output=True).stdout

    def test_the_next_leader_has_all_that_was_granted(self):
        server = self.enterContext(Postgres())
        first = self.start(server.url())
        await_that(first.leads)
        second = self.start(server.url())
        nodes = [first, second]
        holder = self.hold(nodes, "a")
        begun = time.monotonic()
        first.kill()
        await_that(second.leads)
        took = time.monotonic() - begun
        self.assertLess(took, LEADER_TTL + 2)
        self.assertEqual(second.said(FORGOT), [])
        tried = self.run_once(nodes, "a", "-n")
        self.assertEqual(tried.returncode, 75, tried.stderr)
        self.gives_back(holder)
        self.assertEqual(self.run_once(nodes, "a").returncode, 0)

    def test_no_table_lock_is_taken_beside_a_lock_server(self):
        server = self.enterContext(Postgres())
        node = self.start(server.url())
        await_that(node.leads)
        tried = subprocess.run(
            [HOLDFAST, "run", "--at", server.url(), "a", "--", "true"],
            text=True, capture_output=True)
        self.assertEqual(tried.returncode, 69)
        self.assertIn(f"http://{node.address}", tried.stderr)

    def test_doctor_says_that_commits_wait_for_a_standby(self):
        server = self.enterContext(Postgres())
        run = [HOLDFAST, "run", "--at", server.url(), "a", "--", "true"]
        subprocess.run(run, check=True)
        server.sql("ALTER SYSTEM SET synchronous_standby_names = 'none'")
        server.sql("SELECT pg_reload_conf()")
        self.addCleanup(self.end, subprocess.Popen(
            run, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        await_that(lambda: "commits wait for it" in self.doctor(server))

    def test_a_database_that_comes_back_has_all_that_was_granted(self):
        server = self.enterContext(Postgres())
        node = self.start(server.url())
        await_that(node.leads)
        holder = self.hold([node], "a")
        server.kill()
        server.start()
        self.assertEqual(self.run_once([node], "b").returncode, 0)
        self.assertEqual(self.run_once([node], "a", "-n").returncode, 75)
        self.gives_back(holder)
        self.assertEqual(node.said(FORGOT), [])

    def test_a_promotion_is_a_place_that_forgot(self):
        server = self.enterContext(Postgres())
        standby = self.enterContext(server.standby())
        place = (f"postgresql://holdfast@{server.address}:{server.port},"
                 f"{standby.address}:{standby.port}/holdfast")
        node = self.start(place, "--max-ttl", "10s")
        await_that(node.leads)
        self.assertEqual(self.run_once([node], "a", "--ttl", "5s").returncode, 0)
        standby.await_replayed(server.position())
        server.kill()
        standby.promote()
        await_that(lambda: node.said(FORGOT), "the node to forget")
        said = node.said(FORGOT)[0]
        self.assertIn("promoted", said["why"])
        self.assertGreater(said["grace_ms"], 10000)

    def test_who_was_granted_a_table_lock_may_believe_in_it_after_a_restore(self):
        server = self.enterContext(Postgres())
        run = [HOLDFAST, "run", "--at", server.url()]
        subprocess.run([*run, "a", "--", "true"], check=True)
        before = server.dump("holdfast")
        server.sql("DROP SCHEMA holdfast CASCADE")
        server.sql(before)
        tried = subprocess.run([*run, "-n", "a", "--", "true"], text=True,
                               capture_output=True)
        self.assertIn("promoted or restored", tried.stderr)
        self.assertIn("wait: nothing is granted for", self.doctor(server))
        node = self.start(server.url(), "--max-ttl", "10s")
        await_that(node.leads)
        said = node.said(FORGOT)[0]
        self.assertIn("restored", said["why"])
        self.assertGreater(said["grace_ms"], 50000)
        tried = self.run_once([node], "a", "-n", "--ttl", "5s")
        self.assertIn("grants nothing for", tried.stderr)
        self.assertEqual(tried.returncode, 69)


if __name__ == "__main__":
    need_servers()
    HOLDFASTD, HOLDFAST = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
