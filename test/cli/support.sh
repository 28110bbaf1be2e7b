# shellcheck shell=bash
# For the tests of the command; test/support.sh has the rest.
# Each test script is called as SCRIPT PROGRAM SOURCE-FOLDER JSON-READER.

holdfast=$1
source_dir=$2
# shellcheck disable=SC2034 # the tests use it
json=$3
# shellcheck source=test/support.sh
. "$source_dir/test/support.sh"
export HOLDFAST_AT="sqlite:$here/locks.db"
unset HOLDFAST_NAME HOLDFAST_SPACE HOLDFAST_FENCE HOLDFAST_HELD
export LC_ALL=C.UTF-8 TZ=UTC
code=0

# run ARGUMENT...: the program; its exit code in $code, its output in
# $here/run.out and $here/run.err.
run() {
    "$holdfast" "$@" >"$here/run.out" 2>"$here/run.err" </dev/null
    code=$?
}

# start ID ARGUMENT...: the program in the background, as $pid; its output in
# $here/ID.out and $here/ID.err.  A shell starts what runs in the background
# with INT and QUIT ignored, which we would pass on.
start() {
    local id=$1
    shift
    : >"$here/$id.err" # what an earlier one said is not this one's
    env --default-signal=INT,QUIT "$holdfast" "$@" >"$here/$id.out" 2>"$here/$id.err" </dev/null &
    pid=$!
    started+=("$pid")
}

# finished PID: wait for its end; its exit code in $code.
finished() {
    wait "$1" 2>/dev/null
    code=$?
}

# freeze PID...: stop them, but not in the middle of a commit: that would keep
# SQLite's lock on the file from everybody, for as long as they are stopped.
freeze() {
    kill -STOP "$@"
    until sqlite3 -cmd '.timeout 200' "$here/locks.db" \
        'BEGIN IMMEDIATE; ROLLBACK' >/dev/null 2>&1; do
        kill -CONT "$@"
        read -rt 0.02 -u "$silence"
        kill -STOP "$@"
    done
}

# Is there a process of that number that still runs anything?  (A zombie runs
# nothing.)
runs() {
    local state

    state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$1/status" \
        2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ] && [ "$state" != X ]
}

all_gone() {
    local one

    for one; do
        runs "$one" && return 1
    done
    return 0
}

# guard_of PID: the guard of the holdfast that has the number.
guard_of() {
    local child children=()

    read -ra children 2>/dev/null <"/proc/$1/task/$1/children"
    for child in ${children[@]+"${children[@]}"}; do
        [ "$(cat "/proc/$child/comm" 2>/dev/null)" = holdfast-guard ] &&
            echo "$child"
    done
}

# Does no thread of these processes run?
all_stopped() {
    local one

    for one; do
        grep -h '^State:' "/proc/$one"/task/*/status | grep -qv $':\tT' &&
            return 1
    done
    return 0
}

# murder PID: kill a holdfast and its guard.  Neither may see the other's end
# and tidy up, so both are stopped first.
murder() {
    local guard

    guard=$(guard_of "$1")
    kill -STOP "$1" "$guard"
    await "both to stop" all_stopped "$1" "$guard"
    kill -KILL "$1" "$guard"
    finished "$1"
    await "its guard to end" all_gone "$guard"
}

has_guard() {
    [ -n "$(guard_of "$1")" ]
}

says() { # says FILE TEXT: the text stands in the file, as it is
    grep -qF -e "$2" "$here/$1"
}

is() { # is EXPECTED ACTUAL
    [ "$1" = "$2" ] || {
        echo "# expected: $1"
        echo "# but got:  $2"
        return 1
    }
}

# The last exit code, and what was said if it is another one.
exits() {
    is "$1" "$code" || {
        sed 's/^/# /' "$here/run.err"
        return 1
    }
}

# Is there a record of the lock?
held() {
    "$holdfast" show "$1" >/dev/null 2>&1
}

# sql STATEMENT...: as somebody at a prompt, who waits for a beat to end.
sql() {
    sqlite3 -cmd '.timeout 10000' "$here/locks.db" "$*"
}

# A second connection keeps the file for itself, as a place that is away;
# until place_back.
place_away() {
    : >"$here/away.out" # what an earlier one said is not this one's
    exec 7> >(exec sqlite3 "$here/locks.db" >"$here/away.out" 2>&1)
    away=$!
    started+=("$away")
    echo "PRAGMA busy_timeout=10000; BEGIN EXCLUSIVE; SELECT 'away';" >&7
    await "the database to be taken" grep -q away "$here/away.out"
}

place_back() {
    echo "ROLLBACK;" >&7
    exec 7>&-
}
