#!/bin/bash
# To the millisecond: a takeover lock's command never outlasts the right, even
# if one of holdfast and its guard is frozen, and is not started without one.
# Their clock stands still; what the test lets pass, passes at once.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
shim=$6

began=1000000000 # ms, whenever it is claimed
ended=$((began + 60000 - 3000)) # the ttl, without the margin
worried=$((ended - 20000))      # the grace

# A command that notes its number, and each TERM, and goes on.
cat >"$here/job" <<'END_OF_JOB'
trap 'echo TERM >>"$1.heard"' TERM
echo $$ >"$1.new"
mv "$1.new" "$1.pid"
while :; do read -rt 0.05 <> <(:); done
END_OF_JOB

# clock ID MS: what its clock shows from now on.
clock() {
    echo "$2" >"$here/$1.clock.new"
    mv "$here/$1.clock.new" "$here/$1.clock"
}

begin() { # begin ID COMMAND...: hold the lock ID, or wait for it, as $pid
    local id=$1
    shift
    clock "$id" "$began"
    LD_PRELOAD=$shim HF_CLOCK="$here/$id.clock" start "$id" run \
        --ttl 60s --beat 10s --grace 20s "$id" -- "$@"
    await "the guard" has_guard "$pid"
    guard=$(guard_of "$pid")
    started+=("$guard") # frozen, it would not end by itself
}

# Each at a place of its own: whoever is frozen may be in the middle of a write.
at_place() { # at_place ID
    HOLDFAST_AT="sqlite:$here/$1.db"
}

hold() { # hold ID: with its $guard and its command, $job
    at_place "$1"
    begin "$1" bash "$here/job" "$here/$1"
    await "the command" test -s "$here/$1.pid"
    job=$(cat "$here/$1.pid")
    started+=("$job")
}

# Stop it; is each of its threads stopped, or the process gone?  The guard's
# TERM is followed by a CONT, which may come after our STOP.
stopped() {
    kill -STOP "$1"
    ! cat "/proc/$1"/task/*/status 2>/dev/null | grep '^State:' |
        grep -qvE 'stopped|zombie|dead'
}

freeze() {
    await "process $1 to stop" stopped "$1"
}

# Have the guard hear of its command, and look at its clock.
poke() {
    freeze "$job"
    kill -CONT "$job" 2>/dev/null
}

rests() { # rests PID: how often it has waited
    sed -n 's/^voluntary_ctxt_switches:[[:blank:]]*//p' "/proc/$1/status"
}

rested_since() { # rested_since COUNT PID
    [ "$(rests "$2")" -ge "$1" ]
}

# Its alarm rings each millisecond when there is but one left.
goes_round() {
    await "the guard to look at its clock" \
        rested_since $(($(rests "$guard") + 20)) "$guard"
}

# ---- Its clock ------------------------------------------------------------------
hold alone
clocks=$(cat "/proc/$pid/fdinfo/"* "/proc/$guard/fdinfo/"* 2>/dev/null |
    sed -n 's/^clockid: *//p' | tr '\n' ' ')
if [ -n "$clocks" ]; then # CLOCK_BOOTTIME's number, and three alarms' clock
    check "the library's, holdfast's and the guard's alarm count time asleep" \
        is "7 7 7 " "$clocks"
else
    check "the alarms count time asleep # SKIP the kernel does not tell" true
fi

# ---- holdfast frozen: the guard does it all -------------------------------------
freeze "$pid"
clock alone $((worried - 1))
poke
goes_round
check "a ms before the grace the command is left alone" \
    test ! -e "$here/alone.heard"
clock alone "$worried"
await "the TERM" test -s "$here/alone.heard"
clock alone $((ended - 1))
poke
goes_round
check "it has the grace to the last ms of the right" runs "$job"
clock alone "$ended"
check "and is ended just with the right" await "the KILL" all_gone "$job"
await "the guard" all_gone "$guard"
kill -CONT "$pid"
finished "$pid"
check "holdfast, awake again, ends with 76" is 76 "$code"

# As when the machine was suspended: nobody has seen the grace begin.
hold suspended
freeze "$pid"
clock suspended "$ended"
poke
check "with the right over there is no grace" await "the KILL" \
    all_gone "$job" "$guard"
kill -CONT "$pid"
finished "$pid"
check "and holdfast ends with 76" is 76 "$code"

# ---- The guard frozen: holdfast does it all -------------------------------------
hold guardless
freeze "$guard"
clock guardless "$ended"
check "the guard frozen: the command is ended with the right" \
    await "the KILL" all_gone "$job"
finished "$pid"
check "holdfast ends with 76" is 76 "$code"
check "having said why" says guardless.err \
    "guardless is lost: no beat was written in time"

# ---- The guard frozen before the command is started -----------------------------
# Granted by now, with a guard that knows nothing of it yet.  TERM does not end
# this command: it was ignored before.
granted_unheard() { # granted_unheard ID
    local first
    at_place "$1"
    start first run "$1" -- sleep 1000
    first=$pid
    await "the first holder" held "$1"
    trap '' TERM
    begin "$1" touch "$here/$1.ran"
    trap - TERM
    freeze "$guard"
    kill -KILL "$first"
    finished "$first"
    await "the grant to be sent" says "$1.err" "took over $1"
}

granted_unheard late
freeze "$pid"
clock late "$worried"
kill -CONT "$guard"
await "the guard" all_gone "$guard"
check "the grace begun: the command is not started" test ! -e "$here/late.ran"
kill -CONT "$pid"
finished "$pid"
check "holdfast ends with 76" is 76 "$code"
check "and says so" says late.err \
    "granted too late to be safe: the command was not started"

granted_unheard orphan
kill -KILL "$pid"
finished "$pid"
kill -CONT "$guard"
await "the guard" all_gone "$guard"
check "holdfast dead: its grant starts nothing" test ! -e "$here/orphan.ran"
finish
