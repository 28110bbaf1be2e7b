#!/bin/bash
# What is said is true, and says what to do next.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# rewrite NAME EXPRESSION: of the lock's record, as another program would.
rewrite() {
    sql "UPDATE holdfast_records SET value =
        $2 WHERE name = '$1' AND space = 'default'"
}

# ---- Commands to paste ------------------------------------------------------------
start abandoned run --if-dead refuse ssh -- sleep 100
await "the holder" held ssh
murder "$pid"
rewrite ssh "json_set(value, '\$.owner.host', '-oProxyCommand=x',
    '\$.owner.boot', '-')"
run why --watch 100ms ssh
check "a host that begins with a dash is no option of ssh" \
    says run.out "ssh -- '-oProxyCommand=x' ps -o"

# ---- Not acquired, and dead -------------------------------------------------------
start holder run busy -- sleep 100
await "the holder" held busy
holder=$pid
run run -n -E 99 busy -- true
check "-E gives the exit code of a lock not acquired: with -n" exits 99
run run -w 100ms -E 1 busy -- true
check "and with -w" exits 1
run run -w 100ms -q busy -- true
check "--quiet: the code tells it" exits 75
check "and nothing else" is "" "$(cat "$here/run.err")"
run run --quiet -n -- busy -- true
check "also when it does not wait" is "" "$(cat "$here/run.err")"
start reasoned run --reason 'ann: hotfix 12' reasoned -- sleep 100
reasoned=$pid
await "its holder" held reasoned
start waiter run -w 60s reasoned -- true
await "the line" says waiter.err "waiting for reasoned"
check "who waits is told the holder's reason" says waiter.err \
    ", reason: ann: hotfix 12, runs: sleep 100"
kill -TERM "$pid"
finished "$pid"
run ls
check "so does ls" grep -qE '^reasoned .* ann: hotfix 12$' "$here/run.out"
check "which ends no line with a space" is "" "$(grep ' $' "$here/run.out")"
run watch -w 1 reasoned
check "and watch" says run.out ", reason: ann: hotfix 12, runs: sleep 100"
kill -TERM "$reasoned"
finished "$reasoned"
run run -w 1 busy -- true
check "a number of seconds alone is a wait" exits 75
check "which is said as such" grep -qE '(limit of|within) 1s' "$here/run.err"
run run --wait=1s busy -- true
check "and so is the option's long name" grep -qE '(limit of|within) 1s' \
    "$here/run.err"
run watch -w 1 busy
check "of watch, too" exits 0
run run -n -q -E 0 busy -- true
check "-E 0 makes a success of it" exits 0
for one in 256 -1 x '' 9999999999; do
    run run -n -E "$one" busy -- true
    check "-E '$one' is refused" exits 64
done

start dying run --if-dead refuse --ttl 1s --beat 100ms --grace 100ms dead -- \
    sleep 100
await "the holder" held dead
freeze "$(guard_of "$pid")" "$pid"
dying=$pid
start patient run --if-suspected wait -w 60s dead -- true
patient=$pid
start run run -w 10m -E 99 dead -- true
await "its end, long before the limit" all_gone "$pid"
finished "$pid"
check "a suspected holder ends the wait: 73" exits 73
check "which is said" says run.err "dead is suspected dead"
check "and it is said how one waits on" says run.err "--if-suspected wait"
run run --if-suspected fail -w 60s dead -- true
check "so it does where that is said" exits 73
await "the line of who waits on" says patient.err "suspected dead"
check "--if-suspected wait waits on, and its line names it" says patient.err \
    "waited for by --if-suspected wait"
kill -TERM "$patient"
finished "$patient"
check "to its limit, or until it is stopped" is 143 "$code"
run run --if-suspected never dead -- true
check "it knows two words" exits 64
murder "$dying"
run run -q -E 99 dead -- true
check "a dead holder is said also with --quiet" says run.err "holdfast clear"
check "and its code is 73" exits 73

# ---- Short waits ------------------------------------------------------------------
# Of a wait that ended within half a second nothing is said; here we look at
# one that did, on whatever machine.
short_wait() {
    local begun ended try

    for try in {1..20}; do
        start brief run "brief$try" -- sh -c 'read -r line <"$1"' sh "$here/gate"
        await "the holder" held "brief$try"
        begun=$(date +%s%3N)
        { read -rt 0.1 -u "$silence"; echo >"$here/gate"; } &
        run run "brief$try" -- true
        ended=$(date +%s%3N)
        finished "$pid"
        [ $((ended - begun)) -lt 500 ] && return 0
    done
    return 1
}
mkfifo "$here/gate"
check "a wait of less than half a second happens" short_wait
check "and nothing is said of it" is "" "$(cat "$here/run.err")"

# ---- A stderr that nobody reads -----------------------------------------------------
mkfifo "$here/full"
exec 7<>"$here/full"
dd if=/dev/zero of="$here/full" bs=4096 oflag=nonblock 2>"$here/dd.err"
"$holdfast" run -n busy -- true 2>"$here/full" </dev/null &
pid=$!
started+=("$pid")
await "its refusal, which does not fit" grep -q pipe "/proc/$pid/wchan"
kill -TERM "$pid"
check "TERM ends one that waits for the reader of its refusal" \
    await "its end" all_gone "$pid"
exec 7>&-

# ---- Limits of the system -----------------------------------------------------------
(ulimit -f 0 && exec "$holdfast" run --at "sqlite:$here/new.db" x -- true) \
    2>&1 | cat >"$here/fsize.err"
code=${PIPESTATUS[0]}
check "a limit on the size of files does not kill" is 69 "$code"
check "but is said" says fsize.err "File too large"
(ulimit -f 0 && exec "$holdfast" clear --reason y \
    --at "sqlite:$here/new.db" x) \
    2>&1 | cat >"$here/fsize.err"
code=${PIPESTATUS[0]}
check "nor does it with another verb" is 69 "$code"

# ---- The holder's life --------------------------------------------------------------
run why --watch 1ms busy
check "a holder that has just been looked at is alive" \
    says run.out "alive, just looked"
check "and no beat is missed" is "" "$(grep -E 'for 0s|in 0s' "$here/run.out")"
run show busy
check "its beats are counted" grep -qE '^beats +[0-9]+ so far, every 2s$' \
    "$here/run.out"

# ---- Rows of others -----------------------------------------------------------------
sql "INSERT INTO holdfast_records SELECT space, 'odd',
    version + 1, version + 1, 0, '{\"lock\":7}' FROM holdfast_records LIMIT 1"
run show odd
check "show says why a row is not ours" grep -qE "^value +not Holdfast's: ." \
    "$here/run.out"
run ls odd
check "and its age is not known" grep -qE '^odd +\(not ours\) +\?' "$here/run.out"

run show odd
check "nor the time of its last beat" grep -qE '^last beat +unknown$' \
    "$here/run.out"
sql "UPDATE holdfast_records
    SET stamp = 9223372036854775807 WHERE name = 'odd'"
run show odd
check "nor where it is one that no clock shows" \
    grep -qE '^last beat +unknown$' "$here/run.out"
run run tomb -- true
sql "UPDATE holdfast_records SET version = 1 << 62,
    token = 1 << 62 WHERE name = 'tomb'"
run run -w 100ms tomb -- true
check "a version that no Holdfast gives: 65" exits 65
check "with the file, the cause and the remedy" says run.err \
    "$here/locks.db: the row of 'tomb' has a version that no Holdfast gives; \
delete the row"

# ---- What is not looked at ----------------------------------------------------------
start forced run --ttl 2h --beat 30m forced -- sleep 100
await "the holder" held forced
forced=$pid
rewrite forced "json_set(value, '\$.owner.pidns', 1)"
run why --watch 100ms forced
check "a holder in another pid namespace is said to be in one" says run.out \
    "on this host, in a pid namespace that is not seen from here"
check "and no command shows other processes" is "" \
    "$(grep -E 'ssh|ps -o' "$here/run.out")"
run clear --force --reason "a test" forced
check "clear --force says that it did not watch" says run.out \
    "life: not known, for it was not watched"
kill -TERM "$forced"
finished "$forced"

long=$(printf 'a%.0s' {1..200})
start long run "$long" -- sleep 100
await "the holder" held "$long"
run ls aaa
check "a long name is cut in the table" \
    grep -qE '^a{60}… +[^ ]+@' "$here/run.out"
run ls --json aaa
check "and whole with --json" says run.out "\"$long\""
kill -TERM "$pid"
finished "$pid"

kill -TERM "$holder"
finished "$holder"
finish
