#!/bin/bash
# test.sh quick|all|asan|tsan: build and run the tests.  Every configuration
# runs, also after one has failed, so that one run tells all there is to tell.
set -u

failed=

# suite PRESET CTEST-ARGUMENT...
suite() {
    local preset=$1
    shift
    echo "== $preset: build"
    if ! scripts/build.sh "$preset"; then
        failed="$failed $preset(build)"
        return
    fi
    echo "== $preset: test"
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
        --timeout 300 "$@" || failed="$failed $preset"
}

# The sanitizers of clang 14 may not start where addresses are very random.
fixed_addresses() {
    if setarch -R true 2>/dev/null; then
        setarch -R "$@"
    else
        "$@"
    fi
}

export ASAN_OPTIONS="allow_addr2line=1:detect_stack_use_after_return=1"
export UBSAN_OPTIONS="print_stacktrace=1:allow_addr2line=1"
export TSAN_OPTIONS="allow_addr2line=1:halt_on_error=1:second_deadlock_stack=1"

case ${1:-} in
quick)
    suite dev --label-regex '^(unit|conformance|fault|lab|examples|docs)$' -j2
    ;;
all)
    suite dev -j2
    fixed_addresses "$0" asan || failed="$failed asan"
    fixed_addresses "$0" tsan || failed="$failed tsan"
    ;;
asan)
    suite asan -j2
    ;;
tsan)
    # Threads live in the client and below it: the rest would only repeat.
    suite tsan --tests-regex 'client|conformance|examples'
    ;;
*)
    echo "usage: test.sh quick|all|asan|tsan" >&2
    exit 64
    ;;
esac

if [ -n "$failed" ]; then
    echo "test.sh: failed:$failed" >&2
    exit 1
fi
