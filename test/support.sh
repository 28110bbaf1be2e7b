# shellcheck shell=bash
# For the shell tests of documents, examples and installation: a folder that
# goes away, TAP lines, and waiting for a condition with a deadline.

here=$(mktemp -d) || exit 99
started=()
exec {silence}<> <(:) # nothing ever comes from it: a pause between looks
checked=0
failures=0

# Processes that the test started are ended by their number, and waited for.
clean_up() {
    local pid

    for pid in ${started[@]+"${started[@]}"}; do
        kill -KILL "$pid" 2>/dev/null
    done
    wait
    rm -rf "$here"
}
trap clean_up EXIT

# check NAME COMMAND...: one line of TAP; the test goes on.
check() {
    local name=$1
    shift
    checked=$((checked + 1))
    if "$@"; then
        echo "ok $checked - $name"
    else
        echo "not ok $checked - $name"
        failures=$((failures + 1))
    fi
}

# await WHAT COMMAND...: until it succeeds, for 20 s at most.
await() {
    local deadline=$((SECONDS + 20)) what=$1
    shift
    until "$@" 2>/dev/null; do
        if [ $SECONDS -ge $deadline ]; then
            echo "Bail out! waited in vain: $what"
            tail -n +1 "$here"/*.out "$here"/*.err 2>/dev/null | sed 's/^/# /'
            exit 1
        fi
        read -rt 0.02 -u "$silence"
    done
    return 0
}

# interrupt PROGRAM ARGUMENT...: start it, and send it SIGINT as soon as it
# listens; its exit code.  What it says is in run.out and run.err.
interrupt() {
    local pid

    "$@" >"$here/run.out" 2>"$here/run.err" &
    pid=$!
    started+=("$pid")
    await "the shell to become it" [ "/proc/$pid/exe" -ef "$1" ]
    await "it to listen for SIGINT" grep -q '^SigCgt:.*[2367abef]$' \
        "/proc/$pid/status"
    kill -INT "$pid"
    wait "$pid"
}

finish() {
    echo "1..$checked"
    [ "$failures" = 0 ] || exit 1
}
