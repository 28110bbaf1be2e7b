#!/bin/bash
# A place whose disk is slow: a write may take longer than a beat, and is no
# reason to lose a lock, nor to be refused one, as long as it is well within
# the ttl.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"
shim=$4

# A command that runs until it is let go.
cat >"$here/job" <<'END'
echo "fence $HOLDFAST_FENCE"
until [ -e "$1.go" ]; do read -rt 0.05 <> <(:); done
exit 0
END

# slow PLACE MS: from now on each sync of it takes so long.
slow() {
    echo "$2" >"$here/$1.slow.new"
    mv "$here/$1.slow.new" "$here/$1.slow"
}

# begin PLACE ID OPTION...: hold the lock `it` of the place, as $pid.  Its
# command has the shim too, and syncs nothing.
begin() {
    local place=$1 id=$2
    shift 2
    rm -f "$here/$id.go" "$here/$id.syncs"
    : >"$here/$id.err"
    HF_SYNC_SLOW="$here/$place.slow" HF_SYNC_COUNT="$here/$id.syncs" \
        LD_PRELOAD=$shim "$holdfast" run --at "sqlite:$here/$place.db" "$@" \
        it -- bash "$here/job" "$here/$id" \
        >"$here/$id.out" 2>"$here/$id.err" </dev/null &
    pid=$!
    started+=("$pid")
}

let_go() { # let_go ID PID
    : >"$here/$1.go"
    finished "$2"
}

# beats PLACE: how many the holder has had applied.
beats() {
    "$holdfast" show --at "sqlite:$here/$1.db" --json it 2>/dev/null |
        sed -n 's/.*"lock":"[0-9a-f]*_\([0-9]*\)".*/\1/p'
}

has_beaten() { # has_beaten PLACE COUNT
    local seen
    seen=$(beats "$1")
    [ "${seen:-0}" -ge "$2" ]
}

free() { # free PLACE
    "$holdfast" show --at "sqlite:$here/$1.db" it >/dev/null 2>&1
    is 1 $?
}

exits_of() { # exits_of ID CODE
    is "$2" "$code" || {
        sed 's/^/# /' "$here/$1.err"
        return 1
    }
}

# Each beat is one write, or that and one repeated; granting and giving back
# are a few more.
writes_little() { # writes_little ID BEATS
    local syncs
    syncs=$(wc -c <"$here/$1.syncs")
    [ "$syncs" -le $((2 * $2 + 8)) ] || {
        echo "# $syncs syncs for $2 beats"
        return 1
    }
}

fence_of() {
    sed -n 's/^fence //p' "$here/$1.out"
}

granted() {
    [ -n "$(fence_of "$1")" ]
}

short=(--ttl 3s --beat 300ms --grace 500ms)

# ---- Slower than a beat ------------------------------------------------------
declare -A pids
for place in 400ms 700ms 2500ms; do
    slow "$place" 0
    "$holdfast" run --at "sqlite:$here/$place.db" it -- true # make the file
    slow "$place" "${place%ms}"
done
begin 400ms 400ms "${short[@]}" -w 20s
pids[400ms]=$pid
begin 700ms 700ms "${short[@]}" -w 20s
pids[700ms]=$pid
begin 2500ms 2500ms -w 20s
pids[2500ms]=$pid

# Longer than a ttl of 3 s; with the defaults, three beats.
for try in 400ms:8 700ms:5 2500ms:3; do
    place=${try%:*}
    await "$place to beat" has_beaten "$place" "${try#*:}"
    check "a sync takes $place: granted" granted "$place"
    check "and held, with one repeated write a beat at most" \
        writes_little "$place" "$(beats "$place")"
    let_go "$place" "${pids[$place]}"
    check "and ended in good order" exits_of "$place" 0
    check "and given back" free "$place"
    check "and nothing is said, but that the place is slow" \
        is "" "$(grep -vE 'giving back|it is slow' "$here/$place.err")"
done

# ---- Two of them -------------------------------------------------------------
begin 400ms holder "${short[@]}" -w 20s
holder=$pid
await "the holder" granted holder
begin 400ms waiter "${short[@]}" -w 20s
waiter=$pid
await "the other one to wait" says waiter.err "$here/holder"
let_go holder "$holder"
check "a holder gives it back while another one waits" exits_of holder 0
await "the other one" granted waiter
check "which gets it, with a higher fence" \
    [ "$(fence_of waiter)" -gt "$(fence_of holder)" ]
check "and never waited for itself" \
    is 0 "$(grep -c "$here/waiter" "$here/waiter.err")"
let_go waiter "$waiter"
check "and gives it back" exits_of waiter 0

# ---- Too slow ----------------------------------------------------------------
slow 700ms 0
begin 700ms lost "${short[@]}" -w 20s
await "the holder" granted lost
slow 700ms 5000
finished "$pid"
check "a sync takes longer than the ttl: the lock is lost" exits_of lost 76
check "for writing takes so long, which is said" \
    grep -qE 'slow|takes|no answer|not answer' "$here/lost.err"
check "and not that none could be written" \
    is 0 "$(grep -c 'no beat could be written' "$here/lost.err")"

slow 700ms 1500
begin 700ms refused "${short[@]}" -w 4s
finished "$pid"
check "where no second write would come in time, nothing is granted" \
    exits_of refused 69
check "and no command is begun" is "" "$(cat "$here/refused.out")"
check "and it is said how long a write takes, and how long the ttl is" \
    grep -qE '1\.[5-9][0-9]*s.*3s' "$here/refused.err"
finish
