#!/bin/bash
# A person clears one lock or several, and whoever loses one is told by whom.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

me=$(id -un)@$(hostname)

# dead NAME: a lock whose holder is dead, for a person to clear.
dead() {
    start dead run --if-dead refuse "$1" -- sleep 100
    await "the holder of $1" held "$1"
    murder "$pid"
}

fence() { "$holdfast" show --json "$1" | "$json" fence; }

# ---- A reason ---------------------------------------------------------------------
dead one
for reason in '' '…' ' ' '--' '?!'; do
    run clear --reason "$reason" one
    check "'$reason' is no reason" exits 64
done
check "and it is said what one has" says run.err "a letter or a digit"
check "nothing was cleared" held one
run clear --reason 'ü' one
check "one of another script is" exits 0

# ---- Several ----------------------------------------------------------------------
for name in nightly/a nightly/b weekly; do
    dead "$name"
done
start living run --ttl 8s --beat 2s --grace 500ms nightly/live -- sleep 100
living=$pid
await "one that lives" held nightly/live
a=$(fence nightly/a)
run clear --fence $((a - 1)) --reason 'the rack burnt' nightly/a
check "who is of another fence is not meant, 1" exits 1
check "and has it yet" held nightly/a
run clear --reason 'the rack burnt' nightly/a none weekly
check "several are cleared at once, and one that is not there is 1" exits 1
check "each has a line, and its fence" is 1 "$(
    grep -cx "cleared nightly/a: $me, fence $a" "$here/run.out")"
check "so has the next" is 2 "$(grep -c '^cleared ' "$here/run.out")"
check "what is not there is named" says run.err "none is free"
run clear --reason 'the rack burnt' --prefix nightly/
check "with --prefix all are; who lives is left alone, 75" exits 75
check "and named" grep -q "nightly/live was not cleared: its holder is alive ($me," \
    "$here/run.err"
check "the dead one is cleared" is 1 "$(grep -c '^cleared nightly/b' "$here/run.out")"
check "how long it may take is said" \
    grep -qE '[12] of 2 locks, at most 8s' "$here/run.err" # as soon as the machine is
run audit
check "the audit has each" is 4 "$(grep -c 'was cleared by' "$here/run.out")"
run clear --reason 'the rack burnt' --json --prefix nightly/
check "--json has a line for each" is false "$("$json" cleared <"$here/run.out")"
for verb in 'clear --reason burnt' why show; do
    # shellcheck disable=SC2086 # words
    run $verb none
    check "${verb%% *} of a free lock calls it that, 1" exits 1
    check "in a sentence" says run.err "none is free: nobody holds it in space default"
    # shellcheck disable=SC2086 # words
    run $verb --json none
    check "and 1 with --json, too" exits 1
    check "which prints an object" says run.out '"name":"none","exists":false'
    check "and no sentence" is "" "$(cat "$here/run.err")"
done
run clear --reason burnt --json none
check "of clear it says that nothing was cleared" is false \
    "$("$json" cleared <"$here/run.out")"
run clear --reason 'the rack burnt' --prefix monthly/
check "a prefix of none is 1" exits 1
check "and says so" says run.err "no lock begins with monthly/"

# ---- What is no command line ------------------------------------------------------
wrong() { # wrong WHAT OPERAND...
    local what=$1
    shift
    run clear --reason why "$@"
    check "$what is refused" exits 64
}
wrong "no name" --space default
wrong "an empty prefix" --prefix ''
wrong "a name beside a prefix" --prefix a b
wrong "a fence of several" --fence 5 a b
wrong "a fence of a prefix" --fence 5 --prefix a
wrong "a name twice" a b a
wrong "a name that none can have" a ''

# ---- Who loses it -----------------------------------------------------------------
# A beat between its look and its delete spares a lock: then once more.
for try in {1..20}; do
    run clear --force --reason "by force, $try" nightly/live
    [ "$code" = 75 ] || break
done
check "who lives is cleared by force" exits 0
finished "$living"
check "and ends its command" is 76 "$code"
check "it is told by whom, and why" \
    says living.err "nightly/live was cleared by $me: by force"

# ---- Who loses it otherwise -------------------------------------------------------
start robbed run --ttl 3s --beat 500ms --grace 500ms one -- sleep 100
await "its holder" held one
sql "DELETE FROM holdfast_records WHERE name = 'one'"
finished "$pid"
check "whose record is gone loses what was cleared once before" is 76 "$code"
check "and is told of no clearing, which was another's" \
    is 0 "$(grep -c 'was cleared' "$here/robbed.err")"
finish
