"""A lock server of a test's own, on whatever place."""

import json
import os
import signal
import subprocess
import tempfile


class Node:
    """A lock server, and what it has said."""

    def __init__(self, holdfastd, place, *options, before=()):
        """`before` is what it is run by, and waited for."""
        self.command = [*before, holdfastd, "--at", place, "--log", "json",
                        *options]
        self.log = tempfile.TemporaryFile("w+")
        self.port = 0
        self.start()

    def start(self):
        """At the port that it had, if it had one."""
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [*self.command, "--port", str(self.port), "--ready-fd", str(write)],
            stdout=self.log, stderr=self.log, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as ready:
            self.port = int(ready.readline() or 0)
        self.address = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.kill()
        self.log.close()

    def said(self, event):
        """The lines of that event."""
        self.log.seek(0)
        lines = [json.loads(line) for line in self.log if line[:1] == "{"]
        return [line for line in lines if line["event"] == event]

    def leads(self):
        return self.said("leads")

    def kill(self):
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            below = children.read().split()
        os.kill(int(below[0]) if below else pid, signal.SIGKILL)
        self.process.wait()
