#!/bin/bash
# What a waiter sees and says: in lines, and on a terminal.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
vforks=$7

start holder run --reason "the reason" --beat 200ms "my lock" -- \
    sh -c 'until [ -e "$1" ]; do sleep 0.05; done; exit 0' sh "$here/go"
await "the holder" held "my lock"
holder=$pid

start waiter run "my lock" -- echo mine
await "the first line" says waiter.err "waiting for 'my lock'"
check "one line at the start says who holds it" \
    says waiter.err "$(id -un)@$(hostname)"
check "and what they run" says waiter.err "runs: sh -c"
check "and where" says waiter.err "($HOLDFAST_AT)"
run run -w 1200ms "my lock" -- true
check "a live holder past the limit is held too long: 75" exits 75
check "says so" says run.err "is held too long"
check "and what helps" says run.err "wait longer with -w"
check "without a word of clearing" is "" \
    "$(grep 'holdfast clear' "$here/run.err")"
check "once for the wait" is 1 "$(grep -c 'waiting for' "$here/run.err")"
run run -n "my lock" -- true
check "-n gives up at a sign of life: 75" exits 75
run why "my lock"
check "why finds it alive" says run.out "'my lock': alive"
check "and how to wait for it" says run.out \
    "holdfast run --at $HOLDFAST_AT -w forever 'my lock' -- COMMAND"
run why --json "my lock"
check "why --json has the verdict" is beating \
    "$("$json" seen life <"$here/run.out")"
check "and nothing to clear" is null "$("$json" clear <"$here/run.out")"
run ls
check "ls shows it" grep -qE '^my lock +[^ ]+@[^ ]+ +sh -c .* takeover +[0-9]+' \
    "$here/run.out"
run ls your
check "ls keeps to the prefix" is "" "$(cat "$here/run.out")"
run ls --json my
check "ls --json is JSON" is "my lock" "$("$json" name <"$here/run.out")"
run show "my lock"
check "show has the reason" grep -qE '^reason +the reason$' "$here/run.out"
run show --json "my lock"
check "show --json is JSON" is "the reason" \
    "$("$json" reason <"$here/run.out")"
run show nothing
check "show of no lock: 1" exits 1
run why nothing
check "why of no lock: 1" exits 1
run clear --reason x nothing
check "clear of no lock: 1" exits 1

# ---- With a stderr that nobody reads --------------------------------------------
# A waiter that waits for its reader is granted the lock all the same, beats it,
# and runs nothing.
mkfifo "$here/full"
exec 7<>"$here/full"
dd if=/dev/zero of="$here/full" bs=4096 oflag=nonblock 2>"$here/dd.err"
start other run "unread" -- sh -c 'until [ -e "$1" ]; do sleep 0.05; done' \
    sh "$here/unread.go"
await "the holder" held unread
"$holdfast" run unread -- touch "$here/unread.ran" 2>"$here/full" </dev/null &
unread=$!
started+=("$unread")
"$holdfast" run unread -- true 2>"$here/full" </dev/null &
ended=$!
started+=("$ended")
start later run unread -- true
await "a line of who came after them" says later.err "waiting for unread"
kill -TERM "$ended"
check "one TERM ends a waiter whose stderr nobody reads" \
    await "its end" all_gone "$ended"
: >"$here/unread.go"
check "and another one runs its command in its turn" \
    await "its command" test -e "$here/unread.ran"
exec 7>&-

# ---- On a terminal ------------------------------------------------------------
# `script` runs a command in $SHELL, and %q may quote as bash alone reads.
export SHELL=/bin/bash TERM=xterm
# terminal FILE COMMAND...: in a terminal of 60 columns, which FILE records.
terminal() {
    local file=$1
    shift
    printf -v line '%q ' "$@"
    script -qefc "stty cols 60; $line" "$file" \
        </dev/null >/dev/null 2>&1
}

terminal "$here/tty" "$holdfast" run -w 2s "my lock" -- true
tr '\r' '\n' <"$here/tty" | grep 'waiting for' | sed 's/\x1b\[K//g' \
    >"$here/lines"
check "a terminal's line is rewritten in place" \
    test "$(wc -l <"$here/lines")" -ge 2
check "and never wider than the terminal" is "" \
    "$(grep -E '.{60}' "$here/lines")"
check "it stands alone until the end" \
    is 0 "$(tr -d '\r' <"$here/tty" | grep -c 'waiting for.*waiting for.*sh$')"

terminal "$here/tty" "$holdfast" run fore -- sh -c \
    'ps -o pgid=,tpgid= -p $$ | awk "{print (\$1 == \$2) ? \"fore\" : \"back\"}"'
check "the command has the terminal" grep -q '^fore' "$here/tty"
terminal "$here/tty" sh -c '"$1" run fore -- true
    ps -o pgid=,tpgid= -p $$ | awk "{print (\$1 == \$2) ? \"fore\" : \"back\"}"' \
    sh "$holdfast"
check "and we have it back afterwards" grep -q '^fore' "$here/tty"

mkfifo "$here/keys"
# A shell that forks nothing: vforks.c is of the others.
mkfifo "$here/keys.go"
script -qefc "$(printf '%q ' "$holdfast" run keys -- sh -c \
    'echo ready; read -r line <"$1"; echo over' \
    sh "$here/keys.go")" "$here/tty" <"$here/keys" >/dev/null 2>&1 &
started+=($!)
exec 8>"$here/keys"
# The head of the file has the command line, with the same words.
await "the command" grep -q '^ready' "$here/tty"
printf '\032' >&8
await "the word of ^Z" grep -q "was suspended; it goes on" "$here/tty"
: >"$here/keys.go"
check "a command that ^Z suspends goes on" \
    await "its end" grep -q '^over' "$here/tty"
exec 8>&-

terminal "$here/tty" timeout --foreground -k 5 20 "$holdfast" run vforks -- "$vforks"
check "one that cannot stop, for ^Z stopped its vfork's child, does, too" \
    grep -q '^over' "$here/tty"

: >"$here/go"
finished "$holder"
await "the waiter's turn" says waiter.out mine
finish
