#!/bin/bash
# The example writes with the fence of its lock, and a write with an older
# fence is refused.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
example=$1
place="sqlite:$here/locks.db"

write() {
    "$example" "$place" "$here/report.db" "$1"
}

stored() {
    sqlite3 "$here/report.db" "SELECT $1 FROM report"
}

write one >"$here/one.out" 2>"$here/one.err"
check "the first write is made" [ $? = 0 ]
first=$(stored fence)
check "with the fence it names" \
    grep -qx "written with fence $first" "$here/one.out"

write two >"$here/two.out" 2>"$here/two.err"
check "the second write is made" [ $? = 0 ]
check "with a higher fence" [ "$(stored fence)" -gt "$first" ]
check "and is stored" [ "$(stored text)" = two ]

# Somebody with a higher fence was here meanwhile.
sqlite3 "$here/report.db" "UPDATE report SET fence = fence * 2, text = 'them'"
write three >"$here/three.out" 2>"$here/three.err"
check "a write with an older fence fails" [ $? = 1 ]
check "and says why" grep -q 'too old' "$here/three.err"
check "and changes nothing" [ "$(stored text)" = them ]

"$example" "sqlite:$here" "$here/report.db" x 2>"$here/bad.err"
check "a place that is none is a failure" [ $? != 0 ]
finish
