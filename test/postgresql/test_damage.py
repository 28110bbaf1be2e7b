#!/usr/bin/env python3
"""What somebody has changed by hand in a lock server's tables is not served: the
server names the row, and grants nothing until that is put right; then all is as it
was.

usage: test_damage.py HOLDFASTD HOLDFAST
"""

import subprocess
import sys
import unittest

from cluster import Postgres, await_that, need_servers
from node import Node

SESSION, GRANT = "session ", "grant "
DAMAGE = (
    ("journal_sessions", "secret = 'f00'", SESSION),
    ("journal_sessions", "if_dead = 'Takeover'", SESSION),
    ("journal_sessions", "ttl_ms = 1", SESSION),
    ("journal_sessions", "who = chr(27)", SESSION),
    ("journal_sessions", "silent_from_ms = -1", SESSION),
    ("journal_grants", "locks = '[]'", GRANT),
    ("journal_grants", "locks = to_json(repeat('x', 1000000))", GRANT),
    ("journal_grants", "note = repeat('x', 1000000)", GRANT),
    ("journal_head", "value = '{}'", "no \"lock\""),
)


class Damage(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Postgres())
        self.node = self.enterContext(Node(HOLDFASTD, self.server.url()))
        await_that(self.node.leads)
        self.holder = subprocess.Popen(
            [HOLDFAST, "run", "--at", f"http://{self.node.address}", "a", "--",
             "sh", "-c", "echo held; cat"], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.holder.communicate)
        self.addCleanup(self.holder.kill)
        self.assertEqual(self.holder.stdout.readline(), "held\n")

    def test_it_is_named_and_not_served(self):
        self.node.kill()
        for table, change, words in DAMAGE:
            with self.subTest(change):
                self.server.sql(
                    f"CREATE TABLE kept AS TABLE holdfast.{table};"
                    f"UPDATE holdfast.{table} SET {change}")
                self.node.start()
                led = len(self.node.leads())
                before = len(self.node.said("trouble"))
                await_that(lambda: len(self.node.said("trouble")) > before,
                           "the server to name the damage")
                self.assertIn(words, self.node.said("trouble")[-1]["why"])
                self.assertEqual(len(self.node.leads()), led)
                self.node.kill()
                self.server.sql(
                    f"BEGIN; TRUNCATE holdfast.{table}; INSERT INTO"
                    f" holdfast.{table} TABLE kept; DROP TABLE kept; COMMIT")
        led = len(self.node.leads())
        self.node.start()
        await_that(lambda: len(self.node.leads()) > led, "it to lead")
        said = self.holder.communicate("")
        self.assertEqual(self.holder.returncode, 0, said)

    def test_no_table_lock_is_taken_beside_a_head_that_cannot_be_read(self):
        self.node.kill()
        self.server.sql("UPDATE holdfast.journal_head SET value = '{}'")
        tried = subprocess.run(
            [HOLDFAST, "run", "-n", "--at", self.server.url(), "b", "--",
             "true"], text=True, capture_output=True)
        self.assertEqual(tried.returncode, 69, tried.stderr)
        self.assertIn("cannot be read", tried.stderr)

    def test_tables_that_are_made_anew_are_a_place_that_forgot(self):
        """What the leader had on its way is in none of them."""
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        await_that(lambda: self.node.said("grants nothing yet"),
                   "the server to notice")
        said, = self.node.said("grants nothing yet")
        self.assertGreater(said["grace_ms"], 60000) # its clients' ttl
        self.assertIn("its database was restored or replaced", said["why"])


if __name__ == "__main__":
    need_servers()
    HOLDFASTD, HOLDFAST = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
