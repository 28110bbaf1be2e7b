#!/usr/bin/env python3
"""forgets.py HOLDFASTD HOLDFAST: a server that forgot what it granted grants
nothing while somebody may believe in it [L6], whichever way it was lost.  TAP."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from support import Checks, Client, Server, await_that, folder

DAEMON, HOLDFAST = sys.argv[1:3]

# The shortest that a server takes; its grace is that and its leader-ttl, 5 s.
SHORT = ("--max-ttl", "4s")


def files(path):
    return [f"{path}/served.db{end}" for end in ("", "-wal", "-shm")]


def remove(*ends):
    def do(path, *_):
        for end in ends:
            os.unlink(f"{path}/served.db{end}")
    return do


ALL = remove("", "-wal", "-shm")


def grant(server, **body):
    status, told = Client(server).ask("POST", "/v1/locks/x/acquire",
                                      {"ttl": "60s", **body})
    assert status == 200, told
    return told


def ask(server, name="x"):
    """A try for the lock: None while nobody can tell."""
    try:
        status, told = Client(server, timeout=5).ask(
            "POST", f"/v1/locks/{name}/acquire", {})
    except OSError:
        return None
    if status == 200:
        return "granted"
    if told["type"] == "urn:holdfast:later":
        return told["grace_ms"] if told["cause"] == "forgotten" else None
    return "held" if told["type"] == "urn:holdfast:held" else None


def first_word(servers, name="x", limit_s=30):
    """What the first server says that can tell; held is not enough of a word,
    for it may not have noticed yet."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        for server in servers:
            word = ask(server, name)
            if word not in (None, "held"):
                return word
    return None


def is_grace(word, most_ms=65000):
    """A grace that has begun not long ago."""
    return isinstance(word, int) and most_ms - 30000 < word <= most_ms


# ---- Ways to lose a file -------------------------------------------------------

def kill_and(do):
    def both(path, leader, *others):
        leader.kill()
        do(path)
        if not others:
            leader.start()
    return both


def then_kill(do):
    def both(path, leader, *others):
        do(path)
        leader.kill()
        if not others:
            leader.start()
    return both


def freeze_and(do):
    def both(path, leader, *_):
        leader.process.send_signal(signal.SIGSTOP)
        do(path)
    return both


def checkpointed(path):
    """As another program does that is the last to close the file."""
    file = sqlite3.connect(f"{path}/served.db")
    file.execute("SELECT count(*) FROM holdfast_records").fetchone()
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()


def beheaded(path):
    """Of the log only what stands before its first frame."""
    os.truncate(f"{path}/served.db-wal", 32)
    remove("-shm")(path)


def back_up(path, to):
    """As SQLite does it: a file that its server folds the log into just now
    cannot be copied."""
    source = sqlite3.connect(f"{path}/served.db")
    target = sqlite3.connect(to)
    source.backup(target)
    target.close()
    source.close()


def restored(path, *_):
    """A backup of before the grant is put in the place of the file."""
    ALL(path)
    os.rename(f"{path}/backup.db", f"{path}/served.db")


LOSSES = {
    "all its files, under it": (0, ALL),
    "all its files, with a follower": (1, ALL),
    "the database alone, with a follower": (1, remove("")),
    "the log alone, with a follower": (1, remove("-wal")),
    "the log and its index, with a follower": (1, remove("-wal", "-shm")),
    "a backup over it, with a follower": (1, restored),
    "the log, while it was dead": (0, kill_and(remove("-wal", "-shm"))),
    "the log, while the leader was dead":
        (1, kill_and(remove("-wal", "-shm"))),
    "what is in the log, while it was dead": (0, kill_and(beheaded)),
    "all its files, while it was dead": (0, kill_and(ALL)),
    "all its files, and its life": (0, then_kill(ALL)),
    "all its files, and the leader's life": (1, then_kill(ALL)),
    "all its files, and the leader is frozen": (1, freeze_and(ALL)),
    "a backup over it, while it was dead": (0, kill_and(restored)),
}


def lose(checks, name, followers, do):
    with folder() as path, Server(DAEMON, path) as leader:
        leader.await_leading()
        others = [Server(DAEMON, path) for _ in range(followers)]
        try:
            for other in others:
                other.start()
                other.await_ready()
            back_up(path, f"{path}/backup.db")
            grant(leader)
            do(path, leader, *others)
            word = first_word([*others, leader])
            checks.check(f"lost: {name}", is_grace(word), word)
        finally:
            for other in others:
                other.kill()


def begun_anew(checks, name, do):
    """A second server is started on what is left, beside the first."""
    with folder() as path, Server(DAEMON, path) as leader:
        leader.await_leading()
        grant(leader)
        do(path)
        second = Server(DAEMON, path)
        try:
            start_patiently(second)
            word = first_word([second, leader])
        finally:
            second.kill()
        checks.check(f"a second server: {name}", is_grace(word), word)


def start_patiently(server):
    """It does not start before the first has noticed, too."""
    def started():
        try:
            server.start()
        except ValueError:  # it has told no port
            server.process.wait()
            return False
        return True

    await_that(started)


def folded(checks):
    """Nothing is lost, and nobody can know."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        grant(server)
        kill_and(checkpointed)(path, server)
        server.await_leading()
        word = ask(server)
        checks.check("a log that another program folded is as one lost",
                     word == "held" and is_grace(grace(server)), word)


def index_lost(checks):
    """The log is whole: what was granted is held."""
    with folder() as path, Server(DAEMON, path) as leader:
        leader.await_leading()
        with Server(DAEMON, path) as follower:
            follower.await_ready()
            grant(leader)
            remove("-shm")(path)
            await_that(lambda: grace(leader) or grace(follower))
            word = held_word([leader, follower])
            checks.check("the log's index alone is no loss", word == "held",
                         word)


def held_word(servers):
    """What the first says that can tell."""
    words = []
    await_that(lambda: words.extend(filter(None, map(ask, servers))) or words)
    return words[0]


def grace(server):
    try:
        return Client(server).ask("GET", "/readyz")[1]["grace_ms"]
    except OSError:
        return 0


# ---- In memory -----------------------------------------------------------------

def people_are_told(checks, server):
    at = f"http://127.0.0.1:{server.port}"
    for what, words in {
            "a try": ["run", "-n", "x", "--", "true"],
            "a short wait": ["run", "-w", "1s", "x", "--", "true"],
            "who asks why": ["why", "x"],
            "who lists": ["ls"],
            "who clears": ["clear", "--reason", "tested", "x"],
            "a doctor": ["doctor"]}.items():
        begun = time.monotonic()
        done = subprocess.run([HOLDFAST, words[0], "--at", at, *words[1:]],
                              capture_output=True, text=True, timeout=60)
        took = time.monotonic() - begun
        checks.check(f"{what} is told for how long, at once",
                     took < 5 and (done.returncode == 69 or
                                   words[0] == "doctor") and
                     is_grace(told_ms(done.stdout + done.stderr)), done)
    status, told = Client(server).ask("POST", "/v1/locks/y/acquire",
                                      {"wait": "1ms"})
    checks.check("and so is curl", status == 409 and
                 "has forgotten what it had granted" in
                 Client(server).ask("GET", "/v1/locks/y/why")[1]["message"],
                 told)


def told_ms(text):
    """Of "… has forgotten what it had granted, and grants nothing for 63 s"."""
    before, _, after = text.partition(
        " has forgotten what it had granted, and grants nothing for ")
    return int(after.split()[0]) * 1000 if before and after else None


def in_memory(checks):
    with folder() as path, \
            Server(DAEMON, path, at="memory:x", graceful=True) as server:
        server.await_leading()
        word = ask(server)
        checks.check("in memory it waits at each start", is_grace(word), word)
        status, told = Client(server).ask("GET", "/readyz")
        checks.check("and is ready, and says so",
                     status == 200 and is_grace(told["grace_ms"]), told)
        done = subprocess.run(
            [HOLDFAST, "run", "--at", f"http://127.0.0.1:{server.port}",
             "--if-dead", "refuse", "x", "--", "true"],
            capture_output=True, text=True, timeout=60)
        checks.check("what only a person may take is not for it",
                     done.returncode == 64 and "keeps nothing" in done.stderr,
                     done)
        people_are_told(checks, server)
        status, told = Client(server).ask("GET", "/v1/audit")
        checks.check("it has no audit, and says so",
                     status == 409 and told["type"] == "urn:holdfast:volatile"
                     and "no audit" in told["message"] and
                     "memory" not in told["title"], (status, told))
        done = subprocess.run(
            [HOLDFAST, "audit", "--at", f"http://127.0.0.1:{server.port}"],
            capture_output=True, text=True, timeout=60)
        checks.check("to who asks for it, too",
                     done.returncode == 69 and "no audit" in done.stderr, done)
        waiter = Client(server)
        status, told = waiter.ask("POST", "/v1/locks/x/acquire",
                                  {"wait": "300ms"})
        checks.check("who waits has a place",
                     told["type"] == "urn:holdfast:timed-out", told)


# ---- Whose grant was lost ------------------------------------------------------

def learns(checks):
    """A backup in which the session is, and its second grant is not yet."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        had = grant(server)
        os.mkdir(f"{path}/backup")
        for file in files(path)[:2]:
            shutil.copy(file, f"{path}/backup")
        holder = Client(server)
        holder.secret = had["secret"]
        _, second = holder.ask("POST", "/v1/locks/y/acquire",
                               {"session": had["session"], "lane": 2})
        server.kill()
        ALL(path)
        for file in os.listdir(f"{path}/backup"):
            shutil.copy(f"{path}/backup/{file}", path)
        server.start()
        server.await_leading()
        holder = Client(server)
        holder.secret = had["secret"]
        status, told = holder.ask(
            "POST", f"/v1/sessions/{had['session']}/keep-alive", {})
        checks.check("whose grant was lost learns it by the next keep-alive",
                     status == 200 and told["fences"] == [had["fence"]] and
                     second["fence"] > had["fence"], (told, second))


# ---- The grace goes on ---------------------------------------------------------

def goes_on(checks):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        grant(server)
        kill_and(ALL)(path, server)
        first = first_word([server])
        server.kill()
        server.start()
        second = first_word([server])
        checks.check("a restart goes on with it",
                     is_grace(second) and second <= first, (first, second))
        server.stop()
        done = subprocess.run(
            [HOLDFAST, "run", "-n", "--at", f"sqlite:{path}/served.db", "x",
             "--", "true"], capture_output=True, text=True, timeout=60)
        checks.check("and nothing is claimed in the table meanwhile",
                     done.returncode == 69, done)
        server.start()
        third = first_word([server])
        checks.check("nor does a server that was stopped well forget it",
                     is_grace(third) and third <= second, (second, third))


def ends(checks):
    with folder() as path, Server(DAEMON, path, *SHORT) as server:
        server.await_leading()
        begun = time.monotonic()
        grant(server, ttl="2s")
        kill_and(ALL)(path, server)
        word = first_word([server])
        checks.check("it is as long as what was promised",
                     is_grace(word, 9000), word)
        await_that(lambda: grace(server) <= word - 2000)
        server.kill()
        server.start()
        server.await_leading()
        await_that(lambda: ask(server) == "granted")
        checks.check("and ends, not sooner because its server was killed",
                     time.monotonic() - begun >= 7, time.monotonic() - begun)


def retired(checks):
    with folder() as path, Server(DAEMON, path, *SHORT) as server:
        server.await_leading()
        grant(server, ttl="2s")
        server.kill()
        remove("-wal", "-shm")(path)
        table = f"sqlite:{path}/served.db"
        done = subprocess.run([HOLDFAST, "run", "-n", "--at", table, "x", "--",
                               "true"], capture_output=True, text=True, timeout=60)
        checks.check("who is no server leaves a loss to one",
                     done.returncode == 69 and "log" in done.stderr and
                     not os.path.exists(f"{path}/served.db-wal"), done)
        begun = time.monotonic()
        done = subprocess.run([DAEMON, "--retire", "--at", table],
                              capture_output=True, text=True, timeout=60)
        checks.check("and --retire waits for it",
                     done.returncode == 0 and time.monotonic() - begun >= 7,
                     done)
        done = subprocess.run([HOLDFAST, "run", "-n", "--at", table, "x", "--",
                               "true"])
        checks.check("then it is a table's", done.returncode == 0, done)
        ALL(path)
        done = subprocess.run([HOLDFAST, "run", "-n", "--at", table, "x", "--",
                               "true"])
        checks.check("and may be removed", done.returncode == 0, done)


def run_table(path, name="x"):
    return subprocess.run(
        [HOLDFAST, "run", "-n", "--at", f"sqlite:{path}/served.db", name, "--",
         "true"], capture_output=True, text=True, timeout=60)


def retire(path):
    """(how long it took, what it said)"""
    begun = time.monotonic()
    done = subprocess.run(
        [DAEMON, "--retire", "--at", f"sqlite:{path}/served.db"],
        capture_output=True, text=True, timeout=60)
    return time.monotonic() - begun, done


def retired_without_a_file(checks):
    for name, make in {"that is gone": lambda file: None,
                       "that is empty": lambda file: open(file, "w").close()
                       }.items():
        with folder() as path, Server(DAEMON, path, *SHORT) as server:
            server.await_leading()
            grant(server, ttl="2s")
            server.kill()
            ALL(path)
            make(f"{path}/served.db")
            took, done = retire(path)
            checks.check(f"--retire waits where there is a file {name}",
                         done.returncode == 0 and took >= 7, (took, done))
            done = run_table(path)
            checks.check("and then it is a table's", done.returncode == 0,
                         done)


def backup_of_a_stopped_one(checks):
    """Its head names nobody, and all that was granted since is not in it."""
    with folder() as path, Server(DAEMON, path, *SHORT) as server:
        server.await_leading()
        server.stop()
        os.mkdir(f"{path}/backup")
        for file in files(path):
            if os.path.exists(file):
                shutil.copy(file, f"{path}/backup")
        server.start()
        server.await_leading()
        grant(server, ttl="2s")
        server.kill()
        ALL(path)
        for file in os.listdir(f"{path}/backup"):
            shutil.copy(f"{path}/backup/{file}", path)
        done = run_table(path)
        checks.check("a table's client knows a copy, too",
                     done.returncode == 69 and "restored" in done.stderr, done)
        took, done = retire(path)
        checks.check("and so does --retire", done.returncode == 0 and took >= 7,
                     (took, done))
        done = run_table(path)
        checks.check("after which it is a table's", done.returncode == 0, done)


def restored_in_place(checks):
    """A backup of an earlier term is copied into the file."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        server.stop()
        shutil.copytree(path, f"{path}/backup")
        server.start()
        server.await_leading()
        grant(server)
        server.kill()
        for file in files(path)[:2]:
            kept = f"{path}/backup/{os.path.basename(file)}"
            with open(file, "r+b") as into:
                into.truncate()
                if os.path.exists(kept):
                    into.write(open(kept, "rb").read())
        server.start()
        word = first_word([server])
        checks.check("a backup in the place of itself is noticed",
                     is_grace(word), word)


def promised_more(checks):
    """The mark says more than an older head."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        server.stop()
        shutil.copytree(path, f"{path}/backup")
        server.command += ["--max-ttl", "10m"]
        server.start()
        server.await_leading()
        grant(server, ttl="10m")
        server.kill()
        ALL(path)
        for file in files(path):
            if os.path.exists(f"{path}/backup/{os.path.basename(file)}"):
                shutil.copy(f"{path}/backup/{os.path.basename(file)}", file)
        del server.command[-2:]
        server.start()
        word = first_word([server])
        checks.check("it waits for what was promised since the backup",
                     is_grace(word, 605000), word)


def begins_anew(checks):
    """A log that SQLite was about to begin anew, for all of it was folded."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        grant(server)
        server.kill()
        with open(f"{path}/served.db-wal", "r+b") as log:
            log.seek(16)
            salt = int.from_bytes(log.read(4), "big") + 1
            log.seek(16)
            log.write(salt.to_bytes(4, "big"))
        server.start()
        server.await_leading()
        checks.check("a log that begins anew is no loss", grace(server) == 0,
                     grace(server))


def online_backup(checks):
    """One of this very term is put in the place of the file of its leader."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        grant(server)
        known = service(server)
        back_up(path, f"{path}/backup.db")
        remove("-wal", "-shm")(path)
        os.rename(f"{path}/backup.db", f"{path}/served.db")
        await_that(lambda: service(server) not in (None, known))
        checks.check("its leader goes on, as another service",
                     is_grace(grace(server)), grace(server))


def retired_within_it(checks):
    """Its own beat is over long before."""
    with folder() as path, Server(DAEMON, path, "--max-ttl", "6s") as server:
        server.await_leading()
        kill_and(ALL)(path, server)
        word = first_word([server])
        until = time.monotonic() + word / 1000
        server.stop()
        _, done = retire(path)
        checks.check("--retire waits for what is left of a grace",
                     done.returncode == 0 and is_grace(word, 11000) and
                     time.monotonic() >= until, (word, done))


def freed(checks):
    """By --retire: what was granted does not come back."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        client = Client(server).open(ttl="2s", who="old")
        client.acquire("x")
        server.kill()
        _, done = retire(path)
        server.start()
        server.await_leading()
        _, page = Client(server).ask("GET", "/v1/sessions")
        checks.check("with what --retire freed no server begins",
                     done.returncode == 0 and page["sessions"] == [] and
                     ask(server) == "granted", (done, page))


def not_heard(checks):
    """Who waits is not told of a beat that was before an outage."""
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        Client(server).open(ttl="30s", who="old").acquire("x")
        waiter = subprocess.Popen(
            [HOLDFAST, "run", "--at", f"http://127.0.0.1:{server.port}", "-w",
             "60s", "x", "--", "true"], stderr=subprocess.PIPE, text=True)
        said = [waiter.stderr.readline()]
        while "last beat" not in said[-1]:
            said.append(waiter.stderr.readline())
        server.kill()
        while "no answer" not in said[-1] and "refused" not in said[-1]:
            said.append(waiter.stderr.readline())
        server.start()
        after = []
        while "no beat seen" not in "".join(after):
            after.append(waiter.stderr.readline())
        waiter.kill()
        waiter.wait()
        checks.check("after an outage no beat is told that nobody saw",
                     not any("last beat" in line for line in after),
                     said + after)


# ---- Copies --------------------------------------------------------------------

def service(server):
    return Client(server).ask("GET", "/v1/info")[1]["service"]


def copied(checks):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        grant(server)
        os.mkdir(f"{path}/copy")
        # Two files that were not copied at one moment are none of a database.
        server.process.send_signal(signal.SIGSTOP)
        for file in files(path)[:2]:
            shutil.copy(file, f"{path}/copy")
        server.process.send_signal(signal.SIGCONT)
        with Server(DAEMON, f"{path}/copy") as copy:
            word = first_word([copy], "y")
            checks.check("a copy has forgotten", is_grace(word), word)
            checks.check("and is a service of its own",
                         service(copy) not in (None, service(server)),
                         service(copy))


def told_so(checks):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        word = ask(server)
        command = [DAEMON, "--port", "0", "--forgot", "--at",
                   f"sqlite:{path}/served.db"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        checks.check("nobody forgets beside a leader that is alive",
                     word == "granted" and done.returncode == 69 and
                     "a node that is alive serves it" in done.stderr, done)
        server.kill()
        server.command.append("--forgot")
        server.start()
        word = first_word([server], "y")
        checks.check("who is told that it forgot has", is_grace(word), word)


# ---- What it may promise -------------------------------------------------------

def promises(checks):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        status, told = Client(server).ask("POST", "/v1/sessions",
                                          {"ttl": "61s"})
        checks.check("no ttl is longer than max-ttl",
                     status == 400 and "61000 ms" in told["detail"] and
                     "60000 ms" in told["detail"], told)
        at = f"http://127.0.0.1:{server.port}"
        done = subprocess.run([HOLDFAST, "run", "--at", at, "--ttl", "5m", "x",
                               "--", "true"], capture_output=True, text=True, timeout=60)
        checks.check("and the command says so",
                     done.returncode == 64 and "60000 ms" in done.stderr, done)
        _, told = Client(server).ask("POST", "/v1/locks/x/acquire",
                                     {"wait": "1h"})
        checks.check("nor what is kept for who waits", told["ttl_ms"] == 59100,
                     told)
    done = subprocess.run([DAEMON, "--check-config", "--idle-timeout", "45s"],
                          capture_output=True, text=True, timeout=60)
    checks.check("what waits cannot be promised more than max-ttl",
                 done.returncode == 64 and "75000" in done.stderr, done)


def main():
    checks = Checks()
    for name, (followers, do) in LOSSES.items():
        lose(checks, name, followers, do)
    for name, do in {"all files gone": ALL,
                     "the log gone": remove("-wal")}.items():
        begun_anew(checks, name, do)
    for show in (retired_without_a_file, backup_of_a_stopped_one,
                 promised_more, restored_in_place, begins_anew, online_backup,
                 folded, index_lost, in_memory, learns, goes_on, ends, retired,
                 retired_within_it, freed, not_heard, copied, told_so, promises):
        show(checks)
    return checks.end()


sys.exit(main())
