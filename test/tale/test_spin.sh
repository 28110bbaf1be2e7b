#!/bin/bash
# SPIN, on a model of draft4 that was written apart from it, and holdfast-tale
# find the same number of states: so `make bench`, which searches one beside the
# other, compares what can be compared.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
tale=$1 source=$2

if ! command -v spin >"$here/spin"; then
    echo "1..0 # SKIP spin is not installed (Debian: spin)"
    exit 77
fi

draft4_of_spin() {
    mkdir -p "$here/draft4"
    (
        cd "$here/draft4" || exit 1
        spin -DFAULTS=0 -a "$source/tale/spin/draft4.pml" &&
            gcc -O2 -w -DBFS -DSAFETY -DNOREDUCE -o pan pan.c && ./pan
    ) >"$here/draft4.out" 2>&1
    sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$here/draft4.out"
}
draft4_of_tale() { # looks for what no draft can do, and so goes on to the end
    "$tale" run draft4 --workers 4 --faults 0 --only "ghost grant" --json |
        sed 's/.*"states":\([0-9]*\).*/\1/'
}

states=$(draft4_of_tale)
check "draft4 has states" [ "$states" -gt 500000 ]
check "SPIN finds as many" [ "$(draft4_of_spin)" = "$states" ]
finish
