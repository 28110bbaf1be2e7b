#!/bin/bash
# The README's first minute and its migration recipe, pasted as they stand.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
holdfast=$1 source=$2
export HOLDFAST_AT="sqlite:$here/locks.db"
PATH=$(dirname "$holdfast"):$PATH

# block NUMBER: the n-th block of shell on the page, in a place of this test.
block() {
    awk -v wanted="$1" '
        /^```sh$/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside && n == wanted' "$source/README.md" |
        sed "s|/srv/locks|$here|g"
}

is_free() {
    ! holdfast show report >/dev/null
}

# The first minute, pasted as one block.
bash -c "$(block 1)" >"$here/minute.out" 2>"$here/minute.err"
check "the first minute ends well" [ $? = 0 ]
check "and says nothing of locks that are not there" \
    [ -z "$(grep 'is free' "$here/minute.err")" ]
await "the lock is free again" is_free
check "the first command ran" grep -q '^mine, with fence [1-9]' "$here/minute.out"
check "the list showed the holder" grep -q 'sleep 60' "$here/minute.out"
check "all of it was shown" grep -qE '^runs +sleep 60$' "$here/minute.out"
check "its holder was said to be alive" grep -q '^report: alive' \
    "$here/minute.out"
check "the last was not granted" grep -qx 'taken: 75' "$here/minute.out"

# One of five containers runs the migration, the others find it done.
mkdir "$here/deploy"
cd "$here/deploy" || exit 99
echo 'test -e finished' >migrated
echo 'echo migrated >>log; touch finished' >migrate
echo 'echo started >>log' >start
chmod +x migrated migrate start
for one in 1 2 3 4 5; do
    bash -c "$(block 2)" >"$here/$one.out" 2>"$here/$one.err" &
    started+=("$!")
done
wait
check "the migration ran once" [ "$(grep -cx migrated log)" = 1 ]
check "before anybody started" [ "$(head -n 1 log)" = migrated ]
check "and everybody started" [ "$(grep -cx started log)" = 5 ]

# It dies half way: nobody starts, nobody repeats it, a person is called.
rm -f finished log
echo 'echo begun >>log; sleep 60' >migrate
bash -c "$(block 2)" >"$here/first.out" 2>"$here/first.err" &
started+=("$!")
await "the migration has begun" grep -qx begun log
kill -9 "$(holdfast show --json migrate | grep -oE '"processes":\[[0-9]+' |
    grep -oE '[0-9]+$')"
wait
bash -c "$(block 2)" >"$here/second.out" 2>"$here/second.err"
check "the next one says what to do" \
    grep -q 'the holder died half way' "$here/second.out"
check "and how" grep -q '^    holdfast clear --at ' "$here/second.err"
check "and nobody started" [ "$(cat log)" = begun ]

# Killed alone it is no dead holder: the lock is given back, and a mark of its
# own keeps the others from beginning it again.
holdfast clear --force --reason "a test" migrate >/dev/null
# shellcheck disable=SC2016 # it is the migration's own
echo 'echo begun >>log; kill -9 $$' >migrate
rm -f log
bash -c "$(block 2)" >"$here/killed.out" 2>&1
check "a migration that is killed alone has failed" \
    grep -q 'the migration failed' "$here/killed.out"
bash -c "$(block 2)" >"$here/again.out" 2>&1
check "and is begun again: the lock was given back" \
    [ "$(grep -cx begun log)" = 2 ]
rm -f log
bash -c "$(block 3)" >"$here/mark.out" 2>&1
bash -c "$(block 3)" >"$here/marked.out" 2>&1
check "but not where it leaves a mark" [ "$(cat log)" = begun ]
check "which is what the next one says" grep -q "$here/begun" "$here/marked.out"
rmdir "$here/begun"
echo 'touch finished' >migrate
check "once the mark is removed it is done" bash -c "$(block 3)"
check "and leaves none" [ ! -e "$here/begun" ]
finish
