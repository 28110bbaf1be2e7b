#!/usr/bin/env python3
"""The statements of docs/places.md do what the page says.

usage: test_places.py HOLDFAST

They are run as they are printed, as whom and where the page says: the database
app, and the roles locks, lock_server and viewer.
"""

import re
import subprocess
import sys
import unittest

from cluster import ROOT, Postgres, need_servers

PAGE = (ROOT / "docs/places.md").read_text()
BLOCK = re.compile(r"<!-- sql: (\w+) -->\n```sql\n(.*?)^```$", re.M | re.S)
SHOWN = "1795703832933000" # a version, on the page


class Places(unittest.TestCase):
    def setUp(self):
        self.blocks = dict(BLOCK.findall(PAGE))
        self.server = self.enterContext(Postgres())
        self.server.sql("CREATE DATABASE app", database="postgres")

    def sql(self, text, user="postgres"):
        return self.server.sql(text, user, "app")

    def paste(self, name, user="postgres"):
        return self.sql(self.blocks[name], user)

    def holdfast(self, user, *words):
        """Its exit code, and what it said."""
        done = subprocess.run(
            [HOLDFAST, words[0], "--at", self.server.url(user, "app"),
             *words[1:]], text=True, capture_output=True)
        return done.returncode, done.stdout + done.stderr

    def holds(self, user, name):
        code, said = self.holdfast(user, "run", name, "--", "true")
        self.assertEqual(code, 0, said)

    def hold_for_ever(self, name):
        """A lock whose holder nobody hears of any more."""
        self.sql(f"""SELECT holdfast.apply(ARRAY['default'], ARRAY['{name}'],
            ARRAY[0], ARRAY[f.version], ARRAY['{{}}'], 0, 0, NULL) FROM
            holdfast.find(ARRAY['default'], ARRAY['{name}']) f WHERE f.op = 1""")

    def refuses(self, sql, user):
        with self.assertRaisesRegex(RuntimeError, "permission denied"):
            self.sql(sql, user)

    def test_a_role_may_make_the_schema_itself(self):
        self.paste("admin")
        self.holds("locks", "a")
        self.assertEqual(self.sql(
            "SELECT nspowner::regrole FROM pg_namespace"
            " WHERE nspname = 'holdfast'"), "locks")

    def test_statements_are_enough_and_not_too_much(self):
        # Whatever the database gives to everybody.
        self.sql("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS"
                 " FROM PUBLIC")
        self.sql("CREATE ROLE locks LOGIN; CREATE ROLE lock_server LOGIN;"
                 "CREATE ROLE viewer LOGIN")
        code, said = self.holdfast("locks", "run", "a", "--", "true")
        self.assertEqual(code, 77, said)
        self.holdfast("postgres", "doctor")
        self.paste("least")
        self.holds("locks", "a")
        self.refuses("SELECT FROM holdfast.journal_sessions", "locks")
        self.refuses("DELETE FROM holdfast.journal_head", "locks")
        self.paste("server")
        self.sql("BEGIN; SELECT * FROM holdfast.read_head(0);"
                 "SELECT * FROM holdfast.write_batch(1, true, '{}', 10,"
                 " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
                 " NULL, NULL, NULL, NULL, NULL, NULL, NULL); ROLLBACK",
                 "lock_server")
        self.paste("viewer")
        self.hold_for_ever("migrate")
        self.assertIn("default|migrate|", self.paste("look", "viewer"))
        self.refuses("SELECT FROM holdfast.journal_sessions", "viewer")
        self.refuses("SELECT FROM holdfast.records", "viewer")
        self.paste("keepalives")
        self.paste("longest")

    def test_a_lock_is_cleared_at_the_version_that_was_seen(self):
        self.holds("postgres", "a")
        self.hold_for_ever("migrate")
        first, second = self.blocks["clear"].split(";\n", 1)
        version = self.sql(first).split("|")[0]
        self.assertIn(SHOWN, second)
        clear = second.replace(SHOWN, version)
        self.assertEqual(self.sql(clear), "0")
        self.assertEqual(self.sql(clear), "1")
        self.assertEqual(self.sql("SELECT FROM holdfast.locks"), "")
        self.assertEqual(self.sql(
            "SELECT value IS NULL FROM holdfast.records"
            " WHERE name = 'migrate'"), "t")

    def test_an_old_snapshot_is_found(self):
        self.holds("postgres", "a")
        with self.server.session(database="app") as other:
            other.do("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
            found = self.paste("snapshots")
        self.assertIn("idle in transaction", found)

    def test_every_block_is_known(self):
        self.assertEqual(PAGE.count("```sql"), len(self.blocks))
        self.assertEqual(set(self.blocks), {
            "admin", "least", "server", "viewer", "look", "clear", "snapshots",
            "keepalives", "longest"})


HOLDFAST = sys.argv.pop(1)
need_servers()
unittest.main()
