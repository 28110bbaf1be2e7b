#!/bin/bash
# The worker waits its turn, gives up its wait when interrupted, stops its work
# when interrupted, and stops when its lock is lost.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
worker=$1 holdfast=$2
place="sqlite:$here/locks.db"

start() {
    "$worker" "$place" shift >"$here/$1.out" 2>"$here/$1.err" &
    started+=("$!")
}

fence_of() {
    sed -n 's/^working with fence //p' "$here/$1.out"
}

start first
first=$!
await "the first works" grep -q '^working' "$here/first.out"
start second
second=$!
await "the second waits" grep -q '^waiting for' "$here/second.out"

kill -INT "$second"
wait "$second"
check "an interrupted wait is reported as cancelled" [ $? = 75 ]
check "and did no work" [ -z "$(fence_of second)" ]
check "nor disturbed the holder" kill -0 "$first"

kill -INT "$first"
wait "$first"
check "an interrupted worker ends well" [ $? = 0 ]
check "and says so" grep -q '^interrupted after' "$here/first.out"

start third
third=$!
await "the third works" grep -q '^working' "$here/third.out"
check "the next one has a higher fence" \
    [ "$(fence_of third)" -gt "$(fence_of first)" ]

"$holdfast" clear --at "$place" --force --reason 'a test' shift \
    >"$here/clear.out" 2>"$here/clear.err"
check "a person clears its lock" [ $? = 0 ]
wait "$third"
check "the worker whose lock is lost stops" [ $? = 76 ]
check "and says so" grep -q '^lost after' "$here/third.out"
finish
