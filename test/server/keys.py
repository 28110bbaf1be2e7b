"""keys.py HOLDFASTD: requests with an idempotency key, sent more than once."""

import sys

from support import Checks, Client, Server, folder

DAEMON = sys.argv[1]
checks = Checks()


def key(name):
    return "a key of this test: " + name


def is_other(status, answer):
    return (status == 409 and answer["type"] == "urn:holdfast:other-request"
            and "secret" not in answer and "left_ms" not in answer)


def what_the_session_has(client, acquire):
    first = acquire("deploy", "has", ttl="20s", if_dead="refuse")[1]
    status, again = acquire("deploy", "has")
    checks.check("a retry is told what the session has, not what it asks for",
                 status == 200 and again["fence"] == first["fence"]
                 and again["ttl_ms"] == 20000 and again["left_ms"] > 19000
                 and again["if_dead"] == first["if_dead"] == "refuse", again)
    left = 20000
    while left == 20000:
        _, answer = acquire("deploy", "has", term=1)
        left = answer["left_ms"]
    checks.check("who is of another term is told what is left, and no more",
                 0 < left < 20000 and
                 answer["type"] == "urn:holdfast:other-term", answer)
    for what, body in (("ttl", {"ttl": "50s"}),
                       ("if_dead", {"if_dead": "takeover"}),
                       ("mode", {"mode": "shared"})):
        status, answer = acquire("deploy", "has", **body)
        checks.check(f"another {what} is another request",
                     is_other(status, answer), answer)
    checks.check("and so is another lock", is_other(*acquire("b", "has")))
    checks.check("and so is a wait", is_other(*client.ask(
        "POST", "/v1/locks/deploy/wait", {}, Idempotency_Key=key("has"))))
    status, again = acquire("deploy", "has", ttl="20s", if_dead="refuse",
                            wait="1s", note="once more", who="ann")
    checks.check("the same is the same, whatever else differs",
                 status == 200 and again["fence"] == first["fence"], again)
    return first


def what_was_changed(client, acquire):
    first = acquire("lowered", "lowered")[1]
    client.ask("POST", "/v1/locks/lowered/change",
               {"session": first["session"]}, Holdfast_Secret=first["secret"])
    checks.check("after a change the first mode is another request",
                 is_other(*acquire("lowered", "lowered", mode="exclusive")))
    status, again = acquire("lowered", "lowered", mode="shared")
    checks.check("the present one is not",
                 status == 200 and again["fence"] == first["fence"], again)
    status, again = acquire("lowered", "lowered")
    checks.check("and who says none means that",
                 status == 200 and again["fence"] == first["fence"], again)


def several(client):
    def acquire(*locks):
        return client.ask("POST", "/v1/acquire", {"locks": locks},
                          Idempotency_Key=key("several"))

    x, y = {"name": "x", "mode": "shared"}, {"name": "y", "space": "s"}
    first = acquire(x, y)[1]
    status, again = acquire(y, "x")
    checks.check("several locks are the same in any order, in the modes that "
                 "they have", status == 200 and
                 again["fence"] == first["fence"], again)
    checks.check("one in another mode is another request",
                 is_other(*acquire(x, {**y, "mode": "shared"})))
    checks.check("and one fewer is, too", is_other(*acquire(x)))


def what_was_refused(acquire):
    acquire("taken", "owner")
    status, answer = acquire("taken", "refused", mode="shared")
    checks.check("a try beside a holder is refused", status == 409 and
                 answer["type"] == "urn:holdfast:held", answer)
    checks.check("for what is free the same key is another request's",
                 is_other(*acquire("free", "refused")))


def what_was_ended(client, acquire):
    for how in "released", "only ended":
        first = acquire("late", how)[1]
        own = {"Holdfast_Secret": first["secret"]}
        if how == "released":
            client.ask("POST", "/v1/locks/late/release",
                       {"session": first["session"]}, **own)
        client.ask("DELETE", "/v1/sessions/" + first["session"], None, **own)
        status, answer = acquire("late", how)
        checks.check(f"a late one of a session that was {how} gets nothing",
                     status == 410 and "secret" not in answer and
                     answer["type"] == "urn:holdfast:no-such-session", answer)
    status, answer = client.ask("GET", "/v1/locks/late")
    checks.check("and nobody holds what it was for", status == 404, answer)


def how_long_a_key_is(client):
    def ask(text):
        return client.ask("POST", "/v1/locks/long/acquire", {},
                          Idempotency_Key=text)[0]

    checks.check("no key is empty", ask("") == 400)
    checks.check("nor has one 15 characters", ask("k" * 15) == 400)
    checks.check("nor 129", ask("k" * 129) == 400)
    checks.check("16 are enough", ask("k" * 16) == 200)
    checks.check("and 128 are not too many", ask("k" * 128) == 409)


def what_takes_no_key(client):
    status, answer = client.ask("POST", "/v1/sessions", {},
                                Idempotency_Key=key("a session"))
    checks.check("a session is not opened by a key alone",
                 status == 400 and "secret" not in answer, answer)


def main():
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        client = Client(server)

        def acquire(name, of, **body):
            return client.ask("POST", f"/v1/locks/{name}/acquire", body,
                              Idempotency_Key=key(of))

        first = what_the_session_has(client, acquire)
        what_was_changed(client, acquire)
        several(client)
        what_was_refused(acquire)
        what_was_ended(client, acquire)
        how_long_a_key_is(client)
        what_takes_no_key(client)
        server.kill()
        server.start()
        server.await_leading()
        client = Client(server)
        status, again = acquire("deploy", "has", ttl="20s")
        checks.check("after a kill the same key is the same grant",
                     status == 200 and again["fence"] == first["fence"], again)
        checks.check("and of no other lock", is_other(*acquire("b", "has")))
        checks.check("nor with another ttl",
                     is_other(*acquire("deploy", "has", ttl="50s")))
    return checks.end()


sys.exit(main())
