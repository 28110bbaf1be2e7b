#!/bin/bash
# history_check as who tortures a lock service meets it: files, folders, exit
# codes, and one paragraph.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
program=$1

# gives CODE PATH...: the exit code; what is said is in run.out and run.err.
gives() {
    local code=$1
    shift
    "$program" "$@" >"$here/run.out" 2>"$here/run.err"
    [ $? = "$code" ]
}
says() { grep -qxF -e "$2" "$here/$1"; }

logs=$here/logs
mkdir "$logs" "$here/empty"
printf '%s\n' '10 ask a/1/1 takeover exclusive x' '20 granted a/1/1 5 1000000' \
    >"$logs/a"
printf '%s\n' '30 ask b/1/1 takeover exclusive x' >"$logs/b"
printf '%s' '35 release a/1' >>"$logs/a"

check "one file" gives 0 "$logs/a"
check "is consistent" says run.out consistent
check "a folder" gives 0 "$logs"
check "how much it was" says run.out \
    "3 events of 2 files: 2 requests, 1 granted, of 1 locks; 1 lines without an end left out"

printf '%s\n' '40 granted b/1/1 6 1000000' >>"$logs/b"
check "what cannot be" gives 1 "$logs/a" "$logs/b"
check "is told" says run.out \
    "broken: two clients believe: of x: a/1/1 was granted it with the fence 5, and its right had 999960 ns left when b/1/1 was granted it with the fence 6."
check "with the lines, of the one" says run.out \
    "  $logs/a:2: 20 granted a/1/1 5 1000000"
check "and of the other" says run.out \
    "  $logs/b:2: 40 granted b/1/1 6 1000000"
check "one file twice is no history" gives 65 "$logs/a" "$logs/a"

printf '%s\n' '50 granted' >>"$logs/b"
check "a line that is none" gives 65 "$logs"
check "is named" says run.err \
    "history_check: $logs/b:3: something is missing at its end"
check "a file that is not there" gives 69 "$logs/c"
check "is named, too" says run.err \
    "history_check: $logs/c: No such file or directory"
check "an empty folder" gives 0 "$here/empty"
check "no file" gives 64
check "an option" gives 64 --help
check "there is none" says run.err "usage: history_check PATH..."
finish
