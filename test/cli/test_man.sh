#!/bin/bash
# The man page and --help name the same options, verb by verb.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

page=$source_dir/man/holdfast.1

# Options of a text: -n, -w, --at ...
options() {
    grep -oE '(^|[^[:alnum:]-])--?[A-Za-z][a-z-]*' |
        grep -oE -e '--?[A-Za-z][a-z-]*' | sort -u
}

# The section of the page that is about a verb, without troff's escapes.
section() {
    sed -n "/^\\.SS $1\$/,/^\\.S[SH]/p" "$page" | sed 's/\\-/-/g; s/\\f[BIRP]//g'
}

for verb in run ls show why clear audit doctor; do
    run "$verb" --help
    sed -n 's/^  \(-.*\)/\1/p' "$here/run.out" | cut -c1-18 | options \
        >"$here/help"
    section "$verb" | sed -n '/^\.TP$/{n;p;}' | options >"$here/man"
    check "the options of $verb" is "$(cat "$here/help")" "$(cat "$here/man")"
    check "$verb has any" test -s "$here/help"
done
for code in 64 65 69 70 73 75 76 77 126 127; do
    check "the page explains exit code $code" \
        grep -qE "^\\.B $code\$" "$page"
done
for name in NAME SPACE FENCE AT HELD; do
    check "the page explains HOLDFAST_$name" grep -q "HOLDFAST_$name" "$page"
done
finish
