#!/bin/bash
# What is said is true, and says what to do next.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# rewrite NAME EXPRESSION: of the lock's record, as another program would.
rewrite() {
    sqlite3 "$here/locks.db" "UPDATE holdfast_records SET value =
        $2 WHERE name = '$1' AND space = 'default'"
}

# ---- Commands to paste ------------------------------------------------------------
start abandoned run --if-dead refuse ssh -- sleep 100
await "the holder" held ssh
kill -KILL "$(guard_of "$pid")" "$pid"
finished "$pid"
rewrite ssh "json_set(value, '\$.owner.host', '-oProxyCommand=x',
    '\$.owner.boot', '-')"
run why --watch 100ms ssh
check "a host that begins with a dash is no option of ssh" \
    says run.out "ssh -- '-oProxyCommand=x' ps -o"
finish
