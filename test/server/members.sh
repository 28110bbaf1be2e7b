#!/bin/bash
# members.sh HOLDFASTD: what a request has that this server does not know, as
# curl is told of it.
set -u

daemon=$1
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"

for tool in curl jq; do
    command -v $tool >/dev/null || {
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    }
done

"$daemon" --listen 127.0.0.1:0 --at memory:x --no-grace --ready-fd 7 \
    7>"$here/port" 2>"$here/daemon.err" &
started+=("$!")
await "the server to listen" [ -s "$here/port" ]
url=http://127.0.0.1:$(cat "$here/port")
await "the server to lead" curl -sf -o "$here/locks.json" "$url/v1/locks"

# ask PATH BODY CURL-ARGUMENT...: into the file `answer`; $status is its.
ask() {
    local path=$1 body=$2

    shift 2
    status=$(curl -s -m 20 -o "$here/answer" -w '%{http_code}' -X POST \
        -d "$body" "$@" "$url$path")
}

look() { # PATH CURL-ARGUMENT...
    local path=$1

    shift
    status=$(curl -s -m 20 -o "$here/answer" -w '%{http_code}' "$@" "$url$path")
}

told() { # STATUS FILTER
    [ "$status" = "$1" ] && jq -e "$2" "$here/answer" >"$here/jq.out" && return
    sed "s/^/# $status /" "$here/answer"
    return 1
}

is_free() { # NAME
    look "/v1/locks/$1"
    told 404 .status
}

# refused NAME OF MEANT: the answer names what is unknown, and what is meant.
refused() {
    told 400 ".type == \"urn:holdfast:bad-request\" and .member == \"$1\" and
        .detail == \"there is no member \\\"$1\\\"$2\"" && is_free job
}

acquire=/v1/locks/job/acquire

# ---- A member that nobody knows -----------------------------------------------
ask $acquire '{"ifDead":"refuse"}'
check "a misspelt member is refused, and the nearest is named" refused ifDead \
    ' of an acquire: did you mean \"if_dead\"?'
ask $acquire '{"colour":1}'
check "where none is near, all are" refused colour \
    " of an acquire: there are session, secret, term, lowest, lane, n, a, ttl, \
if_dead, who, space, name, mode, locks, wait, park, waited, seen, free, note"
ask $acquire '{"":1}'
check "a member without a name is none" told 400 '.member == ""'
ask /v1/acquire '{"locks":[{"name":"job","Mode":"shared"}]}'
check "so is one of an object in it" told 400 '.member == "Mode" and
    .detail == "\"locks\": there is no member \"Mode\": did you mean \"mode\"?"'
ask $acquire '{"fence":1}'
check "and one that only other requests have" told 400 '.member == "fence"'
ask $acquire '{"ttl":"5s","ttl":"6s"}'
check "one that is given twice is named" told 400 \
    '.detail == "\"ttl\" is given twice" and (has("member") | not)'
ask $acquire '[{"wait":"5s"}]'
check "a list is no request" told 400 '.detail == "the body is no JSON object"'
ask $acquire '{"wait":"5s"'
check "nor is half an object" told 400 \
    '.detail | startswith("the body is no JSON object: ")'
check "and nothing was granted by all that" is_free job

# ---- Members that an older server may skip --------------------------------------
ask $acquire '{"colour":"red","deeper":{"a":[1]}}' \
    -H 'Holdfast-Optional: colour, deeper'
check "what may be skipped is skipped" told 200 .granted
session=$(jq -c '{session}' "$here/answer")
secret=$(jq -r .secret "$here/answer")
ask /v1/locks/job/release "$session" -H "Holdfast-Secret: $secret" \
    -H 'Holdfast-Optional: colour'
check "also where nothing is" told 200 .released
ask $acquire '{"colour":"red","ifDead":"refuse"}' -H 'Holdfast-Optional: colour'
check "but nothing else" refused ifDead \
    ' of an acquire: did you mean \"if_dead\"?'

ask $acquire '{"force":"x","ifDead":1}' -H 'Holdfast-Optional: force'
check "nor is it read, though another request has it" refused ifDead \
    ' of an acquire: did you mean \"if_dead\"?'
for http in --http1.1 --http2-prior-knowledge; do
    ask $acquire '{"colour":"red","deeper":1,"ifDead":2}' $http \
        -H 'Holdfast-Optional: colour' -H 'Accept: */*' \
        -H 'Holdfast-Optional: deeper'
    check "on two lines it is one list ($http)" refused ifDead \
        ' of an acquire: did you mean \"if_dead\"?'
done

# ---- Each request ---------------------------------------------------------------
id=00f3ab91c07d5e24
for path in /v1/sessions /v1/acquire /v1/release /v1/keep-alive \
    /v1/sessions/$id/keep-alive /v1/sessions/$id/page /v1/locks/job/acquire \
    /v1/locks/job/wait /v1/locks/job/release /v1/locks/job/change \
    /v1/locks/job/clear; do
    ask "$path" '{"colour":1}'
    check "$path knows no colour" told 400 '.member == "colour"'
done
ask /v1/sessions/$id '{"colour":1}' -X DELETE
check "nor does the end of a session" told 400 '.member == "colour"'

# ---- Parameters -----------------------------------------------------------------
for path in /v1/sessions /v1/locks /v1/locks/job /v1/locks/job/why /v1/audit \
    /v1/info; do
    look "$path?colour=red"
    check "$path has no such parameter" told 400 '.parameter == "colour"'
done
look '/v1/locks?lmit=5'
check "the nearest is named" told 400 '.parameter == "lmit" and .detail ==
    "there is no parameter \"lmit\" of this path: did you mean \"limit\"?"'
look '/v1/locks?colour=red&limit=5' -H 'Holdfast-Optional: colour'
check "what may be skipped is skipped here, too" told 200 '.locks == []'
for path in /healthz /readyz /metrics; do
    look "$path?colour=red"
    check "a monitor may add what it likes to $path" [ "$status" = 200 ]
done
finish
