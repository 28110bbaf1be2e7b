#!/usr/bin/env python3
"""addresses.py HOLDFASTD HOLDFAST: where others find a server, who leads, and
what is said to whom it is not called so; and the file of its settings."""

import signal
import subprocess
import sys

from support import Checks, Client, Server, await_that, folder

DAEMON, HOLDFAST = sys.argv[1:]
checks = Checks()


def config(*options):
    """(exit code, what is said) of --check-config"""
    done = subprocess.run([DAEMON, "--check-config", "--at", "memory:x",
                           *options], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_settings():
    for wildcard in "0.0.0.0:0", "[::]:0", "[0::0]:7420":
        all_of_them = "--insecure", "--listen", wildcard
        code, said = config(*all_of_them)
        checks.check(f"at {wildcard} nobody finds it", code == 64
                     and "set advertise" in said, said)
        code, said = config(*all_of_them, "--advertise", "locks.example:7420")
        checks.check("unless it says where", code == 0, said)
    for good in "a:1", "192.0.2.7:0", "[2001:db8::7]:7420":
        code, said = config("--advertise", good)
        checks.check(f"{good} can be advertised", code == 0, said)
    for wrong in ("", "a", ":1", "a:", "a:x", "a:65536", "0.0.0.0:1",
                  "[::]:1", "::1:1", "a b:1", "http://a:1", "a:1/", "[a]:1",
                  "x" * 300 + ":1"):
        code, said = config("--advertise", wrong)
        checks.check(f"'{wrong[:20]}' cannot", code == 64
                     and "advertise" in said, said)


def info(server):
    return Client(server).ask("GET", "/v1/info")[1]


def ready(server):
    return [Client(server).ask("GET", f"/readyz{query}")[0]
            for query in ("", "?leader")]


def log(path):
    with open(f"{path}/errors") as file:
        return file.read()


def check_leader(path):
    with Server(DAEMON, path, "--advertise", "localhost:0") as first, \
            Server(DAEMON, path, "--advertise", "localhost:7") as second:
        await_that(lambda: info(first)["state"] == "serving"
                   or info(second)["state"] == "serving")
        leads = info(first)["state"] == "serving"
        leader, other = (first, second) if leads else (second, first)
        where = f"localhost:{first.port if leads else 7}"
        await_that(lambda: info(other)["leader"] != "")
        checks.check("the leader says where it is",
                     info(leader)["leader"] == where, info(leader))
        checks.check("and the other, too", info(other)["leader"] == where,
                     info(other))
        _, answer = Client(other).ask("POST", "/v1/acquire", {"name": "a"})
        checks.check("who asks the other is sent there",
                     answer.get("leader") == where, answer)
        checks.check("both are ready", ready(leader)[0] == ready(other)[0]
                     == 200)
        checks.check("and one is the leader, and ready",
                     ready(leader)[1] == 200 and ready(other)[1] == 503)
        checks.check("the log says that the first came after nobody",
                     " after=nobody" in log(path), log(path))
        leader.kill()
        await_that(lambda: info(other)["state"] == "serving")
        checks.check("and the next one after whom",
                     f" after={where}" in log(path), log(path))


def check_names(path):
    """127.1 is this machine's, and no name that anybody gave it."""
    with Server(DAEMON, path, at="memory:x") as server:
        server.await_leading()
        for verb in "ls", "doctor":
            done = subprocess.run(
                [HOLDFAST, verb, "--at", f"http://127.1:{server.port}"],
                text=True, capture_output=True, timeout=60)
            checks.check(f"{verb} says how the server is to be called so",
                         "start holdfastd with --host 127.1"
                         in done.stdout + done.stderr,
                         done.stdout + done.stderr)
        for said, shown in (("other.example:80", "other.example"),
                            ("a;b", "NAME"), ("[::2]:1", "[::2]")):
            status, answer = Client(server).ask("GET", "/v1/info", Host=said)
            checks.check(f"who says {said} is told of {shown}", status == 421
                         and answer["detail"].endswith(f"--host {shown}"),
                         answer)
        server.process.send_signal(signal.SIGHUP)
        await_that(lambda: "without --config" in log(path))
        checks.check("SIGHUP without a file is said to do nothing",
                     "settings were" not in log(path), log(path))


def check_file(path):
    """With a minus before it, it need not be there."""
    file = f"{path}/holdfastd.conf"
    checks.check("a file that must be there is missed",
                 config("--config", file)[0] == 69)
    checks.check("one that need not be is not",
                 config("--config", "-" + file)[0] == 0)
    with Server(DAEMON, path, "--config", "-" + file,
                at="memory:x") as server:
        server.await_leading()

        def status():
            return Client(server).ask("GET", "/v1/info", Host="later")[0]

        before = status()
        with open(file, "w") as settings:
            settings.write("host = later\n")
        server.process.send_signal(signal.SIGHUP)
        await_that(lambda: status() != before)
        checks.check("and is read by SIGHUP once it is there",
                     (before, status()) == (421, 200), (before, status()))
    with open(file, "w") as settings:
        settings.write("no setting\n")
    checks.check("one that is there is read",
                 config("--config", "-" + file)[0] == 64)


def main():
    check_settings()
    for check in check_leader, check_names, check_file:
        with folder() as path:
            check(path)
    return checks.end()


sys.exit(main())
