"""What servers of a test's own have in common, of whatever kind: a folder that
goes away, an address and a port that nobody else uses, and an end also where the
test is killed.  scripts/servers.sh fetches the programs."""

import faulthandler
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from janitor import Janitor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 60
SKIPPED = 77

_janitor = None
_started = 0


def programs(kind):
    """The folder that scripts/servers.sh has filled."""
    return ROOT / "build/servers" / kind


def need_programs(kind):
    """End the test as skipped where there are none.  If it hangs it says where,
    before ctest ends it."""
    faulthandler.dump_traceback_later(240)
    if not (programs(kind) / "stamp").exists():
        print(f"no {kind}: scripts/servers.sh {kind} fetches it",
              file=sys.stderr)
        sys.exit(SKIPPED)


def janitor():
    global _janitor
    if _janitor is None:
        _janitor = Janitor()
    return _janitor


def clean_environment(kind, prefix):
    """Nothing that the programs would take from ours."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(prefix) and name != "HOME"}
    libraries = (programs(kind) / "library-path").read_text().strip()
    if libraries:
        kept["LD_LIBRARY_PATH"] = libraries
    return kept


def as_nobody():
    """A server may refuse to be root's."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def make_folder(under=None):
    """On no disk if that can be: a process that is killed loses nothing of
    either."""
    shared = "/dev/shm"
    prefix = "holdfast-test-" if under is None else "holdfast-bench-"
    if under is None and os.access(shared, os.W_OK):
        under = shared
    path = tempfile.mkdtemp(prefix=prefix, dir=under)
    janitor().folder(path)
    if os.geteuid() == 0:
        shutil.chown(path, "nobody", "nogroup")
    return path


def own_address():
    """One of the loopback that no other test has: whatever port the kernel
    chooses for others, those that a server starts again on stay free."""
    global _started
    _started += 1
    number = (os.getpid() * 16 + _started % 16) % (254 << 16)
    return (f"127.{1 + (number >> 16)}.{number >> 8 & 255}."
            f"{number & 255}")


def free_port(address):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def await_that(true, what="it"):
    """Until it is so; an error, if it is not for a minute."""
    until = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until:
            raise TimeoutError(f"waited in vain: {what}")
        time.sleep(0.005)


def run(command, environment, **more):
    """What it prints; it must succeed."""
    done = subprocess.run(command, env=environment, text=True,
                          capture_output=True, timeout=2 * PATIENCE_S, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


class Server:
    """One process, and those below it.  A kind of it has `command()`, which it
    is run by, `answers()`, and what it does in its folder before, `prepare()`.
    It comes back at the address and the port that it had."""

    title = "the server"
    environment = None

    def __init__(self, under=None):
        """`under` is a folder on a disk, to measure."""
        self.under = under
        self.process = self.path = None

    def __enter__(self):
        self.path = make_folder(self.under)
        self.log = f"{self.path}/log"
        self.address = own_address()
        self.port = free_port(self.address)
        self.prepare()
        self.start()
        return self

    def __exit__(self, kind, *error):
        if self.process is not None:
            self.kill()
        if kind is not None:
            sys.stderr.write(self.log_text()[-8000:])
        shutil.rmtree(self.path)

    def prepare(self):
        pass

    def log_text(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def start(self, wait=True):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.command(), env=self.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
        janitor().process(self.process.pid)
        if wait:
            self.await_answer()

    def await_answer(self):
        def answers():
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.title} ended: {self.log_text()}")
            return self.answers()
        await_that(answers, f"{self.title} to answer")

    def kill(self):
        """As when the machine loses its power, but for what is in the memory
        of its kernel."""
        self.process.kill()
        self._end()

    def stop(self, how=signal.SIGINT):
        """In order, with its clients cut."""
        self.process.send_signal(how)
        self._end()

    def _end(self):
        self.process.wait()
        self.process = None
