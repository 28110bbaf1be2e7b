#!/bin/bash
# The README's first minute and its migration recipe, typed as they stand.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
holdfast=$1 source=$2
export HOLDFAST_AT="sqlite:$here/locks.db"
PATH=$(dirname "$holdfast"):$PATH

# block NUMBER: the n-th block of shell on the page.
block() {
    awk -v wanted="$1" '
        /^```sh$/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside && n == wanted' "$source/README.md"
}

is_held() {
    holdfast show report >/dev/null
}

is_free() {
    ! is_held
}

# The first minute, line by line; who types it is slower than a process.
while read -r line; do
    eval "$line" >>"$here/minute.out" 2>>"$here/minute.err"
    check "$line" [ $? = 0 ]
    if [[ $line == *'&' ]]; then
        started+=("$!")
        await "the lock is held" is_held
    fi
done < <(block 1)
await "the lock is free again" is_free
check "the first command ran" grep -q '^mine, with fence [1-9]' "$here/minute.out"
check "the list showed the holder" grep -q 'sleep 60' "$here/minute.out"
check "the last was not granted" grep -qx 'taken: 75' "$here/minute.out"

# One of five hosts runs the migration, the others find it done.
mkdir "$here/deploy"
cd "$here/deploy" || exit 99
echo 'test -e finished' >migrated
echo 'echo migrated >>log; touch finished' >migrate
echo 'echo started >>log' >start
chmod +x migrated migrate start
for host in 1 2 3 4 5; do
    bash -c "$(block 2)" >"$here/host$host.out" 2>"$here/host$host.err" &
    started+=("$!")
done
wait
check "the migration ran once" [ "$(grep -cx migrated log)" = 1 ]
check "before anybody started" [ "$(head -n 1 log)" = migrated ]
check "and every host started" [ "$(grep -cx started log)" = 5 ]

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
check "the next host says what to do" \
    grep -q 'see holdfast why migrate' "$here/second.out"
check "and nobody started" [ "$(cat log)" = begun ]
finish
