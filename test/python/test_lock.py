"""Locks of threads: what `with` gives, and what it raises."""

import copy
import json
import math
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import unittest
import warnings
from datetime import datetime, timedelta

import holdfast
from support import Case, await_true, memory


class Locks(Case):
    def setUp(self):
        super().setUp()
        self.client = holdfast.Client(memory())
        self.addCleanup(self.client.close)

    def test_a_lock_is_held_in_its_block_and_given_back_after_it(self):
        with self.client.lock("a", reason="a test") as lock:
            self.assertEqual(lock.state, holdfast.State.HELD)
            self.assertEqual(lock.outcome, holdfast.Outcome.GRANTED)
            self.assertGreater(lock.right, 0)
            lock.check()
            self.assertEqual([each.reason for each in self.client.list()],
                             ["a test"])
        self.assertEqual(lock.state, holdfast.State.ENDED)
        self.assertEqual(list(self.client.list()), [])
        with self.assertRaises(holdfast.NotHeld):
            lock.check()

    def test_it_is_given_back_when_the_block_raises(self):
        with self.assertRaises(ZeroDivisionError), self.client.lock("a"):
            1 / 0
        self.assertEqual(list(self.client.list()), [])

    def test_a_fence_only_grows(self):
        lock = self.client.lock("a")
        fences = []
        for _ in range(3):
            with lock:
                fences.append(lock.fence)
        self.assertEqual(fences, sorted(set(fences)))
        self.assertGreater(fences[0], 0)

    def test_who_would_wait_for_itself_is_told_so(self):
        with self.client.lock("a"):
            with self.assertRaises(holdfast.AlreadyHeld) as caught:
                with self.client.lock("a", wait="forever"):
                    pass
        self.assertEqual(caught.exception.exit_code, 75)

    def test_one_lock_object_is_for_one_user_at_a_time(self):
        with self.client.lock("a") as lock:
            with self.assertRaisesRegex(holdfast.Invalid, "already"):
                lock.acquire()

    def test_durations_are_text_seconds_or_timedelta(self):
        for ttl in "45s", 45, 45.0, timedelta(seconds=45):
            with self.client.lock("a", ttl=ttl, wait=math.inf):
                self.assertEqual(self.client.examine("a").ttl_ms, 45000)

    def test_a_wrong_request_is_invalid_when_it_is_made(self):
        wrong = [("a", {"ttl": "1 parsec"}), ("a", {"ttl": "1s", "grace": 9}),
                 ("", {}), ("a\0b", {}), ("\udcff", {}),
                 ("a", {"timeout": 5}), ("a", {"colour": "red"}),
                 ("a", {"if_dead": "pray"}), ("a", {"if_dead": ""}),
                 ("a", {"wait": -1}), ("a", {"mode": "loud"})]
        for make in self.client.lock, self.client.alock:
            for name, options in wrong:
                with self.subTest(make=make, name=name, options=options):
                    with self.assertRaises(holdfast.Invalid) as caught:
                        make(name, **options)
                    self.assertEqual(caught.exception.status,
                                     holdfast.Status.INVALID)
                    self.assertEqual(caught.exception.exit_code, 64)
                    self.assertNotEqual(caught.exception.text, "")
        for name in 5, b"x", None, ["a", "b"]:
            with self.assertRaisesRegex(TypeError, "name is text"):
                self.client.lock(name)
            with self.assertRaisesRegex(TypeError, "name is text"):
                self.client.lock("a", name)
        for option in {"reason": 5}, {"lane": b"x"}, {"space": ["a"]}, \
                {"ttl": ["1s", "2s"]}:
            with self.assertRaises(TypeError):
                self.client.lock("a", **option)
        with self.assertRaises(holdfast.Invalid):
            self.client.lock("a", "b", "a")
        for wait in math.nan, object():
            with self.assertRaises((TypeError, ValueError)):
                self.client.lock("a", wait=wait)
        self.assertEqual(self.client.place, "")  # none of it opened a place

    def test_what_only_the_place_knows_is_invalid_when_it_is_asked(self):
        for lock in (self.client.lock("a", mode="shared"),
                     self.client.lock("a", "b")):
            with self.assertRaises(holdfast.Invalid):
                lock.acquire()
            self.assertTrue(lock.release())

    def test_an_option_may_be_any_iterable_and_is_read_as_often_as_needed(self):
        with self.client.lock("a", processes=iter([os.getpid()])):
            self.assertEqual(self.client.examine("a").processes,
                             (os.getpid(),))

    def test_nobody_gives_back_what_was_never_asked_for(self):
        lock = self.client.lock("a")
        with self.assertRaisesRegex(holdfast.Invalid, "not asked for"):
            lock.release()
        with lock:
            pass
        self.assertTrue(lock.release())  # the second time
        shut = holdfast.Client(f"sqlite:{__file__}/locks.db").lock("a")
        try:
            with self.assertRaises(holdfast.Error):
                shut.acquire()
        finally:
            self.assertTrue(shut.release())  # and says nothing beside that

    def test_a_relative_place_is_refused_with_the_one_to_write(self):
        with self.assertRaisesRegex(holdfast.Invalid, "write sqlite:/"):
            holdfast.Client("sqlite:locks.db").open()

    def test_who_makes_a_place_knows(self):
        with tempfile.TemporaryDirectory() as folder:
            place = f"sqlite:{folder}/locks.db"
            for made in (True, False):
                client = holdfast.Client(place)
                self.assertFalse(client.made_place)
                with client:
                    self.assertIs(client.made_place, made)

    def test_a_place_that_is_none_is_told_in_one_clause(self):
        with self.assertRaisesRegex(holdfast.Invalid, "nowhere"):
            holdfast.Client("nowhere:at all").open()

    def test_who_looks_only_is_denied_a_lock(self):
        self.client.open()
        with holdfast.Client(self.client.place, look_only=True) as looker:
            self.assertEqual(list(looker.list()), [])
            with self.assertRaises(holdfast.Denied):
                looker.lock("a").acquire()

    def test_a_closed_client_says_so(self):
        self.client.open()
        self.client.close()
        self.client.close()
        for call in (self.client.lock("a").acquire, self.client.open,
                     self.client.trouble, self.client.fileno):
            with self.assertRaisesRegex(holdfast.Invalid, "closed"):
                call()

    def test_a_lock_that_is_dropped_is_given_back_with_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.client.lock("a").acquire()
        self.assertEqual([each.category for each in caught],
                         [ResourceWarning])
        with self.client.lock("a", wait="10s"):
            pass

    def test_ids_are_the_processs(self):
        with holdfast.Client(memory()) as other:
            with self.client.lock("a") as a, other.lock("a") as b:
                self.assertNotEqual(a.id, b.id)

    def test_a_program_with_a_loop_of_its_own_takes_notices(self):
        lock = self.client.lock("a")
        with lock:
            await_true("it is told", lambda: any(
                notice.id == lock.id
                and notice.news & holdfast.News.GRANTED
                for notice in self.client.notices()))
        self.assertGreaterEqual(self.client.fileno(), 0)

    def test_a_trace_is_told_what_happens(self):
        lines = []
        with holdfast.Client(memory(), trace=lines.append) as client:
            with client.lock("a"):
                pass
        self.assertTrue(lines)

    def test_locks_dropped_while_a_trace_runs_do_no_harm(self):
        # What is collected inside a trace must not call the library.
        locks = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with holdfast.Client(memory(),
                                 trace=lambda line: locks.clear()) as client:
                for number in range(100):
                    lock = client.lock(f"a{number}")
                    lock.acquire()
                    locks.append(lock)
                    del lock


class Threads(Case):
    def test_one_at_a_time_holds_it_and_others_run_meanwhile(self):
        inside, most, done = 0, 0, []
        client = holdfast.Client(memory())

        def work():
            nonlocal inside, most
            for _ in range(5):
                with client.lock("a", wait="20s"):
                    inside += 1
                    most = max(most, inside)
                    inside -= 1
            done.append(True)

        with client:
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((most, len(done)), (1, 8))

    def test_waiting_lets_other_threads_run(self):
        with holdfast.Client(memory()) as client:
            first = client.lock("a")
            first.acquire()
            ran = threading.Event()

            def give_back():
                ran.set()
                first.release()

            thread = threading.Thread(target=give_back)
            lock = client.lock("a", wait="20s")
            thread.start()
            with lock: # never, if this thread kept the other from running
                self.assertTrue(ran.is_set())
            thread.join()

    def test_who_waits_is_cancelled_by_another_thread(self):
        with holdfast.Client(memory()) as client, client.lock("a"):
            lock = client.lock("a", wait="forever")
            raised = []

            def wait():
                try:
                    lock.acquire()
                except holdfast.Error as error:
                    raised.append(type(error))

            thread = threading.Thread(target=wait)
            thread.start()
            await_true("it waits",
                       lambda: lock.state == holdfast.State.WAITING)
            lock.cancel()
            thread.join()
            self.assertEqual(raised, [holdfast.Cancelled])

    def test_closing_wakes_those_who_wait(self):
        client = holdfast.Client(memory()).open()
        raised = []
        first = client.lock("a")
        first.acquire()
        lock = client.lock("a", wait="forever")

        def wait():
            try:
                lock.acquire()
            except holdfast.Error as error:
                raised.append(type(error))

        thread = threading.Thread(target=wait)
        thread.start()
        await_true("it waits", lambda: lock.state == holdfast.State.WAITING)
        client.close()
        thread.join()
        self.assertEqual(raised, [holdfast.Cancelled])
        self.assertEqual(first.state, holdfast.State.ENDED)

    def test_a_signal_whose_handler_returns_ends_no_wait(self):
        with holdfast.Client(memory()) as client:
            first = client.lock("a")
            first.acquire()
            seen = 0

            def on_alarm(number, frame):
                nonlocal seen
                seen += 1
                if seen == 3:
                    first.cancel()

            before = signal.signal(signal.SIGALRM, on_alarm)
            self.addCleanup(signal.signal, signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            try:
                with client.lock("a", wait="20s"):
                    self.assertGreaterEqual(seen, 3)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)


class Interrupted(Exception):
    pass


class Interrupts(Case):
    def test_a_signal_at_any_moment_leaves_nothing(self):
        # It comes a little later each time, until the block is behind us.
        def interrupt(number, frame):
            raise Interrupted

        def take(client):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                with client.lock("a", wait="20s"):
                    pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)

        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda caught: None  # in a destructor, perhaps
        delay, done, interrupted = 0.0, 0, 0
        with warnings.catch_warnings(), holdfast.Client(memory()) as client:
            warnings.simplefilter("ignore")
            until = time.monotonic() + 3
            while done < 200 and time.monotonic() < until:
                delay += 0.5e-6
                try:
                    take(client)
                    done += 1
                except Interrupted:
                    interrupted += 1
                    done = 0
                with client.lock("a", wait="10s"):
                    pass
                self.assertEqual(list(client.list()), [])
        self.assertGreater(interrupted, 50)


class Views(Case):
    def test_a_view_is_a_mapping_with_attributes_and_json(self):
        with holdfast.Client(memory()) as client:
            with client.lock("a", if_dead="refuse") as lock:
                row, = client.list()
        self.assertEqual((row.name, row["name"]), ("a", "a"))
        self.assertEqual(row.fence, lock.fence)
        self.assertEqual(row.if_dead, "refuse")
        self.assertEqual(len(row.processes), 1)
        self.assertIs(row.exists, True)
        self.assertEqual(json.loads(row.json())["fence"], lock.fence)
        self.assertNotIn("life", row)  # a list does not look for life
        self.assertEqual(row.life, "")
        self.assertEqual(set(row), set(dict(row)))
        self.assertEqual(pickle.loads(pickle.dumps(row)), row)
        self.assertEqual(copy.copy(row).json(), row.json())
        with self.assertRaises(AttributeError):
            row.name = "b"
        with self.assertRaises(AttributeError):
            row.colour

    def test_every_field_of_the_library_has_its_kind(self):
        from holdfast import _view
        types = {word: kind
                 for word, kind in holdfast.View.__annotations__.items()
                 if not word.startswith("_")}
        self.assertEqual(list(types), list(_view._NOTHING))
        self.assertEqual([kind() for kind in types.values()],
                         list(_view._NOTHING.values()))
        self.assertIs(holdfast.View().exists, False)

    def test_a_list_goes_on_from_page_to_page(self):
        names = [f"job/{number:03}" for number in range(25)]
        with holdfast.Client(memory()) as client:
            locks = [client.lock(name) for name in [*names, "zebra"]]
            for lock in locks:
                lock.acquire()
            self.assertEqual([row.name for row in client.list("job/", limit=4)],
                             names)
            for lock in locks:
                lock.release()

    def test_an_absent_lock_is_a_view_in_which_it_does_not_exist(self):
        with holdfast.Client(memory()) as client:
            view = client.examine("nobody's")
            self.assertFalse(view.exists)
            with self.assertRaisesRegex(holdfast.NotCleared, "no such lock"):
                client.clear("nobody's", reason="a test")

    def test_a_living_lock_is_not_cleared_and_a_forced_one_is_in_the_audit(
            self):
        with holdfast.Client(self.place) as client:
            before = datetime.now()
            with self.assertRaises(holdfast.Lost):
                with client.lock("a", ttl="3s", beat="100ms") as lock:
                    with self.assertRaisesRegex(holdfast.NotCleared, "alive"):
                        client.clear("a", reason="a test")
                    view = client.clear("a", reason="a test", force=True)
                    self.assertTrue(view.cleared)
                    await_true("it notices", lambda: lock.outcome
                               == holdfast.Outcome.LOST)
                    with self.assertRaises(holdfast.Lost):
                        lock.check()
            entry, = client.audit(since=before)
            self.assertEqual((entry.name, entry.by_reason, entry.forced),
                             ("a", "a test", True))
            self.assertEqual(list(client.audit("b")), [])

    def test_a_name_that_is_looked_for_is_text(self):
        with holdfast.Client(memory()) as client:
            for name in 5, b"x", ["a", "b"]:
                with self.assertRaisesRegex(TypeError, "name is text"):
                    client.examine(name)
                with self.assertRaisesRegex(TypeError, "name is text"):
                    client.clear(name, reason="a test")
                with self.assertRaisesRegex(TypeError, "prefix is text"):
                    list(client.list(name))

    def test_the_doctor_is_asked(self):
        with holdfast.Client(self.place) as client:
            for row in client.doctor():
                self.assertIn(row.grade, ("ok", "warn", "fail"))


class Words(unittest.TestCase):
    def test_what_a_newer_library_says_breaks_nothing(self):
        from holdfast import _errors, _report
        self.assertEqual(holdfast.Outcome(99), 99)
        self.assertEqual(holdfast.State(99).name, "UNKNOWN_99")
        self.assertEqual(int(holdfast.News(1 << 20)), 1 << 20)
        error = _errors.of_status(99, "something new")
        self.assertIs(type(error), holdfast.Error)
        self.assertEqual(error.status, 99)
        view = holdfast.View({"exists": True, "colour": "red", "life": "new"})
        self.assertEqual(view.colour, "red")
        refusal = _report.refusal("memory:x", "a", 0, holdfast.Outcome(99),
                                  view)
        self.assertIs(type(refusal), holdfast.NotAcquired)
        self.assertEqual(refusal.outcome, 99)
        self.assertIn("life: new", str(refusal))

    def test_out_of_memory_is_a_memory_error(self):
        from holdfast import _errors
        with self.assertRaises(MemoryError):
            raise _errors.of_status(holdfast.Status.NO_MEMORY, "none left")


if __name__ == "__main__":
    unittest.main()
