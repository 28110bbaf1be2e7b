#!/bin/bash
# build.sh PRESET [CTEST-ARGUMENT...]: configure one preset of
# CMakePresets.json, and build all of it, or what those tests need.  Of what
# goes well it says how far it is: on a terminal as ninja does, elsewhere with a
# line for each fifth.
set -eu -o pipefail

preset=$1
shift
targets=()
mkdir -p build
log=build/configure-$preset.log

if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

if [ $# -gt 0 ]; then
    mapfile -t targets < <(scripts/programs.py "build/$preset" "$@")
    [ ${#targets[@]} -gt 0 ]
    targets=(--target "${targets[@]}")
fi

# Lines of ninja: its status, as below, or what a compiler says.
by_fifths() {
    local fifths=0 line percent

    while IFS= read -r line; do
        case $line in
        "ninja: no work to do.") ;;
        "@ "*)
            percent=${line#"@ "}
            percent=${percent%%"%"*}
            [ $((percent / 20)) -gt "$fifths" ] || continue
            fifths=$((percent / 20))
            line=${line#*"% "}
            echo "building $preset: ${line%% *} steps"
            ;;
        *) echo "$line" ;;
        esac
    done
}

if [ -t 1 ]; then
    cmake --build --preset "$preset" "${targets[@]}"
else
    NINJA_STATUS="@ %p %f/%t " \
        cmake --build --preset "$preset" "${targets[@]}" | by_fifths
fi
