#!/bin/bash
# test.sh STAGE...: build what the stages need, and run them.  Each is run,
# also after another has failed, so that one run tells all there is to tell;
# at the end stands what each took.  A stage builds the programs of its tests.
#
#   check       gcc: what a developer runs after every change
#   gcc         gcc: every test but those of `make prove`
#   asan        the product's, by clang with AddressSanitizer and UBSan
#   asan-rest   those of the three rooms and of whole processes, likewise
#   tsan        what has threads, by clang with ThreadSanitizer
#   proofs      the proofs of minutes, two at a time
#   proofs-all  those of a quarter of an hour
#   mutants     small wrong changes, each of which must be caught; and SPIN
#   torture     many processes on one lock, killed, frozen, with wrong clocks
#   storm       kills at random moments, as in `make storm`
#   browser     the report of holdfast-tale in a real browser
set -u

stages="check gcc asan asan-rest tsan proofs proofs-all mutants torture storm
    browser"
long='^(prove|prove-all|mutants|torture)$'
product='^(unit|conformance|fault|simulate|cli|examples|fuzz)$'
table=
failed=

# suite PRESET CTEST-ARGUMENT...: build what the tests need, and run them.  Most
# of them wait more than they work, so a processor has eight slots, or four where
# a sanitizer makes all of them work: hf_works() in CMakeLists.txt.
suite() {
    local preset=$1 slots=8
    shift
    if [ "$preset" = dev ]; then # some of its tests install all of it
        scripts/build.sh "$preset" || return 1
    else
        slots=4
        scripts/build.sh "$preset" "$@" || return 1
    fi
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
        --timeout 300 -j$((slots * $(nproc))) "$@"
}

# The sanitizers of clang 14 may not start where addresses are very random.
sanitized() {
    local fixed=()

    setarch -R true 2>/dev/null && fixed=(setarch -R)
    export ASAN_OPTIONS="allow_addr2line=1:detect_stack_use_after_return=1"
    export UBSAN_OPTIONS="print_stacktrace=1:allow_addr2line=1"
    export TSAN_OPTIONS="allow_addr2line=1:halt_on_error=1:second_deadlock_stack=1"
    "${fixed[@]}" "$0" --suite "$@"
}

browser() {
    local result

    scripts/build.sh dev || return 1
    test/browser/test_report.py build/dev/bin/holdfast-tale
    result=$?
    [ $result = 77 ] || return $result # it has said what is missing
}

run_stage() {
    case $1 in
    check) suite dev --label-regex '^(unit|conformance|fault|history|simulate|explore|lab|tale|cli|examples|docs)$' ;;
    gcc) suite dev --label-exclude "$long" ;;
    # What the product is made of; the rest is in asan-rest, but for the documents,
    # whose commands are the same programs once more.
    asan) sanitized asan --label-regex "$product" ;;
    asan-rest)
        sanitized asan --label-exclude "$long|$product|^docs\$" \
            --exclude-regex 'test_reduction|integration/instant|crowds'
        ;;
    # Threads live in client and server, and below: the rest would only repeat.
    tsan) sanitized tsan --tests-regex 'client|^server/|conformance|examples' ;;
    proofs) suite dev -j2 --label-regex '^prove$' ;;
    proofs-all) suite dev -j2 --label-regex '^prove-all$' ;;
    mutants | torture) suite dev --label-regex "^$1\$" ;;
    storm) scripts/storm.sh ;;
    browser) browser ;;
    *) return 1 ;;
    esac
}

if [ "${1:-}" = --suite ]; then
    shift
    suite "$@"
    exit
fi
for stage; do
    if ! grep -qw -- "$stage" <<<"$stages"; then
        echo "test.sh: no such stage: $stage; there are $stages" >&2
        exit 64
    fi
done

for stage; do
    begun=$SECONDS
    result=passed
    echo "== $stage"
    if ! run_stage "$stage"; then
        failed="$failed $stage"
        result=failed
    fi
    table+=$(printf '%-10s  %-6s %5d s' "$stage" $result $((SECONDS - begun)))$'\n'
done
printf '\n%sall of it          %5d s\n' "$table" $SECONDS
if [ -n "$failed" ]; then
    echo "test.sh: failed:$failed" >&2
    exit 1
fi
