#!/usr/bin/env python3
"""A lock server's journal in PostgreSQL: the head guards its batch."""

import unittest

from cluster import Postgres, need_servers
from place import (ANYTHING, APPLIED, BUSY, CLAIM, DELETE, HEAD, LEFT, REFUSED,
                   Answer, Held, Op, absent, apply, apply_sql, head_version,
                   make, make_holdable, write, write_sql)

SESSION = {"session_ids": [7], "secrets": ["s"], "ttls_ms": [1000],
           "if_dead": ["takeover"], "who": ["w"], "silent_from_ms": [0]}
GRANT = {"fences": [100], "sessions": [7], "lanes": [1], "ns": [2],
         "sinces": [3], "locks": ["[]"], "notes": ["n"]}
ROWS = ("SELECT (SELECT string_agg(id::text, ',' ORDER BY id) FROM"
        " holdfast.journal_sessions), (SELECT string_agg(fence::text, ','"
        " ORDER BY fence) FROM holdfast.journal_grants)")


class Batches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())

    def setUp(self):
        self.server.sql("DROP SCHEMA IF EXISTS holdfast CASCADE")
        make(self.server)

    def head(self):
        """here, version, term, value."""
        return self.server.sql("SELECT here, version, term, value FROM"
                               " holdfast.read_head(0)").split("|")

    def test_an_absent_head_is_put_at_the_floor_by_a_new_term(self):
        floor = absent(self.server, "x")
        self.assertEqual(self.head(), ["f", str(floor), "", ""])
        self.assertEqual(write(self.server, floor, new_term=False),
                         (REFUSED, 0))
        self.assertEqual(write(self.server, floor + 1), (REFUSED, 0))
        verdict, version = write(self.server, floor)
        self.assertEqual(verdict, APPLIED)
        self.assertEqual(self.head(), ["t", str(version), str(version), HEAD])
        self.assertEqual(write(self.server, floor), (REFUSED, 0))

    def test_a_term_keeps_its_number_and_versions_grow(self):
        _, term = write(self.server, absent(self.server, "x"))
        _, second = write(self.server, term, new_term=False)
        self.assertGreater(second, term)
        self.assertEqual(self.head()[1:3], [str(second), str(term)])
        _, third = write(self.server, second)
        self.assertEqual(self.head()[1:3], [str(third), str(third)])
        # Where the clock is behind.
        self.server.sql("UPDATE holdfast.journal_head SET version = 1::bigint"
                        " << 51")
        self.assertEqual(write(self.server, 1 << 51, new_term=False),
                         (APPLIED, (1 << 51) + 1))

    def test_all_changes_are_made_or_none(self):
        _, version = write(self.server, absent(self.server, "x"), **SESSION,
                           **GRANT, audit_names=["a"], audit_values=["why"])
        self.assertEqual(self.server.sql(ROWS), "7|100")
        self.assertEqual(self.server.sql(
            "SELECT space, name, version, token, value FROM holdfast.records"),
            f"!audit|a|{version}|{version}|why")
        self.assertEqual(write(self.server, version - 1, new_term=False,
                               dropped_sessions=[7], dropped_grants=[100],
                               audit_names=["b"], audit_values=["no"]),
                         (REFUSED, 0))
        self.assertEqual(self.server.sql(ROWS), "7|100")
        self.assertEqual(self.server.sql(
            "SELECT count(*) FROM holdfast.records"), "1")
        # What is a batch's own fault: nothing of it is done.
        with self.assertRaisesRegex(RuntimeError, "json"):
            write(self.server, version, new_term=False, dropped_sessions=[7],
                  **{**GRANT, "locks": ["no JSON"]})
        self.assertEqual(self.server.sql(ROWS), "7|100")

    def test_a_delete_comes_before_a_put_of_the_same_row(self):
        _, version = write(self.server, absent(self.server, "x"), **SESSION,
                           **GRANT)
        changed = {**SESSION, **GRANT, "who": ["other"], "lanes": [9]}
        _, version = write(self.server, version, new_term=False, **changed,
                           dropped_sessions=[7, 8], dropped_grants=[100, 101])
        self.assertEqual(self.server.sql(
            "SELECT who, lane FROM holdfast.journal_sessions,"
            " holdfast.journal_grants"), "other|9")
        _, version = write(self.server, version, new_term=False,
                           **{**changed, "who": ["third"], "notes": ["m"]})
        self.assertEqual(self.server.sql(
            "SELECT who, note FROM holdfast.journal_sessions,"
            " holdfast.journal_grants"), "third|m")
        write(self.server, version, new_term=False, dropped_sessions=[7],
              dropped_grants=[100])
        self.assertEqual(self.server.sql(ROWS), "|")

    def test_a_late_batch_does_nothing_in_a_schema_that_was_made_anew(self):
        floor = absent(self.server, "x")
        _, version = write(self.server, floor)
        self.server.sql("DROP SCHEMA holdfast CASCADE")
        make(self.server)
        for expect in (floor, version):
            self.assertEqual(write(self.server, expect), (REFUSED, 0))

    def test_of_two_who_take_the_head_at_every_step_one_has_it(self):
        make_holdable(self.server)
        for there in (False, True):
            for step in ("settle", "clock", None):
                expect = head_version(self.server)
                taking = write_sql(expect)
                with Held(self.server, taking, step) as first, \
                        Held(self.server, taking) as second:
                    first.await_rest()
                    if second.await_rest() == "waiting":
                        first.go_on()
                        answers = [first.finish(), second.finish()]
                    else:
                        answers = [second.finish()]
                        first.go_on()
                        answers.append(first.finish())
                self.assertEqual(
                    sorted(a.split("|")[0] for a in answers), ["0", "1"],
                    (there, step))
                if not there:
                    self.server.sql("DELETE FROM holdfast.journal_head")

    def test_a_deposed_leader_cannot_write(self):
        """Its batch waits for the next one's claim, and is refused."""
        _, version = write(self.server, absent(self.server, "x"))
        with Held(self.server, write_sql(version)) as claiming:
            claiming.await_rest()
            with Held(self.server, write_sql(version, new_term=False, **SESSION)
                      ) as batch:
                self.assertEqual(batch.await_rest(), "waiting")
                claiming.finish()
                self.assertEqual(batch.finish(), "1|0")
        self.assertEqual(self.server.sql(ROWS), "|")

    def test_a_batch_waits_as_long_as_it_may(self):
        _, version = write(self.server, absent(self.server, "x"))
        with Held(self.server, write_sql(version, new_term=False)) as other:
            other.await_rest()
            with self.assertRaisesRegex(RuntimeError, "lock timeout"):
                write(self.server, version, new_term=False, patience_ms=20)
            other.finish()

    def test_while_a_leader_waits_for_a_claim_nothing_new_begins(self):
        floor = absent(self.server, "a")
        with Held(self.server, apply_sql([Op(CLAIM, "a", floor)])) as claiming:
            claiming.await_rest()
            with Held(self.server, write_sql(floor)) as taking:
                self.assertEqual(taking.await_rest(), "waiting")
                self.assertEqual(apply(
                    self.server, Op(DELETE, "b", ANYTHING)).verdicts(),
                    {1: BUSY})
                self.assertEqual(Answer(claiming.finish()).verdicts(),
                                 {1: APPLIED})
                self.assertEqual(taking.finish().split("|")[0], "0")

    def test_an_address_that_comes_without_a_term_waits_for_claims_too(self):
        floor = absent(self.server, "a")
        _, version = write(self.server, floor, head=LEFT)
        with Held(self.server, apply_sql([Op(CLAIM, "a", floor)])) as claiming:
            claiming.await_rest()
            with Held(self.server, write_sql(version, new_term=False)) as put:
                self.assertEqual(put.await_rest(), "waiting")
                claiming.finish()
                self.assertEqual(put.finish().split("|")[0], "0")

    def test_a_leaders_batch_waits_for_no_claim(self):
        floor = absent(self.server, "a")
        _, version = write(self.server, floor)
        with Held(self.server, apply_sql([Op(CLAIM, "a", floor)])) as claiming:
            claiming.await_rest()
            self.assertEqual(write(self.server, version, new_term=False)[0],
                             APPLIED)
            claiming.finish()


need_servers()
unittest.main()
