#!/bin/bash
# --hold-at-least: a lock that is given back too soon lets a second one run what
# should run once.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
now_ms() {
    date +%s%3N
}

# ---- The cron of two hosts, a second apart --------------------------------------
export at="$HOLDFAST_AT" out="$here/cron" holdfast
cron() {
    "$holdfast" run -n -q -E 0 --hold-at-least 3s --at "$at" cron -- \
        sh -c 'echo ran >>"$out"'
}
cron &
first=$!
started+=("$first")
await "its end of the command" test -s "$out"
cron
check "the second one does not run" is 0 "$?"
check "though the command of the first has ended" is 1 "$(wc -l <"$out")"
wait "$first"
check "both ended with 0" is 0 "$?"
cron
check "later it runs again" is 2 "$(wc -l <"$out")"

# ---- From the grant, whatever the exit code ---------------------------------------
before=$(now_ms)
run run --hold-at-least 3s k -- sh -c 'sleep 2; exit 3'
after=$(now_ms)
check "a command that fails is held on, too, and its code stays" exits 3
check "for as long as was said" test $((after - before)) -ge 3000
check "from the grant, not from its end" test $((after - before)) -lt 4900
check "which is said" says run.err "k stays held for"
run run -q --hold-at-least 300ms k -- sh -c 'kill -KILL $$'
check "so is one that was killed alone" exits 137
check "with -q in silence" is "" "$(cat "$here/run.err")"
before=$(now_ms)
run run --hold-at-least 100ms k -- sleep 1
check "a longer command is given back at its end" exits 0
check "and nothing is said" is "" "$(cat "$here/run.err")"
run run --hold-at-least 10m k -- "$here/nothing"
check "what was not started is not held: 127" exits 127
run run --hold-at-least 0s k -- true
check "no time is none" exits 64

# ---- It beats on ------------------------------------------------------------------
start kept run --ttl 2s --beat 200ms --hold-at-least 10m k -- true
await "the end of the command" says kept.err "stays held"
beats() {
    "$holdfast" show k | sed -n 's/^beats *\([0-9]*\).*/\1/p'
}
more_than() { # more_than NUMBER: beats
    [ "$(beats)" -gt "$1" ]
}
await "more beats than a ttl has" more_than $(($(beats) + 11))
run run -n k -- true
check "past its ttl it is beaten, and held" exits 75

# ---- Ended by a signal, or by loss --------------------------------------------------
kill -TERM "$pid"
finished "$pid"
check "a signal ends it, with the command's code" is 0 "$code"
run run -n k -- true
check "and the lock is free" exits 0

start kept run --hold-at-least 10m k -- sh -c 'trap "exit 4" TERM
    echo >"$1"; while :; do sleep 0.05; done' sh "$here/begun"
await "the command" test -e "$here/begun"
kill -TERM "$pid"
finished "$pid"
check "one that ended the command ends it as well" is 4 "$code"

start kept run --hold-at-least 10m k -- true
await "the end of the command" says kept.err "stays held"
run clear --force --reason "a test" k
finished "$pid"
check "a loss ends it, with the command's code" is 0 "$code"
check "and is said" says kept.err "k is lost"
check "as what it is" says kept.err "that was after the end of the command"
check "by whom, too" says kept.err "was cleared by"

start kept run --if-dead refuse --ttl 2s --beat 200ms --hold-at-least 5s k -- true
await "the end of the command" says kept.err "stays held"
place_away
await "the doubt" says kept.err "in doubt"
check "a refuse lock in doubt is held on" says kept.err "it is held on"
place_back
finished "$pid"
check "and given back when its time is over" is 0 "$code"
run run -n k -- true
check "for the next one" exits 0

# ---- With --leave -------------------------------------------------------------------
start kept run --leave --hold-at-least 2s k -- \
    sh -c 'setsid sleep 1000 & echo $! >"$1"' sh "$here/daemon"
await "the end of the command" says kept.err "stays held"
daemon=$(cat "$here/daemon")
started+=("$daemon")
run run -n k -- true
check "--leave shortens nothing" exits 75
finished "$pid"
check "and what is left runs on" runs "$daemon"
finish
