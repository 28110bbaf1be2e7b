#!/bin/bash
# demo.sh PROGRAM [PLACE]: the main job, shown with real processes on one SQLite
# file, or at a place that a URL names and that is empty.
set -u

holdfast=$(realpath "${1:?usage: demo.sh PROGRAM [PLACE]}") || exit 70
. "$(dirname "$0")/demo_common.sh"
export HOLDFAST_AT=${2:-"sqlite:$here/locks.db"}

# Each ends its own command first.
end_started() {
    local pid

    for pid in ${started[@]+"${started[@]}"}; do
        kill -TERM "$pid" 2>/dev/null
    done
    for pid in ${started[@]+"${started[@]}"}; do
        until_true 20 "process $pid does not end" gone "$pid"
    done
}

# Is there a process of that number that still runs anything?  (A zombie
# runs nothing.)
runs() {
    local state

    state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$1/status" \
        2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ]
}

gone() {
    ! runs "$1"
}

# alice's command: says who it is, and does not go when it is asked to.
cat >"$here/alice-job" <<'END'
trap 'echo asked to stop' TERM
echo "fence $HOLDFAST_FENCE"
echo "pid $$"
while :; do sleep 1; done
END

# bob's command: looks whether alice's still runs in the moment it starts.
cat >"$here/bob-job" <<'END'
echo "fence $HOLDFAST_FENCE"
alice=$(sed -n 's/^pid //p' "$1")
case $(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$alice/status" \
    2>/dev/null) in
'' | Z) echo "alone" ;;
*) echo "not alone" ;;
esac
END

say "Holdfast keeps a command under a lock.  This shows it, with real processes,"
if [ $# = 1 ]; then
    say "on the default kind of place: one SQLite file, here $here/locks.db,"
    say "so that the locks you may have are not touched."
else
    say "at $HOLDFAST_AT,"
    say "a place of its own, so that the locks you may have are not touched."
fi
say

say "1. Alice holds the lock 'report'; her command ignores requests to stop."
"$holdfast" run --grace 1s report -- bash "$here/alice-job" \
    >"$here/alice.out" 2>"$here/alice.err" &
alice=$!
started+=("$alice")
disown "$alice"
until_true 20 "alice's command never started" grep -q '^pid ' "$here/alice.out"
alice_job=$(sed -n 's/^pid //p' "$here/alice.out")
alice_fence=$(fence_of alice)
say "   Her command has process $alice_job and fence $alice_fence."
say

say "2. Bob wants the same lock, and is told who has it:"
"$holdfast" run -w 20s report -- bash "$here/bob-job" "$here/alice.out" \
    >"$here/bob.out" 2>"$here/bob.err" &
bob=$!
started+=("$bob")
until_true 20 "bob was not told who holds the lock" \
    grep -q 'alice-job' "$here/bob.err"
quote "$here/bob.err"
[ -s "$here/bob.out" ] && fail "bob did not wait"
say "   Proved: two contenders, one holder."
say

say "3. kill -9 of Alice's holdfast (process $alice).  Its guard is left: it asks"
say "   her command to stop, and after the grace of 1 s kills it; until then her"
say "   lock stays hers, and Bob waits."
kill -9 "$alice"
until_true 20 "alice's command was not asked to stop" \
    grep -q '^asked to stop' "$here/alice.out"
until_true 20 "alice's command was not ended" gone "$alice_job"
wait "$bob"
code=$?
[ $code = 0 ] || fail "bob's command did not run: exit code $code"
bob_fence=$(fence_of bob)
grep -qx alone "$here/bob.out" || fail "both commands ran at once"
[ "$bob_fence" -gt "$alice_fence" ] || fail "bob's fence is not higher"
grep -q 'took over report: .* gone' "$here/bob.err" ||
    fail "bob was not told of the death"
say "   What Bob was told, from the beginning:"
quote "$here/bob.err"
say "   Proved: when Bob's command started, Alice's had ended.  Its fence is"
say "   $bob_fence, above her $alice_fence: whatever checks fences"
say "   refuses a late write of hers."
say

say "4. A migration must not be started again by a machine.  Its lock says"
say "   --if-dead refuse; its holdfast is killed in the middle."
cat >"$here/migration" <<'END'
echo "fence $HOLDFAST_FENCE"
echo "pid $$"
while [ "$1" = hang ]; do sleep 1; done
echo "migrated"
END
"$holdfast" run --if-dead refuse --reason 'release 7' migrate -- \
    bash "$here/migration" hang >"$here/first.out" 2>"$here/first.err" &
first=$!
started+=("$first")
disown "$first"
until_true 20 "the migration never started" grep -q '^pid ' "$here/first.out"
kill -9 "$first"
until_true 20 "the migration was not ended" \
    gone "$(sed -n 's/^pid //p' "$here/first.out")"
"$holdfast" run --if-dead refuse migrate -- bash "$here/migration" go \
    >"$here/second.out" 2>"$here/second.err"
code=$?
quote "$here/second.err"
[ $code = 73 ] || fail "the second migration ended with $code, not with 73"
[ -s "$here/second.out" ] && fail "the second migration ran"
remedy=$(sed -n 's/^ *\(holdfast clear .*\)/\1/p' "$here/second.err")
[ -n "$remedy" ] || fail "no remedy was named"
say "   Proved: nobody overrides it (exit code 73), and the remedy is named."
say

say "5. Why?  holdfast why migrate:"
"$holdfast" why migrate >"$here/why.out" 2>"$here/why.err"
quote "$here/why.out"
grep -qi 'gone' "$here/why.out" || fail "why does not say that it is gone"
say

remedy=${remedy/…/looked: nothing is half done}
say "6. A person has looked, and pastes the remedy, with a reason:"
say "   $remedy"
PATH=$(dirname "$holdfast"):$PATH
eval "$remedy" >"$here/clear.out" 2>"$here/clear.err" ||
    fail "it was not cleared"
quote "$here/clear.out"
"$holdfast" run --if-dead refuse migrate -- bash "$here/migration" go \
    >"$here/third.out" 2>"$here/third.err" || fail "the migration did not run"
grep -qx migrated "$here/third.out" || fail "the migration did not migrate"
[ "$(fence_of third)" -gt "$(fence_of first)" ] || fail "its fence is not higher"
say "   Proved: the migration runs now, with a fence above that of the first:"
say "   $(fence_of third), after $(fence_of first)."
say
say "All of it was shown, in $SECONDS s."
