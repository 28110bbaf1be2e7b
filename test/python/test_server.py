"""The module on a lock server: the same calls, several names, and sharing."""

import os
import subprocess
import time
import unittest

import holdfast


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        read_end, write_end = os.pipe()
        cls.server = subprocess.Popen(
            [os.environ["HOLDFASTD"], "--port", "0", "--at", "memory:python",
             "--no-grace", "--ready-fd", str(write_end)],
            pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as port:
            cls.place = f"http://127.0.0.1:{int(port.readline())}"

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.server.wait()

    def setUp(self):
        self.client = holdfast.Client(self.place).open()

    def tearDown(self):
        self.client.close()

    def test_a_lock_is_held_and_given_back(self):
        with self.client.lock("one", wait="10s") as lock:
            self.assertGreater(lock.fence, 0)
            lock.check()
            with self.assertRaises(holdfast.TimedOut):
                self.client.lock("one", wait="try", lane="another").acquire()
        self.assertEqual(list(self.client.list()), [])

    def test_several_names_are_held_together(self):
        with self.client.lock("a", "b", "c", wait="10s"):
            names = sorted(view.name for view in self.client.list())
            self.assertEqual(names, ["a", "b", "c"])
            with self.assertRaises(holdfast.TimedOut):
                self.client.lock("c", wait="try", lane="another").acquire()

    def test_a_shared_lock_is_shared(self):
        with self.client.lock("s", mode="shared", wait="10s"):
            other = self.client.lock("s", mode="shared", wait="try",
                                     lane="another")
            other.acquire()
            self.assertEqual(self.client.examine("s").mode, "shared")
            self.assertTrue(other.release())
            with self.assertRaises(holdfast.TimedOut):
                self.client.lock("s", wait="try", lane="another").acquire()

    def test_who_is_cleared_learns_by_whom_and_why(self):
        lock = self.client.lock("taken", wait="10s", ttl="4s", beat="300ms",
                                grace="500ms")
        lock.acquire()
        with self.assertRaises(holdfast.Invalid):
            self.client.clear("taken", reason="…", force=True)
        self.client.clear("taken", reason="a test", force=True)
        until = time.monotonic() + 30
        while not lock.view().cleared and time.monotonic() < until:
            time.sleep(0.02)
        with self.assertRaisesRegex(holdfast.Lost, "cleared it: a test"):
            lock.check()
        self.assertEqual(lock.view().by_reason, "a test")

    def test_one_name_twice_is_refused(self):
        with self.assertRaises(holdfast.Invalid):
            self.client.lock("a", "a")


if __name__ == "__main__":
    unittest.main()
