"""doors.py HOLDFASTD: who is turned away at the door: a page of a browser, who
means another host, and who names a lock twice."""

import http.client
import json
import sys

from support import Checks, Client, Server, folder

DAEMON = sys.argv[1]
checks = Checks()

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data",
         "text/plain")


class Door:
    """Requests with just the headers that are said."""

    def __init__(self, server):
        self.port = server.port

    def ask(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=60)
        connection.putrequest(method, path, skip_host=True,
                              skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        self.text, self.allow = answer.read(), answer.getheader("Allow")
        value = json.loads(self.text)
        connection.close()
        return answer.status, value.get("type", "")

    def status(self, *headers, body="{}"):
        return self.ask("POST", "/v1/locks/door/acquire", body,
                        [("Host", "localhost"), *headers])


REFUSED = (403, "urn:holdfast:origin")
CURL = ("User-Agent", "curl/7.88.1")


def browsers(door):
    for value in "http://evil.example", "null", "", "http://localhost:7420":
        checks.check(f"who has the origin \"{value}\" is refused",
                     door.status(("Origin", value)) == REFUSED)
    for value in "cross-site", "same-site", "", "what":
        checks.check(f"and whose page is \"{value}\"",
                     door.status(("Sec-Fetch-Site", value)) == REFUSED)
    checks.check("also who only looks", door.ask(
        "GET", "/v1/info", "", [("Host", "localhost"),
                                ("Sec-Fetch-Site", "cross-site")]) == REFUSED)
    for kind in FORMS:
        for value in (kind, kind + "; charset=utf-8", kind.upper() + " ;x"):
            checks.check(f"and a body of {value}",
                         door.status(("Content-Type", value)) == REFUSED)
        checks.check(f"and none of {kind}", door.status(
            ("Content-Type", kind), body="") == REFUSED)
        checks.check(f"and one of {kind} from Mozilla", door.status(
            ("Content-Type", kind),
            ("User-Agent", "Mozilla/5.0 curl/7")) == REFUSED)
    for kind in FORMS[1:]:
        checks.check(f"curl does not say {kind} of itself", door.status(
            ("Content-Type", kind), CURL) == REFUSED)
    checks.check("nothing of it was done", door.ask(
        "GET", "/v1/locks/door", "", [("Host", "localhost")])[0] == 404)
    status, _ = door.status(("Content-Type", FORMS[0]), CURL)
    checks.check("what curl -d says of a body is let pass", status == 200)
    for value in "same-origin", "none":
        checks.check(f"and a person's own browser, that says {value}",
                     door.status(("Sec-Fetch-Site", value))[0] == 409)
    for value in "application/json", "application/json; charset=utf-8", "":
        checks.check(f"and a body of \"{value}\"",
                     door.status(("Content-Type", value))[0] == 409)


def hosts(door):
    def ask(host):
        return door.ask("GET", "/v1/info", "", [("Host", host)])

    for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:7420",
                 "locks.example.com", "locks.example.com:80",
                 "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:1", "[FD00::1]",
                 "[fd00:0::0001]:7420", "192.0.2.7", "[::ffff:192.0.2.7]"):
        checks.check(f"{host} is its name", ask(host)[0] == 200)
    for host in ("l", "localhos", "localhost.evil", "127.0.0", "127.0.0.10",
                 "[::1", "::1", "127.1", "127.0.0.01", "2130706433", "[fd00::2]",
                 "fd00::1", "[192.0.2.7", "[::1%lo]", "locks.example.co", "locks.example.com.", "evil"):
        status, kind = ask(host)
        checks.check(f"{host} is not", status == 400 or
                     (status, kind) == (421, "urn:holdfast:host"))
    for host in "", ":7420", ":":
        checks.check(f"nor is \"{host}\"", ask(host)[0] in (400, 421))


def methods(door):
    host = [("Host", "localhost")]
    for method, path, allowed in (
            ("PUT", "/v1/locks/a/acquire", "POST"),
            ("GET", "/v1/sessions/0000000000000001/keep-alive", "POST"),
            ("POST", "/v1/locks/a", "GET, HEAD"),
            ("OPTIONS", "/healthz", "GET, HEAD"),
            ("GET", "/v1/sessions/0000000000000001", "DELETE")):
        status, kind = door.ask(method, path, "", host)
        checks.check(f"who asks for {method} {path} is told what there is",
                     (status, kind, door.allow) == (
                         405, "urn:holdfast:method-not-allowed", allowed),
                     (status, kind, door.allow))
    door.ask("GET", "/nowhere", "", host)
    checks.check("and of what is nowhere nothing", door.allow is None)


def cursors(door):
    for path in "locks", "audit":
        for after in ("x", "-1", "1x") + (
                ("4294967296", "9" * 20) if path == "locks" else ("123",)):
            status, kind = door.ask("GET", f"/v1/{path}?after={after}", "",
                                    [("Host", "localhost")])
            checks.check(f"{after} is no cursor of {path}", (status, kind) == (
                400, "urn:holdfast:bad-request"), (status, kind))
        checks.check(f"and none is the beginning of {path}", door.ask(
            "GET", f"/v1/{path}?after=", "", [("Host", "localhost")])[0] == 200)


def lines(door):
    for method, path in (
            ("GET", "/v1/info"), ("GET", "/healthz"), ("GET", "/v1/locks"),
            ("GET", "/v1/audit"), ("GET", "/nowhere"), ("PUT", "/v1/info"),
            ("BREW", "/v1/info"), ("POST", "/v1/sessions"),
            ("POST", "/v1/locks/line/acquire"), ("POST", "/v1/keep-alive")):
        status, _ = door.ask(method, path, "", [("Host", "localhost")])
        checks.check(f"what {method} {path} is answered is one line ({status})",
                     door.text.endswith(b"}\n") and
                     door.text.count(b"\n") == 1, door.text)


def names(client):
    locks = "/v1/locks/a/"
    granted = client.ask("POST", locks + "acquire", {})[1]
    own = {"session": granted["session"]}

    def refused(path, body):
        status, answer = client.ask("POST", path, body,
                                    Holdfast_Secret=granted["secret"])
        return (status == 400 and
                answer["type"] == "urn:holdfast:bad-request" and
                "detail" in answer)

    for verb, body in (("acquire", {}), ("wait", {}), ("release", own),
                       ("change", own),
                       ("clear", {"fence": granted["fence"], "reason": "x"})):
        for member in {"locks": ["b", "c"]}, {"locks": []}, {"name": "b"}, \
                {"name": "a"}:
            checks.check(f"{verb} of a path's lock has no {member}",
                         refused(locks + verb, {**body, **member}))
        checks.check(f"{verb} has no second space", refused(
            locks + verb + "?space=default", {**body, "space": "other"}))
    for path, body, member, why in (
            ("/v1/locks/b/acquire", {"ifDead": "refuse"}, "ifDead",
             'there is no member "ifDead" of an acquire: did you mean '
             '"if_dead"?'),
            ("/v1/locks/b/acquire", {"waits": "5s"}, "waits",
             'there is no member "waits" of an acquire: did you mean "wait"?'),
            ("/v1/locks/b/wait", {"Wait": "try"}, "Wait",
             'there is no member "Wait" of a wait: did you mean "wait"?'),
            ("/v1/sessions", {"tt1": "5s"}, "tt1",
             'there is no member "tt1" of a session: did you mean "ttl"?'),
            ("/v1/acquire", {"locks": [{"name": "b", "mod": "shared"}]}, "mod",
             '"locks": there is no member "mod": did you mean "mode"?'),
            (locks + "change", {**own, "mode": "exclusive"}, "mode",
             'there is no member "mode" of a change: there are session, '
             'secret, term, lowest, lane, n, a, space, name, locks'),
            (locks + "release", {**own, "ttl": "5s"}, "ttl",
             'there is no member "ttl" of a release: there are session, '
             'secret, term, lowest, lane, n, a, space, name, locks'),
            (f"/v1/sessions/{own['session']}/keep-alive", {"more": 1}, "more",
             'there is no member "more" of a keep-alive: there are session, '
             'secret, term, lowest'),
            ("/v1/keep-alive", {"sessions": [
                {**own, "secret": granted["secret"], "who": "ann"}]}, "who",
             '"sessions": there is no member "who": there are session, '
             'secret, term, lowest'),
            (locks + "clear", {"fence": granted["fence"], "reason": "x",
                               "forced": True}, "forced",
             'there is no member "forced" of a clear: did you mean "force"?')):
        answer = client.ask("POST", path, body,
                            Holdfast_Secret=granted["secret"])[1]
        checks.check(f"{path} refuses \"{member}\", and says what is meant",
                     refused(path, body) and answer["detail"] == why and
                     answer["member"] == member, answer)
    for path, body, why in (
            ("/v1/acquire", {}, "no lock is named"),
            ("/v1/acquire", {"locks": ["b", "c", "b"]},
             "lock b is named twice"),
            ("/v1/locks/b/acquire", {"wait": "0"},
             '"wait" is not "try", null, or a duration: milliseconds, or a '
             'text with its unit, as "30s"'),
            (locks + "acquire", {"ttl": "30"}, '"ttl" is not a duration: '
             'milliseconds, or a text with its unit, as "30s"')):
        checks.check(f"{path} of {body} says what is wrong",
                     refused(path, body) and
                     client.ask("POST", path, body)[1]["detail"] == why,
                     client.ask("POST", path, body))
    status, answer = client.ask(
        "POST", "/v1/locks/b/acquire", {**own, "n": 1},
        Holdfast_Secret=granted["secret"])
    checks.check("so does the number of a request for another lock",
                 status == 400 and answer["title"] == "the request with that "
                 "number or key asked for other locks", answer)
    for body in {"locks": ["b"], "name": "c"}, {"locks": [], "name": "c"}:
        checks.check(f"{body} names no one thing", refused("/v1/acquire", body))
    status, answer = client.ask(
        "POST", locks + "release", {"session": "0" * 15 + "1"},
        Holdfast_Session=granted["session"], Holdfast_Secret=granted["secret"])
    checks.check("no request is of two sessions",
                 status == 400 and answer["detail"] == "two sessions are named")
    status, answer = client.ask("GET", "/v1/locks/a")
    checks.check("and nothing of it was done", status == 200 and
                 answer["holders"][0]["fence"] == granted["fence"] and
                 client.ask("GET", "/v1/locks/b")[0] == 404, answer)


def main():
    with folder() as path, \
            Server(DAEMON, path, "--host", "locks.example.com",
                   "--host", "fd00::1", "--host", "192.0.2.7") as server:
        server.await_leading()
        door = Door(server)
        browsers(door)
        hosts(door)
        methods(door)
        cursors(door)
        lines(door)
        names(Client(server))
    return checks.end()


sys.exit(main())
