#!/usr/bin/env python3
"""The schema of a place: made once, whoever comes; never over what is
another's; for roles with few rights; and readable for people."""

import unittest

from cluster import Postgres, await_that, need_servers
from place import (ANYTHING, APPLIED, BEAT, BEGIN, CLAIM, DELETE, ERASE, Op,
                   VALUE, absent, apply, claim, make, schema_sql, write)


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())

    def setUp(self):
        self.server.sql("DROP SCHEMA IF EXISTS holdfast CASCADE")

    def test_it_begins_with_its_version_the_clock_and_no_promotion(self):
        make(self.server)
        meta = dict(line.split("|") for line in self.server.sql(
            "SELECT key, number FROM holdfast.meta").split("\n"))
        now_us = int(self.server.sql(
            "SELECT (extract(epoch FROM now()) * 1000000)::bigint"))
        self.assertEqual(meta["schema"], "2")
        self.assertLess(now_us - int(meta["floor"]), 60 * 1000000)
        self.assertEqual(meta["promoted_us"], "0")
        self.assertEqual(meta["timeline"], "1")

    def test_of_two_who_make_it_one_is_told_that_it_is_there(self):
        with self.server.session("holdfast") as first, \
                self.server.session("holdfast") as second:
            first.do(BEGIN)
            self.assertEqual(first.do(schema_sql()), "")
            second.do(BEGIN)
            second.send("\\set VERBOSITY sqlstate\n" + schema_sql())
            await_that(lambda: self.server.sql(
                "SELECT count(*) FROM pg_locks WHERE NOT granted") == "1")
            first.do("COMMIT")
            self.assertIn("HF003", second.wait())
            second.do("ROLLBACK")
        self.assertEqual(self.server.sql("SELECT count(*) FROM holdfast.meta"),
                         "8")

    def test_a_schema_of_others_is_refused_and_not_touched(self):
        for thing in ("TABLE holdfast.records (a int)",
                      "VIEW holdfast.locks AS SELECT 1",
                      "TYPE holdfast.place AS (a int)",
                      "FUNCTION holdfast.f() RETURNS int LANGUAGE sql"
                      " AS 'SELECT 1'"):
            with self.subTest(thing):
                self.server.sql("DROP SCHEMA IF EXISTS holdfast CASCADE;"
                                "CREATE SCHEMA holdfast AUTHORIZATION holdfast;"
                                f"CREATE {thing}")
                with self.assertRaisesRegex(RuntimeError, "is not Holdfast's"):
                    make(self.server)
                self.assertEqual(self.server.sql(
                    "SELECT count(*) FROM pg_depend WHERE refobjid ="
                    " 'holdfast'::regnamespace"), "1")

    def test_it_is_made_in_an_empty_schema_by_who_may_make_none(self):
        self.server.sql("CREATE ROLE poor LOGIN;"
                        "CREATE SCHEMA holdfast AUTHORIZATION poor")
        make(self.server, user="poor")
        self.assertGreater(claim(self.server, "a", user="poor"), 0)
        self.server.sql("DROP SCHEMA holdfast CASCADE; DROP ROLE poor")

    def test_another_name_is_another_place(self):
        make(self.server)
        make(self.server, "other")
        claim(self.server, "a")
        answer = apply(self.server, Op(CLAIM, "a", 0), schema="other")
        self.assertNotEqual(answer.place, apply(
            self.server, Op(BEAT, "a", 0)).place)
        self.assertEqual(self.server.sql(
            "SELECT count(*) FROM other.locks"), "0")
        self.server.sql("DROP SCHEMA other CASCADE")

    def test_least_rights_are_enough(self):
        make(self.server)
        self.server.sql("""
            CREATE ROLE locker LOGIN;
            GRANT USAGE ON SCHEMA holdfast TO locker;
            GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast TO locker;
            GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.records,
                holdfast.meta TO locker;
            GRANT SELECT ON holdfast.journal_head TO locker;
            CREATE ROLE server LOGIN;
            GRANT locker TO server;
            GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.journal_head,
                holdfast.journal_sessions, holdfast.journal_grants TO server
        """)
        version = claim(self.server, "a", user="locker", value=VALUE % 90000)
        apply(self.server, Op(BEAT, "a", version), user="locker")
        apply(self.server, Op(DELETE, "a", absent(self.server, "a",
                                                  user="locker")),
              user="locker")
        self.assertEqual(self.server.sql(
            "SELECT purged FROM holdfast.purge(-1000, 10)", user="locker"), "1")
        self.assertEqual(self.server.sql(
            "SELECT op FROM holdfast.changed('{s}', '{a}', '{0}')",
            user="locker"), "0\n1")
        with self.assertRaisesRegex(RuntimeError, "permission denied"):
            self.server.sql("SELECT secret FROM holdfast.journal_sessions",
                            user="locker")
        version = int(self.server.sql(
            "SELECT version FROM holdfast.read_head(0)", user="server"))
        self.assertEqual(write(self.server, version, user="server",
                               session_ids=[1], secrets=["s"], ttls_ms=[1000],
                               if_dead=["takeover"], who=["w"],
                               silent_from_ms=[0])[0], APPLIED)
        self.server.sql("DROP OWNED BY locker, server; DROP ROLE server;"
                        "DROP ROLE locker")

    def test_people_see_the_locks_whatever_stands_in_a_value(self):
        make(self.server)
        value = VALUE % 1000
        claim(self.server, "a", value)
        claim(self.server, "b", "no JSON")
        claim(self.server, "c", '{"owner":"\\u0000"}')
        apply(self.server, Op(CLAIM, "m", absent(self.server, "m"),
                              space="!RECLAIM"))
        apply(self.server, Op(DELETE, "gone", absent(self.server, "gone")))
        self.assertEqual(self.server.sql(
            "SELECT ref, owner IS NULL, value FROM holdfast.locks"),
            f"a|t|{value}\nb|t|no JSON\n" 'c|t|{"owner":"\\u0000"}')
        claim(self.server, "d", '{"owner":{"user":"u","host":"h","command":"c"'
                                "}}")
        self.assertEqual(self.server.sql(
            "SELECT owner FROM holdfast.locks WHERE ref = 'd'"), "u@h: c")
        # What is too deep to be read, and a time that no calendar has.
        claim(self.server, "e", "[" * 16000)
        self.server.sql(f"UPDATE holdfast.records SET stamp = {2**63 - 1}"
                        " WHERE name = 'd'")
        self.assertEqual(self.server.sql(
            "SELECT ref FROM holdfast.locks WHERE owner IS NOT NULL"
            " OR heartbeat IS NULL"), "d")

    def test_people_see_grants_with_their_sessions(self):
        make(self.server)
        locks = ('[{"space":"default","name":"x","mode":"exclusive"},'
                 '{"space":"s","name":"y","mode":"shared"}]')
        _, version = write(
            self.server, absent(self.server, "x"), session_ids=[-1, 18],
            secrets=["s", "t"], ttls_ms=[1000, 2000],
            if_dead=["takeover", "refuse"], who=["me", "you"],
            silent_from_ms=[0, 0], fences=[1000, 1001, 1002],
            sessions=[-1, 18, 99], lanes=[1, 2, 3], ns=[1, 1, 1],
            sinces=[0, 0, 0], locks=[locks, '"no list"', locks],
            notes=["why", "", ""])
        self.assertEqual(self.server.sql(
            "SELECT space, name, mode, fence, session, lane, since, if_dead,"
            " ttl_ms, who, note FROM holdfast.grants"),
            "default|x|exclusive|1000|ffffffffffffffff|1|"
            "1970-01-01 00:00:00+00|takeover|1000|me|why\n"
            "s|y|shared|1000|ffffffffffffffff|1|"
            "1970-01-01 00:00:00+00|takeover|1000|me|why")
        self.assertEqual(self.server.sql(
            "SELECT session, ttl_ms, if_dead, who FROM holdfast.sessions"
            " ORDER BY who"),
            "ffffffffffffffff|1000|takeover|me\n"
            "0000000000000012|2000|refuse|you")
        self.assertEqual(self.server.sql(
            "SELECT node, address, term, version FROM holdfast.leader"),
            f"n1|db1:7420|{version}|{version}")

    def test_a_beat_touches_no_index(self):
        make(self.server)
        version = claim(self.server, "a", VALUE % 1000)
        version = apply(self.server, Op(BEAT, "a", version, VALUE % 2000)
                        ).version()
        apply(self.server, Op(BEAT, "a", version, VALUE % 3000),
              Op(ERASE, "x", ANYTHING))
        counted = ("SELECT {} FROM pg_stat_user_tables WHERE relid ="
                   " 'holdfast.records'::regclass")
        await_that(lambda: self.server.sql(counted.format("n_tup_upd")) == "2")
        self.assertEqual(self.server.sql(counted.format("n_tup_hot_upd")), "2")

    def test_names_are_in_the_order_of_their_bytes(self):
        make(self.server)
        for name in ("b", "B", "\u00e4", "a"):
            claim(self.server, name)
        self.assertEqual(self.server.sql(
            "SELECT string_agg(name, '' ORDER BY name) FROM holdfast.records"),
            "Bab\u00e4")


need_servers()
unittest.main()
