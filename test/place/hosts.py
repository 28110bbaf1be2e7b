"""Machines of a test's own: each a network, process, name and mount namespace, with
one link to this one, which can be cut one way or both."""

import os
import subprocess
import sys

from fixture import SKIPPED, janitor

OUT, IN = "what it sends is lost", "what is sent to it is lost"
APART = ("unshare", "--net", "--pid", "--uts", "--mount", "--mount-proc",
         "--fork", "--kill-child")
NOWHERE = "02:00:00:00:00:99" # an address of the link that nobody has


def _run(*command):
    subprocess.run(command, check=True, capture_output=True)


def need_hosts():
    """End the test as skipped where there can be none."""
    probe = f"hfp{os.getpid()}"
    try:
        _run(*APART, "true")
        _run("ip", "link", "add", probe, "type", "veth")
        _run("ip", "link", "del", probe)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"1..0 # SKIP no hosts can be made here: {error}")
        sys.exit(SKIPPED)


class Host:
    """Number 0 to 3.  `gate` is this machine's address on the link."""

    def __init__(self, number):
        pid = os.getpid()
        block = (pid & 0x3fff) << 4 | number << 2
        prefix = f"100.{64 + (block >> 16)}.{block >> 8 & 255}"
        self.gate = f"{prefix}.{(block & 255) + 1}"
        self.address = f"{prefix}.{(block & 255) + 2}"
        self.name = f"host{number}"
        self.link = f"hf{pid}g{number}"
        self.inner = f"hf{pid}h{number}"

    def __enter__(self):
        self.process = subprocess.Popen(
            [*APART, "sh", "-c", f"hostname {self.name}; echo; exec sleep inf"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        janitor().process(self.process.pid)
        self.process.stdout.readline()
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            self.first = children.read().split()[0]
        self.into = ("nsenter", "--target", self.first, "--net", "--pid",
                     "--uts", "--mount")
        _run("ip", "link", "add", self.link, "type", "veth", "peer", "name",
             self.inner, "netns", self.first)
        _run("ip", "address", "add", f"{self.gate}/30", "dev", self.link)
        _run("ip", "link", "set", self.link, "up")
        _run(*self.into, "ip", "address", "add", f"{self.address}/30", "dev",
             self.inner)
        _run(*self.into, "ip", "link", "set", self.inner, "up")
        _run(*self.into, "ip", "link", "set", "lo", "up")
        return self

    def __exit__(self, *error):
        """With its processes its link is gone, too."""
        self.kill()

    def kill(self):
        """As when it loses its power."""
        if self.process.poll() is None:
            os.kill(int(self.first), 9)
            self.process.communicate()
            # The kernel takes it away with its namespace, but at leisure.
            subprocess.run(["ip", "link", "del", self.link],
                           capture_output=True)

    def cut(self, *ways):
        if OUT in ways:
            _run(*self.into, "ip", "neigh", "replace", self.gate, "lladdr",
                 NOWHERE, "dev", self.inner, "nud", "permanent")
        if IN in ways:
            _run("ip", "neigh", "replace", self.address, "lladdr", NOWHERE,
                 "dev", self.link, "nud", "permanent")

    def mend(self):
        subprocess.run([*self.into, "ip", "neigh", "del", self.gate, "dev",
                        self.inner], capture_output=True)
        subprocess.run(["ip", "neigh", "del", self.address, "dev", self.link],
                       capture_output=True)
