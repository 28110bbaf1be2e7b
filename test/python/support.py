"""For the tests of the Python module: places that go away, and children."""

import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PATIENCE_S = 20
_numbers = itertools.count(1)


def memory():
    """A place of its own in this process."""
    return f"memory:test-{next(_numbers)}"


def await_true(what, condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain: {what}")
        time.sleep(0.01)


class Child:
    """A Python program, told what to do by its arguments, that says how far
    it has come."""

    def __init__(self, program, *words, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, **environment})
        self.pid = self.process.pid
        self._watchdog = threading.Timer(PATIENCE_S, self.process.kill)
        self._watchdog.start()

    def read(self):
        return self.process.stdout.readline().rstrip("\n")

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        """Its exit code."""
        self.process.communicate()
        self._watchdog.cancel()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        return self.end()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.place = f"sqlite:{self.folder}/locks.db"

    def child(self, program, *words, **environment):
        child = Child(program, *words, **environment)
        self.addCleanup(child.kill)
        return child


class AsyncCase(Case, unittest.IsolatedAsyncioTestCase):
    pass
