#!/bin/bash
# others.sh HOLDFASTD: clients that nobody here wrote.  One that is not
# installed is skipped, and said so.
set -u

daemon=$1
folder=$(dirname "$0")/others
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"

"$daemon" --port 0 --at memory:x --no-grace --ready-fd 7 7>"$here/port" \
    2>"$here/daemon.err" &
started+=("$!")
await "the server to listen" [ -s "$here/port" ]
port=$(cat "$here/port")
url=http://127.0.0.1:$port

# by PROGRAM NAME COMMAND...: a check, if the program is there.
by() {
    local program=$1 name=$2
    shift 2
    if $program >"$here/there.out" 2>&1; then
        check "$name" quietly "$@"
    else
        echo "ok $((checked += 1)) - $name # SKIP $program: not installed"
    fi
}

quietly() {
    "$@" >"$here/by.out" 2>&1 || {
        sed 's/^/# /' "$here/by.out"
        return 1
    }
}

by_nghttp() {
    echo '{"wait":"10s"}' >"$here/body"
    nghttp -d "$here/body" -H'content-type: application/json' \
        "$url/v1/locks/nghttp/acquire" >"$here/granted" &&
        grep -q '"granted":true' "$here/granted" &&
        nghttp -n -v "$url/v1/locks/nghttp" >"$here/show" &&
        grep -q ':status: 200' "$here/show"
}

# Each thousand requests, all answered, and well.
by_h2load() {
    echo '{"wait":"try","ttl":"5s"}' >"$here/body"
    h2load -n 1000 -c 10 -m 10 "$url/healthz" >"$here/load" &&
        grep -q '1000 succeeded, 0 failed, 0 errored' "$here/load" &&
        h2load --h1 -n 1000 -c 10 "$url/healthz" >"$here/load" &&
        grep -q '1000 succeeded, 0 failed, 0 errored' "$here/load"
}

# Debian's modules are those of its own Python.
python=python3
"$python" -c 'import h2' 2>"$here/python.err" || python=/usr/bin/python3
has_h2() {
    "$python" -c 'import h2'
}

by "nghttp --version" "nghttp takes a lock and looks at it" by_nghttp
by "h2load --version" "h2load has all its answers, by HTTP/2 and HTTP/1.1" \
    by_h2load
by "node --version" "Node's http2 waits beside other streams" \
    node "$folder/http2.mjs" "$url"
by "node -e fetch" "undici, Node's fetch, waits and ends its session" \
    node "$folder/undici.mjs" "$url"
by has_h2 "Python's h2 is granted what another gives back" \
    "$python" "$folder/hyper_h2.py" "$port"
finish
