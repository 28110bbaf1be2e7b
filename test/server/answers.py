#!/usr/bin/env python3
"""answers.py HOLDFASTD: what is said in an answer, and to whom one is given."""

import os
import resource
import sqlite3
import sys
import time

from support import Checks, Client, Server, await_that, folder

HOST = "locks.example.com"
CONNECTIONS = 10


def check_paths(checks, server):
    one = Client(server).open(ttl="60s")
    for name in "ab":
        one.acquire({"name": name})
    status, answer = one.ask("POST", "/v1/locks/a/release",
                             {"session": one.session, "n": one.n})
    checks.check("the path of one lock gives back no other",
                 status == 400, (status, answer))
    checks.check("and both are held", all(
        Client(server).ask("GET", f"/v1/locks/{name}")[0] == 200
        for name in "ab"))


def check_left(checks, server):
    """What is told as left is what is left when it is told."""
    holder = Client(server).open(ttl="60s")
    looker = Client(server)
    holder.acquire({"name": "w"})
    waiter = Client(server)
    waiter.send("POST", "/v1/acquire",
                {"locks": ["w"], "wait": "20s", "ttl": "20s"})
    await_that(lambda: looker.ask("GET", "/v1/locks/w")[1]["waiters"] == 1)
    seen = time.monotonic()
    await_that(lambda: time.monotonic() - seen >= 0.3)
    waited_ms = (time.monotonic() - seen) * 1000
    holder.release()
    status, told = waiter.receive()
    checks.check("a session is as old as the request that opened it",
                 status == 200 and told["left_ms"] <= 20001 - waited_ms,
                 (status, told, waited_ms))


def check_ttl(checks, server):
    status, told = Client(server).ask("POST", "/v1/locks/long/acquire",
                                      {"wait": "10s"})
    checks.check("and lives as long as that may wait, and 30 s more",
                 status == 200 and told["ttl_ms"] == 40000, (status, told))


def check_limits(checks, server):
    """Who waits knows how long it is silent, however its session was opened."""
    def told(answer):
        return answer.get("blocking_ms")

    _, info = Client(server).ask("GET", "/v1/info")
    checks.check("it tells in which time who waits is answered",
                 told(info) == 1940 and info.get("idle_timeout_ms") == 2000,
                 info)
    checks.check("and the nodes that it knows of",
                 info.get("nodes") == [f"127.0.0.1:{server.port}"] ==
                 [info["leader"]], info)
    asks = Client(server)
    _, opened = asks.ask("POST", "/v1/sessions", {})
    _, granted = asks.ask("POST", "/v1/locks/limits/acquire", {})
    _, again = asks.ask("POST", "/v1/locks/limits/acquire", {"wait": "60s"})
    checks.check("and so does each answer that opens a session",
                 [told(one) for one in (opened, granted, again)] == [1940] * 3,
                 (opened, granted, again))
    _, granted = asks.ask("POST", "/v1/locks/own/acquire",
                          {"session": opened["session"]},
                          Holdfast_Secret=opened["secret"])
    checks.check("and no other", told(granted) is None, granted)


def check_types(checks, server):
    """http-remoting reads exceptionClass in application/json alone; others know
    a problem by its type."""
    def kind(accept, note=""):
        asks = Client(server)
        asks.ask("POST", "/v1/locks/typed/acquire",
                 {"mode": "none", "note": note}, Accept=accept)
        return asks.kind

    json, problem = "application/json", "application/problem+json"
    for accept in (json, "Application/JSON; charset=utf-8",
                   "text/plain, application/json, */*"):
        checks.check(f"who asks for {accept} is told a problem as that",
                     kind(accept) == json)
    for accept in ("*/*", "application/*", "text/plain", "application/jsonx",
                   f"{json}, {problem}", f"{problem};q=0.5,{json}"):
        checks.check(f"and who asks for {accept} as a problem",
                     kind(accept) == problem)
    asks = Client(server)
    asks.ask("GET", "/v1/locks/nobodys")
    checks.check("and so is who asks for nothing", asks.kind == problem)
    long = "a" * 200000
    checks.check("a body that is too large is told in the same way",
                 kind(json, long) == json and kind("*/*", long) == problem)
    holder = Client(server).open(ttl="60s")
    holder.acquire({"name": "typed"})
    status, answer = asks.ask("POST", "/v1/locks/typed/acquire",
                              {"wait": "60s"}, Accept=json)
    checks.check("and who has waited", asks.kind == json and status == 503 and
                 answer["exceptionClass"].endswith("BlockingTimeoutException"),
                 (status, asks.kind, answer))


def check_hosts(checks, server):
    def asked_as(host):
        return Client(server).ask("GET", "/healthz", Host=host)[0]

    checks.check("it is called by the names that it has",
                 asked_as(HOST) == asked_as("localhost") == 200)
    for host in "l", "127.0.0.", HOST[:-1], HOST + "m", "":
        checks.check(f"and not by '{host}'", asked_as(host) in (400, 421))


def is_ended(client):
    try:
        return client.connection.sock.recv(1) == b""
    except OSError:  # it was waited for in vain
        return False


def check_connections(checks, server):
    """One more than there may be."""
    silent = Client(server, timeout=10)
    silent.connection.connect()
    others = [Client(server, timeout=10) for _ in range(CONNECTIONS)]
    checks.check("all who come are heard", all(
        other.ask("GET", "/healthz")[0] == 200 for other in others))
    checks.check("and who was silent for longest is ended", is_ended(silent))


def target(link):
    try:
        return os.readlink(link)
    except FileNotFoundError:  # it was closed since it was listed
        return None


def spare_count(server):
    """Descriptors of /dev/null, among them the spare one (src/server/loop.c)."""
    fds = f"/proc/{server.process.pid}/fd"
    return sum(target(f"{fds}/{fd}") == "/dev/null" for fd in os.listdir(fds))


def check_descriptors(checks, server):
    """There is none left, and the spare one cannot be had again: it listens no
    more until there is."""
    before = spare_count(server)
    pid, kind = server.process.pid, resource.RLIMIT_NOFILE
    limits = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (3, limits[1]))
    client = Client(server, timeout=20)
    client.send("GET", "/healthz")
    await_that(lambda: spare_count(server) < before)
    resource.prlimit(pid, kind, limits)
    checks.check("who came while there was no descriptor is heard when there is",
                 client.receive()[0] == 200)
    checks.check("and the spare one is there again",
                 spare_count(server) == before)


def check_ready(checks, server, path):
    """What cannot be read is served by nobody, and so nobody leads."""
    Client(server).open(ttl="60s").acquire({"name": "a"})
    server.stop()
    file = sqlite3.connect(f"{path}/served.db")
    with file:
        file.execute("UPDATE holdfast_sessions SET secret = ''")
    file.close()
    server.start()
    asks = Client(server)
    await_that(lambda: asks.ask("GET", "/v1/info")[1]["trouble"])
    checks.check("who knows no leader is not ready",
                 asks.ask("GET", "/readyz")[0] == 503)
    checks.check("and is well", asks.ask("GET", "/healthz")[0] == 200)


def main():
    checks = Checks()
    daemon = sys.argv[1]
    with folder() as path:
        with Server(daemon, path, "--host", HOST, at="memory:x") as server:
            server.await_leading()
            check_paths(checks, server)
            check_left(checks, server)
            check_ttl(checks, server)
            check_hosts(checks, server)
            check_descriptors(checks, server)
        with Server(daemon, path, "--idle-timeout", "2s",
                    at="memory:x") as server:
            server.await_leading()
            check_limits(checks, server)
            check_types(checks, server)
        with Server(daemon, path, "--connections", str(CONNECTIONS),
                    at="memory:x") as server:
            server.await_leading()
            check_connections(checks, server)
        with Server(daemon, path) as server:
            server.await_leading()
            check_ready(checks, server, path)
    sys.exit(checks.end())


main()
