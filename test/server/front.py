#!/usr/bin/env python3
"""front.py HOLDFASTD: what its loop and its routes must not lose or mix up."""

import socket
import sys
import time

from support import Checks, Client, Server, await_that, folder

CONNECTIONS = 10
NAMES = 40
HELD_MS = 300
WAIT_S = 25
ROUNDING_MS = 50


def held_ms(client, name):
    return client.ask("GET", f"/v1/locks/{name}")[1]["holders"][0]["held_ms"]


def is_alive(client):
    return client.ask("POST", f"/v1/sessions/{client.session}/keep-alive",
                      {})[0] == 200


def check_sessions(checks, server):
    one = Client(server).open(ttl="60s")
    other = Client(server).open(ttl="60s")
    status, answer = other.ask("DELETE", f"/v1/sessions/{one.session}",
                               Holdfast_Session=other.session)
    checks.check("who names two sessions ends none", status == 400,
                 (status, answer))
    checks.check("neither that of the path nor that of a header",
                 is_alive(one) and is_alive(other))


def check_forgotten(checks, server):
    """What a session does not ask for any more is not kept for it."""
    holder = Client(server).open(ttl="60s")
    holder.acquire({"name": "kept"})
    client = Client(server).open(ttl="60s")
    client.begin()
    told = [client.try_once("try", {"name": "kept"})[1]["type"]
            for _ in range(2)]
    checks.check("an answer is given again", told == ["urn:holdfast:held"] * 2,
                 told)
    client.ask("POST", "/v1/keep-alive", {"sessions": [
        {"session": client.session, "secret": client.secret, "lowest": 2}]})
    told = client.try_once("try", {"name": "kept"})[1]["type"]
    checks.check("until it is said that nobody asks for it",
                 told == "urn:holdfast:forgotten", told)


def check_many(checks, server):
    """As many as may be, each with all that it may have, and a word more."""
    client = Client(server)
    most = 10 ** 18 - 1
    for more in {}, {"term": most, "lowest": most}, {
            "term": most, "lowest": most}:
        rows = [{"session": f"{i + 1:016x}", "secret": f"{i:032x}", **more}
                for i in range(64)]
        status, answer = client.ask("POST", "/v1/keep-alive",
                                    {"sessions": rows})
        checks.check(f"64 sessions are kept alive at once, with {list(more)}",
                     status == 200 and len(answer["sessions"]) == 64, answer)
    status, _ = client.ask("POST", "/v1/keep-alive",
                           {"sessions": rows + rows[:1]})
    checks.check("and not 65", status in (400, 413), status)


def check_ghosts(checks, server):
    """Whoever waits, and hangs up, waits no more, whatever it speaks."""
    for version in "1.1", "1.0":
        name = f"ghost-{version}"
        holder = Client(server).open(ttl="60s")
        holder.acquire({"name": name})
        with socket.create_connection(("127.0.0.1", server.port)) as ghost:
            ghost.sendall(f"POST /v1/locks/{name}/acquire HTTP/{version}\r\n"
                          "Host: localhost\r\nContent-Length: 14\r\n\r\n"
                          f'{{"wait":"{WAIT_S}s"}}'.encode())
            await_that(lambda: holder.waiters(name) == 1)
        begun = time.monotonic()
        await_that(lambda: holder.waiters(name) == 0)
        took = time.monotonic() - begun
        checks.check(f"who hung up waits no more, by HTTP/{version}",
                     took < WAIT_S / 2, took)
        holder.release()
        status, answer = Client(server).ask(
            "POST", f"/v1/locks/{name}/acquire", {"wait": "2s"})
        checks.check("and is granted nothing", status == 200, answer)


def check_list(checks, server):
    holder = Client(server).open(ttl="60s")
    wanted = sorted(f"list-{i}" for i in range(NAMES))
    for name in wanted:
        holder.acquire({"name": name})
    found, after = [], ""
    while len(found) <= NAMES:
        page = holder.ask(
            "GET", f"/v1/locks?prefix=list-&limit=7&after={after}")[1]
        found += [lock["name"] for lock in page["locks"]]
        after = page.get("after", "")
        if after == "":
            break
    checks.check("page after page each lock is listed once",
                 sorted(found) == wanted, found)


def check_together(checks, server):
    """They come at once, and their answers are more than it writes at once."""
    request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    count, heard = 100, b""
    with socket.create_connection(("127.0.0.1", server.port), 10) as asker:
        asker.sendall(request * count)
        try:
            while heard.count(b"HTTP/1.1 200") < count:
                more = asker.recv(65536)
                if not more:
                    break
                heard += more
        except TimeoutError:
            pass
    checks.check("requests that come together are all answered",
                 heard.count(b"HTTP/1.1 200") == count, heard[:1000])


def is_open(client):
    try:
        return client.ask("GET", "/healthz")[0] == 200
    except OSError:
        return False


def check_room(checks, server):
    """As many as there may be; and one more."""
    busy, silent = Client(server), Client(server)
    busy.connection.auto_open = silent.connection.auto_open = 0
    for client in busy, silent, busy:
        if client.connection.sock is None:
            client.connection.connect()
        client.ask("GET", "/healthz")
    others = [Client(server) for _ in range(CONNECTIONS - 1)]
    checks.check("who comes is heard", all(map(is_open, others)))
    checks.check("who was silent for longest is ended", not is_open(silent))
    checks.check("and not who was here first", is_open(busy))


def check_age(checks, server):
    """What was held for a time was held for longer after a restart."""
    holder = Client(server).open(ttl="60s")
    holder.acquire({"name": "old"})
    before = held_ms(holder, "old")
    while before < HELD_MS:
        before = held_ms(holder, "old")
    seen = time.monotonic()
    server.kill()
    server.start()
    server.await_leading()
    passed = (time.monotonic() - seen) * 1000
    after = held_ms(Client(server), "old")
    checks.check("a grant is as old after a restart as it is",
                 after >= before + passed - ROUNDING_MS,
                 (before, passed, after))


def main():
    checks = Checks()
    daemon = sys.argv[1]
    with folder() as path:
        with Server(daemon, path, at="memory:x") as server:
            server.await_leading()
            check_sessions(checks, server)
            check_forgotten(checks, server)
            check_many(checks, server)
            check_ghosts(checks, server)
            check_list(checks, server)
            check_together(checks, server)
        with Server(daemon, path, "--connections", str(CONNECTIONS),
                    at="memory:x") as server:
            server.await_leading()
            check_room(checks, server)
        with Server(daemon, path) as server:
            server.await_leading()
            check_age(checks, server)
    sys.exit(checks.end())


main()
