#!/bin/bash
# claims.sh: every test that docs/guarantees.md and docs/protocol.md name must
# exist.  A claim is written `test/folder/file` (a file, with or without its
# function or case after a colon:
# `test/unit/test_keeper.c:right_ends_before_ttl`).
set -u

bad=0

for page in docs/guarantees.md docs/protocol.md; do
    count=0

    # shellcheck disable=SC2016 # the backquotes are Markdown's
    while read -r claim; do
        file=${claim%%:*}
        case=
        [ "$file" = "$claim" ] || case=${claim#*:}
        count=$((count + 1))
        if [ ! -f "$file" ]; then
            echo "$page: there is no $file" >&2
            bad=1
        elif [ -n "$case" ] && ! grep -qwF -- "$case" "$file"; then
            echo "$page: $file has no $case" >&2
            bad=1
        fi
    done < <(grep -oE '`test/[^`]+`' "$page" | tr -d '`' | sort -u)

    # The same of the proofs, written `holdfast-lab prove world`.
    # shellcheck disable=SC2016 # the backquotes are Markdown's
    while read -r world; do
        if ! grep -qF "WORLD(\"$world\"," lab/world/worlds.c; then
            echo "$page: holdfast-lab has no world $world" >&2
            bad=1
        fi
    done < <(sed -n 's/.*`holdfast-lab prove \([a-z-]*\)`.*/\1/p' "$page" |
        sort -u)

    # A page without claims would pass, and promise nothing.
    if [ "$count" -lt 10 ]; then
        echo "$page: only $count claims found" >&2
        bad=1
    fi
done
exit $bad
