#!/bin/bash
# test.sh STAGE...: build what the stages need, and run them.  Each is run,
# also after another has failed, so that one run tells all there is to tell;
# at the end stands what each took.  A stage builds the programs of its tests.
# The proofs only work and never wait: beside other stages they take what those
# leave of the processors.
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
#   remote      places behind a server, which is fetched, killed and promoted
#   storm       kills at random moments, as in `make storm`
#   browser     the report of holdfast-tale in a real browser
set -u

stages="check gcc asan asan-rest tsan proofs proofs-all mutants torture remote
    storm browser"
long='^(prove|prove-all|mutants|torture|remote)$'
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
    tsan)
        sanitized tsan \
            --tests-regex 'client|^server/|conformance|examples|^postgresql/' \
            --exclude-regex '^postgresql/(model|races|failover|losses|test_(hosts|kills|opening|statements))'
        ;;
    proofs) nice -n 19 "$0" --suite dev -j2 --label-regex '^prove$' ;;
    proofs-all) suite dev -j2 --label-regex '^prove-all$' ;;
    mutants | torture | remote) suite dev --label-regex "^$1\$" ;;
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

# told STAGE RESULT SECONDS: a line of the table.
told() {
    [ "$2" = 0 ] || failed="$failed $1"
    table+=$(printf '%-10s  %-6s %5d s' "$1" \
        "$([ "$2" = 0 ] && echo passed || echo failed)" "$3")$'\n'
}

# Begin the proofs, in a process group of their own that ends with us.  If they
# cannot be built, the stage says so in its turn.
begin_proofs() {
    scripts/build.sh dev || return 1 # not at once with another stage
    set -m
    {
        run_stage proofs
        result=$?
        echo $SECONDS >build/proofs.seconds
        exit $result
    } >build/proofs.log 2>&1 &
    proofs=$!
    set +m
    trap 'kill -- -$proofs 2>/dev/null' EXIT
}

end_proofs() {
    local result

    echo "== proofs"
    wait "$proofs"
    result=$?
    trap - EXIT
    cat build/proofs.log
    told proofs $result "$(cat build/proofs.seconds)"
}

proofs=
if [ $# -gt 1 ] && grep -qw proofs <<<"$*"; then
    begin_proofs
fi
for stage; do
    [ "$stage" != proofs ] || [ -z "$proofs" ] || continue
    begun=$SECONDS
    echo "== $stage"
    run_stage "$stage"
    told "$stage" $? $((SECONDS - begun))
done
[ -z "$proofs" ] || end_proofs
printf '\n%sall of it          %5d s\n' "$table" $SECONDS
if [ -n "$failed" ]; then
    echo "test.sh: failed:$failed" >&2
    exit 1
fi
