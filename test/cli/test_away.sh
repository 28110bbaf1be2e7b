#!/bin/bash
# A place that is away, and a record that somebody cleared.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# A command that ends 7 on TERM, unless it is stubborn.
cat >"$here/job" <<'END'
[ "$2" = stubborn ] && trap '' TERM || trap 'echo termed; exit 7' TERM
echo $$ >"$1"
until [ -e "$1.go" ]; do read -rt 0.05 <> <(:); done
exit 0
END

job() { # job ID STUBBORN OPTION...
    local id=$1 stubborn=$2
    shift 2
    start "$id" run --ttl 2s --beat 200ms --grace 500ms "$@" "$id" -- \
        bash "$here/job" "$here/$id.pid" "$stubborn"
    await "the command" test -s "$here/$id.pid"
}

locked="other processes ke[ep]*t* it locked" # in one tense or the other

run run any -- true

# ---- takeover ------------------------------------------------------------------
job gentle no
place_away
finished "$pid"
place_back
check "a takeover lock that cannot be beaten ends its command: 76" is 76 "$code"
check "gently first" says gentle.out "termed"
check "and says so" says gentle.err "gentle is about to be lost"
check "and why" grep -q "lost.*$locked" "$here/gentle.err"

job rude stubborn
place_away
finished "$pid"
place_back
check "and by force when it does not go" is 76 "$code"
check "it is gone" all_gone "$(cat "$here/rude.pid")"
run run rude -- true
check "the next one gets the lock" exits 0

job frozen stubborn
guard=$(guard_of "$pid")
kill -STOP "$guard"
place_away
finished "$pid"
place_back
check "with its guard frozen, holdfast ends it by itself" is 76 "$code"
check "it is gone, and the guard too" \
    all_gone "$(cat "$here/frozen.pid")" "$guard"

start patient run patient -- bash "$here/job" "$here/patient.pid" no
await "the command" test -s "$here/patient.pid"
place_away
: >"$here/patient.pid.go"
await "the word of it" says patient.err "giving back"
run run -w 3s any -- true
check "nobody else is granted anything meanwhile" exits 69
place_back
finished "$pid"
check "as long as its right lasts a lock is given back: 0" is 0 "$code"
run show patient
check "and is free" exits 1

# ---- refuse ----------------------------------------------------------------------
job doubt no --if-dead refuse
place_away
await "the doubt" says doubt.err "in doubt"
check "a refuse lock past its right is in doubt, and its command runs" \
    runs "$(cat "$here/doubt.pid")"
check "and says why" grep -q "in doubt.*$locked" "$here/doubt.err"
place_back
await "certainty" says doubt.err "certain again"
: >"$here/doubt.pid.go"
finished "$pid"
check "when the place is back it goes on, to its end" is 0 "$code"
run show doubt
check "and is given back" exits 1

# ---- Cleared under its holder -------------------------------------------------------
# A beat between its look and its delete spares a lock: then once more.
clear_by_force() {
    local try

    for try in {1..20}; do
        run clear --force --reason "test $try" "$1"
        [ "$code" = 75 ] || break
    done
}

job cleared no
clear_by_force cleared
check "a live lock is cleared by force" exits 0
finished "$pid"
check "a takeover lock that was cleared ends its command: 76" is 76 "$code"
check "at once" is "" "$(cat "$here/cleared.out")"

job taken no --if-dead refuse
run clear --reason "test" taken
check "a live lock is not cleared without force" exits 75
check "because it is alive" says run.err "its holder is alive"
clear_by_force taken
check "with force it is" exits 0
finished "$pid"
check "a refuse lock that was cleared ends its command: 76" is 76 "$code"
check "gently" says taken.out "termed"
check "and says so" says taken.err "taken is lost: somebody cleared it"
run run taken -- true
check "and leaves no record" exits 0

# ---- Waiting for the place ------------------------------------------------------------
place_away
start waiting run -w 20s free -- echo ran
await "the word of the lock" grep -q "nothing is known about free.*$locked" \
    "$here/waiting.err"
check "a waiter is told that others keep the place locked" true
place_back
finished "$pid"
check "and goes on when they let go of it" is 0 "$code"
check "and runs its command" says waiting.out ran
place_away
began=$SECONDS
run run -n --ttl 40s --beat 10s --grace 2s free -- echo ran
check "so is one that does not wait" \
    grep -q "nothing is known about free.*$locked" "$here/run.err"
check "and it does not wait for them" exits 69
check "for more than a few seconds" test $((SECONDS - began)) -lt 10
check "with their name at the end" says run.err "lock free: "
place_back

# Whoever has the file for itself alone keeps others from opening it, too.
await "the other connection to end" all_gone "$away"
exec 7> >(exec sqlite3 "$here/locks.db" >"$here/alone.out" 2>&1)
alone=$!
started+=("$alone")
echo "PRAGMA busy_timeout=10000; PRAGMA locking_mode=EXCLUSIVE;
    BEGIN EXCLUSIVE; SELECT 'away';" >&7
await "the database to be taken" grep -q away "$here/alone.out"
start twice run free -- touch "$here/ran"
await "the word of it" says twice.err "does not open yet"
kill -TERM "$pid"
kill -INT "$pid"
finished "$pid"
check "two signals end one whose place does not open" \
    grep -qE '^(130|143)$' <<<"$code"
run run free -- true
check "a place that does not open is unavailable: 69" exits 69
check "and that is said before" says run.err \
    "the place does not open yet: $HOLDFAST_AT"
check "and why" grep -q "$locked" "$here/run.err"
run ls
check "so it is to who looks" says run.err \
    "the place does not open yet: $HOLDFAST_AT"
check "and why, at the end" grep -q "$locked" "$here/run.err"
run ls --json
check "but not to a program" test "$(wc -l <"$here/run.err")" = 1
start once run free -- touch "$here/ran"
await "the word of it" says once.err "does not open yet"
kill -TERM "$pid"
finished "$pid"
check "one ends it, though it never opens" is 143 "$code"
echo ".quit" >&7
exec 7>&-
check "and nothing was begun" test ! -e "$here/ran"
await "the database to be let go" all_gone "$alone"

# ---- Giving up while the place is away ----------------------------------------------
place_away
start stuck run stuck -- true
await "the guard" has_guard "$pid"
kill -INT "$pid"
kill -TERM "$pid"
finished "$pid"
check "two signals leave a place that does not answer" \
    grep -qE '^(130|143|69)$' <<<"$code"
place_back

start back run --ttl 60s --beat 15s --grace 1s back -- \
    bash "$here/job" "$here/back.pid" no
await "the command" test -s "$here/back.pid"
place_away
: >"$here/back.pid.go"
await "the word of it" grep -q "still giving back back: .*$locked" \
    "$here/back.err"
check "it is said why giving back takes long" true
check "and how to leave" says back.err "send SIGTERM twice"
kill -TERM "$pid"
kill -INT "$pid"
finished "$pid"
place_back
check "two signals leave it behind, which is said" \
    says back.err "a record of back may be left"

# ---- another place under its name --------------------------------------------------
job removed no
rm "$here/locks.db" "$here/locks.db-wal" "$here/locks.db-shm"
finished "$pid"
check "a holder whose place was removed has lost: 76" is 76 "$code"
check "and names the file that is gone" \
    grep -q "lost: .*locks.db.*removed or replaced" "$here/removed.err"

finish
