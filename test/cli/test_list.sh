#!/bin/bash
# What stands in a place, listed: also what other programs wrote there.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

# put NAME-AS-SQL: a record as another program would write it.
put() {
    sql "INSERT INTO holdfast_records VALUES('default', $1, 1, 1, 0, 'x')"
}

# The listing: one that does not end is cut off.
ls_all() {
    "$holdfast" ls "$@" 2>"$here/run.err" </dev/null |
        head -n 1000 >"$here/run.out"
    code=${PIPESTATUS[0]}
}

run run x -- true
check "a place is made" exits 0
put "cast(x'ff' AS TEXT)"
ls_all
check "a name that is not UTF-8 does not keep ls from its end" exits 0
check "it is shown, cleaned, as not ours" \
    is "$(printf '\357\277\275') (not ours)" \
    "$(awk 'NR == 2 { print $1, $2, $3 }' "$here/run.out")"
check "once" is 2 "$(wc -l <"$here/run.out")"
check "and counted" says run.err "1 of these names is none that a lock can have"
put "cast(x'610062' AS TEXT)"
put "printf('%0600d', 0)"
put "''"
ls_all
check "nor do names with a NUL, none at all, or of 600 bytes" exits 0
check "each is shown once" is 5 "$(wc -l <"$here/run.out")"
check "and counted with the others" says run.err "4 of these names are none"

sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO holdfast_records
    SELECT 'default', char(1) || printf('%03d', i), 1, 1, 0, 'x' FROM n"
put "'visible-lock'"
ls_all
check "three hundred of them hide no lock" \
    grep -q '^visible-lock ' "$here/run.out"
check "and none of themselves" is 306 "$(wc -l <"$here/run.out")"
ls_all --json
objects=0
while IFS= read -r line; do
    "$json" name <<<"$line" >"$here/name" 2>&1 && objects=$((objects + 1))
done <"$here/run.out"
check "each is an object of JSON" is 305 "$objects"
check "that says it has a foreign name" is 304 \
    "$(grep -c '"foreign_name":true,"exists":true,"corrupt":true' \
        "$here/run.out")"
check "which is all that is said" test ! -s "$here/run.err"
ls_all v
check "a prefix leaves them out" is 2 "$(wc -l <"$here/run.out")"
check "and then nothing is said of them" test ! -s "$here/run.err"

# A page of ls has 32 rows: the names of its end are foreign here.
rm -f "$here"/locks.db*
run run x -- true
for i in {1..31}; do
    put "'b' || printf('%02d', $i)"
done
put "'b' || printf('%02d', 31) || char(1)"
put "'b31y'"
put "'b31z'"
ls_all
check "a foreign name at the end of a page hides none behind it" \
    is 35 "$(wc -l <"$here/run.out")"
check "to the last" grep -q '^b31z ' "$here/run.out"

for verb in show why; do
    run "$verb" "$(printf '\001')"
    check "$verb refuses a name that no lock can have" exits 64
    check "and says why" says run.err "UTF-8 without control characters"
done
finish
