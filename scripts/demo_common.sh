# shellcheck shell=bash
# Sourced by the demonstrations.  In them every wait is for a condition and has a
# deadline; every claim is looked at, and the script fails at the first that does
# not hold.

here=$(mktemp -d) || exit 70
started=() # processes that end with the script
exec {silence}<> <(:) # nothing ever comes from it: a pause between looks

say() {
    printf '%s\n' "$*"
}

# What was started ends; a demonstration may have another way.
end_started() {
    local pid

    for pid in ${started[@]+"${started[@]}"}; do
        kill -KILL "$pid" 2>/dev/null
    done
    wait 2>/dev/null
}

clean_up() {
    trap - EXIT
    end_started
    rm -rf "$here"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    say "NOT SHOWN: $*" >&2
    find "$here" -name '*.err' -o -name '*.answer' | xargs -r tail -n +1 >&2
    exit 1
}

# until_true SECONDS WHAT COMMAND...: wait for the command to succeed.
until_true() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" 2>/dev/null; do
        [ $SECONDS -lt $deadline ] || fail "$what"
        read -rt 0.02 -u "$silence"
    done
}

# What the program itself said, word for word.
quote() {
    sed 's/^/    | /' "$1"
}

fence_of() { # NAME, whose output is NAME.out
    sed -n 's/^fence //p' "$here/$1.out"
}
