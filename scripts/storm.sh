#!/bin/bash
# storm.sh [KILLS [MODE...]]: a storm of so many single kills in each mode, of
# a minute in all if nothing is said; test/torture/kills.h says what they are,
# and what must be true of them.  Every mode runs, also after one has failed.
set -u

kills=${1:-60}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- plain foreign untrue
bin=$PWD/build/dev/bin
failed=

scripts/build.sh dev || exit 1
for mode; do
    HF_KILLS=$kills "$bin/torture" "$mode" "$bin/holdfast" \
        "$bin/torture_command" "$PWD/build/dev/lib/libshim_sync.so"
    code=$?
    [ $code = 0 ] || [ $code = 77 ] || failed="$failed $mode"
done
if [ -n "$failed" ]; then
    echo "storm.sh: failed:$failed" >&2
    exit 1
fi
