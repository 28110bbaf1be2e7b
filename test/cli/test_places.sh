#!/bin/bash
# Users who name no place: each is told, once, that the locks are its own; who
# is denied is told how to share; and doctor finds what the others have.
# shellcheck source=test/cli/support.sh

# Root's place is hidden behind an empty folder, and so is the list of users.
if [ -z "${HOLDFAST_TEST_APART-}" ]; then
    if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
        echo "1..0 # SKIP needs root, to be several users"
        exit 77
    fi
    HOLDFAST_TEST_APART=1 exec unshare --mount --propagation private "$0" "$@"
fi
. "$(dirname "$0")/support.sh"
group=20100
chmod 755 "$here"
mkdir "$here/bin"
cp "$holdfast" "$here/bin/holdfast"
cp -L "$(dirname "$holdfast")"/../lib/libholdfast.so* "$here/bin" 2>/dev/null
export LD_LIBRARY_PATH="$here/bin"
mount -t tmpfs none /var/lib
printf '%s\n' "root:x:0:0::$here/root:/bin/sh" "ann:x:20001:20001::$here/ann:" \
    "bob:x:20002:20002::$here/bob:" "eve:x:20003:20003::$here/eve:" \
    >"$here/passwd"
mount --bind "$here/passwd" /etc/passwd
install -d -o 20001 "$here/ann"
install -d -o 20002 "$here/bob"
install -d -o 20003 -m 700 "$here/eve"
unset HOLDFAST_AT XDG_STATE_HOME
roots=/var/lib/holdfast/locks.db
anns=$here/ann/.local/state/holdfast/locks.db

# as USER ARGUMENT...: holdfast as that user would have it; what it says as run.
as() {
    local user=$1 id
    shift

    id=$(sed -n "s/^$user:x:\([0-9]*\):.*/\1/p" "$here/passwd")
    HOME=$here/$user setpriv --reuid="$id" --regid="$id" --groups=$group \
        "$here/bin/holdfast" "$@" >"$here/run.out" 2>"$here/run.err" </dev/null
    code=$?
}

# tells_of PLACE USER: one line, that it was made, whose it is, how to share.
tells_of() {
    exits 0 && is 1 "$(wc -l <"$here/run.err")" &&
        says run.err "so sqlite:$1 was made" &&
        says run.err "those of $2 alone" && says run.err "by --at or HOLDFAST_AT"
}

is_silent() {
    exits 0 && is "" "$(cat "$here/run.err")"
}

# ---- A place that is made --------------------------------------------------------
as root run job -- true
check "root is told that its default place was made" tells_of $roots root
as root run job -- true
check "and only then" is_silent
HOME=$here/root start root run job -- sleep 100
holder=$pid
await "root's lock" held job
as ann run -n job -- true
check "another user, who has another lock, is told, too" tells_of "$anns" ann
as ann run -n job -- true
check "once" is_silent
kill -TERM "$holder"
finished "$holder"
as bob run --json job -- true
check "with --json nothing is said but the answer" \
    is 0 "$(grep -vc '^{' "$here/run.err")"
as eve run -q job -- true
check "it is no news of waiting, which -q leaves out" \
    tells_of "$here/eve/.local/state/holdfast/locks.db" eve
HOLDFAST_AT=sqlite:$here/ann/other.db as ann run job -- true
check "who names a place has chosen it" is_silent
as ann run --at "sqlite:$here/ann/third.db" job -- true
check "on the command line, too" is_silent
HOLDFAST_AT="" as ann run job -- true
check "and a place that is there was made before" is_silent
XDG_STATE_HOME=$here/ann/state as ann clear --reason looked job
check "who clears in a place that was not there is told" \
    says run.err "so sqlite:$here/ann/state/holdfast/locks.db was made"

# ---- Denied ----------------------------------------------------------------------
# denies: 77, why, and below it what to do.
denies() {
    exits 77 && is 2 "$(wc -l <"$here/run.err")" &&
        says run.err "Permission denied" &&
        says run.err "by --at or HOLDFAST_AT" &&
        says run.err "install -d -m 2770 -g GROUP /srv/locks"
}

as ann run --at "sqlite:$roots" job -- true
check "who may not have root's locks is told how to share" denies
as ann ls --at "sqlite:$roots"
check "who looks, too" denies
as ann doctor --at "sqlite:$roots" --json
check "and who asks the doctor" says run.out '"remedy":"to share locks'
install -d -m 2770 -g $group "$here/locks"
HOLDFAST_AT=sqlite:$here/locks/locks.db start shared run job -- sleep 100
HOLDFAST_AT=sqlite:$here/locks/locks.db await "root's shared lock" held job
HOLDFAST_AT=sqlite:$here/locks/locks.db as ann run -n job -- true
check "in such a folder root keeps the others out" exits 75
kill -TERM "$pid"
finished "$pid"
HOLDFAST_AT=sqlite:$here/locks/locks.db as bob run -n job -- true
check "and all of the group have its locks" is_silent

# ---- The neighbours --------------------------------------------------------------
# neighbours GRADE TEXT: what the doctor found.
neighbours() {
    grep -qE "^$1 +neighbours .*$2" "$here/run.out" || {
        sed 's/^/# /' "$here/run.out" "$here/run.err"
        return 1
    }
}

as root doctor
check "doctor warns of the default places of others" \
    neighbours warn "ann has $anns; bob has $here/bob/"
check "with what to do" says run.out "name one place to all of them"
check "its own is none of them" is 0 "$(grep -c "root has" "$here/run.out")"
as ann doctor
check "who may not look into root's is told that one may be there" \
    neighbours warn "root has $roots, perhaps: its folder is closed to us"
check "and which homes could not be looked into" \
    neighbours warn "the homes of bob and 1 more were not looked into"
as ann doctor --at "sqlite:$here/locks/locks.db"
check "where a place was named they are told, and no fault" \
    neighbours "ok  " "root has $roots.*ann has $anns"
finish
