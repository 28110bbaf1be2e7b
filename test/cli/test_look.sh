#!/bin/bash
# The verbs that only look: nothing is made, and it is enough that the place
# may be read.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

away="sqlite:$here/away/locks.db"

makes_nothing() { # makes_nothing CODE VERB [NAME]
    local expected=$1
    shift
    run "$1" --at "$away" "${@:2}"
    exits "$expected" && ! [ -e "$here/away" ]
}

check "ls makes nothing" makes_nothing 0 ls
check "show makes nothing" makes_nothing 1 show x
check "why makes nothing" makes_nothing 1 why x

as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if ! "${as_nobody[@]}" "$holdfast" --version >/dev/null 2>&1; then
    echo "# the rest needs root, to be another user, who can run $holdfast"
    finish
    exit 0
fi

# reads ARGUMENT...: run, as a user who may only read.
reads() {
    "${as_nobody[@]}" "$holdfast" "$@" >"$here/run.out" 2>"$here/run.err" \
        </dev/null
    code=$?
}

start holder run a -- sleep 60
holder=$pid
await "the lock to be held" held a
chmod 755 "$here"
chmod 644 "$here"/locks.db*

reads ls
check "who may only read can list" exits 0
check "and sees what is held" says run.out "sleep 60"
reads show a
check "and can look at one lock" exits 0
reads why a
check "and can ask why" exits 0
reads run -n a -- true
check "but cannot hold one" exits 77
check "and is told why" says run.err "it may only be read"
reads clear --reason "a test" a
check "nor clear one" exits 77
check "and is told why" says run.err "it may only be read"

kill "$holder"
finished "$holder"
reads ls
check "when nobody has it open he can list, too" exits 0
sql "PRAGMA wal_checkpoint" >/dev/null
reads ls
check "even when there is no log any more" exits 0
check "and makes none" [ ! -e "$here/locks.db-wal" ]
finish
