#!/usr/bin/env python3
"""Two transactions at once, each held at every step of the other, and what one
of them must find of the other; and many at once, whose history is checked."""

import contextlib
import functools
import itertools
import random
import threading
import unittest

from cluster import Postgres, need_servers
from place import (ABSENT, ANYTHING, APPLIED, BEAT, BEGIN, BUSY, CLAIM, DELETE,
                   REFUSED, SERVED, STEPS, VALUE, Answer, Held, Op, absent,
                   apply, apply_sql, claim, head_version, make, make_holdable,
                   table_lock, write_sql)

PURGE = "SELECT purged FROM holdfast.purge(-1000000, 10)"


class Busy(unittest.TestCase):
    """Who has a lock holds up nobody else."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())

    def setUp(self):
        self.server.sql("DROP SCHEMA IF EXISTS holdfast CASCADE")
        make(self.server)

    def test_a_locked_row_is_busy_and_its_neighbours_are_applied(self):
        a, b, c = (claim(self.server, name) for name in "abc")
        with Held(self.server, apply_sql([Op(BEAT, "b", b)])) as other:
            other.await_rest()
            answer = apply(self.server, Op(BEAT, "a", a), Op(BEAT, "b", b),
                           Op(BEAT, "c", c), Op(BEAT, "b2", 1),
                           groups=[1, 2, 3, 3])
            self.assertEqual(answer.verdicts(),
                             {1: APPLIED, 2: BUSY, 4: REFUSED})
            self.assertEqual(apply(self.server, Op(BEAT, "b", b)).verdicts(),
                             {1: BUSY})
            # A refusal that stands before what is busy is one.
            answer = apply(self.server, Op(BEAT, "a", a), Op(BEAT, "b", b),
                           groups=[1, 1])
            self.assertEqual(answer.verdicts(), {1: REFUSED})
            answer = apply(self.server, Op(BEAT, "b", b), Op(BEAT, "a", a),
                           groups=[1, 1])
            self.assertEqual(answer.verdicts(), {1: BUSY})
            version = Answer(other.finish()).version()
        self.assertEqual(absent(self.server, "b"), version)

    def test_a_busy_group_that_goes_again_waits_and_sees_what_came(self):
        b = claim(self.server, "b")
        with Held(self.server, apply_sql([Op(BEAT, "b", b)])) as other:
            other.await_rest()
            with Held(self.server, apply_sql([Op(BEAT, "b", b)],
                                             patience_ms=60000)) as ours:
                self.assertEqual(ours.await_rest(), "waiting")
                other.finish()
                self.assertEqual(Answer(ours.finish()).verdicts(),
                                 {1: REFUSED})

    def test_its_patience_ends(self):
        b = claim(self.server, "b")
        with Held(self.server, apply_sql([Op(BEAT, "b", b)])) as other:
            other.await_rest()
            with self.assertRaisesRegex(RuntimeError, "lock timeout"):
                apply(self.server, Op(BEAT, "b", b), patience_ms=20)
            other.finish()

    def test_of_two_claims_of_one_new_name_one_is_busy_at_every_step(self):
        make_holdable(self.server)
        for step in (*STEPS, None):
            name = f"new at {step}"
            floor = absent(self.server, name)
            with Held(self.server, apply_sql(
                    [Op(CLAIM, name, floor, "first")]), step) as first:
                first.await_rest()
                second = apply(self.server, Op(CLAIM, name, floor, "second"),
                               Op(DELETE, "other", ANYTHING))
                first.go_on()
                first = Answer(first.finish())
            verdicts = (first.verdicts()[1], second.verdicts()[1])
            self.assertEqual(second.verdicts()[2], APPLIED)
            self.assertEqual(verdicts, (REFUSED, APPLIED) if step == "settle"
                             else (APPLIED, BUSY), step)

    def test_however_many_names_are_new_they_take_few_of_the_servers_locks(self):
        """Five commits at a time, with as many new names as one may have, leave
        room in a small server's table of locks."""
        server = self.enterContext(Postgres(max_connections=20))
        make(server)
        floor = absent(server, "x")
        with contextlib.ExitStack() as stack:
            for i in range(5):
                held = stack.enter_context(Held(server, apply_sql(
                    [Op(CLAIM, f"{i}-{n}", floor) for n in range(1000)])))
                self.assertEqual(held.await_rest(), "done")
                self.assertEqual(set(Answer(held.session.wait()).verdicts()
                                     .values()) - {APPLIED, BUSY}, set())
            self.assertLessEqual(int(server.sql(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                " AND mode = 'ExclusiveLock'")), 512)
        # And a table of another program still has its own.
        server.sql("SELECT pg_advisory_lock(n) FROM generate_series(1, 500) n")

    def test_two_claims_that_wait_for_one_new_name_take_turns(self):
        floor = absent(self.server, "new")
        ops = [Op(CLAIM, "new", floor), Op(CLAIM, "m", ABSENT,
                                           space="!RECLAIM")]
        with Held(self.server, apply_sql(ops, groups=[1, 1])) as first:
            first.await_rest()
            with Held(self.server, apply_sql(
                    ops[::-1], patience_ms=60000, groups=[1, 1])) as second:
                self.assertEqual(second.await_rest(), "waiting")
                self.assertEqual(Answer(first.finish()).verdicts(),
                                 {1: APPLIED, 2: APPLIED})
                self.assertEqual(Answer(second.finish()).verdicts(),
                                 {1: REFUSED})

    def test_a_row_of_a_hand_that_takes_no_locks_ends_the_call(self):
        """It is waited for; then nothing is done, and the call may go again."""
        with self.server.session() as hand:
            hand.do("BEGIN; INSERT INTO holdfast.records VALUES"
                    " ('default', 'hand', 5, 5, 5, 'x')")
            statement = apply_sql([Op(CLAIM, "hand", absent(self.server,
                                                            "hand"))],
                                  patience_ms=60000)
            with Held(self.server, statement) as ours:
                self.assertEqual(ours.await_rest(), "waiting")
                hand.do("COMMIT")
                self.assertIn("takes no locks", ours.finish())
        self.assertEqual(absent(self.server, "hand"), 5)

    def test_who_keeps_the_longest_ttl_just_now_makes_longer_ones_busy(self):
        ops = [Op(CLAIM, "long", absent(self.server, "long"), VALUE % 90000)]
        with Held(self.server, apply_sql(ops)) as other:
            other.await_rest()
            floor = absent(self.server, "x")
            answer = apply(self.server, Op(CLAIM, "x", floor, VALUE % 80000))
            self.assertEqual(answer.verdicts(), {1: BUSY})
            claim(self.server, "short", VALUE % 60000)
            other.finish()
        claim(self.server, "x", VALUE % 80000)


class Gate(unittest.TestCase):
    """What only the gate keeps apart: neither of two looks sees the other's
    write."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres(
            track_commit_timestamp="on"))
        make(cls.server)
        make_holdable(cls.server)

    def fresh(self):
        self.server.sql("TRUNCATE holdfast.records, holdfast.journal_head")

    def in_all_orders(self, run):
        """Each step of a claim with each step of the other one, and both
        orders: first one goes to its step, then the other; the first ends, and
        then the other.  All that `run` says of the claim."""
        said = set()
        for ours, others, claim_is_first in itertools.product(
                (*STEPS, None), ("settle", "clock", None), (True, False)):
            with self.subTest(ours=ours, others=others,
                              claim_is_first=claim_is_first):
                self.fresh()
                said.add(run(ours, others, claim_is_first))
        return said

    def run_both(self, first, second, watch):
        """The answers, in this order."""
        first.await_rest()
        watch()
        second.await_rest()
        watch()
        if first.go_on() == "waiting":
            second.go_on()
            answer = second.finish()
            watch()
            return first.finish(), answer
        answer = first.finish()
        watch()
        second.go_on()
        return answer, second.finish()

    def take_beside_a_claim(self, ours, others, claim_is_first, left=False):
        if left:
            apply(self.server, Op(DELETE, "a", ANYTHING))
        claiming = apply_sql([Op(CLAIM, "a", absent(self.server, "a"))])
        taking = write_sql(head_version(self.server))
        with Held(self.server, claiming, ours) as claimer, \
                Held(self.server, taking, others) as taker:
            both = (claimer, taker) if claim_is_first else (taker, claimer)
            answers = self.run_both(*both, lambda: None)
        claimed, taken = answers if claim_is_first else answers[::-1]
        verdict = Answer(claimed).verdicts()[1]
        self.assertEqual(taken.split("|")[0], "0")
        # The leader looks after its commit: a claim is there by then, or never.
        if verdict == APPLIED:
            self.assertEqual(table_lock(self.server), "a")
            self.assertLess(self.commit_of("records"),
                            self.commit_of("journal_head"))
        return verdict

    def commit_of(self, table):
        """When its row was committed, as the log has it."""
        return float(self.server.sql(
            "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM"
            f" holdfast.{table} LIMIT 1"))

    def test_no_claim_is_beside_a_head_that_was_taken_from_nobody(self):
        self.assertEqual(self.in_all_orders(self.take_beside_a_claim),
                         {APPLIED, BUSY, SERVED})

    def test_nor_is_one_of_a_tombstone(self):
        self.assertEqual(self.in_all_orders(functools.partial(
            self.take_beside_a_claim, left=True)), {APPLIED, BUSY, SERVED})

    def purge_beside_a_claim(self, ours, others, claim_is_first):
        """The clock stands, so that versions count up by one: a purge raises
        the floor to the version of a claim that is under way."""
        self.server.sql("""
            CREATE OR REPLACE FUNCTION holdfast.clock_itself()
            RETURNS bigint LANGUAGE sql AS 'SELECT 1735689600000000';
            UPDATE holdfast.meta SET number = 1735689600000005
            WHERE key = 'floor';
            INSERT INTO holdfast.records VALUES
            ('default', 'gone', 1735689600000005, 1, 1, NULL, 1)
        """)
        floor = absent(self.server, "a")
        read = set()

        def watch():
            read.add(self.server.sql(
                "SELECT version FROM holdfast.find('{default}', '{a}')"
                " WHERE op = 1 AND len IS NULL"))

        with Held(self.server, apply_sql([Op(CLAIM, "a", floor)]),
                  ours) as claimer, Held(self.server, PURGE, others) as purger:
            both = (claimer, purger) if claim_is_first else (purger, claimer)
            answers = self.run_both(*both, watch)
        claimed, purged = answers if claim_is_first else answers[::-1]
        answer = Answer(claimed)
        self.assertEqual(purged, "1")
        self.assertNotIn(str(answer.version()), read)
        return answer.verdicts()[1]

    def test_no_reader_expects_the_version_that_a_claim_is_about_to_have(self):
        self.assertEqual(self.in_all_orders(self.purge_beside_a_claim),
                         {APPLIED, BUSY, REFUSED})

    def test_purge_spares_what_another_writes(self):
        """A tombstone that is claimed just now."""
        self.fresh()
        gone = apply(self.server, Op(DELETE, "gone", ANYTHING)).version()
        with Held(self.server, apply_sql([Op(DELETE, "gone", gone)])) as other:
            other.await_rest()
            self.assertEqual(self.server.sql(PURGE), "0")
            other.finish()
        self.assertEqual(self.server.sql(PURGE), "1")

    def test_a_purge_waits_for_claims_and_no_longer_than_it_may(self):
        self.fresh()
        ops = [Op(CLAIM, "a", absent(self.server, "a"))]
        with Held(self.server, apply_sql(ops)) as other:
            other.await_rest()
            with self.assertRaisesRegex(RuntimeError, "lock timeout"):
                self.server.sql(PURGE)
            other.finish()


class Many(unittest.TestCase):
    """Clients that claim, beat and release a few names at once, while others
    purge: each version is followed by one write at most."""

    CLIENTS, ROUNDS, NAMES = 6, 60, 4

    def client(self, server, seed, history, failures):
        try:
            dice = random.Random(seed)
            with server.session("holdfast") as session:
                for _ in range(self.ROUNDS):
                    self.round(session, dice, history)
        except Exception as failure:  # told by the main thread
            failures.append(failure)

    def round(self, session, dice, history):
        names = dice.sample([f"n{i}" for i in range(self.NAMES)], 2)
        session.do(BEGIN)
        if dice.random() < 0.1:
            session.do(PURGE)
            session.do("COMMIT")
            return
        shown = session.do(
            "SELECT op, version, len IS NULL FROM holdfast.find("
            f"'{{default,default}}', '{{{','.join(names)}}}') WHERE op > 0")
        ops = []
        for line, name in zip(shown.split("\n"), names):
            _, version, is_absent = line.split("|")
            kind = CLAIM if is_absent == "t" else dice.choice(
                (BEAT, BEAT, DELETE, CLAIM))
            ops.append(Op(kind, name, int(version)))
        groups = dice.choice((None, [1, 1]))
        patience = dice.choice((0, 0, 1000))
        session.do("COMMIT")
        session.do(BEGIN)
        text = session.do(apply_sql(ops, patience, groups=groups))
        if session.do("COMMIT") != "" or "ERROR" in text:
            return
        for number, (verdict, version, _) in Answer(text).rows.items():
            if verdict == APPLIED:
                op = ops[number - 1]
                history.append((op.name, op.expect, version, op.kind))

    def test_each_version_is_followed_by_one_write_at_most(self):
        with Postgres(deadlock_timeout="100ms") as server:
            make(server)
            history, failures = [], []
            clients = [threading.Thread(target=self.client, args=(
                server, seed, history, failures))
                for seed in range(self.CLIENTS)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            self.assertEqual(failures, [])
            self.assertGreater(len(history), self.ROUNDS)
            expected = [entry[:2] for entry in history]
            self.assertEqual(len(set(expected)), len(expected))
            for name, before, after, _ in history:
                self.assertGreater(after, before)
            # What is there now is what was written last.
            for name in {entry[0] for entry in history}:
                last = max(e[2] for e in history if e[0] == name)
                self.assertGreaterEqual(absent(server, name), last)


need_servers()
unittest.main()
