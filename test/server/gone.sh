#!/bin/bash
# gone.sh HOLDFAST SOURCE-FOLDER JSON-READER HOLDFASTD: who waits, tries or
# gives up where no server answers.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
daemon=$4

serve() { # serve PORT: as $server, at $HOLDFAST_AT
    rm -f "$here/port"
    "$daemon" --listen "127.0.0.1:$1" --at "sqlite:$here/served.db" \
        --ready-fd 7 7>"$here/port" 2>>"$here/daemon.err" &
    server=$!
    started+=("$server")
    await "the server to listen" [ -s "$here/port" ]
    HOLDFAST_AT="http://127.0.0.1:$(cat "$here/port")"
    await "the server to lead" leads
}

leads() { "$holdfast" ls >"$here/leads.out"; }

# timed COMMAND...: after how many ms it returned, in $took.
timed() {
    local begun

    begun=$(date +%s%N)
    "$@"
    took=$((($(date +%s%N) - begun) / 1000000))
}

# Within its 2 s, and what a busy machine adds: all that is wrong takes 20 s.
is_prompt() {
    [ "$took" -lt 10000 ] || {
        echo "# it took $took ms"
        return 1
    }
}

serve 0
start holder run job -- sleep 100
await "a holder" held job

# ---- Short waits --------------------------------------------------------------
run run -w 1ms free -- true
check "the shortest wait is answered, and has what is free" is 0 "$code"
run run -w 1ms job -- true
check "or is told that others hold it" is 75 "$code"
run run -n job -- true
check "as a try is" is 75 "$code"

# ---- A server that goes away --------------------------------------------------
start taker run -w 10m job -- true
taker=$pid
start orphan run -w 10m job -- true
orphan=$pid
start refuser run -w 10m --if-dead refuse job -- true
refuser=$pid
start settled run -w 10m --if-dead refuse job -- true
settled=$pid
four_wait() {
    [ "$("$holdfast" show job | grep -cE '^ +[0-9]+ +exclusive')" = 4 ]
}
await "all of them to wait" four_wait
start watcher watch job
watcher=$pid
await "what is watched" says watcher.out "held by"
kill -KILL "$server"
wait "$server" 2>/dev/null
for waiter in taker orphan refuser settled; do
    await "the word of no answer" says "$waiter.err" "nothing is known about job"
done
await "who watches to say so" \
    says watcher.err "nothing is known about job, watching on: "

kill -TERM "$taker"
timed finished "$taker"
check "who waits and holds nothing ends after one signal" is 143 "$code"
check "within seconds" is_prompt
check "and says what may be left" says taker.err "a record of job may be left"

guard=$(guard_of "$orphan")
kill -KILL "$guard"
timed finished "$orphan"
check "so does one whose guard is killed" is_prompt
check "and says that" says orphan.err "the guard was killed"

kill -TERM "$refuser" "$settled"
await "the word of it" says refuser.err "still giving up job"
await "the other's" says settled.err "still giving up job"
check "a refuse claim that was sent is settled first" runs "$refuser"
kill -TERM "$refuser"
timed finished "$refuser"
check "a second signal leaves it" is 143 "$code"
check "and what is to be cleared then is said" \
    says refuser.err "clear --at $HOLDFAST_AT"

# ---- No server ----------------------------------------------------------------
timed run run -n job -- true
check "a try without a server ends: 69" is 69 "$code"
check "within seconds" is_prompt
timed run run -w 1ms job -- true
check "and so does the shortest wait" is 69 "$code"
check "as soon" is_prompt
python3 - >"$here/deaf" <<'END' &
import socket, time
deaf = socket.create_server(("127.0.0.1", 0))
print(deaf.getsockname()[1], flush=True)
time.sleep(600)
END
started+=("$!")
await "a deaf server" [ -s "$here/deaf" ]
timed run run --at "http://127.0.0.1:$(cat "$here/deaf")" -n job -- true
check "a try at a server that does not answer ends, too" is 69 "$code"
check "as soon as without one" is_prompt

run watch -w 3s job
check "a watch of a server that is gone ends with its time: 69" is 69 "$code"
check "and has said why, once" is 1 "$(wc -l <"$here/run.err")"
run watch -w 1s --at "http://127.0.0.1:$(cat "$here/deaf")" job
check "so does one of a server that is deaf" is 69 "$code"
check "which says that there is no answer" says run.err "nothing is known about job"

# ---- It is back ---------------------------------------------------------------
lines=$(wc -l <"$here/watcher.out")
serve "${HOLDFAST_AT##*:}"
finished "$settled"
check "a claim is settled when the server is back" is 143 "$code"
check "and nothing is left of it" \
    is "" "$(grep 'may be left' "$here/settled.err")"
seen_again() { [ "$(wc -l <"$here/watcher.out")" -gt "$1" ]; }
await "who watches to see it again" seen_again "$lines"
check "who watched said once that there was no answer" \
    is 1 "$(wc -l <"$here/watcher.err")"
run watch -w 1s job
check "a watch of a server that is back ends well" is 0 "$code"

# ---- Places are taken ---------------------------------------------------------
start anew run anew -- sleep 100
await "one more holder" held anew
kill -KILL "$server"
wait "$server" 2>/dev/null
serve "${HOLDFAST_AT##*:}"
start early run -w 10m anew -- true
early=$pid
await "who came before places were taken to tell its own" \
    says early.err "we are number"
kill -TERM "$early"
finished "$early"
check "which is a second line, and no more" \
    [ "$(grep -c 'waiting for anew' "$here/early.err")" -le 2 ]

# ---- It forgets ---------------------------------------------------------------
start forgotten run --ttl 30s forgotten -- sleep 100
forgotten=$pid
await "another holder" held forgotten
rm "$here/served.db" "$here/served.db-wal" "$here/served.db-shm"
finished "$forgotten"
check "a grant that the server forgot is lost" is 76 "$code"
check "which is said, though its time was not over" says forgotten.err \
    "forgotten is lost: somebody cleared it, or its place lost it; ending"
finish
