#!/bin/bash
# run inside run: a lock that is held by the run that runs us never gets free.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# inside ARGUMENT...: run under the lock `outer`; one that waits is cut off.
inside() {
    rm -f "$here/ran"
    run run outer -- timeout 60 "$@"
}

# What was answered, with the run's own exit code and nothing run.
is_refused() {
    exits 75 && [ ! -e "$here/ran" ] &&
        says run.err "is held by the holdfast run that runs this command (fence "
}

is_granted() {
    exits 0 && [ -e "$here/ran" ]
}

inside "$holdfast" run -w forever outer -- touch "$here/ran"
check "the same lock inside is refused at once, though told to wait for ever" \
    is_refused
check "and what to do is said" says run.err "leave out the inner holdfast run"
check "and no wait" is "" "$(grep 'waiting for outer' "$here/run.err")"
inside sh -c '"$1" run -w forever outer -- touch "$2" 2>"$3"
    echo "$HOLDFAST_FENCE"' sh "$holdfast" "$here/ran" "$here/inner.err"
check "with the fence of the grant" \
    says inner.err "(fence $(cat "$here/run.out"))"
inside "$holdfast" run -n outer -- touch "$here/ran"
check "so is one that does not wait" is_refused
inside "$holdfast" run --json -w forever outer -- touch "$here/ran"
check "in JSON it is already held" is "already held" \
    "$("$json" outcome <"$here/run.err")"
check "with the exit code" is 75 "$("$json" exit <"$here/run.err")"
check "without an error" is null "$("$json" error <"$here/run.err")"
check "and with the holder" is outer \
    "$("$json" seen record name <"$here/run.err")"

inside "$holdfast" run middle -- "$holdfast" run -w forever outer -- \
    touch "$here/ran"
check "three deep, the outermost is refused" is_refused
inside "$holdfast" run middle -- "$holdfast" run -w forever middle -- \
    touch "$here/ran"
check "three deep, the middle one is refused" is_refused

inside "$holdfast" run inner -- touch "$here/ran"
check "another lock inside is granted" is_granted
inside "$holdfast" run --space other outer -- touch "$here/ran"
check "so is the name in another space" is_granted
inside "$holdfast" run --at "sqlite:$here/other.db" outer -- touch "$here/ran"
check "and the name in another place" is_granted

# ---- In a circle ----------------------------------------------------------------
# cross FIRST SECOND: the second one inside the first, when both are held; as
# $pid.
cat >"$here/crossing" <<'END'
until "$1" show "$2" >/dev/null 2>&1; do read -rt 0.05 <> <(:); done
exec "$1" run -w 60s "$2" -- true
END
cross() {
    start "$1" run "$1" -- bash "$here/crossing" "$holdfast" "$2"
}

cross a b
one=$pid
cross b a
other=$pid
await "the word of a" says a.err \
    ", itself waits for a, which a run around us holds"
await "the word of b" says b.err \
    ", itself waits for b, which a run around us holds"
check "who waits in a circle is told what the holder waits for" runs "$one"
check "and both wait on, for nothing is decided by it" runs "$other"
kill -TERM "$other"
finished "$other"
check "until one of them is ended" is 143 "$code"
finished "$one"
check "then the other is granted it" is 0 "$code"

start d run d -- sleep 100
d=$pid
await "the holder of d" held d
start c run c -- "$holdfast" run -w 60s d -- true
c=$pid
await "the holder of c" held c
start e run e -- "$holdfast" run -w 60s c -- true
e=$pid
await "the word of what c waits for" says e.err ", itself waits for d, "
check "where it is no circle nobody is said to hold it around us" is 0 \
    "$(grep -c 'around us' "$here/e.err")"
check "it is told to who waits under a lock alone" is 0 \
    "$(grep -c 'itself' "$here/c.err")"
kill -TERM "$d"
finished "$d"
finished "$c"
finished "$e"
check "and nobody waits for ever" is 0 "$code"

# ---- The same place under another name -----------------------------------------
ln -s locks.db "$here/link.db"
mkdir "$here/folder"
ln -s "$here" "$here/folder/up"
inside "$holdfast" run --at "sqlite:$here/folder/up/locks.db" -w forever \
    outer -- touch "$here/ran"
check "a place behind a linked folder is the same" is_refused
inside "$holdfast" run --at "sqlite:$here/folder/../locks.db" -w forever \
    outer -- touch "$here/ran"
check "so is one by a way around" is_refused
inside "$holdfast" run --space default -w forever outer -- touch "$here/ran"
check "and the space that is meant when none is given" is_refused

# ---- The list ------------------------------------------------------------------
# fence_of LIST: of its first item, which must be a number.
fence_of() {
    local item=${1%% *}

    grep -oE '[1-9][0-9]*$' <<<"$item"
}

inside "$holdfast" run --space 'a b' 'c,d%é' -- \
    sh -c 'echo "$HOLDFAST_HELD"; echo "$HOLDFAST_FENCE"'
held=$(head -n 1 "$here/run.out")
check "the list names the outermost first" is \
    "sqlite:$here/locks.db,default,outer,$(fence_of "$held")" "${held%% *}"
check "and quotes what could part it" is \
    "sqlite:$here/locks.db,a%20b,c%2Cd%25%C3%A9,$(tail -n 1 "$here/run.out")" \
    "${held##* }"
inside "$holdfast" run --space 'a b' 'c,d%é' -- \
    "$holdfast" run --space 'a b' -w forever 'c,d%é' -- touch "$here/ran"
check "and what is quoted is found again" is_refused

run run outer -- sh -c 'echo "$HOLDFAST_HELD"'
HOLDFAST_HELD=$(cat "$here/run.out")
export HOLDFAST_HELD
rm -f "$here/ran"
run run -w forever outer -- touch "$here/ran"
check "a list that is out of date refuses no free lock" is_granted
(unset HOLDFAST_HELD
    exec "$holdfast" run --beat 100ms outer -- sh -c \
        'touch "$1"; while [ ! -e "$2" ]; do sleep 0.02; done' sh \
        "$here/begun" "$here/go" >"$here/holder.out" 2>"$here/holder.err") &
started+=("$!")
await "another holder" test -e "$here/begun"
run run -w 300ms outer -- touch "$here/ran"
check "nor one that another holds: that is waited for" \
    says run.err "is held too long"
touch "$here/go"
wait "${started[-1]}"
for list in ' ' ',' ',,,' '%' 'x,default,outer,1' "$(head -c 50000 /dev/zero |
    tr '\0' x)"; do
    rm -f "$here/ran"
    HOLDFAST_HELD=$list run run outer -- touch "$here/ran"
    check "a list that nobody can read harms nothing: ${list:0:12}" is_granted
done
finish
