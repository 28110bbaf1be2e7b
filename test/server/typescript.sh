#!/bin/bash
# typescript.sh HOLDFASTD OPENAPI: a client in TypeScript whose types are made
# from OPENAPI by openapi-typescript, against a real server.  Where npm, or what
# it is to fetch, is not to be had, that is skipped, and said so.
set -u

daemon=$1 openapi=$2
source=$(dirname "$0")/typescript
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"

skip() {
    echo "1..0 # SKIP $1"
    exit 77
}

# told FILE COMMAND...: a command whose words are shown where it fails.
told() {
    "$@" >"$here/told.out" 2>&1 || {
        sed 's/^/# /' "$here/told.out"
        return 1
    }
}

npm --version >"$here/npm.out" 2>&1 || skip "npm: not installed"
cp "$source"/* "$here" && cd "$here" || exit 99
timeout 90 npm ci --ignore-scripts --no-audit --no-fund --prefer-offline \
    --fetch-retries=0 >"$here/ci.out" 2>&1
code=$?
# Whatever else is wrong with the list of packages is a failure.
unreachable='E(AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|40[0-9])'
if [ $code = 124 ] || { [ $code != 0 ] &&
    grep -qE "$unreachable" "$here/ci.out"; }; then
    skip "what npm is to fetch is not to be had"
fi
check "npm has what is listed" [ $code = 0 ]
[ $code = 0 ] || sed 's/^/# /' "$here/ci.out"
bin=$here/node_modules/.bin

check "types are made of the description" \
    told "$bin/openapi-typescript" "$openapi" -o "$here/api.d.ts"
check "a program that uses them compiles, and a wrong one does not" \
    told "$bin/tsc" -p "$here"

"$daemon" --port 0 --at memory:x --no-grace --idle-timeout 2s --ready-fd 7 \
    7>"$here/port" 2>"$here/daemon.err" &
started+=("$!")
await "the server to listen" [ -s "$here/port" ]
check "it takes locks, waits, clears and gives back" \
    told node "$here/made/use.js" "http://127.0.0.1:$(cat "$here/port")"
finish
