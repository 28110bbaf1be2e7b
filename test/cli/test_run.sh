#!/bin/bash
# What the command is given, what comes back, and who hears signals.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# ---- Exit codes, streams, environment ----------------------------------------
run run x -- sh -c 'exit 7'
check "the command's exit code is ours" exits 7
run run x -- sh -c 'kill -KILL $$'
check "a command killed by a signal gives 128 and its number" exits 137
run run x -- "$here/nothing"
check "a command that is not there gives 127" exits 127
check "and is named" says run.err "$here/nothing"
run run x -- 'echo a && echo b'
check "a whole line is not there either" exits 127
check "and it is said what runs it" says run.err "sh -c 'echo a && echo b'"
run run x -- "$here/nothing"
check "but not of a word" is 0 "$(grep -c 'sh -c' "$here/run.err")"
run run x -- "$here"
check "a command that cannot be executed gives 126" exits 126
run run x -- true
check "none of these left the lock held" exits 0

"$holdfast" run x -- sh -c 'read -r a; echo "out $a"; echo "err $a" >&2' \
    <<<"in" >"$here/io.out" 2>"$here/io.err"
check "stdin and stdout pass through" is "out in" "$(cat "$here/io.out")"
check "stderr passes through" is "err in" "$(cat "$here/io.err")"
run run --space s -- -x -- env
check "the name, which may begin with a dash, is in the environment" \
    grep -qx 'HOLDFAST_NAME=-x' "$here/run.out"
check "so is the space" grep -qx 'HOLDFAST_SPACE=s' "$here/run.out"
check "so is the place" grep -qx "HOLDFAST_AT=$HOLDFAST_AT" "$here/run.out"
run run --at "sqlite://$here/a%2eb" x -- env
check "which is always spelled the same" \
    grep -qx "HOLDFAST_AT=sqlite:$here/a.b" "$here/run.out"
run run --space s -- -x -- env
fence=$(sed -n 's/^HOLDFAST_FENCE=//p' "$here/run.out")
run run --space s -- -x -- sh -c 'echo "$HOLDFAST_FENCE"'
check "and the fence, which grows" test "$(cat "$here/run.out")" -gt "$fence"
descriptors() {
    ls /proc/self/fd
}
run run x -- ls /proc/self/fd
descriptors >"$here/usual" </dev/null
check "no descriptor of ours reaches the command" \
    cmp "$here/usual" "$here/run.out"
# glibc's posix_spawn, and so make, leaves two signals of its own ignored.
signals() {
    grep -E "^Sig(Blk|Ign)" /proc/self/status
}
signals >"$here/usual"
run run x -- grep -E "^Sig(Blk|Ign)" /proc/self/status
check "no signal is blocked or ignored for it that was not before" \
    cmp "$here/usual" "$here/run.out"
(trap '' HUP; signals) >"$here/usual"
(trap '' HUP; exec "$holdfast" run x -- grep -E "^Sig(Blk|Ign)" \
    /proc/self/status) >"$here/hup.out"
check "what was ignored before us stays ignored" \
    cmp "$here/usual" "$here/hup.out"
"$holdfast" run x -- ls /proc/self/fd <&- >"$here/closed.out"
descriptors <&- >"$here/usual"
check "a closed stdin stays closed" cmp "$here/usual" "$here/closed.out"

# ---- Signals -------------------------------------------------------------------
# A command that notes each signal it gets, until it gets INT.
cat >"$here/noting" <<'END'
for signal in TERM HUP USR1 USR2 WINCH QUIT; do
    trap "echo $signal >>$1" "$signal"
done
trap 'exit 3' INT
echo $$ >"$1"
while :; do read -rt 0.05 <> <(:); done
END
start noting run sig -- bash "$here/noting" "$here/notes"
await "the command" test -s "$here/notes"
for signal in TERM HUP USR1 USR2 WINCH QUIT; do
    kill "-$signal" "$pid"
    check "$signal is passed on" \
        await "$signal" grep -qx "$signal" "$here/notes"
done
kill -TSTP "$pid"
kill -INT "$pid"
finished "$pid"
check "and INT, and the command's own end counts" is 3 "$code"
check "each came once" is 7 "$(wc -l <"$here/notes")"

start held run busy -- sleep 100
await "the holder" held busy
holder=$pid
start waiting run busy -- touch "$here/ran"
await "the waiter" says waiting.err "waiting for busy"
guard=$(guard_of "$pid")
kill -INT "$pid"
finished "$pid"
check "a waiter that is interrupted ends with 130" is 130 "$code"
check "and its guard with it" await "the guard" all_gone "$guard"
check "and ran nothing" test ! -e "$here/ran"
(trap '' HUP && exec "$holdfast" run busy -- true) 2>"$here/nohup.err" &
nohup=$!
started+=("$nohup")
await "the waiter" says nohup.err "waiting for busy"
kill -HUP "$nohup"
start waiting run busy -- touch "$here/ran"
await "the waiter" says waiting.err "waiting for busy"
guard=$(guard_of "$pid")
kill -KILL "$guard"
finished "$pid"
check "a waiter whose guard is killed ends with 137" is 137 "$code"
check "and says why" \
    says waiting.err "the guard was killed before busy was granted"
kill -TERM "$holder"
finished "$holder"
check "TERM ends a command that does not care" is 143 "$code"
finished "$nohup"
check "a waiter goes on after a signal that it was started to ignore" \
    is 0 "$code"

# ---- What the command leaves -----------------------------------------------------
start leaving run left -- sh -c 'setsid sleep 100 & echo $! >"$1"; exit 5' \
    sh "$here/left"
await "the word of what is left" says leaving.err "(sleep, pid "
check "what the command left is said" says leaving.err "1 process of it is left"
run run -n left -- true
check "and keeps the lock" exits 75
kill -TERM "$pid"
finished "$pid"
check "a signal is passed on to what is left, and the code stays" is 5 "$code"
run run -n left -- true
check "then the lock is free" exits 0

start stopped run stop -- bash -c 'kill -TSTP $$; echo on; exit 4'
finished "$pid"
check "a command that suspends itself goes on" is 4 "$code"
check "which is said" says stopped.err "it goes on"

# ---- Children that are not ours ----------------------------------------------------
# A shell that has a child of its own becomes holdfast, and then a grandchild
# that it had becomes an orphan.
cat >"$here/becoming" <<'END'
sleep 100 & echo $! >"$1"
(sleep 100 & echo $! >"$1.theirs"
 until [ -e "$1.go" ]; do sleep 0.05; done) &
until [ -s "$1.theirs" ]; do sleep 0.05; done
exec "$2" run mine -- sh -c 'setsid sleep 100 & echo $! >"$1"; sleep 100' \
    sh "$1.ours"
END
bash "$here/becoming" "$here/child" "$holdfast" 2>"$here/becoming.err" &
pid=$!
started+=("$pid")
await "the command" test -s "$here/child.ours"
: >"$here/child.go"
await "the orphan" grep -q "^PPid:[[:blank:]]*$pid\$" \
    "/proc/$(cat "$here/child.theirs")/status"
kill -KILL "$(guard_of "$pid")"
finished "$pid"
check "with its guard killed, holdfast ends with 137" is 137 "$code"
check "and what it started has gone" all_gone "$(cat "$here/child.ours")"
check "but not the child it had before" runs "$(cat "$here/child")"
check "nor the orphan of another" runs "$(cat "$here/child.theirs")"
kill -KILL "$(cat "$here/child")" "$(cat "$here/child.theirs")"

# ---- JSON ------------------------------------------------------------------------
run run --json j -- sh -c 'echo words >&2; exit 9'
tail -n 1 "$here/run.err" >"$here/answer"
check "--json says how it ended" is 9 "$("$json" exit <"$here/answer")"
check "with its outcome" is granted "$("$json" outcome <"$here/answer")"
check "and its fence" test "$("$json" fence <"$here/answer")" -gt 0
for own in 73 75 76; do
    run run --json j -- sh -c "exit $own"
    check "a command's own $own is told from ours by its outcome" \
        is granted "$("$json" outcome <"$here/run.err")"
done
# A progress bar ends no line.
for bar in '50%% done' '\r 10%%\r100%%' 'whole\n'; do
    run run --json j -- sh -c "printf '$bar' >&2"
    check "after '$bar' the object is the last line of a file" \
        is granted "$(tail -n 1 "$here/run.err" | "$json" outcome)"
    check "with no empty one before it" is "" "$(grep -x '' "$here/run.err")"
    "$holdfast" run --json j -- sh -c "printf '$bar' >&2" \
        2>&1 >/dev/null | cat >"$here/pipe"
    check "and of a pipe" is granted "$(tail -n 1 "$here/pipe" | "$json" outcome)"
done
: >"$here/appended"
"$holdfast" run --json j -- sh -c 'printf unended >&2' 2>>"$here/appended"
check "and of a file that is appended to" is granted \
    "$(tail -n 1 "$here/appended" | "$json" outcome)"
"$holdfast" run --json -n j -- true 2>&1 | cat >"$here/pipe"
check "and after a command that says nothing" \
    is granted "$(tail -n 1 "$here/pipe" | "$json" outcome)"
start ended run j -- sh -c 'setsid sleep 100 & printf "50%% done" >&2'
await "the word of what is left" says ended.err "is left"
check "a sentence begins a line, too" grep -q '^holdfast: the command ended' \
    "$here/ended.err"
kill -TERM "$pid"
finished "$pid"
start ended run --if-dead refuse j -- \
    sh -c 'printf "50%% done" >&2; sleep 100'
await "the bar" says ended.err "50% done"
guard=$(guard_of "$pid")
kill -KILL "$pid"
await "its guard to end" all_gone "$guard"
check "so does one of the guard" grep -q '^holdfast: the process that kept' \
    "$here/ended.err"
run clear --reason 'a test' j

run run --json-fd 3 j -- sh -c 'echo words >&2; exit 9' 3>"$here/answer"
check "--json-fd has the object alone" is 9 "$("$json" exit <"$here/answer")"
check "and stderr what it always has" is words "$(cat "$here/run.err")"
# shellcheck disable=SC2094 # nothing of it is read
run run --json-fd 3 j -- test /proc/self/fd/3 -ef "$here/answer" 3>"$here/answer"
check "the command is not given the descriptor" exits 1
for one in 2 7 x '' -1; do
    run run --json-fd "$one" j -- true
    check "--json-fd '$one' is refused" exits 64
done
run run --json-fd 3 j -- true 3<"$here/answer"
check "and so is one that is only read" exits 64
start held run jb -- sleep 100
await "the holder" held jb
run run --json-fd 3 -n jb -- true 3>"$here/answer"
check "a refusal is in it, too" is "timed out" "$("$json" outcome <"$here/answer")"
check "and said" says run.err "-n does not wait"
kill -TERM "$pid"
finished "$pid"

start held run jb -- sleep 100
await "the holder" held jb
run run --json -n jb -- true
check "a refusal is JSON too, and all there is" is "timed out" \
    "$("$json" outcome <"$here/run.err")"
check "with the holder" is "sleep 100" \
    "$("$json" seen record owner command <"$here/run.err")"
kill -TERM "$pid"
finished "$pid"
finish
