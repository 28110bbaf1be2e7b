#!/bin/bash
# What was cleared by hand, listed afterwards.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# stands NAME SPACE: is there a record?
stands() {
    "$holdfast" show --space "$2" "$1" >"$here/show.out"
}

# left NAME SPACE: a lock whose holder is dead, for a person to clear.
left() {
    start left run --space "$2" --if-dead refuse --reason 'release 7' "$1" -- \
        sleep 100
    await "the holder" stands "$1" "$2"
    murder "$pid"
}

run audit
check "an audit without an entry is empty, and 0" exits 0
check "and says nothing" test ! -s "$here/run.out"

left 'my lock' default
run clear --reason 'looked: nothing was begun' 'my lock'
check "the lock is cleared" exits 0
left other team
run clear --space team --force --reason 'the machine burnt' other
check "so is another" exits 0

run audit
check "the audit ends with 0" exits 0
check "it says who cleared which lock, and why" says run.out \
    "'my lock' in space default was cleared by $(id -un)@$(hostname): looked: nothing was begun"
check "when" grep -q "^20[0-9-]* [0-9:]* +0000: 'my lock'" \
    "$here/run.out"
check "whose it was" says run.out "  holder: $(id -un)@$(hostname), since "
check "what that ran" says run.out "  runs: sleep 100"
check "and why" says run.out "  reason: release 7"
check "and that it was by force" says run.out \
    "other in space team was cleared by $(id -un)@$(hostname) with --force: the"
check "the oldest first" is "'my" "$(awk '{ print $4; exit }' "$here/run.out")"

run audit other
check "with a name, that lock alone" is 1 \
    "$(grep -c 'was cleared by' "$here/run.out")"
run audit --space team
check "with a space, that space alone" says run.out "other in space team"
run audit --space default other
check "and none where there is none" test ! -s "$here/run.out"
run audit --since 1h
check "--since shows what is not longer ago" is 2 \
    "$(grep -c 'was cleared by' "$here/run.out")"
sql "UPDATE holdfast_records SET stamp = stamp - 7200000
    WHERE space = '!audit' AND name LIKE '%other%'" >"$here/sql.out"
run audit --since 1h
check "and nothing that is" is 1 "$(grep -c 'was cleared by' "$here/run.out")"
check "but the rest" says run.out "'my lock' in space default"
run audit
check "which stands at the beginning of all" is other \
    "$(awk '{ print $4; exit }' "$here/run.out")"

run audit --json 'my lock'
check "--json has the reason" is 'looked: nothing was begun' \
    "$("$json" reason <"$here/run.out")"
check "who cleared it" is "$(id -un)" "$("$json" by user <"$here/run.out")"
check "which fence that ended" test \
    "$("$json" cleared fence <"$here/run.out")" -gt 0
check "and what ran" is 'sleep 100' \
    "$("$json" cleared owner command <"$here/run.out")"

sql "INSERT INTO holdfast_records
    VALUES('!audit', 'odd' || char(27), 1, 1, 1700000000000, 'x')" >"$here/sql.out"
run audit
check "a row that another program wrote is shown as such" \
    says run.out "2023-11-14 22:13:20 +0000: (not ours) odd"
run audit --json
check "in JSON, too" is true \
    "$(head -n 1 "$here/run.out" | "$json" corrupt)"

run audit one two
check "one name at a time" exits 64
run audit --since soon
check "--since wants a duration" exits 64
run audit --space '!audit'
check "a space of Holdfast's own is refused" exits 64
finish
