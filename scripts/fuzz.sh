#!/bin/sh
# fuzz.sh TARGET SECONDS: throw new bytes at one decoder (test/fuzz), from its
# corpus on.  What breaks it is left in build/fuzz/found.
set -eu

target=$1
seconds=$2

scripts/build.sh fuzz
mkdir -p build/fuzz/found "build/fuzz/corpus-$target"
ASAN_OPTIONS=allow_addr2line=1 "build/fuzz/bin/fuzz_$target" \
    -max_total_time="$seconds" -artifact_prefix=build/fuzz/found/ \
    -print_final_stats=1 "build/fuzz/corpus-$target" "test/fuzz/corpus/$target"
