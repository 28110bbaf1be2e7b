"""sessions.py HOLDFASTD HOLDFAST: no client takes all sessions. Who asks without
one, and gives back what it got, leaves none behind; who opens them without end
keeps nobody else out."""

import http.client
import subprocess
import sys
from urllib.parse import quote

from support import Checks, Client, Server, await_that, folder

DAEMON, HOLDFAST = sys.argv[1:]
checks = Checks()

# A server of so many locks has room for this many sessions.
LOCKS, ROOM = 8192, 1024
LONG = "60s"  # no ttl ends while the test runs


def acquire(client, name, *, key=None, **body):
    headers = {} if key is None else {"Idempotency_Key": key}
    return client.ask("POST", f"/v1/locks/{quote(name)}/acquire",
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
    about(client, "release", "a", first)
    checks.check("and no longer, be it by the lock's name alone",
                 keep_alive(client, first) == 410)


def a_cleared_lock_that_is_waited_for_again(client, server):
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    first = about(client, "acquire", "again", own)[1]
    client.ask("POST", "/v1/locks/again/clear", {
        "fence": first["fence"], "force": True, "reason": "a test"})
    other = acquire(client, "again")[1]
    waits = Client(server)
    waits.send("POST", "/v1/locks/again/acquire",
               {"session": own["session"], "wait": None},
               Holdfast_Secret=own["secret"])
    await_that(lambda: client.ask("GET", "/v1/locks/again")[1]["waiters"] == 1)
    about(client, "release", "again", own)
    told = waits.receive()
    checks.check("a wait for a lock that was cleared ends with its release by "
                 "name", told[1].get("type") == "urn:holdfast:released", told)
    about(client, "release", "again", other)


def a_cleared_grant_before_another(client):
    """A lock is named, and no number: behind what was cleared the lane holds, or
    waits for, something else."""
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    first = about(client, "acquire", "a", own)[1]
    about(client, "acquire", "b", own)
    client.ask("POST", "/v1/locks/a/clear", {
        "fence": first["fence"], "force": True, "reason": "a test"})
    checks.check("a lock that was cleared is released by its name, though its "
                 "lane holds another",
                 about(client, "release", "a", own)[0] == 200)
    alive = client.ask("POST", f"/v1/sessions/{own['session']}/keep-alive", {},
                       Holdfast_Secret=own["secret"])[1]
    checks.check("that is not told any more", alive["cleared"] == [], alive)
    checks.check("and the other is held", alive["grants"] == 1, alive)


def a_wait_for_another(client, server):
    held = acquire(client, "held")[1]
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    waiter = Client(server)
    waiter.secret = own["secret"]
    waiter.send("POST", "/v1/locks/held/acquire",
                {"session": own["session"], "wait": "50s"})
    await_that(lambda: client.ask("GET", "/v1/locks/held")[1]["waiters"] == 1)
    status, answer = about(client, "release", "none", own)
    checks.check("a release of one lock ends no wait for another",
                 status == 400 and "waits for another" in answer["detail"],
                 answer)
    about(client, "release", "held", held)
    checks.check("which goes on", waiter.receive()[0] == 200)


def is_held(client, name, space="default"):
    status, answer = client.ask("GET", f"/v1/locks/{name}?space={space}")
    return status == 200 and len(answer["holders"]) == 1


def a_release_of_another(client):
    """Without a number, by /v1/release: what it names is not held."""
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]

    def release(**body):
        return client.ask("POST", "/v1/release",
                          {"session": own["session"], **body},
                          Holdfast_Secret=own["secret"])

    about(client, "acquire", "ra", own)
    for what, body in (("another name", {"name": "totally-other"}),
                       ("a list of others", {"locks": ["nope"]}),
                       ("a list with one that is not held",
                        {"locks": ["ra", "nope"]}),
                       ("its name in another space",
                        {"name": "ra", "space": "else"}),
                       ("another name, and its number",
                        {"name": "other", "n": 1}),
                       ("a list of none", {"locks": []}),
                       ("a space and no name", {"space": "else"})):
        status, answer = release(**body)
        checks.check(f"a release of {what} gives nothing back",
                     status == 400 and is_held(client, "ra"), answer)
    about(client, "acquire", "rb", own)
    status, answer = release(name="ra")
    checks.check("one by its name gives that back, and not the last",
                 status == 200 and not is_held(client, "ra") and
                 is_held(client, "rb"), answer)
    status, answer = release(name="ra")
    checks.check("the same again is refused, and gives nothing back",
                 status == 400 and is_held(client, "rb"), answer)
    status, answer = release(locks=["rb"])
    checks.check("a list of one is as its name",
                 status == 200 and not is_held(client, "rb"), answer)
    status, answer = release(locks=["rb"])
    checks.check("where nothing is left, the same again is answered alike",
                 (status, answer.get("released")) == (200, True), answer)


def a_release_of_several(client):
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    own = {**own, "names": ["x", {"name": "y", "space": "s"}]}

    def ask(how, **body):
        return client.ask("POST", f"/v1/{how}",
                          {"session": own["session"], **body},
                          Holdfast_Secret=own["secret"])

    ask("acquire", locks=own["names"])
    ask("acquire", locks=["z"])
    checks.check("of two grants no release is for a lock of each",
                 ask("release", locks=["x", "z"])[0] == 400 and
                 is_held(client, "x") and is_held(client, "z"))
    checks.check("one of several names is that of their grant",
                 ask("release", name="y", space="s")[0] == 200 and
                 not is_held(client, "x") and not is_held(client, "y", "s") and
                 is_held(client, "z"))
    ask("acquire", locks=own["names"])
    checks.check("and so are all of them", ask(
        "release", locks=own["names"][::-1])[0] == 200 and
        not is_held(client, "x") and is_held(client, "z"))


def a_release_of_another_than_what_was_cleared(client):
    own = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    first = about(client, "acquire", "c", own)[1]
    client.ask("POST", "/v1/locks/c/clear", {
        "fence": first["fence"], "force": True, "reason": "a test"})
    status, answer = about(client, "release", "d", own)
    cleared = client.ask("POST", f"/v1/sessions/{own['session']}/keep-alive",
                         {}, Holdfast_Secret=own["secret"])[1]["cleared"]
    checks.check("a release of another lock takes no note of what was cleared",
                 status == 400 and cleared == [first["fence"]], answer)
    status, answer = client.ask(
        "POST", "/v1/release", {"session": own["session"], "name": "c"},
        Holdfast_Secret=own["secret"])
    checks.check("one of its name does", status == 200 and client.ask(
        "POST", f"/v1/sessions/{own['session']}/keep-alive", {},
        Holdfast_Secret=own["secret"])[1]["cleared"] == [], answer)


def what_belongs_to_the_session(client):
    own = client.ask("POST", "/v1/sessions",
                     {"ttl": LONG, "if_dead": "takeover", "who": "ann"})[1]
    for how in "acquire", "wait":
        for name, value in (("if_dead", "refuse"), ("ttl", "50s"),
                            ("who", "bob")):
            status, answer = about(client, how, "mig", own, **{name: value})
            checks.check(f"a session has another {name} than this {how}",
                         status == 400 and answer["detail"] ==
                         f'"{name}" belongs to the session, and this one has '
                         "another: open a session with it", answer)
    checks.check("and nothing is granted",
                 client.ask("GET", "/v1/locks/mig")[0] == 404)
    status, answer = about(client, "acquire", "mig", own, ttl=60000,
                           if_dead="takeover", who="ann")
    checks.check("what the session has may be said again", status == 200,
                 answer)
    about(client, "release", "mig", own)


def a_late_duplicate(client):
    key = "a key of this test: late"
    first = acquire(client, "late", key=key)[1]
    about(client, "release", "late", first)
    status, answer = acquire(client, "late", key=key)
    checks.check("a late one of a key that was released gets nothing",
                 status == 410 and "secret" not in answer, answer)
    checks.check("and nobody holds what it was for",
                 client.ask("GET", "/v1/locks/late")[0] == 404)


def the_list(client):
    def listed():
        """{id: row}, page by page."""
        rows, after = {}, ""
        while after is not None:
            page = client.ask("GET", f"/v1/sessions?limit=2&after={after}")[1]
            rows.update({row["session"]: row for row in page["sessions"]})
            after = page.get("after")
        return rows

    before = set(listed())
    own = client.ask("POST", "/v1/sessions",
                     {"ttl": LONG, "who": "ann@db1", "if_dead": "takeover"})[1]
    held = acquire(client, "listed", who="bob@db2")[1]
    rows = {id: row for id, row in listed().items() if id not in before}
    checks.check("sessions are listed, page by page",
                 set(rows) == {own["session"], held["session"]}, rows)
    mine, other = rows[own["session"]], rows[held["session"]]
    checks.check("with who they are, their ttl, and their silence",
                 (mine["who"], other["who"]) == ("ann@db1", "bob@db2") and
                 mine["ttl_ms"] == 60000 and 0 <= mine["silent_ms"] < 60000,
                 rows)
    checks.check("and what they hold, and how they were opened",
                 (other["holds"], other["by_acquire"]) == (1, True) and
                 (mine["holds"], mine["by_acquire"]) == (0, False), rows)
    checks.check("but no secret", own["secret"] not in str(rows) and
                 held["secret"] not in str(rows) and
                 not any("secret" in row for row in rows.values()), rows)
    about(client, "release", "listed", held)
    checks.check("what has ended is not", held["session"] not in listed())


def many_pairs(client):
    for i in range(3 * ROOM):
        status, answer = acquire(client, "pair")
        if status != 200:
            break
        about(client, "release", "pair", answer)
    checks.check(f"{3 * ROOM} pairs work where {ROOM} sessions have room",
                 status == 200, (i, answer))


def room(client, path, port):
    """In which there is room for ROOM, and short is what is above 3/4."""
    def logged():
        with open(f"{path}/errors") as log:
            return [line for line in log if "room for sessions" in line]

    def doctor():
        asked = subprocess.run(
            [HOLDFAST, "doctor", "--at", f"http://127.0.0.1:{port}"],
            capture_output=True, text=True, timeout=60)
        return asked.returncode, asked.stdout

    def info():
        return client.ask("GET", "/v1/info")[1]

    opened, too_soon = [], False
    sessions = info()["sessions"]
    while sessions <= ROOM * 3 // 4 + 32:  # more than there are idle ones
        too_soon = too_soon or (sessions <= ROOM * 3 // 4 and
                                logged() != [])
        opened.append(acquire(client, f"room{len(opened)}")[1])
        sessions = info()["sessions"]
    await_that(lambda: logged() != [])
    for i in range(9):
        about(client, "release", f"more{i}", acquire(client, f"more{i}")[1])
    checks.check("the log says once that room is short",
                 not too_soon and len(logged()) == 1 and
                 "is short" in logged()[0] and
                 f"most={ROOM}" in logged()[0], logged())
    code, said = doctor()
    checks.check("doctor warns, and says what to do",
                 code == 1 and "room is short" in said and
                 "ls --sessions" in said, (code, said))
    for i, one in enumerate(opened):
        about(client, "release", f"room{i}", one)
    await_that(lambda: len(logged()) > 1)
    checks.check("and once that it is over",
                 len(logged()) == 2 and "again" in logged()[1], logged())
    code, said = doctor()
    checks.check("nor does doctor warn", code == 0, (code, said))


def without_end(client, server):
    """From another address than ours."""
    def from_there():
        there = Client(server)
        there.connection = http.client.HTTPConnection(
            "127.0.0.1", server.port, timeout=60,
            source_address=("127.0.0.2", 0))
        return there

    ours = client.ask("POST", "/v1/sessions", {"ttl": LONG})[1]
    there = from_there()
    holds = acquire(there, "held there")[1]
    cleared = acquire(there, "cleared there")[1]
    client.ask("POST", "/v1/locks/cleared%20there/clear", {
        "fence": cleared["fence"], "force": True, "reason": "a test"})
    opened = []
    for _ in range(2 * ROOM):
        opened.append(there.ask("POST", "/v1/sessions", {"ttl": LONG}))
    checks.check("who opens without end keeps nobody else out",
                 {status for status, _ in opened} == {201} and
                 acquire(client, "ours")[0] == 200)
    checks.check("and takes no session of another address",
                 keep_alive(client, ours) == 200)
    checks.check("nor its own that has something, or was not told of a clear",
                 [keep_alive(client, one) for one in (holds, cleared)] ==
                 [200, 200])
    checks.check("but its oldest that have nothing",
                 [keep_alive(client, opened[i][1]) for i in (0, -1)] ==
                 [410, 200])


def main():
    with folder() as path, Server(DAEMON, path, "--locks", str(LOCKS),
                                  at="memory:sessions") as server:
        server.await_leading()
        client = Client(server)
        the_last_release(client)
        opened_by_itself(client)
        a_cleared_grant(client)
        a_cleared_lock_that_is_waited_for_again(client, server)
        a_cleared_grant_before_another(client)
        a_wait_for_another(client, server)
        a_release_of_another(client)
        a_release_of_several(client)
        a_release_of_another_than_what_was_cleared(client)
        what_belongs_to_the_session(client)
        a_late_duplicate(client)
        the_list(client)
        room(client, path, server.port)
        many_pairs(client)
        without_end(client, server)
    return checks.end()


sys.exit(main())
