#!/bin/bash
# demo_server.sh HOLDFAST HOLDFASTD GHOSTS: what went wrong with a lock server in
# 2017 (AtlasDB, ADR 11, issue 1680), with real processes: first at GHOSTS, which
# is HOLDFASTD with that one mistake, and then at HOLDFASTD.
set -u

usage="usage: demo_server.sh HOLDFAST HOLDFASTD GHOSTS"
holdfast=$(realpath "${1:?$usage}") || exit 70
holdfastd=$(realpath "${2:?$usage}") || exit 70
ghosts=$(realpath "${3:?$usage}") || exit 70
. "$(dirname "$0")/demo_common.sh"

# ---- A server, and clients with nothing but a socket -------------------------

# serve NAME PROGRAM OPTION...: $port and $server are its.
serve() {
    local name=$1 program=$2

    shift 2
    "$program" --port 0 --at "memory:$name" --no-grace --ready-fd 7 "$@" \
        7>"$here/$name.port" 2>"$here/$name.err" &
    server=$!
    started+=("$server")
    until_true 20 "the server does not listen" [ -s "$here/$name.port" ]
    port=$(cat "$here/$name.port")
    export HOLDFAST_AT=http://127.0.0.1:$port
    until_true 20 "the server does not lead" holds_nothing
}

holds_nothing() {
    "$holdfast" ls >"$here/ls.out" 2>&1
}

stop() {
    kill -TERM "$server"
    wait "$server" || fail "the server did not end well"
}

# ask OUT PATH BODY [SECRET]: becomes whoever waits for the answer.
ask() {
    local fd

    exec {fd}<>"/dev/tcp/127.0.0.1/$port" || exit 1
    printf '%s\r\n' "POST $2 HTTP/1.1" 'Host: localhost' 'Connection: close' \
        "Content-Length: ${#3}" ${4:+"Holdfast-Secret: $4"} '' >&"$fd"
    printf '%s' "$3" >&"$fd"
    exec cat <&"$fd" >"$here/$1.answer"
}

field() { # OUT NAME: a text of the answer
    sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$here/$1.answer"
}

# client NAME TTL: a session of its own.
client() {
    (ask "$1-session" /v1/sessions "{\"who\":\"$1\",\"ttl\":\"$2\"}")
    [ -n "$(field "$1-session" secret)" ] || fail "$1 has no session"
}

# call NAME AS PATH MORE: in the background; $caller is who waits.
call() {
    ask "$2" "$3" "{\"session\":\"$(field "$1-session" session)\"$4}" \
        "$(field "$1-session" secret)" &
    caller=$!
    started+=("$caller")
}

blocks() { # NAME
    call "$1" "$1" /v1/locks/L/acquire ',"wait":null'
}

# What idle timeouts do: whoever waits for the answer is there no more.
cut() {
    kill -KILL "$caller"
    wait "$caller" 2>/dev/null
}

releases() { # NAME
    local waiting=$caller

    call "$1" "$1-release" /v1/locks/L/release ''
    wait "$caller"
    caller=$waiting
    grep -q '"released"' "$here/$1-release.answer" ||
        fail "$1 did not release"
}

is_granted() { # NAME
    grep -q '"granted":true' "$here/$1.answer"
}

look() {
    "$holdfast" show L >"$here/look.out" 2>&1
}

holder_is() { # NAME
    look && grep -q "^holder  *$1@" "$here/look.out"
}

waiters_are() { # COUNT
    look && grep -q "^in line  *$1\$" "$here/look.out"
}

nobody_waits() {
    look && ! grep -q '^in line  *[1-9]' "$here/look.out"
}

# What the server shows of L.
quote_line() {
    sed -n '/^in line/,$s/^/    | /p' "$here/look.out"
}

say "A lock server, and what blocked requests did to it in 2017: AtlasDB's ADR 11"
say "tells it step by step, and here it happens, with real processes.  Clients are"
say "sockets that ask once; a stream that is cut is a client that is killed.  B's"
say "retries were new requests to that server, so each has a session of its own."
say
say "1. As it was: a server with that one mistake (a request whose stream was cut"
say "   stays), in which nothing ends a blocked request."
serve ghosts "$ghosts" --idle-timeout 1h --max-ttl 2h
client A 30s
client B1 5s # or it takes two minutes until it is reaped
for i in 2 3 4 5 6; do
    client B$i 30s
done
say
say "   1. Client A acquires lock L"
call A A /v1/locks/L/acquire ''
wait "$caller"
is_granted A || fail "A was not granted L"
say "   2. Client B blocks on acquiring lock L, with request B1"
blocks B1
until_true 20 "B1 does not wait" waiters_are 1
say "   3. The idle timeout for Client B's connection runs out, and we close the"
say "      HTTP/2 stream (here HTTP/1.1, and the connection)"
cut
say "   4. Client B retries, and blocks on acquiring lock L, with request B2"
blocks B2
until_true 20 "B2 does not wait behind B1" waiters_are 2
quote_line
say "   5. Client A releases L"
releases A
say "   6. Request B1 is granted, but client B is no longer listening on it"
until_true 20 "B1 was not granted" holder_is B1
quote_line
is_granted B2 && fail "B2 was granted, too"
say "   7. (2 minutes) The idle timeout for Client B will expire four times, and"
say "      Client B retries with requests B3, B4, B5, B6"
cut
for i in 3 4 5 6; do
    blocks B$i
    until_true 20 "B$i does not wait behind the others" waiters_are $((i - 1))
    [ $i = 6 ] || cut
done
say "   8. The lock granted to request B1 is reaped, and request B2 is granted, but"
say "      client B is not listening for it"
until_true 20 "B2 was not granted" holder_is B2
until_true 20 "there is no backlog" waiters_are 4
quote_line
is_granted B6 && fail "B6 was granted"
say "   Proved: nobody uses L, B6 listens, and four requests are in line for one"
say "   client: L is lost to B for as long as it asks."
cut
kill -KILL "$server"
wait "$server" 2>/dev/null
say
say "2. The same here.  The same clients and settings; holdfastd as it is."
serve now "$holdfastd" --idle-timeout 1h --max-ttl 2h
client A 30s
for i in 1 2 3 4 5 6; do
    client B$i 30s
done
call A A /v1/locks/L/acquire ''
wait "$caller"
is_granted A || fail "A was not granted L"
rm -f "$here"/B?.answer
for i in 1 2 3 4 5; do
    blocks B$i
    until_true 20 "B$i does not wait alone" waiters_are 1
    cut
    until_true 20 "B$i is still in line" nobody_waits
done
say "   A acquires L.  B1 to B5 block and are cut, one after the other: each leaves"
say "   the line with its stream, and at most one is in it."
blocks B6
until_true 20 "B6 does not wait alone" waiters_are 1
quote_line
releases A
until_true 20 "B6 was not granted" is_granted B6
holder_is B6 || fail "B6 does not hold L"
say "   Proved: A releases L, and B6, which listens, has it."
wait "$caller"
releases B6
stop
say
say "3. And nothing has to be cut: whoever waits is told to ask again before the"
say "   idle timeout, here three seconds, less a margin of half of it."
serve told "$holdfastd" --idle-timeout 3s --idle-margin 0.5
client A 30s
client B 30s
call A A /v1/locks/L/acquire ''
wait "$caller"
blocks B
wait "$caller"
sed -n 's/^HTTP/    | HTTP/p; s/^{/    | {/p' "$here/B.answer" | tr -d '\r'
echo
grep -q '^HTTP/1.1 503' "$here/B.answer" || fail "B was not told to ask again"
grep -q BlockingTimeoutException "$here/B.answer" || fail "it is not typed"
until_true 20 "B has lost its place" waiters_are 1
blocks B
releases A
until_true 20 "B was not granted" is_granted B
wait "$caller"
say "   Proved: a typed 503; B kept its place in line, asked again, and has L."
releases B
stop
say
say "All of it was shown, in $SECONDS s."
