#!/bin/bash
# A second opinion: SPIN, on a model of the takeover that was written apart
# from the code, and holdfast-lab, on the code, say the same of the protocol
# and of two mutants.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
lab=$1 source=$2 build=$3

if ! command -v spin >"$here/spin"; then
    echo "1..0 # SKIP spin is not installed (Debian: spin)"
    exit 77
fi

# spin_says MODEL-FLAG...: "proved" or "violated"; how, in $here/pan.out.
spin_says() {
    mkdir -p "$here/model"
    (
        cd "$here/model" || exit 1
        spin -DVERSIONS=5 "$@" -a "$source/lab/spin/takeover.pml" &&
            gcc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m1000000
    ) >"$here/pan.out" 2>&1
    if grep -q 'errors: 0$' "$here/pan.out" &&
        ! grep -qE 'max search depth too small|out of memory' \
            "$here/pan.out"; then
        echo proved
    elif grep -q 'assertion violated' "$here/pan.out"; then
        echo violated
    else
        tail -n 5 "$here/pan.out" >&2
    fi
    sed -n 's/^ *\([0-9]* states, stored\).*/# SPIN: \1/p' "$here/pan.out" >&2
}

lab_says() {
    "$lab" prove takeover --workers 2 --faults 1 >"$here/lab.out"
    grep -oE '\b(proved|violated|bounded)\b' "$here/lab.out"
}

# The same of the machines of src/core under one of lab/mutants/list.txt.
lab_says_of() {
    "$source/scripts/mutants.py" --build "$build" "$1" >"$here/lab.out"
    grep -qE "^$1: [a-z-]+ [0-9] [0-9]: " "$here/lab.out" && echo violated
}

check "SPIN proves the takeover" [ "$(spin_says)" = proved ]
# A model in which little happens would be proved as well.
check "and reaches every line of its model" \
    [ "$(grep -c '^	takeover.pml:.*state' "$here/pan.out")" = \
    "$(grep -c '^	takeover.pml:.*"-end-"' "$here/pan.out")" ]
check "holdfast-lab proves it" [ "$(lab_says)" = proved ]
check "SPIN finds a takeover that ignores the version" \
    [ "$(spin_says -DANY_VERSION)" = violated ]
check "holdfast-lab finds it" \
    [ "$(lab_says_of store-ignores-versions)" = violated ]
check "SPIN finds a right that is counted from the answer" \
    [ "$(spin_says -DFROM_ANSWER)" = violated ]
check "holdfast-lab finds it" \
    [ "$(lab_says_of right-from-the-answer)" = violated ]
finish
