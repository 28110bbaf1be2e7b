#!/bin/bash
# A disk on which every write may have been done: nothing is silent.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
shim=$4

run run x -- true
export HF_SYNC_FAIL=1 # each one
LD_PRELOAD=$shim start unsettled run -w 500ms --ttl 1s x -- true
await "the word after the limit" \
    says unsettled.err "cannot tell yet whether x was taken"
check "after its limit a waiter says that it cannot tell yet" true
check "and why" grep -q "whether x was taken: .*I/O error" \
    "$here/unsettled.err"
check "and what to do" says unsettled.err "send SIGTERM twice"
kill -TERM "$pid"
kill -INT "$pid"
finished "$pid"
check "which ends it" test "$code" -ge 128
check "and says what may be left" says unsettled.err \
    "a record of x may be left"

LD_PRELOAD=$shim start once run --ttl 1s y -- true
await "the guard" has_guard "$pid"
await "the word of no answer" says once.err "nothing is known about y"
kill -TERM "$pid"
finished "$pid"
check "one signal ends one that others may take over" is 143 "$code"
check "and says so" says once.err "the next one takes it over after 1s"
finish
