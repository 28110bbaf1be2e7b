#!/bin/bash
# Whoever of holdfast, its guard and the command is killed or frozen: nobody
# else runs until all that the command started is gone.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
headless=$5

# A command that ignores TERM, with a grandchild that does too in a session of
# its own, and one that has lost its parent.  Notes their numbers.
cat >"$here/stubborn" <<'END'
trap '' TERM
setsid sleep 1000 &
echo $! >>"$1.new"
(setsid sh -c 'trap "" TERM; echo $$ >>"$1.new"; exec sleep 1000' sh "$1" &)
until [ "$(wc -l <"$1.new")" = 2 ]; do read -rt 0.01 <> <(:); done
echo $$ >>"$1.new"
mv "$1.new" "$1"
while :; do read -rt 0.1 <> <(:); done
END

# The next one's command: notes which of them it finds alive.
cat >"$here/next" <<'END'
while read -r one; do
    state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$one/status" \
        2>/dev/null)
    case $state in '' | Z | X) ;; *) echo "$one is alive" ;; esac
done <"$1"
echo "fence $HOLDFAST_FENCE"
END

hold_stubborn() { # hold_stubborn NAME OPTION...: as $pid, with its $guard
    local name=$1
    shift
    rm -f "$here/pids"
    start holder run "$@" --grace 300ms "$name" -- \
        bash "$here/stubborn" "$here/pids"
    await "the command" test -s "$here/pids"
    guard=$(guard_of "$pid")
    mapfile -t below <"$here/pids"
}

# The next one gets the lock, alone, with a higher fence than the one before.
next_is_alone() { # next_is_alone NAME
    local before
    before=$1.fence
    run run "$1" -- bash "$here/next" "$here/pids"
    exits 0 && is "" "$(grep alive "$here/run.out")" || return 1
    sed -n 's/^fence //p' "$here/run.out" >"$here/fence.now"
    [ ! -e "$here/$before" ] || test "$(cat "$here/fence.now")" -gt \
        "$(cat "$here/$before")" || return 1
    mv "$here/fence.now" "$here/$before"
}

# ---- takeover -----------------------------------------------------------------
hold_stubborn t
kill -KILL "$pid"
check "holdfast killed: the next one runs alone" next_is_alone t
check "and the guard is gone" await "the guard" all_gone "$guard"
check "having said what it did" says holder.err "ending the command"

hold_stubborn t
kill -KILL "$guard"
check "the guard killed: the next one runs alone" next_is_alone t
finished "$pid"
check "and holdfast ends with 137" is 137 "$code"

hold_stubborn t
kill -KILL "${below[2]}"
await "the word of what is left" says holder.err "2 processes of it are left"
run run -n t -- true
check "the command killed: what it started keeps the lock" exits 75
kill -KILL "${below[0]}" "${below[1]}"
check "and then the next one runs alone" next_is_alone t
finished "$pid"
check "and holdfast ends with 137" is 137 "$code"

# ---- refuse -------------------------------------------------------------------
hold_stubborn r --if-dead refuse
kill -KILL "$pid"
run run r -- touch "$here/ran"
check "refuse, holdfast killed: the next one gives up with 73" exits 73
check "when all that the command started is gone" all_gone "${below[@]}"
check "it says that the holder is gone" says run.err "gone"
check "who it was and what it ran" says run.err "stubborn"
check "since when, and its last value" grep -qE \
    'last value: beat [0-9]+ of claim [0-9]+' "$here/run.err"
fence=$("$holdfast" show --json r | "$json" fence)
check "and how to clear it" says run.err \
    "holdfast clear --at $HOLDFAST_AT --fence $fence --reason '…' r"
run clear --fence $((fence - 1)) --force --reason "test" r
check "which spares a holder of another fence: 1" exits 1
check "as is said" says run.err "r was not cleared: its fence is $fence by now"
run run --if-dead takeover r -- touch "$here/ran"
check "no option of a taker overrides it" exits 73
check "and nothing ran" test ! -e "$here/ran"
run clear --fence "$fence" --reason "test" r
check "cleared at once, for its processes are gone" exits 0
check "the next one runs" next_is_alone r

hold_stubborn r --if-dead refuse
kill -KILL "$guard"
finished "$pid"
check "refuse, the guard killed: holdfast ends with 137" is 137 "$code"
check "and all that the command started is gone" all_gone "${below[@]}"
check "it leaves the lock for a person" says holder.err "left for a person"
run run r -- true
check "so the next one gives up with 73" exits 73
run clear --reason "test" r
check "until it is cleared" next_is_alone r

# ---- Without its first thread ---------------------------------------------------
# Holds h, as $pid; the process that its command has started in a session of
# its own is what the test is about.
hold_headless() {
    rm -f "$here/alive"
    start holder run --ttl 3s --beat 300ms --grace 300ms h -- \
        sh -c 'setsid "$1" "$2" & wait' sh "$headless" "$here/alive"
    await "the command" test -s "$here/alive"
    started+=("$(cat "$here/alive")")
    await "the end of its first thread" grep -q '^State:.Z' \
        "/proc/$(cat "$here/alive")/status"
}

hold_headless
kill -KILL "$pid"
run run h -- flock -n "$here/alive" true
check "holdfast killed: no process runs on without its first thread" exits 0

hold_headless
kill -KILL "$(guard_of "$pid")"
run run h -- flock -n "$here/alive" true
check "nor with the guard killed" exits 0
finished "$pid"

start holder run h -- sh -c 'setsid "$1" "$2" &' sh "$headless" "$here/alive"
await "the word of it" says holder.err "1 process of it is left ("
check "such a process, left by the command, is said" says holder.err headless
await "its number" test -s "$here/alive"
kill -KILL "$(cat "$here/alive")"
finished "$pid"
check "and keeps the lock until it is gone" is 0 "$code"

# ---- Stopped --------------------------------------------------------------------
# A process of the command that is stopped: the guard does not look after it.
cat >"$here/stopped" <<'END'
setsid bash -c 'trap "echo heard >\"$1.heard\"; exit" TERM
    echo $$ >"$1"
    kill -STOP $$' bash "$1" &
wait
END
is_stopped() { # is_stopped FILE
    grep -q '^State:.T' "/proc/$(cat "$1")/status" 2>/dev/null
}

start holder run --grace 2s p -- bash "$here/stopped" "$here/one"
await "a process that is stopped" is_stopped "$here/one"
started+=("$(cat "$here/one")")
guard=$(guard_of "$pid")
kill -KILL "$pid"
await "the guard" all_gone "$guard"
check "what is stopped hears TERM, too" test -s "$here/one.heard"

# ---- Frozen ---------------------------------------------------------------------
hold_stubborn f --ttl 2s --beat 300ms
freeze "$pid"
check "holdfast frozen past its ttl: the next one runs alone" next_is_alone f
kill -CONT "$pid"
finished "$pid"
check "and holdfast, awake again, ends with 76" is 76 "$code"

hold_stubborn f --ttl 2s --beat 300ms
kill -STOP "$guard"
kill -KILL "${below[@]}"
run run -n f -- true
check "the guard frozen: the lock stays held" exits 75
kill -CONT "$guard"
finished "$pid"
check "until it is awake" is 137 "$code"
check "then the next one runs" next_is_alone f

start holder run --if-dead refuse --ttl 1500ms --beat 200ms --grace 200ms s -- \
    sh -c 'until [ -e "$1" ]; do sleep 0.05; done; exit 0' sh "$here/go"
await "the holder" held s
freeze "$pid"
run run -w 2s s -- true
check "refuse, holdfast frozen: suspected, not declared dead" exits 73
check "says so" says run.err "suspected dead"
check "and that a process of it is there" says run.err "is there (stopped?)"
check "which must end before it is cleared" says run.err \
    "end what is left of processes $pid and $(guard_of "$pid")"
run why s
check "as why says, too" says run.out "end what is left of processes $pid"
kill -CONT "$pid"
: >"$here/go"
finished "$pid"
check "awake again it has lost nothing" is 0 "$code"
finish
