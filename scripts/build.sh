#!/bin/sh
# build.sh PRESET: configure and build one preset of CMakePresets.json; quiet
# about what goes well.
set -eu

preset=$1
mkdir -p build
log=build/configure-$preset.log

if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cmake --build --preset "$preset" -- --quiet
