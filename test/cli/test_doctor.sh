#!/bin/bash
# Is the place sound, and this host?  What the checks find is the library's.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# The code tells whether a line warns or fails.
code_fits() {
    local expected=0

    grep -qE '^(warn|fail) ' "$here/run.out" && expected=1
    exits $expected
}

# Each line is a check with its grade, or what to do about the one above.
is_well_formed() {
    test -s "$here/run.out" &&
        is "" "$(grep -vE '^(ok  |warn|fail|    )  [^ ]* *[^ ]' "$here/run.out")"
}

# answers JSON-KEY REGULAR-EXPRESSION: one object a line, each with that.
answers() {
    local line

    test -s "$here/run.out" || return 1
    while IFS= read -r line; do
        "$json" "$1" <<<"$line" | grep -qE "$2" || return 1
    done <"$here/run.out"
}

run doctor
check "a place is examined, and made if it is not there" test -e "$here/locks.db"
check "each check is a line" is_well_formed
check "the place is reachable" grep -qE '^ok +reachable ' "$here/run.out"
check "nothing of it fails" is "" "$(grep '^fail' "$here/run.out")"
check "the exit code tells whether all is well" code_fits
check "and nothing else is said" is "" "$(cat "$here/run.err")"
checks=$(grep -cE '^(ok|warn|fail) ' "$here/run.out")
run doctor --json
check "--json is one object a check" is "$checks" "$(wc -l <"$here/run.out")"
check "with its grade" answers grade '^(ok|warn|fail)$'
check "what was found" answers found .
check "and a remedy, if there is need of one" answers remedy '^'

start holder run held -- sleep 100
await "the holder" held held
holder=$pid
run doctor
check "a holder does not disturb it" is "" "$(grep '^fail' "$here/run.out")"
run show held
check "nor does it disturb a holder" exits 0
kill -TERM "$holder"
finished "$holder"

# unreachable PLACE [OPTION]: one line, and 69.
unreachable() {
    run doctor --at "$@"
    exits 69 && is "" "$(cat "$here/run.err")" &&
        is 1 "$(wc -l <"$here/run.out")"
}

mkdir "$here/folder"
echo "not a database, but long enough to be looked at: $(seq 1000)" \
    >"$here/text"
check "a folder is no place: one line, and 69" \
    unreachable "sqlite:$here/folder"
check "nor is what is no URL" unreachable nowhere
check "nor is a file that is no database" unreachable "sqlite:$here/text"
check "which says that it is not reachable, and why" \
    grep -qE "^fail  reachable .*$here/text" "$here/run.out"
check "as JSON, too" unreachable "sqlite:$here/text" --json
check "it is one object" answers grade '^fail$'
check "with the cause" answers found "$here/text"

run doctor x
check "it takes no name" exits 64
run doctor --space x
check "and no space" exits 64
run doctor --at memory:x
check "a place that nobody else sees is wrong usage" exits 64
finish
