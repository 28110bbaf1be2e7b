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
        sed "s|sqlite:/srv/locks/locks.db|$HOLDFAST_AT|"
}

is_free() {
    ! holdfast show report >/dev/null
}

# The first minute, pasted as one block.
bash -c "$(block 1)" >"$here/minute.out" 2>"$here/minute.err"
check "the first minute ends well" [ $? = 0 ]
check "and says nothing of locks that are not there" \
    [ -z "$(grep 'no such lock' "$here/minute.err")" ]
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
    grep -q 'a migration died half way' "$here/second.out"
check "and how" grep -q '^    holdfast clear --at ' "$here/second.err"
check "and nobody started" [ "$(cat log)" = begun ]
finish
