"""Locks between processes: killed, frozen, interrupted, forked."""

import signal
import time
import unittest

import holdfast
from support import Case, memory

HOLDS = """
import sys, holdfast
place, if_dead = sys.argv[1:]
with holdfast.Client(place) as client:
    with client.lock("a", if_dead=if_dead, reason="release 7") as lock:
        print(lock.fence, flush=True)
        sys.stdin.readline()
"""

# Looks again and again, as work does, until it is told.
LOSES = """
import sys, time, asyncio, holdfast
place, how = sys.argv[1:]
if how == "thread":
    client = holdfast.Client(place)
    try:
        with client.lock(how, ttl="2s") as lock:
            print("held", flush=True)
            while True:
                lock.check()
                time.sleep(0.01)
    except holdfast.Lost as lost:
        print("lost", lost.exit_code, flush=True)
else:
    async def work():
        async with holdfast.Client(place) as client:
            try:
                async with client.alock(how, ttl="2s"):
                    print("held", flush=True)
                    await asyncio.get_running_loop().create_future()
            except holdfast.Lost as lost:
                print("lost", lost.exit_code,
                      asyncio.current_task().cancelling(), flush=True)
    asyncio.run(work())
"""

WAITS = """
import sys, threading, time, holdfast

def tell():
    while lock.state != holdfast.State.WAITING:
        time.sleep(0.01)
    print("waits", flush=True)

lock = holdfast.lock("a", wait="forever")
threading.Thread(target=tell).start()
try:
    lock.acquire()
except KeyboardInterrupt:
    print(lock.state.name, lock.outcome.name, flush=True)
    sys.stdin.readline()
"""

HOLDS_ON = """
import sys, time, holdfast
try:
    with holdfast.lock("a", if_dead="refuse"):
        print("held", flush=True)
        while True:
            time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""

ENDS = """
import sys, holdfast
lock = holdfast.lock("a", if_dead="refuse")
lock.acquire()
print(lock.fence)
sys.exit(3)
"""

FORKS = """
import os, sys, holdfast
place, own = sys.argv[1:]
os.environ["HOLDFAST_AT"] = place
lock = holdfast.lock("a")
lock.acquire()
child = os.fork()
if child == 0:
    print("of the parent's lock:", lock.outcome.name, lock.fence)
    try:
        lock.client.lock("b").acquire()
    except holdfast.Invalid as error:
        print("of the parent's client:", error)
    try:
        with holdfast.lock("c") as mine:
            print("a lock of its own:", mine.fence > 0)
    except holdfast.Invalid as error:
        print("a lock of its own:", error)
    del lock
    sys.exit()
os.waitpid(child, 0)
lock.check()
print("the parent still holds it:", lock.outcome.name)
lock.release()
"""

# As a server that forks workers, gunicorn with --preload for one.
PREFORKS = """
import multiprocessing, os, sys, holdfast
os.environ["HOLDFAST_AT"] = sys.argv[1]
with holdfast.lock("a"):
    list(holdfast.client().list())
list(holdfast.client().doctor())
try:
    holdfast.client().clear("a", reason="nobody has it")
except holdfast.NotCleared:
    pass
holdfast.client().close()

def work(_):
    with holdfast.lock("a", wait="forever") as lock:
        number = int(open(sys.argv[2]).read())
        open(sys.argv[2], "w").write(str(number + 1))
        return lock.fence

context = multiprocessing.get_context("fork")
with context.Pool(3) as pool:
    fences = pool.map(work, range(30), chunksize=1)
    print("fences:", len(set(fences)))
    pool.close()
    pool.join()
with holdfast.lock("a") as lock:
    print("the parent, too:", lock.fence > max(fences))
"""


class Deaths(Case):
    def setUp(self):
        super().setUp()
        self.client = holdfast.Client(self.place).open()
        self.addCleanup(self.client.close)

    def test_a_killed_holder_is_taken_over_with_a_higher_fence(self):
        holder = self.child(HOLDS, self.place, "takeover")
        fence = int(holder.read())
        holder.kill()
        begun = time.monotonic()
        with self.client.lock("a", wait="10s") as lock:
            self.assertGreater(lock.fence, fence)
        self.assertLess(time.monotonic() - begun, 10)  # no ttl of 30 s

    def test_a_killed_refuse_holder_is_told_of_and_then_cleared(self):
        holder = self.child(HOLDS, self.place, "refuse")
        fence = int(holder.read())
        holder.kill()
        with self.assertRaises(holdfast.Gone) as caught:
            self.client.lock("a", wait="10s").acquire()
        gone = caught.exception
        self.assertEqual(gone.exit_code, 73)
        self.assertEqual((gone.view.fence, gone.view.life), (fence, "gone"))
        self.assertEqual(gone.view.processes, (holder.pid,))
        for part in ("the holder of a is dead", "release 7", str(holder.pid),
                     "nobody takes it over", "holdfast clear --at sqlite:",
                     f"--fence {fence} --reason"):
            self.assertIn(part, str(gone))
        with self.assertRaisesRegex(holdfast.NotCleared, "another holder"):
            self.client.clear("a", reason="looked", fence=fence - 1)
        self.client.clear("a", reason="looked", fence=fence)
        with self.client.lock("a", wait="try") as lock:
            self.assertGreater(lock.fence, fence)

    def test_a_live_holder_is_waited_for_and_told_of(self):
        holder = self.child(HOLDS, self.place, "takeover")
        holder.read()
        with self.assertRaises(holdfast.TimedOut) as caught:
            self.client.lock("a", wait="try").acquire()
        self.assertEqual(caught.exception.exit_code, 75)
        self.assertEqual(caught.exception.view.processes, (holder.pid,))
        with self.assertRaises(holdfast.NotAcquired) as caught:
            self.client.lock("a", wait=0.3).acquire()
        self.assertIn(str(holder.pid), str(caught.exception))
        holder.go_on()
        with self.client.lock("a", wait="10s"):
            self.assertEqual(holder.end(), 0)

    def test_a_frozen_holder_learns_that_it_lost(self):
        for how in "thread", "task":
            holder = self.child(LOSES, self.place, how)
            self.assertEqual(holder.read(), "held")
            holder.signal(signal.SIGSTOP)
            with self.client.lock(how, wait="15s") as lock:
                holder.signal(signal.SIGCONT)
                self.assertEqual(
                    holder.read(),
                    {"thread": "lost 76", "task": "lost 76 0"}[how])
                lock.check()
            self.assertEqual(holder.end(), 0)


class Interrupts(Case):
    def free(self):
        with holdfast.Client(self.place) as client:
            self.assertEqual(list(client.list()), [])

    def test_ctrl_c_ends_a_wait_at_once_and_leaves_nothing(self):
        with holdfast.Client(self.place) as client:
            with client.lock("a"):
                waiter = self.child(WAITS, HOLDFAST_AT=self.place)
                self.assertEqual(waiter.read(), "waits")
                begun = time.monotonic()
                waiter.signal(signal.SIGINT)
                self.assertEqual(waiter.read(), "ENDED NOT_HELD")
                self.assertLess(time.monotonic() - begun, 2)
                self.assertEqual(len(list(client.list())), 1)
            # It lives, and takes nothing.
            self.assertEqual(list(client.list()), [])
            with client.lock("a", wait="try"):
                pass
        waiter.go_on()
        self.assertEqual(waiter.end(), 0)

    def test_ctrl_c_in_the_block_gives_the_lock_back(self):
        holder = self.child(HOLDS_ON, HOLDFAST_AT=self.place)
        self.assertEqual(holder.read(), "held")
        holder.signal(signal.SIGINT)
        self.assertEqual(holder.end(), 130)
        self.free()

    def test_what_the_program_still_holds_at_its_end_is_given_back(self):
        holder = self.child(ENDS, HOLDFAST_AT=self.place)
        self.assertGreater(int(holder.read()), 0)
        self.assertEqual(holder.end(), 3)
        self.free()


class Forks(Case):
    def said(self, place):
        child = self.child(FORKS, place, "")
        said = dict(child.read().split(": ", 1) for _ in range(4))
        self.assertEqual(child.end(), 0)
        self.assertEqual(said["of the parent's lock"], "NOT_HELD 0")
        self.assertIn("before a fork", said["of the parent's client"])
        self.assertEqual(said["the parent still holds it"], "GRANTED")
        return said["a lock of its own"]

    def test_a_childs_lock_in_memory_is_its_own(self):
        self.assertEqual(self.said(memory()), "True")

    def test_a_child_is_told_that_sqlite_does_not_bear_it(self):
        said = self.said(self.place)
        for way_out in "close its clients", "exec", "lock server":
            self.assertIn(way_out, said)

    def test_workers_of_one_who_closed_its_clients_share_a_lock(self):
        count = f"{self.folder}/count"
        with open(count, "w") as file:
            file.write("0")
        child = self.child(PREFORKS, self.place, count)
        self.assertEqual(child.read(), "fences: 30")
        self.assertEqual(child.read(), "the parent, too: True")
        self.assertEqual(child.end(), 0)
        with open(count) as file:
            self.assertEqual(file.read(), "30")


if __name__ == "__main__":
    unittest.main()
