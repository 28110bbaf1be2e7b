#!/bin/bash
# daemon.sh HOLDFASTD: the lock server as curl meets it.
set -u

daemon=$1
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"

for tool in curl jq; do
    command -v $tool >/dev/null || {
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    }
done

at=sqlite:$here/served.db

# start: a server on a port of the kernel's choice; $url and $pid are its.
start() {
    rm -f "$here/port"
    "$daemon" --listen 127.0.0.1:0 --at "$at" --ready-fd 7 \
        7>"$here/port" 2>>"$here/daemon.err" &
    pid=$!
    started+=("$pid")
    await "the server to listen" [ -s "$here/port" ]
    url=http://127.0.0.1:$(cat "$here/port")
    await "the server to lead" curl -sf -o "$here/locks.json" "$url/v1/locks"
}

# ask OUT CURL-ARGUMENT...: the answer's body into OUT; its status is printed.
ask() {
    local out=$1
    shift
    curl -s -m 20 -o "$here/$out" -w '%{http_code}' "$@"
}

acquire() { # OUT NAME BODY CURL-ARGUMENT...
    local out=$1 name=$2 body=$3
    shift 3
    ask "$out" "$@" -X POST -d "$body" "$url/v1/locks/$name/acquire"
}

release() { # OF NAME: what OF was granted
    ask released -X POST -H "Holdfast-Secret: $(jq -r .secret "$here/$1")" \
        -d "{\"session\":$(jq .session "$here/$1")}" "$url/v1/locks/$2/release"
}

is() { # STATUS EXPECTED OUT FILTER
    [ "$1" = "$2" ] && jq -e "$4" "$here/$3" >"$here/jq.out"
}

counted() {
    curl -sf "$url/metrics" >"$here/metrics" &&
        [ "$(awk -v name="$1" '$1 == name { print $2 }' "$here/metrics")" = "$2" ]
}

start
check "it is granted, with a fence, a session and its secret" \
    is "$(acquire a deploy '{"who":"ann@db1"}')" 200 a \
    '.granted and .fence > 0 and .fence_text == (.fence|tostring) and
     (.session|length) == 16 and (.secret|length) == 32 and .ttl_ms == 30000'
check "another is told who holds it" \
    is "$(acquire b deploy '{"wait":"try"}')" 409 b \
    '.type == "urn:holdfast:held" and .holders[0].who == "ann@db1"'
check "HTTP/2 by prior knowledge is the same" \
    is "$(acquire c deploy '{}' --http2-prior-knowledge)" 409 c \
    '.type == "urn:holdfast:held"'
check "of the sessions of those who were told no nothing is left" \
    counted holdfast_sessions 1
for http in --http1.1 --http2-prior-knowledge; do
    ask gone -m 0.2 $http -X POST -d '{"wait":"15s"}' \
        "$url/v1/locks/deploy/acquire" >"$here/gone.status"
    await "the session of one who went away to end" counted holdfast_sessions 1
done

check "it is shown" is "$(ask shown "$url/v1/locks/deploy")" 200 shown \
    '.name == "deploy" and (.holders|length) == 1 and .waiters == 0'
check "and why it is not free" is "$(ask why "$url/v1/locks/deploy/why")" 200 \
    why '.verdict == "alive" and (.says | startswith("ann@db1 has held it"))'
check "what is not held is not found" \
    is "$(ask none "$url/v1/locks/nobodys")" 404 none '.status == 404'

acquire waited deploy '{"wait":"15s"}' >"$here/waited.status" &
waiter=$!
started+=("$waiter")
in_line() {
    curl -sf "$url/v1/locks/deploy" | jq -e '.waiters == 1' >"$here/jq.out"
}
await "one to wait in line" in_line
check "it is given back" is "$(release a deploy)" 200 released .released
wait "$waiter"
check "and who waited has it, with a greater fence" \
    is "$(cat "$here/waited.status")" 200 waited \
    ".granted and .fence > $(jq .fence "$here/a")"

check "who waits for no longer is told so, by a typed 409" \
    is "$(acquire d deploy '{"wait":"100ms"}')" 409 d \
    '.type == "urn:holdfast:timed-out" and .exceptionClass == "com.palantir.lock.remoting.BlockingTimeoutException"'
check "a wrong secret is denied" \
    is "$(ask denied -X POST -H "Holdfast-Secret: $(printf %032d 0)" \
        "$url/v1/sessions/$(jq -r .session "$here/waited")/keep-alive")" \
    403 denied '.type == "urn:holdfast:denied"'
check "the right one keeps it alive" \
    is "$(ask alive -X POST \
        -H "Holdfast-Secret: $(jq -r .secret "$here/waited")" \
        "$url/v1/sessions/$(jq -r .session "$here/waited")/keep-alive")" \
    200 alive .alive
# shellcheck disable=SC2016 # of jq's own
check "and tells of each grant that it has" \
    jq -e --argjson fence "$(jq .fence "$here/waited")" \
    '.grants == 1 and .fences == [$fence] and
     .fences_text == [$fence | tostring]' "$here/alive"
check "many sessions are kept alive by one request, each with its answer" \
    is "$(ask alives -X POST "$url/v1/keep-alive" -d "{\"sessions\":[
        {\"session\":$(jq .session "$here/waited"),
         \"secret\":$(jq .secret "$here/waited")},
        {\"session\":$(jq .session "$here/waited"),
         \"secret\":\"$(printf %032d 0)\"},
        {\"session\":\"0000000000000001\",
         \"secret\":\"$(printf %032d 0)\"}]}")" 200 alives \
    '[.sessions[].status] == [200, 403, 410] and .sessions[0].answer.alive and
     .sessions[2].answer.type == "urn:holdfast:no-such-session"'
check "of none it is said so" \
    is "$(ask alives -X POST "$url/v1/keep-alive" -d '{}')" 400 alives \
    '.detail == "which \"sessions\"?"'
key='Idempotency-Key: 0123456789abcdef'
acquire key1 keyed '{}' -H "$key" >"$here/status"
check "the same key is the same session, request and grant" \
    is "$(acquire key2 keyed '{}' -H "$key")" 200 key2 \
    ".fence == $(jq .fence "$here/key1") and
     .session == $(jq .session "$here/key1")"
check "and of no other lock" \
    is "$(acquire key3 unkeyed '{}' -H "$key")" 409 key3 \
    '.type == "urn:holdfast:other-request"'
for http in --http1.1 --http2-prior-knowledge; do
    check "and none is empty ($http)" \
        is "$(acquire key4 unkeyed '{}' -H 'Idempotency-Key;' $http)" 400 key4 \
        '.detail | test("from 16 to 128 characters")'
done
within() { # OUT VERB NAME BODY: with the session of key1
    ask "$1" -X POST "$url/v1/locks/$3/$2" -d "$(jq --argjson more "$4" \
        '{session} + $more' "$here/key1")" \
        -H "Holdfast-Secret: $(jq -r .secret "$here/key1")"
}
check "a number is for one request" \
    is "$(within other acquire unkeyed '{"n":1}')" 400 other \
    '.title | test("asked for other locks")'
within two acquire second '{}' >"$here/status"
within again acquire second '{}' >"$here/again.status"
check "one session takes two locks without numbers" \
    is "$(cat "$here/status")" 200 two ".n == 2 and .fence > $(jq .fence "$here/key1")"
check "and one of them twice is the same" \
    is "$(cat "$here/again.status")" 200 again ".fence == $(jq .fence "$here/two")"
check "a number and the path of another lock, both held, release neither" \
    is "$(within mixed release keyed "$(jq '{n}' "$here/two")")" 400 mixed \
    '.detail == "that request holds another lock"'
for name in keyed second; do
    check "and $name is held as before" \
        is "$(ask still "$url/v1/locks/$name")" 200 still '.holders | length == 1'
done
check "what it releases is what it names" \
    is "$(within back release keyed '{}')" 200 back .released
within one acquire keyed '{}' >"$here/status"
check "and may be taken again" \
    is "$(cat "$here/status")" 200 one ".n == 3 and .fence > $(jq .fence "$here/two")"
within back release second '{}' >"$here/status"
check "several names are one grant" \
    is "$(ask many -X POST "$url/v1/acquire" \
        -d '{"locks":["x",{"name":"y","mode":"shared"}]}')" 200 many .granted
check "metrics count what is granted" counted holdfast_grants_total 8
check "and what is held" counted holdfast_holders 4
check "and what was refused" \
    counted 'holdfast_responses_total{code="409"}' 4
check "they are as Prometheus reads them" \
    test "$(grep -vcE '^(# (HELP|TYPE) |[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.]+$)' \
        "$here/metrics")" = 0
clear() { # OUT NAME REASON MORE: what holds it
    ask "$1" -X POST "$url/v1/locks/$2/clear" -d "$(
        curl -sf "$url/v1/locks/$2" | jq --arg reason "$3" --argjson more "$4" \
            '{$reason, who: "eve", fence: .holders[0].fence} + $more')"
}
suspected() { curl -sf "$url/v1/locks/$1" | jq -e '.holders[0].suspected'; } \
    >"$here/suspected"
acquire ghost ghost '{"note":"nightly","who":"bob@db2"}' >"$here/status"
check "an operator does not clear who was heard a moment ago" \
    is "$(clear spared ghost 'bob is gone' '{}')" 409 spared \
    '.type == "urn:holdfast:not-suspected" and .holder.who == "bob@db2" and
     .silent_ms < 30000 and .suspected_in_ms > 0 and .suspected_in_ms <= 30000 and
     .holder.fence == '"$(jq .fence "$here/ghost")"
check "nor says so of the audit" \
    is "$(ask audit "$url/v1/audit?name=ghost")" 200 audit '.cleared == []'
check "nor for no reason, or a placeholder" \
    is "$(clear spared ghost '…' '{"force":true}')" 400 spared \
    '.detail | test("letter or a digit")'
check "but by force" \
    is "$(clear cleared ghost 'bob is gone' '{"force":true}')" 200 cleared .cleared
alive() { # OUT: the session of ghost
    ask "$1" -X POST "$url/v1/sessions/$(jq -r .session "$here/ghost")/keep-alive" \
        -H "Holdfast-Secret: $(jq -r .secret "$here/ghost")" -d '{}'
}
check "its holder is told by whom, and why" is "$(alive told)" 200 told \
    ".cleared == [$(jq .fence "$here/ghost")] and
     .clears[0].fence == $(jq .fence "$here/ghost") and
     .clears[0].who == \"eve\" and .clears[0].reason == \"bob is gone\""
acquire ghost ghost '{"who":"ann@db1"}' >"$here/status"
check "and by who saw that its processes are gone" \
    is "$(clear cleared ghost 'and ann' '{"gone":true}')" 200 cleared .cleared
acquire silent silent '{"ttl":"1s","if_dead":"refuse"}' >"$here/status"
await "a silent one to be suspected" suspected silent
check "and who is suspected" \
    is "$(clear cleared silent 'it was silent' '{}')" 200 cleared .cleared
check "the audit says who cleared whom, and why, page by page" \
    is "$(ask audit "$url/v1/audit?name=ghost&limit=1")" 200 audit \
    '(.cleared|length) == 1 and .cleared[0].reason == "bob is gone" and
     .cleared[0].force == true and (.cleared[0]|has("gone")|not) and
     .cleared[0].by.user == "eve" and .cleared[0].cleared.note == "nightly"'
check "and the next" \
    is "$(ask audit "$url/v1/audit?name=ghost&after=$(jq -r .after "$here/audit")")" \
    200 audit '(.cleared|length) == 1 and .cleared[0].reason == "and ann" and
     .cleared[0].force == false and .cleared[0].gone == true'
check "and then no more" \
    is "$(ask audit "$url/v1/audit?name=ghost&after=$(jq -r .after "$here/audit")")" \
    200 audit '.cleared == [] and (has("after")|not)'
check "all of a space is more than one lock's" \
    is "$(ask audit "$url/v1/audit?space=default")" 200 audit \
    '(.cleared|length) == 3'
check "a cursor of another kind is refused" \
    is "$(ask audit "$url/v1/audit?after=x")" 400 audit \
    '.detail == "after is no cursor of a page of the audit"'
# used: processor time of the server, in clock ticks
used() {
    awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
# ask_half PORT: wait for a lock with one half of the connection closed
ask_half() {
    python3 - "$1" <<'END'
import socket, sys
half = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
half.sendall(b"POST /v1/locks/keyed/acquire HTTP/1.1\r\nHost: localhost\r\n"
             b"Content-Length: 13\r\n\r\n" b'{"wait":"1s"}')
half.shutdown(socket.SHUT_WR)
sys.exit(b"409 Conflict" not in b"".join(iter(lambda: half.recv(4096), b"")))
END
}
before=$(used)
check "who has closed one half of a connection is answered" \
    ask_half "${url##*:}"
check "and costs nothing meanwhile" [ $(($(used) - before)) -lt 30 ]
check "a page of a browser is refused" \
    is "$(ask origin -H 'Origin: http://evil' "$url/v1/info")" 403 origin \
    '.type == "urn:holdfast:origin"'
check "with or without an Origin" \
    is "$(ask origin -H 'Sec-Fetch-Site: cross-site' "$url/v1/info")" 403 origin \
    '.type == "urn:holdfast:origin"'
check "and a name that is not ours" \
    is "$(ask host -H 'Host: evil.example' "$url/v1/info")" 421 host \
    '.type == "urn:holdfast:host"'
check "what is no JSON is named" \
    is "$(acquire wrong a '{')" 400 wrong '.detail | startswith("the body")'

# Killed, it has forgotten nothing, and the next one serves at once.
kill -KILL "$pid"
wait "$pid" 2>/dev/null
start
check "what was granted is there after kill -9" \
    is "$(ask after "$url/v1/locks/deploy")" 200 after \
    ".holders[0].fence == $(jq .fence "$here/waited")"
check "but of its life nothing is known yet" \
    is "$(ask why "$url/v1/locks/deploy/why")" 200 why '.verdict == "silent" and
    (.says | test("was not heard since this server leads")) and
    (.lock.holders[0].heard | not)'
"$(dirname "$daemon")/holdfast" why --watch 10ms --at "$url" deploy \
    >"$here/why.out" 2>&1
check "which a person is told, too" grep -q "not known" "$here/why.out"
check "and is kept alive by its session" \
    is "$(ask alive -X POST \
        -H "Holdfast-Secret: $(jq -r .secret "$here/waited")" \
        "$url/v1/sessions/$(jq -r .session "$here/waited")/keep-alive")" \
    200 alive .alive
check "and then it is alive" \
    is "$(ask why "$url/v1/locks/deploy/why")" 200 why '.verdict == "alive"'

# Who waits is told to ask another node, and then it ends.
acquire last deploy '{"wait":"15s"}' >"$here/last.status" &
waiter=$!
started+=("$waiter")
await "one to wait in line" in_line
kill -TERM "$pid"
wait "$waiter"
check "who waits while it is told to stop asks again elsewhere" \
    is "$(cat "$here/last.status")" 503 last \
    '.exceptionClass == "com.palantir.leader.NotCurrentLeaderException"'
wait "$pid"
check "it ends well" [ $? = 0 ]
start
check "and what was granted is there" \
    is "$(ask after "$url/v1/locks/deploy")" 200 after \
    ".holders[0].fence == $(jq .fence "$here/waited")"

# A second server on the same file waits; it sees at once that the first died.
first=$pid
start_second() {
    "$daemon" --listen 127.0.0.1:0 --at "$at" --ready-fd 7 \
        7>"$here/port2" 2>>"$here/daemon.err" &
    pid=$!
    started+=("$pid")
    await "the second to listen" [ -s "$here/port2" ]
    url=http://127.0.0.1:$(cat "$here/port2")
}
leads() {
    curl -sf -o "$here/locks.json" "$url/v1/locks"
}
follows() {
    curl -sf "$url/v1/info" | jq -e '.leader != ""' >"$here/jq.out"
}
start_second
await "the second to know who leads" follows
check "who asks a node that follows is told where the leader is" \
    is "$(acquire led other '{}')" 503 led \
    ".leader == \"127.0.0.1:$(cat "$here/port")\""
kill -KILL "$first"
before=$EPOCHREALTIME
await "the second to lead" leads
took=$(((${EPOCHREALTIME/./} - ${before/./}) / 1000))
check "and when that one dies it leads, long before a ttl of 5 s ($took ms)" \
    [ "$took" -lt 3000 ]
kill -TERM "$pid"
wait "$pid"

# start_small DESCRIPTORS OPTION...: a server of its own.
start_small() {
    local descriptors=$1
    shift
    rm -f "$here/port3"
    (
        ulimit -n "$descriptors"
        exec "$daemon" --listen 127.0.0.1:0 --at memory:small --no-grace \
            --ready-fd 7 "$@" 7>"$here/port3" 2>"$here/small.err"
    ) &
    pid=$!
    started+=("$pid")
    await "the server to listen" [ -s "$here/port3" ]
    url=http://127.0.0.1:$(cat "$here/port3")
    await "the server to lead" leads
}

# Of descriptors there are as many as the system gives.
start_small 40
crowd() {
    python3 - "$1" "$pid" <<'END'
import http.client, socket, sys, time
port, pid = int(sys.argv[1]), sys.argv[2]
def used():
    return sum(map(int, open(f"/proc/{pid}/stat").read().split()[13:15]))
many = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
many[0].settimeout(10)
ended = many[0].recv(1) == b""
before = used()
time.sleep(0.5)
spins = used() - before > 25
for one in many:
    one.close()
for _ in range(1000):
    try:
        last = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        last.request("GET", "/healthz")
        sys.exit(spins or not ended or last.getresponse().status != 200)
    except OSError:
        pass
sys.exit(1)
END
}
check "of more connections than it may have the first is ended, at no cost" \
    crowd "${url##*:}"
kill -TERM "$pid"
wait "$pid"

# Not even the spare one is left, for the limit falls below what is open.
start_small 40
limit() {
    python3 - "$pid" "$1" <<'END'
import resource, sys
pid, soft = map(int, sys.argv[1:])
_, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
END
}
limit 3
curl -sf -m 20 -o "$here/healthz" "$url/healthz" &
waits=$!
started+=("$waits")
await "the server to have none" grep -q "turned away" "$here/small.err"
limit 40
check "who comes while no descriptor is left is heard when there is one" \
    wait "$waits"
kill -TERM "$pid"
wait "$pid"

start_small 100 --connections 10
eleven() {
    python3 - "$1" <<'END'
import http.client, socket, sys
port = int(sys.argv[1])
def connect():
    """One that was heard, and is silent since."""
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    one.request("GET", "/healthz")
    assert one.getresponse().read() is not None
    return one.sock
many = [connect() for _ in range(11)]
ended = many[0].recv(1) == b""
many[1].settimeout(0)
try:
    stays = many[1].recv(1) is None
except BlockingIOError:
    stays = True
sys.exit(not (ended and stays))
END
}
check "of more connections than --connections the oldest is ended" \
    eleven "${url##*:}"
kill -TERM "$pid"
wait "$pid"

usage() {
    "$daemon" "$@" >"$here/usage.out" 2>&1
    [ $? = 64 ]
}
says() { # SENTENCE OPTION...
    local sentence=$1
    shift
    usage "$@" && [ "$(cat "$here/usage.out")" = "holdfastd: $sentence" ]
}
runs() {
    "$daemon" --check-config "$@" >"$here/usage.out" 2>&1
}
check "beyond loopback it does not listen" usage --listen 0.0.0.0:0
check "but if it is told to" runs --insecure --listen 0.0.0.0:0 \
    --advertise locks.example:7420 --at memory:x
check "an unknown option is refused" usage --colour
check "and one that is near another is told" \
    says "unknown option --cofnig: did you mean --config? (see holdfastd --help)" \
    --cofnig x
check "and a margin that is none" usage --idle-margin 2
check "and an idle timeout that nobody can wait for" usage --idle-timeout 100ms
check "and a port that is none" usage --listen 127.0.0.1:x
check "and another" says "--port is from 0 to 65535" --port 65536
check "and no connections" \
    says "connections is from 1 to 1000000" --connections 0
check "and room for no locks" \
    says "locks is from 1024 to 8388608" --locks 12
check "and for more than any" \
    says "streams is from 1 to 100000" --streams 100001

check "and a name, for it is no address" \
    says "listen: localhost is not a numeric address, as 127.0.0.1 or [::1]" \
    --listen localhost:0
check "and a place that it cannot keep its locks at, in words of its own" \
    says "a lock server keeps no locks at 'http://db1:7420': write \
sqlite:/path/served.db, or memory:NAME, which a restart forgets" \
    --at http://db1:7420
check "nor is anything of memory to be retired" \
    says "memory:x keeps nothing: there is nothing to retire" \
    --retire --at memory:x

# What is at its place is looked at, and left as it is.
mkdir "$here/places"
echo "a text that is no database at all" >"$here/places/text"
sqlite3 "$here/places/other" "CREATE TABLE t(x)"
for place in text other; do
    ls -la --time-style=full-iso "$here/places" >"$here/before"
    "$daemon" --check-config --at "sqlite:$here/places/$place" \
        >"$here/usage.out" 2>&1
    check "a file that is another's is refused: $place" [ $? = 65 ]
    check "in one sentence" grep -Eq \
        "^holdfastd: $here/places/$place: it is (not a|another application's) SQLite database$" \
        "$here/usage.out"
    check "and nothing was written" [ "$(cat "$here/before")" = \
        "$(ls -la --time-style=full-iso "$here/places")" ]
done
check "one that is not there could be made" runs --at "sqlite:$here/places/none"
check "and is not" [ ! -e "$here/places/none" ]

conf=$here/holdfastd.conf
printf '%s\n' '; for people' 'listen = 127.0.0.1:0' 'idle-timeout = 60s' 'max-ttl = 2m' \
    'host = locks.example' 'host = locks' "at = sqlite:$here/conf.db" >"$conf"
check "settings are read from a file" runs --config "$conf"
echo 'colour = red' >>"$conf"
check "an unknown one is named, with its line" \
    says "$conf:8: there is no setting colour" --config "$conf"
echo 'lsiten = 127.0.0.1:0' >"$conf"
check "and what was meant" \
    says "$conf:1: there is no setting lsiten: did you mean listen?" --config "$conf"
printf 'host = a\nhost = b\nlocks = 2000\nlocks = 3000\n' >"$conf"
check "and one that is said twice" \
    says "$conf:4: locks is given twice" --config "$conf"
printf 'listen = 127.0.0.1:0\0000\n' >"$conf"
check "and a NUL" says "$conf:1: the line has a NUL byte" --config "$conf"
printf '[server]\nlisten = 127.0.0.1:0\n' >"$conf"
check "and a section" \
    says "$conf:1: a section is not allowed: [server]" --config "$conf"
printf 'host = a\n  insecure = what\n' >"$conf"
check "and a line that begins with a blank, for what it is" \
    says "$conf:2: insecure is yes or no" --config "$conf"
printf '; %0197dinsecure = yes\nlisten = 0.0.0.0:0\n' 0 >"$conf"
check "no comment is so long that its end is a setting" \
    says "$conf:1: a line has at most 198 bytes" --config "$conf"
"$daemon" --config "$here" >"$here/usage.out" 2>&1
check "and a folder is no file" [ $? = 69 ]
check "a host has no blank" says \
    "host is a name or an address, without a port" --host 'a b'
check "and no port" says \
    "host is a name or an address, without a port" --host a:80
printf 'at = sqlite:served.db\n' >"$conf"
relative="the place is relative, another one in each folder: write \
sqlite:$PWD/served.db"
check "a place that is relative is refused, with the one to write" \
    says "$relative" --at sqlite:served.db
check "and in a file" says "$conf:1: $relative" --config "$conf"
printf 'idle-timeout = 200ms\n' >"$conf"
check "and what makes no sense together" usage --config "$conf"
check "an option wins over the file" \
    runs --config "$conf" --idle-timeout 10s --at memory:x
"$daemon" --config "$here/no.conf" >"$here/usage.out" 2>&1
check "a file that is not there is not available" [ $? = 69 ]

# notified: what a service manager is told
notified() {
    python3 - "$daemon" "$here" <<'END'
import os, signal, socket, subprocess, sys
daemon, here = sys.argv[1:]
for path in (here + "/notify", "\0holdfastd-test-%d" % os.getpid()):
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.settimeout(20)
    told.bind(path)
    process = subprocess.Popen(
        [daemon, "--port", "0", "--at", "memory:notify"],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NOTIFY_SOCKET": path.replace("\0", "@")})
    try:
        ready = told.recv(64)
        process.send_signal(signal.SIGTERM)
        stopping = told.recv(64)
        ended = process.wait(20)
    finally:
        process.kill()
        process.wait()
    if (ready, stopping, ended) != (b"READY=1", b"STOPPING=1", 0):
        sys.exit(1)
END
}
check "a service manager is told when it is ready, and when it stops" notified

# ---- While it runs -----------------------------------------------------------------
conf=$here/running.conf
printf 'host = first.example\nhost = third.example\nlog = json\n' >"$conf"
rm -f "$here/port"
"$daemon" --port 0 --at memory:x --no-grace --config "$conf" --ready-fd 7 \
    7>"$here/port" 2>"$here/log" &
pid=$!
started+=("$pid")
await "it to listen" [ -s "$here/port" ]
url=http://127.0.0.1:$(cat "$here/port")
logged() { # EVENT FILTER: a line of the log, as JSON
    jq -Rne "[inputs | fromjson?] | any(.event == \"$1\" and ($2))" \
        "$here/log" >"$here/jq.out"
}
await "it to lead" logged leads '.term > 0'
check "the log has a line of JSON for what it does" \
    logged listens ".address == \"${url#http://}\" and .level == \"info\""
asked_as() { # HOST: the status
    curl -s -m 20 -o "$here/as" -w '%{http_code}' -H "Host: $1" "$url/healthz"
}
check "it is called by the names it was told" \
    [ "$(asked_as first.example) $(asked_as third.example)" = "200 200" ]
printf 'host = second.example\nlog = json\nconnections = 7\nlocks = 9000\n' \
    >"$conf"
kill -HUP "$pid"
await "the settings to be read again" logged "settings were read again" true
check "and by others after SIGHUP" [ "$(asked_as second.example)" = 200 ]
check "and no more by those that were taken out" \
    [ "$(asked_as first.example) $(asked_as third.example)" = "421 421" ]
check "what needs a restart is named" \
    logged "needs a restart" '.setting == "connections, locks"'
echo 'colour = red' >"$conf"
kill -HUP "$pid"
await "the refusal" logged "settings are as they were" '.why | test("colour")'
check "a file that is wrong changes nothing" \
    [ "$(asked_as second.example)" = 200 ]
curl -s -m 20 -o "$here/granted" -d '{}' "$url/v1/locks/a/acquire"
fence=$(grep -o '"fence":[0-9]*' "$here/granted" | cut -d: -f2)
curl -s -m 20 -o "$here/clear" -d '{"fence":1,"reason":"of nothing"}' \
    "$url/v1/locks/b/clear"
curl -s -m 20 -o "$here/clear" -d "{\"fence\":$fence,\"reason\":\"too soon\"}" \
    "$url/v1/locks/a/clear"
curl -s -m 20 -o "$here/clear" \
    -d "{\"fence\":$fence,\"reason\":\"a \\\"reason\\\"\",\"force\":true}" \
    "$url/v1/locks/a/clear"
check "a clear is in the log, with its reason" \
    logged clear ".name == \"a\" and .why == \"a \\\"reason\\\"\" and .fence == $fence"
check "and one of nothing is not" [ "$(grep -c 'of nothing' "$here/log")" = 0 ]
check "nor one that took nothing" [ "$(grep -c 'too soon' "$here/log")" = 0 ]
check "and no secret is" [ "$(grep -c secret "$here/log")" = 0 ]
kill -TERM "$pid"
wait "$pid"
check "that it stops is the last" logged stops true

options_of() {
    grep -oE -e '--[a-z]+(-[a-z]+)*' | sort -u
}
check "the man page has the options of --help" \
    diff <("$daemon" --help | options_of) \
    <(sed 's/\\-/-/g' "$(dirname "$0")/../../man/holdfastd.8" | options_of)

finish
