#!/usr/bin/env python3
"""How groups of operations are judged and written, one call after another: the
rules of store.h, and the settings under which a commit is made."""

import unittest

from cluster import Pooler, Postgres, need_servers
import place
from place import (ABSENT, ANYTHING, APPLIED, BEAT, BEGIN, CLAIM, CORRUPT,
                   DELETE, ERASE, HEAD, LEFT, REFUSED, SERVED, VALUE, Answer,
                   Op, absent, apply, apply_sql, claim, head_version, make,
                   write)


class Apply(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())

    def setUp(self):
        self.server.sql("DROP SCHEMA IF EXISTS holdfast CASCADE")
        make(self.server)

    def find(self, name, space="default"):
        """version, token, len, value."""
        return self.server.sql(
            "SELECT version, token, len, value FROM holdfast.find("
            f"'{{{space}}}', '{{{name}}}') WHERE op = 1").split("|")

    def test_the_life_of_a_lock(self):
        floor = absent(self.server, "a")
        made = apply(self.server, Op(CLAIM, "a", floor, "x")).version()
        self.assertGreater(made, floor)
        self.assertEqual(self.find("a"), [str(made), str(made), "1", "x"])
        beaten = apply(self.server, Op(BEAT, "a", made, "yy")).version()
        self.assertGreater(beaten, made)
        self.assertEqual(self.find("a"), [str(beaten), str(made), "2", "yy"])
        taken = apply(self.server, Op(CLAIM, "a", beaten, "z")).version()
        self.assertEqual(self.find("a"), [str(taken), str(taken), "1", "z"])
        gone = apply(self.server, Op(DELETE, "a", taken)).version()
        self.assertEqual(self.find("a"), [str(gone), "0", "", ""])
        again = apply(self.server, Op(CLAIM, "a", gone, "w")).version()
        self.assertEqual(self.find("a"), [str(again), str(again), "1", "w"])

    def test_an_operation_applies_where_its_expectation_holds(self):
        """On a record, a tombstone and nothing."""
        cases = {  # kind, expectation: on a record, a tombstone, nothing
            (CLAIM, None): "yyy", (CLAIM, ABSENT): "nyy",
            (CLAIM, ANYTHING): "yyy", (BEAT, None): "ynn",
            (BEAT, ABSENT): "nnn", (BEAT, ANYTHING): "ynn",
            (DELETE, None): "yyy", (DELETE, ABSENT): "nyy",
            (DELETE, ANYTHING): "yyy", (ERASE, None): "yyy",
            (ERASE, ABSENT): "nyy", (ERASE, ANYTHING): "yyy"}
        count = 0
        for (kind, expect), wanted in cases.items():
            shown = ""
            for what in ("record", "tombstone", "nothing"):
                count += 1
                name = f"{what}{count}"
                if what != "nothing":
                    version = claim(self.server, name)
                if what == "tombstone":
                    apply(self.server, Op(DELETE, name, version))
                there = absent(self.server, name)
                verdicts = apply(
                    self.server, Op(kind, name,
                                    there if expect is None else expect)
                    ).verdicts()
                shown += "y" if verdicts == {1: APPLIED} else "n"
                if expect is None and kind != BEAT:
                    writes = kind != ERASE or what != "nothing"
                    self.assertEqual(absent(self.server, name) > there, writes)
            self.assertEqual(shown, wanted, (kind, expect))

    def test_another_version_than_the_one_expected_is_refused(self):
        version = claim(self.server, "a")
        floor = absent(self.server, "b")
        for name, expect in (("a", version - 1), ("a", version + 1),
                             ("a", floor), ("b", floor + 1), ("b", floor - 1)):
            for kind in (CLAIM, BEAT, DELETE, ERASE):
                self.assertEqual(
                    apply(self.server, Op(kind, name, expect)).rows,
                    {1: (REFUSED, 0, "")})

    def test_a_group_is_all_or_none_and_holds_up_no_other(self):
        floor = absent(self.server, "a")
        answer = apply(
            self.server,
            Op(CLAIM, "a", floor), Op(CLAIM, "a2", ABSENT),       # applies
            Op(CLAIM, "b", ABSENT), Op(CLAIM, "b2", floor + 1),   # its second
            Op(CLAIM, "c", floor),                                # applies
            Op(BEAT, "d", floor), Op(CLAIM, "d2", floor + 1),     # its first
            groups=[1, 1, 2, 2, 3, 4, 4])
        self.assertEqual(answer.verdicts(), {1: APPLIED, 2: APPLIED, 4: REFUSED,
                                             5: APPLIED, 6: REFUSED})
        self.assertEqual(self.server.sql(
            "SELECT string_agg(name, ' ' ORDER BY name) FROM holdfast.records"),
            "a a2 c")
        self.assertEqual(absent(self.server, "a"), answer.version(1))
        self.assertEqual(absent(self.server, "a2"), answer.version(2))

    def test_a_group_may_be_mixed_of_what_is_there_and_what_is_not(self):
        version = claim(self.server, "a")
        answer = apply(self.server, Op(CLAIM, "a", version),
                       Op(CLAIM, "a_1", ABSENT, space="!RECLAIM"),
                       groups=[1, 1])
        self.assertEqual(answer.verdicts(), {1: APPLIED, 2: APPLIED})
        answer = apply(self.server, Op(BEAT, "a", answer.version(1)),
                       Op(ERASE, "a_1", ANYTHING, space="!RECLAIM"),
                       groups=[7, 7])
        self.assertEqual(answer.rows[2], (APPLIED, 0, ""))
        self.assertEqual(self.find("a_1", "!RECLAIM")[1:], ["0", "", ""])

    def test_versions_grow_where_the_clock_has_not_moved(self):
        ahead = 1 << 51
        version = claim(self.server, "a")
        self.server.sql("UPDATE holdfast.records SET version = "
                        f"{ahead}, token = {version}")
        self.assertEqual(apply(self.server, Op(BEAT, "a", ahead)).version(),
                         ahead + 1)
        self.server.sql(f"UPDATE holdfast.meta SET number = {ahead}"
                        " WHERE key = 'floor'")
        self.assertEqual(apply(self.server, Op(CLAIM, "b", ahead)).version(),
                         ahead + 1)

    def test_a_version_that_no_holdfast_gives_is_told(self):
        claim(self.server, "a")
        self.server.sql("UPDATE holdfast.records SET version = 1::bigint << 62")
        self.assertEqual(apply(self.server, Op(BEAT, "a", 1 << 62)).rows,
                         {1: (CORRUPT, 0, "")})

    def test_a_version_at_the_end_of_numbers_hinders_nobody_else(self):
        for name in ("a", "b"):
            claim(self.server, name)
        end = 2**63 - 1
        self.server.sql(f"UPDATE holdfast.records SET version = {end}"
                        " WHERE name = 'a'")
        answer = apply(self.server, Op(BEAT, "a", end),
                       Op(BEAT, "b", absent(self.server, "b")))
        self.assertEqual(answer.verdicts(), {1: CORRUPT, 2: APPLIED})
        # A purge leaves it, and the floor where claims can be made.
        self.server.sql("UPDATE holdfast.records SET value = NULL, leftover = 1"
                        " WHERE name = 'a'")
        apply(self.server, Op(DELETE, "b", ANYTHING))
        self.assertEqual(self.server.sql(
            "SELECT purged FROM holdfast.purge(-1000, 10)"), "1")
        claim(self.server, "c")
        # So does a lock server's batch, which writes its audit.
        self.server.sql("INSERT INTO holdfast.records VALUES"
                        f" ('!audit', 'x', {end}, 1, 1, 'by hand')")
        self.assertEqual(write(self.server, head_version(self.server),
                               audit_names=["x"], audit_values=["why"])[0],
                         APPLIED)

    def test_a_purge_raises_the_floor_above_all_that_it_took(self):
        """A tombstone of a minute and a marker; not a record, nor the audit."""
        kept = claim(self.server, "kept")
        gone = apply(self.server, Op(DELETE, "gone", ANYTHING)).version()
        apply(self.server, Op(CLAIM, "m", ABSENT, space="!RECLAIM"),
              Op(CLAIM, "x", ABSENT, space="!audit"))
        floor = absent(self.server, "nothing")
        purge = "SELECT purged FROM holdfast.purge({}, {})"
        self.assertEqual(self.server.sql(purge.format(60000, 10)), "0")
        self.assertEqual(self.server.sql(purge.format(2**63 - 1, 10)), "0")
        self.assertEqual(self.server.sql(purge.format(-1000, 0)), "0")
        self.assertEqual(absent(self.server, "nothing"), floor)
        self.assertEqual(self.server.sql(purge.format(-1000, 1)), "1")
        self.assertEqual(absent(self.server, "gone"), gone + 1)
        self.assertEqual(self.server.sql(purge.format(-1000, 10)), "1")
        self.assertEqual(self.server.sql(purge.format(-1000, 10)), "0")
        self.assertGreater(absent(self.server, "gone"), gone + 1)
        self.assertEqual(absent(self.server, "kept"), kept)
        self.assertEqual(self.server.sql(
            "SELECT space, name FROM holdfast.records ORDER BY 1"),
            "!audit|x\ndefault|kept")

    def test_a_purge_takes_no_lock_whatever_a_hand_has_marked(self):
        claim(self.server, "a")
        self.server.sql("UPDATE holdfast.records SET leftover = 1")
        self.assertEqual(self.server.sql(
            "SELECT purged FROM holdfast.purge(0, 10)"), "0")

    def test_only_keys_with_another_version_have_changed(self):
        version = claim(self.server, "a")
        floor = absent(self.server, "b")
        shown = self.server.sql(
            "SELECT op, version FROM holdfast.changed('{s,default,default,s}',"
            f" '{{x,a,a,x}}', '{{{floor},{version},{version - 1},1}}')"
            " WHERE op > 0 ORDER BY op")
        self.assertEqual(shown, f"3|{version}\n4|{floor}")

    def test_long_values_come_as_their_beginning_and_length(self):
        claim(self.server, "a", "v" * 20000)
        self.assertEqual(self.find("a")[2:], ["20000", "v" * 16384])

    def test_a_head_that_names_a_node_refuses_claims_of_table_locks(self):
        version = claim(self.server, "a")
        floor = absent(self.server, "b")
        _, head = write(self.server, floor)
        answer = apply(self.server, Op(CLAIM, "b", ABSENT),
                       Op(CLAIM, "a", version),
                       Op(CLAIM, "x", ABSENT, space="!audit"),
                       Op(DELETE, "c", ANYTHING))
        self.assertEqual(answer.verdicts(),
                         {1: SERVED, 2: SERVED, 3: APPLIED, 4: APPLIED})
        self.assertEqual(answer.rows[1][2], HEAD)
        self.assertEqual(apply(self.server, Op(CLAIM, "a", version)).rows,
                         {1: (SERVED, 0, HEAD)})
        version = apply(self.server, Op(BEAT, "a", version)).version()
        apply(self.server, Op(DELETE, "a", version))
        answer = apply(self.server, Op(BEAT, "b", 1), Op(CLAIM, "b2", ABSENT),
                       groups=[1, 1])
        self.assertEqual(answer.verdicts(), {2: SERVED})
        # A leader that has left locks behind, a head of others; and nobody.
        for value, verdict in (('{"node":null,"address":"db1:7420"}', SERVED),
                               ("{}", SERVED), ("17", SERVED), (LEFT, APPLIED)):
            _, head = write(self.server, head, head=value)
            self.assertEqual(apply(self.server, Op(CLAIM, value, ABSENT)
                                   ).verdicts(), {1: verdict}, value)

    def test_the_longest_ttl_is_kept(self):
        def longest():
            return self.server.sql("SELECT number FROM holdfast.meta"
                                   " WHERE key = 'longest_ttl_ms'")

        claim(self.server, "a", VALUE % 59999)
        self.assertEqual(longest(), "60000")
        claim(self.server, "b", VALUE % 90000)
        claim(self.server, "c", VALUE % 80000)
        claim(self.server, "d", r'{"reason":"\"ttl_ms\":99999,"}')
        self.assertEqual(longest(), "90000")
        version = absent(self.server, "a")
        apply(self.server, Op(CLAIM, "a", version, VALUE % 95000))
        self.assertEqual(longest(), "95000")


class ApplyBesideAnother(Apply):
    """All of it once more, with an operation more in each call."""

    def setUp(self):
        place.bystander = True
        self.addCleanup(setattr, place, "bystander", False)
        super().setUp()


class Settings(unittest.TestCase):
    """What another client has left in the session of a pooler, or an
    administrator has set for the database."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())
        make(cls.server)

    def inside(self, before, setting, patience_ms=0, endpoint=None):
        """What it is before the commit, in a session in which `before` was
        said; and which it is afterwards."""
        with (endpoint or self.server).session("holdfast") as session:
            session.do(before)
            shown = session.do(f"SHOW {setting}")
            session.do(BEGIN)
            Answer(session.do(apply_sql([Op(DELETE, "a", ANYTHING)],
                                        patience_ms)))
            within = session.do(f"SHOW {setting}")
            session.do("COMMIT")
            self.assertEqual(session.do(f"SHOW {setting}"), shown)
            return within

    def test_a_commit_is_durable_whatever_the_default_is(self):
        for default, wanted in (("off", "on"), ("local", "on"),
                                ("remote_write", "on"), ("on", "on"),
                                ("remote_apply", "remote_apply")):
            self.server.sql("ALTER DATABASE holdfast SET synchronous_commit ="
                            f" '{default}'")
            self.assertEqual(self.inside("SELECT 1", "synchronous_commit"),
                             wanted)
        self.server.sql("ALTER DATABASE holdfast RESET synchronous_commit")

    def test_nothing_is_flushed_later_than_it_is_answered(self):
        """With `off` as the default: what is applied is in the log on disk when
        it is answered."""
        self.server.sql("ALTER DATABASE holdfast SET synchronous_commit = off;"
                        "ALTER SYSTEM SET wal_writer_delay = '10s';"
                        "SELECT pg_reload_conf()")
        flushed = self.server.sql(
            f"{BEGIN};\n{apply_sql([Op(DELETE, 'a', ANYTHING)])}\n"
            "\\g /dev/null\nSELECT pg_current_wal_insert_lsn() AS at \\gset\n"
            "COMMIT;\nSELECT pg_current_wal_flush_lsn() > :'at';",
            user="holdfast")
        self.assertEqual(flushed, "t")
        self.server.sql("ALTER DATABASE holdfast RESET synchronous_commit")

    def test_locks_are_waited_for_as_long_as_is_said(self):
        for before in ("SET lock_timeout = 0", "SET lock_timeout = 1"):
            self.assertEqual(self.inside(before, "lock_timeout"), "1s")
            self.assertEqual(self.inside(before, "lock_timeout", 250), "250ms")

    def test_a_client_that_is_gone_is_noticed(self):
        self.assertEqual(self.inside("SELECT 1", "tcp_keepalives_idle"), "10")

    def test_what_another_client_set_does_no_harm(self):
        """Through a pooler, with one connection for both."""
        with Pooler(self.server, default_pool_size=1) as pooler, \
                pooler.session("holdfast") as other:
            other.do("CREATE SCHEMA evil;"
                     "CREATE TABLE evil.records (a int);"
                     "CREATE TABLE evil.meta (a int);"
                     "CREATE FUNCTION evil.gate() RETURNS bigint LANGUAGE sql"
                     " AS 'SELECT 1/0';"
                     "CREATE FUNCTION evil.left(text, int) RETURNS text"
                     " LANGUAGE sql AS 'SELECT 1/0::text'")
            for count, leaked in enumerate((
                    "default_transaction_isolation = serializable",
                    "default_transaction_read_only = on",
                    "search_path = evil, pg_catalog",
                    "enable_indexscan = off", "enable_tidscan = off",
                    "enable_nestloop = off",
                    "plan_cache_mode = force_custom_plan",
                    "plpgsql.variable_conflict = use_variable",
                    "plpgsql.extra_errors = 'all'",
                    "datestyle = 'German'", "array_nulls = off",
                    "transform_null_equals = on",
                    "extra_float_digits = -15", "timezone = 'Asia/Tokyo'",
                    "standard_conforming_strings = off",
                    "synchronous_commit = off")):
                with self.subTest(leaked):
                    other.do(f"SET {leaked}")
                    version = claim(pooler, f"leaked{count}")
                    verdicts = apply(pooler,
                                     Op(BEAT, f"leaked{count}", version),
                                     Op(DELETE, f"none{count}", ABSENT),
                                     groups=[1, 1]).verdicts()
                    self.assertEqual(verdicts, {1: APPLIED, 2: APPLIED})
                    other.do("RESET ALL")

    def test_a_leaked_timeout_is_taken_away_before_apply(self):
        """As the client does it: a timeout that runs already is not stopped by
        what it runs out on."""
        with self.server.session("holdfast") as session:
            session.do("SET statement_timeout = 700")
            session.do(BEGIN)
            session.do("SET LOCAL statement_timeout = 0")
            self.assertEqual(session.do("SELECT pg_sleep(0.8)"), "")
            self.assertIn("|", session.do(apply_sql([Op(DELETE, "a",
                                                        ANYTHING)])))
            session.do("COMMIT")


class Plans(unittest.TestCase):
    """How the server looks for rows: a plan that it made when there were few is
    kept while they become many."""

    CALLS = (apply_sql([Op(BEAT, "n1", ANYTHING)]),
             apply_sql([Op(BEAT, "n1", ANYTHING), Op(DELETE, "x", ANYTHING)]),
             apply_sql([Op(CLAIM, "n2", ANYTHING, VALUE % 70000)], 1000),
             "SELECT count(*) FROM holdfast.find('{default,s}', '{n1,x}')",
             "SELECT count(*) FROM holdfast.changed('{default}', '{n}', '{1}')",
             "SELECT * FROM holdfast.purge(-100000, 1)",
             "SELECT here FROM holdfast.read_head(0)")

    def test_no_row_is_looked_for_in_all_of_a_table(self):
        with Postgres(jit="on") as server, server.session() as session:
            make(server)
            claim(server, "n1")
            server.sql("VACUUM ANALYZE holdfast.records, holdfast.meta")
            session.do("LOAD 'auto_explain'; SET auto_explain.log_analyze = on;"
                       "SET auto_explain.log_nested_statements = on;"
                       "SET auto_explain.log_min_duration = 0;"
                       "SET client_min_messages = log")
            for call in self.CALLS * 2:
                plans = session.do(f"{BEGIN};\n{call};\nCOMMIT")
                self.assertTrue("Query Text" in plans)
                for bad in ("Seq Scan on records", "JIT:", "ERROR"):
                    self.assertFalse(bad in plans, (bad, call))


need_servers()
unittest.main()
