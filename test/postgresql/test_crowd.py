#!/usr/bin/env python3
"""One process holds 1,000 locks and waits for 500, at a server that is 25 ms away:
when a beat is applied there was still half of the ttl left.

usage: test_crowd.py CROWD

Triggers of the test's own note each write's version, which is the server's time
in microseconds.
"""

import subprocess
import sys
import time

from cluster import Postgres, await_that, need_servers

HELD, WAITING = 1000, 500
TTL_S = 10
ONE_WAY_S = 0.025
BEATS = 3 # at least so many of each lock are looked at

NOTES = """
CREATE TABLE public.beats (name text, took_us bigint);
CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = public AS $$
BEGIN
    IF old.value IS NOT NULL AND new.value IS NOT NULL THEN
        INSERT INTO beats VALUES (new.name, new.version - old.version);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER noted AFTER UPDATE ON holdfast.records
    FOR EACH ROW EXECUTE FUNCTION public.note();
"""


class Crowd:
    """A process of many locks."""

    def __init__(self, program, place, *words):
        self.process = subprocess.Popen(
            [program, place, f"{TTL_S}s", *map(str, words)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def await_word(self, word):
        line = self.process.stdout.readline()
        if line != word + "\n":
            raise RuntimeError(f"not {word} but {line}")

    def end(self):
        """How many locks it held to the end."""
        out, _ = self.process.communicate("")
        return int(out)


def count_beats(server):
    """Of that lock of the first process which has fewest."""
    return int(server.sql(
        "SELECT coalesce(min(n), 0) FROM generate_series(0, %d) AS i"
        " CROSS JOIN LATERAL (SELECT count(*) AS n FROM public.beats"
        " WHERE name = 'held-' || i) AS b" % (HELD - 1)))


def slowest(server, condition):
    return int(server.sql(
        "SELECT max(took_us) FROM public.beats"
        f" WHERE substr(name, 6)::integer {condition}")) / 1e6


def main():
    program = sys.argv[1]
    need_servers()
    with Postgres() as server, \
            server.proxy(latency=ONE_WAY_S) as proxy, \
            Crowd(program, server.url(), WAITING, HELD, 0, 0) as others:
        others.await_word("held")
        server.sql(NOTES)
        server.sql("CREATE INDEX ON public.beats (name)")
        begun = time.monotonic()
        with Crowd(program, server.url(at=proxy.at), HELD, 0, WAITING,
                   HELD) as crowd:
            crowd.await_word("held")
            crowd.await_word("waiting")
            print(f"{HELD} locks after {time.monotonic() - begun:.1f} s")
            await_that(lambda: count_beats(server) >= BEATS, "the beats")
            longest = slowest(server, f"< {HELD}")
            held = crowd.end()
        count = server.sql("SELECT count(*) FROM public.beats")
    # It counts from when it was sent, and until the answer is there.
    left = TTL_S - longest - 2 * ONE_WAY_S
    print(f"{count} beats, {longest:.2f} s apart at most: {left:.2f} s of"
          f" {TTL_S} s left; {held} of {HELD} locks held to the end")
    sys.exit(held != HELD or left < TTL_S / 2)


if __name__ == "__main__":
    main()
