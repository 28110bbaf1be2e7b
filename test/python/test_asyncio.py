"""Locks of tasks: the loop is never blocked, and who loses is told."""

import asyncio
import gc
import sqlite3
import threading
import time
import unittest

import holdfast
from holdfast import News
from support import PATIENCE_S, AsyncCase, memory

# Short enough to see a loss at once, long enough for a busy machine.
QUICK = {"ttl": "3s", "beat": "100ms"}


async def turns():
    for _ in range(100):
        await asyncio.sleep(0)


async def waits(lock):
    async with asyncio.timeout(PATIENCE_S):
        while lock.state != holdfast.State.WAITING:
            await asyncio.sleep(0.01)


class Tasks(AsyncCase):
    async def asyncSetUp(self):
        self.client = holdfast.Client(memory())
        self.addAsyncCleanup(self.client.aclose)

    async def take_away(self, name):
        await self.client.aclear(name, reason="a test", force=True)

    async def test_a_lock_is_held_in_its_block_and_given_back_after_it(self):
        async with self.client.alock("a") as lock:
            lock.check()
            self.assertGreater(lock.fence, 0)
            self.assertEqual([row.name async for row in self.client.alist()],
                             ["a"])
        self.assertEqual([row async for row in self.client.alist()], [])
        self.assertEqual(lock.state, holdfast.State.ENDED)

    async def test_the_loop_goes_on_while_a_task_waits(self):
        async with self.client.alock("a"):
            lock = self.client.alock("a")
            task = asyncio.create_task(lock.acquire())
            await waits(lock)
            await turns()
            self.assertFalse(task.done())
        await task
        lock.check()
        self.assertTrue(await lock.release("10s"))

    async def test_who_would_wait_for_itself_is_told_so(self):
        async with self.client.alock("a"):
            with self.assertRaises(holdfast.AlreadyHeld):
                async with self.client.alock("a"):
                    pass

    async def test_it_is_not_to_be_had(self):
        async with self.client.alock("a"):
            with self.assertRaises(holdfast.NotAcquired):
                await self.client.alock("a", wait="200ms").acquire()

    async def test_a_cancelled_wait_leaves_nothing(self):
        async with self.client.alock("a"):
            lock = self.client.alock("a", wait="forever")
            task = asyncio.create_task(lock.acquire())
            await waits(lock)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(lock.state, holdfast.State.ENDED)
        self.assertEqual([row async for row in self.client.alist()], [])

    async def test_a_wait_under_a_timeout_ends_with_it(self):
        async with self.client.alock("a"):
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(0.05):
                    # Another task's, or it would be told at once.
                    await self.client.alock("a").acquire()

    async def test_a_second_cancel_does_not_wait_for_the_settling(self):
        async with self.client.alock("a"):
            lock = self.client.alock("a", wait="forever")
            task = asyncio.create_task(lock.acquire())
            await waits(lock)
            task.cancel()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            del lock, task
            gc.collect()

    async def test_a_lost_lock_cancels_its_task_which_raises_lost(self):
        task = asyncio.current_task()
        with self.assertRaises(holdfast.Lost) as caught:
            async with asyncio.timeout(PATIENCE_S):
                async with self.client.alock("a", **QUICK):
                    await self.take_away("a")
                    await asyncio.get_running_loop().create_future()
        self.assertIsInstance(caught.exception.__cause__,
                              asyncio.CancelledError)
        self.assertEqual(caught.exception.exit_code, 76)
        self.assertEqual(task.cancelling(), 0)
        await asyncio.sleep(0)  # nothing of the cancel is left

    async def test_only_the_tasks_whose_lock_is_lost_is_cancelled(self):
        async with asyncio.TaskGroup() as group:
            async def loses():
                with self.assertRaises(holdfast.Lost):
                    async with self.client.alock("a", **QUICK):
                        await self.take_away("a")
                        await asyncio.get_running_loop().create_future()
                lost.set()

            async def keeps():
                async with self.client.alock("b", **QUICK) as lock:
                    await lost.wait()
                    lock.check()

            lost = asyncio.Event()
            group.create_task(loses())
            group.create_task(keeps())

    async def test_who_is_cancelled_by_others_too_ends_as_cancelled(self):
        async def hold():
            async with self.client.alock("a", **QUICK):
                held.set()
                try:
                    await asyncio.get_running_loop().create_future()
                except asyncio.CancelledError:
                    struck.set()
                    try:
                        await asyncio.get_running_loop().create_future()
                    except asyncio.CancelledError:
                        pass
                    raise

        held, struck = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(hold())
        await held.wait()
        await self.take_away("a")
        await struck.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertTrue(task.cancelled())

    async def test_what_the_block_raises_comes_out_also_when_it_was_lost(self):
        with self.assertRaises(ZeroDivisionError):
            async with self.client.alock("a", **QUICK):
                await self.take_away("a")
                try:
                    await asyncio.get_running_loop().create_future()
                except asyncio.CancelledError:
                    1 / 0
        self.assertEqual(asyncio.current_task().cancelling(), 0)

    async def test_a_block_that_swallows_the_cancel_learns_it_at_its_end(self):
        with self.assertRaises(holdfast.Lost):
            async with self.client.alock("a", **QUICK):
                await self.take_away("a")
                try:
                    await asyncio.get_running_loop().create_future()
                except asyncio.CancelledError:
                    pass
        self.assertEqual(asyncio.current_task().cancelling(), 0)

    async def test_a_lock_without_a_block_cancels_nobody(self):
        lock = self.client.alock("a", **QUICK)
        await lock.acquire()
        await self.take_away("a")
        async for news in lock.news():
            if news & News.LOST:
                break
        with self.assertRaises(holdfast.Lost):
            lock.check()
        await lock.release()

    async def test_closing_wakes_those_who_wait(self):
        client = await holdfast.Client(memory()).aopen()
        first = client.alock("a")
        await first.acquire()
        lock = client.alock("a", wait="forever")
        task = asyncio.create_task(lock.acquire())
        await waits(lock)
        await client.aclose()
        with self.assertRaises(holdfast.Cancelled):
            await task
        self.assertEqual(first.state, holdfast.State.ENDED)

    async def test_the_other_questions(self):
        async with self.client.alock("a", **QUICK):
            view = await self.client.aexamine("a", watch="forever")
            self.assertEqual(view.life, "beating")
        with self.assertRaises(holdfast.NotCleared):
            await self.client.aclear("a", reason="a test")
        self.assertEqual([row async for row in self.client.aaudit()], [])
        async for row in self.client.adoctor():
            self.assertTrue(row.check)

    async def test_nobody_gives_back_what_was_never_asked_for(self):
        lock = self.client.alock("a")
        with self.assertRaisesRegex(holdfast.Invalid, "not asked for"):
            await lock.release()
        await lock.acquire()
        self.assertTrue(await lock.release())
        self.assertTrue(await lock.release())  # the second time

    async def test_the_default_client_serves_tasks_too(self):
        # The process's: under this name nobody else has a lock.
        client = holdfast.Client(memory())
        async with client, client.alock("a") as lock:
            self.assertIs(lock.client, client)


class Doubts(AsyncCase):
    async def test_a_refuse_lock_is_at_risk_in_doubt_and_certain_again(self):
        # Another program keeps the file locked, so no beat is written.
        self.told = News(0)
        path = self.place.removeprefix("sqlite:")
        async with holdfast.Client(self.place) as client:
            def on_news(lock, news):
                self.told |= news

            async with client.alock("a", if_dead="refuse", ttl="2s",
                                    on_news=on_news) as lock:
                news = lock.news()
                other = sqlite3.connect(path, isolation_level=None)
                other.execute("BEGIN IMMEDIATE")
                try:
                    seen = News(0)
                    async with asyncio.timeout(PATIENCE_S):
                        while not seen & News.IN_DOUBT:
                            seen |= await anext(news)
                    self.assertTrue(seen & News.AT_RISK)
                    with self.assertRaises(holdfast.InDoubt):
                        lock.check()
                    self.assertTrue(client.trouble())
                finally:
                    other.execute("ROLLBACK")
                    other.close()
                async with asyncio.timeout(PATIENCE_S):
                    while not seen & News.CERTAIN:
                        seen |= await anext(news)
                lock.check()
                await news.aclose()
        self.assertEqual(self.told & News.LOST, 0)
        self.assertTrue(self.told & News.ENDED)


class Many(AsyncCase):
    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)  # for the figures

    async def each_in_turn(self, place, count):
        inside = most = done = 0
        async with holdfast.Client(place) as client:
            async def work():
                nonlocal inside, most, done
                async with client.alock("a", wait="forever"):
                    inside += 1
                    most = max(most, inside)
                    await asyncio.sleep(0)
                    inside -= 1
                done += 1

            begun = time.monotonic()
            await asyncio.gather(*(work() for _ in range(count)))
            took = time.monotonic() - begun
        print(f"# {count} tasks, one after the other, on {place[:6]}: "
              f"{took:.2f} s")
        self.assertEqual((most, done), (1, count))

    async def test_thousands_wait_for_one_lock(self):
        await self.each_in_turn(memory(), 3000)

    async def test_hundreds_wait_for_one_lock_in_a_file(self):
        await self.each_in_turn(self.place, 200)

    async def test_thousands_that_wait_are_cancelled_at_once(self):
        async with holdfast.Client(self.place) as client:
            async with client.alock("a"):
                locks = [client.alock("a", wait="forever")
                         for _ in range(1000)]
                begun = time.monotonic()
                tasks = [asyncio.create_task(lock.acquire())
                         for lock in locks]
                await waits(locks[-1])
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)
                print("# 1000 tasks that begin to wait and are cancelled: "
                      f"{time.monotonic() - begun:.2f} s")
                self.assertTrue(all(task.cancelled() for task in tasks))
                self.assertEqual(
                    len([row async for row in client.alist()]), 1)


class Loops(unittest.TestCase):
    def test_two_loops_share_a_client(self):
        client = holdfast.Client(memory()).open()
        inside = most = done = 0

        async def work():
            nonlocal inside, most, done
            for _ in range(20):
                async with client.alock("a", wait="20s"):
                    inside += 1
                    most = max(most, inside)
                    await asyncio.sleep(0)
                    inside -= 1
            done += 1

        async def both():
            await asyncio.gather(work(), work())

        with client:
            threads = [threading.Thread(target=lambda: asyncio.run(both()))
                       for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((most, done), (1, 6))

    def test_a_loop_that_ended_leaves_a_client_that_works(self):
        async def take(client):
            async with client.alock("a", wait="20s") as lock:
                return lock.fence

        async def left_waiting(client):
            lock = client.alock("a", wait="forever")
            asyncio.create_task(lock.acquire())
            await waits(lock)

        with holdfast.Client(memory()) as client:
            first = asyncio.run(take(client))
            with client.lock("a"):
                asyncio.run(left_waiting(client))
            self.assertGreater(asyncio.run(take(client)), first)

    def test_threads_and_tasks_share_a_client(self):
        with holdfast.Client(memory()) as client:
            async def wait():
                async with client.alock("a", wait="20s") as lock:
                    return lock.fence

            lock = client.lock("a")
            lock.acquire()
            timer = threading.Timer(0.1, lock.release)
            timer.start()
            self.assertGreater(asyncio.run(wait()), lock.fence)
            timer.join()


if __name__ == "__main__":
    unittest.main()
