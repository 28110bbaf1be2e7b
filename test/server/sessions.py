"""sessions.py HOLDFASTD: no client takes all sessions: who asks without one,
and gives back what it got, leaves none behind."""

import sys

from support import Checks, Client, Server, folder

DAEMON = sys.argv[1]
checks = Checks()

# A server of so many locks has room for this many sessions.
LOCKS, ROOM = 8192, 1024
LONG = "60s"  # no ttl ends while the test runs


def acquire(client, name, *, key=None, **body):
    headers = {} if key is None else {"Idempotency_Key": key}
    return client.ask("POST", f"/v1/locks/{name}/acquire",
                      {"ttl": LONG, **body}, **headers)


def about(client, how, name, of, **body):
    return client.ask("POST", f"/v1/locks/{name}/{how}",
                      {"session": of["session"], **body},
                      Holdfast_Secret=of["secret"])


def keep_alive(client, of):
    return client.ask("POST", f"/v1/sessions/{of['session']}/keep-alive", {},
                      Holdfast_Secret=of["secret"])[0]


def the_last_release(client):
    first = acquire(client, "a")[1]
    acquired = about(client, "acquire", "b", first)
    checks.check("a session that an acquire opened may have another lock",
                 acquired[0] == 200, acquired)
    released = about(client, "release", "a", first)
    checks.check("and stays while it has that", released[0] == 200 and
                 keep_alive(client, first) == 200, released)
    released = about(client, "release", "b", first)
    checks.check("it ends with its last release", released[0] == 200 and
                 keep_alive(client, first) == 410, released)


def opened_by_itself(client):
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    about(client, "acquire", "a", own)
    about(client, "release", "a", own)
    checks.check("one that was opened by itself stays",
                 keep_alive(client, own) == 200)


def a_cleared_grant(client):
    first = acquire(client, "a")[1]
    about(client, "acquire", "b", first)
    client.ask("POST", "/v1/locks/a/clear", {
        "fence": first["fence"], "force": True, "reason": "a test"})
    about(client, "release", "b", first)
    checks.check("it stays until it has released what was cleared",
                 keep_alive(client, first) == 200)
    about(client, "release", "a", first, n=first["n"])
    checks.check("and no longer", keep_alive(client, first) == 410)


def a_late_duplicate(client):
    key = "a key of this test: late"
    first = acquire(client, "late", key=key)[1]
    about(client, "release", "late", first)
    status, answer = acquire(client, "late", key=key)
    checks.check("a late one of a key that was released gets nothing",
                 status == 410 and "secret" not in answer, answer)
    checks.check("and nobody holds what it was for",
                 client.ask("GET", "/v1/locks/late")[0] == 404)


def many_pairs(client):
    for i in range(3 * ROOM):
        status, answer = acquire(client, "pair")
        if status != 200:
            break
        about(client, "release", "pair", answer)
    checks.check(f"{3 * ROOM} pairs work where {ROOM} sessions have room",
                 status == 200, (i, answer))


def main():
    with folder() as path, Server(DAEMON, path, "--locks", str(LOCKS),
                                  at="memory:sessions") as server:
        server.await_leading()
        client = Client(server)
        the_last_release(client)
        opened_by_itself(client)
        a_cleared_grant(client)
        a_late_duplicate(client)
        many_pairs(client)
    return checks.end()


sys.exit(main())
