"""A store in a process of its own, which a test tells what to do: store_driver,
whose first comment has the commands."""

import subprocess


class Driver:
    def __init__(self, program, place, environment=None):
        self.process = subprocess.Popen([program, place], text=True,
                                        env=environment,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def send(self, *words):
        """Ask, and do not wait."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def wait(self):
        """The answer: (what, why)."""
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the driver ended: "
                               + self.process.stderr.read())
        what, _, why = line.rstrip("\n").partition(" # ")
        return what, why

    def ask(self, *words):
        self.send(*words)
        return self.wait()

    def do(self, *words):
        """What must succeed: the words of the answer."""
        what, why = self.ask(*words)
        if what.split()[0] in ("failed", "refused", "unavailable", "unknown"):
            raise RuntimeError(f"{words}: {what}: {why}")
        return what.split()

    def version(self, name):
        return int(self.do("read", name)[1])
