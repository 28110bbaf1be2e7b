#!/bin/bash
# --leave: what a command has left keeps no lock, if it ended by itself and in
# time.  Killed, lost or signalled, all of it is ended as without.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# Leaves a daemon, whose number it notes, and ends with 5 as soon as it may.
cat >"$here/leaving" <<'END'
setsid sleep 1000 </dev/null >/dev/null 2>&1 &
echo $! >"$1.new"
mv "$1.new" "$1"
until [ -e "$1.go" ]; do read -rt 0.02 <> <(:); done
exit 5
END

leaving() { # leaving NAME OPTION...: as $pid, with its $daemon
    local name=$1
    shift
    rm -f "$here/daemon" "$here/daemon.go"
    start holder run "$@" "$name" -- bash "$here/leaving" "$here/daemon"
    await "the daemon" test -s "$here/daemon"
    daemon=$(cat "$here/daemon")
    started+=("$daemon")
}

# ---- It ends by itself ----------------------------------------------------------
leaving d
: >"$here/daemon.go"
await "the word of it" says holder.err "stays held until nothing is"
run run -n d -- true
check "without --leave a daemon keeps the lock" exits 75
kill -KILL "$daemon"
finished "$pid"

for kind in takeover refuse; do
    leaving d --if-dead "$kind" --leave
    run run -n d -- true
    check "$kind, --leave: while the command runs it is held" exits 75
    : >"$here/daemon.go"
    await "its end" all_gone "$pid"
    finished "$pid"
    check "it ends with the command's code" is 5 "$code"
    check "the daemon runs on" runs "$daemon"
    check "which is said" says holder.err \
        "1 process of it is left (sleep, pid $daemon): d is not held for that, by --leave"
    run run -n d -- true
    check "and the lock is free" exits 0
    kill -KILL "$daemon"
done

leaving d --leave -q
: >"$here/daemon.go"
finished "$pid"
check "with -q nothing is said" is "" "$(cat "$here/holder.err")"
kill -KILL "$daemon"

run run --leave d -- sh -c 'exit 6'
check "who leaves nothing is given back as ever" exits 6

# ---- It does not ----------------------------------------------------------------
leaving d --leave --grace 300ms
kill -KILL "$pid"
run run -w 60s d -- true
check "holdfast killed: the next one is granted it" exits 0
check "when nothing is left, the daemon neither" all_gone "$daemon"

leaving d --leave --grace 300ms
kill -KILL "$(guard_of "$pid")"
finished "$pid"
check "the guard killed: 137" is 137 "$code"
check "and the daemon is gone" all_gone "$daemon"

leaving d --leave --grace 300ms
kill -TERM "$pid"
await "the word of what is left" says holder.err "stays held until nothing is"
check "signalled: the daemon keeps the lock, as without" runs "$daemon"
run run -n d -- true
check "which nobody else is granted" exits 75
kill -TERM "$pid"
finished "$pid"
check "and hears the next signal" all_gone "$daemon"
check "the command died of the first" is 143 "$code"

start holder run --leave d -- sh -c 'trap "exit 7" TERM
    setsid sleep 1000 & echo $! >"$1"; while :; do sleep 0.05; done' sh "$here/trapping"
await "the daemon" test -s "$here/trapping"
daemon=$(cat "$here/trapping")
started+=("$daemon")
kill -TERM "$pid"
await "the word of what is left" says holder.err "stays held until nothing is"
check "so it is where the command ends with a code of its own" runs "$daemon"
kill -TERM "$pid"
finished "$pid"
check "which is ours, too" is 7 "$code"
check "and the daemon hears the next signal" all_gone "$daemon"

leaving d --leave
kill -KILL "$(ps -o pid= --ppid "$(guard_of "$pid")" | head -n 1)"
await "the word of what is left" says holder.err "stays held until nothing is"
check "the command killed: the daemon keeps the lock, as without" runs "$daemon"
kill -KILL "$daemon"
finished "$pid"
check "until it is gone" is 137 "$code"

leaving d --leave --grace 300ms
sql "DELETE FROM holdfast_records WHERE name = 'd'"
finished "$pid"
check "lost: the command is ended" is 76 "$code"
check "and the daemon with it" all_gone "$daemon"

# The right is over before the command ends.
leaving d --leave --if-dead refuse --ttl 2s --beat 200ms --grace 200ms
place_away
await "the doubt" says holder.err "in doubt"
: >"$here/daemon.go"
await "the word of what is left" says holder.err "stays held until nothing is"
check "in doubt: the daemon keeps the lock" runs "$pid"
place_back
await "the right is there again" says holder.err "certain again"
finished "$pid"
check "until it is certain again" is 5 "$code"
check "then the daemon is left" runs "$daemon"
kill -KILL "$daemon"
finish
