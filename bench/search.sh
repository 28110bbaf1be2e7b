#!/bin/bash
# search.sh BENCH_SEARCH [ROUNDS]: figures of the search of specimens,
# and of SPIN's, breadth first, on an equivalent model, in turn.
set -eu
bench=$1 rounds=${2:-5}
model=$(cd "$(dirname "$0")/.." && pwd)/tale/spin/draft4.pml

if ! command -v spin >/dev/null; then
    echo "SPIN is not installed (Debian: spin): nothing is beside the search"
    exec "$bench" "$rounds"
fi
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
(
    cd "$here"
    # One process's steps are all on what is common: no order of them is like
    # another, and to look for such costs time alone.
    spin -DFAULTS=1 -a "$model" >spin.out
    gcc -O2 -w -DBFS -DSAFETY -DNOREDUCE -o pan pan.c
)
"$bench" "$rounds" 5000000 "$here/pan"
