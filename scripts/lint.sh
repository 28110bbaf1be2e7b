#!/bin/bash
# lint.sh: every check that needs no run of the program; it builds the preset
# dev for those that read object files.  Goes on after a failure, so that one
# run tells all there is to tell.
set -u

failed=

# part NAME COMMAND...
part() {
    local name=$1
    shift
    echo "== lint: $name"
    "$@" || failed="$failed $name"
}

mapfile -t sources < <(git ls-files '*.c')
mapfile -t headers < <(git ls-files '*.h')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)

format() {
    clang-format-14 --dry-run -Werror "${sources[@]}" "${headers[@]}"
}

# Each public header stands alone: in C11, with no include before it.
headers_alone() {
    local header result=0

    for header in include/holdfast/*.h; do
        gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c \
            -Iinclude "$header" || result=1
    done
    return $result
}

# The engine and the shell; test programs are held to the compilers' warnings.
tidy() {
    git ls-files 'src/*.c' 'explore/*.c' 'lab/*.c' 'tale/*.c' \
        'examples/*.c' |
        xargs -P "$(nproc)" -n 1 \
            clang-tidy-14 --quiet -p build/dev 2>/dev/null
}

# gcc's own analyser, which follows a value through a file.
analyzer() {
    git ls-files 'src/*.c' | xargs -P "$(nproc)" -n 1 gcc -std=c11 -O1 \
        -D_GNU_SOURCE -DHF_CLI_VERSION='"0"' -DHF_SERVER_VERSION='"0"' \
        -DHF_MODULE_FOLDER='"/"' -Isrc -Iinclude \
        -fanalyzer -Werror -o /dev/null -c
}

cppcheck_all() {
    cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
        --enable=warning,performance,portability -j "$(nproc)" \
        -Isrc -Iinclude -I. src explore lab tale examples
}

part layers python3 scripts/includes.py
part rules python3 scripts/rules.py
part headers headers_alone
part claims scripts/claims.sh
part shellcheck shellcheck -x "${scripts[@]}"
part format format
part cppcheck cppcheck_all
part analyzer analyzer
if part build scripts/build.sh dev; then
    part circles python3 scripts/circles.py build/dev
    part clang-tidy tidy
fi

if [ -n "$failed" ]; then
    echo "lint.sh: failed:$failed" >&2
    exit 1
fi
echo "lint.sh: clean"
