#!/bin/bash
# The SQL of docs/guarantees.md, run as it stands there: a late write of a
# former holder changes nothing.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
holdfast=$1 source=$2
export HOLDFAST_AT="sqlite:$here/locks.db"
db=$here/accounts.db

# block NUMBER: the n-th block of SQL on the page.
block() {
    awk -v wanted="$1" '
        /^```sql/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside && n == wanted' "$source/docs/guarantees.md"
}

# The fence of one grant of the lock "books".
grant() {
    # shellcheck disable=SC2016 # it is the inner shell's
    "$holdfast" run books -- sh -c 'echo "$HOLDFAST_FENCE"' 2>>"$here/run.err"
}

# write FENCE AMOUNT: prints how many rows were changed.
write() {
    {
        echo ".parameter set :fence $1"
        echo ".parameter set :amount $2"
        block 2
    } | sqlite3 "$db"
}

check "the page has two blocks of SQL" [ -n "$(block 2)" ]
sqlite3 "$db" "$(block 1)"
check "the first makes the table" [ $? = 0 ]

early=$(grant)
late=$(grant)
check "fences grow" [ "$late" -gt "$early" ]
check "a holder writes" [ "$(write "$early" 10)" = 1 ]
check "and writes again with the same fence" [ "$(write "$early" 11)" = 1 ]
check "the next holder writes" [ "$(write "$late" 20)" = 1 ]
check "a late write of the former holder changes no row" \
    [ "$(write "$early" 99)" = 0 ]
check "and the amount is the next holder's" \
    [ "$(sqlite3 "$db" 'SELECT amount FROM books')" = 20 ]
finish
