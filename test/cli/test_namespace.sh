#!/bin/bash
# In a pid namespace whose /proc shows another one's processes, or none: what
# is below holdfast is ended there too, and nobody else is.
# shellcheck disable=SC2016 # what stands in '...' is for inner shells
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
export here # for the scripts below

apart=(unshare --pid --mount --fork)
into=(nsenter --pid)
if ! "${apart[@]}" true 2>/dev/null; then
    apart=(unshare --user --map-root-user --pid --mount --fork)
    into=(nsenter --user --preserve-credentials --pid)
fi
if ! "${apart[@]}" true 2>/dev/null; then
    echo "1..0 # SKIP this user may make no pid namespace"
    exit 77
fi

# The first process of the namespace: it starts strangers, and is none of
# holdfast's business itself.  $2 says what is done to /proc first.
cat >"$here/inner" <<'END'
eval "$2"
shift 2
"$@" &
holdfast=$!
i=0
while [ $i -lt 40 ]; do
    sleep 1000 &
    i=$((i + 1))
done
: >"$here/inner.ready"
wait $holdfast
echo $? >"$here/inner.code"
wait
END

# A command that ignores TERM, and so does what it starts in another session
# and what has lost its parent.  As long as any of them is there $1 is locked.
cat >"$here/stubborn" <<'END'
trap "" TERM
exec 9>"$1"
flock 9
setsid sleep 1000 &
(setsid sh -c 'sleep 1000; :' &)
: >"$1.ready"
while :; do sleep 1000; done
END

children_of() {
    cat "/proc/$1/task/$1/children" 2>/dev/null
}

has_child() {
    [ -n "$(children_of "$1")" ]
}

# A command that notes TERM, and ends when it may.
cat >"$here/noting" <<'END'
trap ': >"$1.term"' TERM
: >"$1.ready"
until [ -e "$1.go" ]; do sleep 0.05; done
END

# hold_inside PROC OPTION... LOCK -- COMMAND...: in a namespace with strangers,
# where PROC was done to /proc; $pid is holdfast, by its number out here.
hold_inside() {
    local proc=$1
    shift
    rm -f "$here"/inner.* "$here"/alive*
    "${apart[@]}" sh "$here/inner" inner "$proc" \
        env --default-signal=INT,QUIT "$holdfast" run "$@" \
        >"$here/holder.out" 2>"$here/holder.err" </dev/null &
    outer=$!
    started+=("$outer")
    await "the strangers" test -e "$here/inner.ready"
    read -r first <<<"$(children_of "$outer")"
    started+=("$first") # with it goes all of the namespace
    await "the command" test -e "$here/alive.ready"
    read -ra strangers <<<"$(children_of "$first")"
    pid=${strangers[0]}
    strangers=("${strangers[@]:1}")
}

leave() {
    kill -KILL "$first"
    wait "$outer" 2>/dev/null
}

untouched() {
    local one

    for one in "${strangers[@]}"; do
        runs "$one" || return 1
    done
}

next_is_alone() { # next_is_alone LOCK: nothing is left of the one before
    run run -w 60s "$1" -- flock -n "$here/alive" true
    exits 0
}

ended_with() {
    await "its end" test -s "$here/inner.code"
    is "$1" "$(cat "$here/inner.code")"
}

# A beat between its look and its write makes clear give up.
cleared() {
    "$holdfast" clear --force --reason "test" "$1" >"$here/run.out" 2>&1
}

short=(--ttl 3s --beat 300ms --grace 300ms)

# ends_all WHERE PROC
ends_all() {
    local where=$1 proc=$2

    hold_inside "$proc" "${short[@]}" t -- sh "$here/stubborn" "$here/alive"
    kill -KILL "$pid"
    check "$where, holdfast killed: the next one runs alone" next_is_alone t
    check "and no stranger was touched" untouched
    leave

    hold_inside "$proc" "${short[@]}" t -- sh "$here/stubborn" "$here/alive"
    kill -KILL "$(guard_of "$pid")"
    check "$where, the guard killed: the next one runs alone" next_is_alone t
    check "holdfast ends with 137" ended_with 137
    check "and no stranger was touched" untouched
    leave

    hold_inside "$proc" "${short[@]}" t -- sh "$here/stubborn" "$here/alive"
    await "the clear" cleared t
    check "$where, lost: holdfast ends with 76" ended_with 76
    check "when nothing is left of the command" flock -n "$here/alive" true
    check "having said that it is lost" says holder.err "t is lost"
    check "and nothing of its right" is "" "$(grep "runs out" "$here/holder.err")"
    check "and no stranger was touched" untouched
    leave

    hold_inside "$proc" t -- \
        sh -c 'setsid sleep 1000 & : >"$1.ready"' sh "$here/alive"
    await "the word of it" says holder.err "1 process of it is left ("
    check "$where, what the command left is counted right" \
        is 1 "$(grep -c "of it" "$here/holder.err")"
    run run -n t -- true
    check "and keeps the lock" exits 75
    leave
    run clear --force --reason "test" t
}

# spares_all WHERE PROC: holdfast is the first process of the namespace, and
# strangers have joined it.  With it they would end, too: so the lock is lost
# with a long grace, and TERM is what comes to all that is below.
spares_all() {
    local where=$1 proc=$2 number

    rm -f "$here"/alive*
    "${apart[@]}" sh -c 'eval "$1"; shift; exec "$@"' sh "$proc" \
        env --default-signal=INT,QUIT "$holdfast" run --if-dead refuse \
        --ttl 2h --beat 200ms --grace 1h one -- sh "$here/noting" "$here/alive" \
        >"$here/holder.out" 2>"$here/holder.err" </dev/null &
    outer=$!
    started+=("$outer")
    await "the command" test -e "$here/alive.ready"
    read -r first <<<"$(children_of "$outer")"
    started+=("$first")
    strangers=()
    for number in {1..40}; do
        "${into[@]}" --target "$first" sleep 1000 &
        started+=($!)
        await "a stranger" has_child $!
        read -r number <<<"$(children_of $!)"
        strangers+=("$number")
    done
    await "the clear" cleared one
    check "$where, holdfast the first of all: its command gets TERM" \
        await "TERM" test -e "$here/alive.term"
    check "and no stranger is touched" untouched
    : >"$here/alive.go"
    finished "$outer"
    check "and it ends with 76" is 76 "$code"
}

ends_all "with the /proc of an outer namespace" true
spares_all "with the /proc of an outer namespace" true
# The address sanitizer reads its options from /proc, and is lost without.
if grep -q __asan_init "$holdfast"; then
    echo "# without /proc: skipped, for the sanitizer needs it"
else
    ends_all "without /proc" "mount -t tmpfs none /proc"
    spares_all "without /proc" "mount -t tmpfs none /proc"
fi
finish
