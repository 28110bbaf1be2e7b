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

run run any -- true

# ---- takeover ------------------------------------------------------------------
job gentle no
place_away
finished "$pid"
place_back
check "a takeover lock that cannot be beaten ends its command: 76" is 76 "$code"
check "gently first" says gentle.out "termed"
check "and says why" says gentle.err "runs out"

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

# ---- refuse ----------------------------------------------------------------------
job doubt no --if-dead refuse
place_away
await "the doubt" says doubt.err "in doubt"
check "a refuse lock past its right is in doubt, and its command runs" \
    runs "$(cat "$here/doubt.pid")"
place_back
await "certainty" says doubt.err "certain again"
: >"$here/doubt.pid.go"
finished "$pid"
check "when the place is back it goes on, to its end" is 0 "$code"
run show doubt
check "and is given back" exits 1

# ---- Cleared under its holder -------------------------------------------------------
job cleared no
run clear --force --reason "test" cleared
check "a live lock is cleared by force" exits 0
finished "$pid"
check "a takeover lock that was cleared ends its command: 76" is 76 "$code"
check "at once" is "" "$(cat "$here/cleared.out")"

job taken no --if-dead refuse
run clear --reason "test" taken
check "a live lock is not cleared without force" exits 75
check "because it is alive" says run.err "its holder is alive"
run clear --force --reason "test" taken
check "with force it is" exits 0
finished "$pid"
check "a refuse lock that was cleared ends its command: 76" is 76 "$code"
check "gently" says taken.out "termed"
check "and says so" says taken.err "somebody cleared it"
run run taken -- true
check "and leaves no record" exits 0

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
finish
