#!/bin/bash
# demo_leader.sh HOLDFAST HOLDFASTD PLACE: two lock servers on one place, of which
# the leader is killed under a lock that is held and waited for.
set -u

usage="usage: demo_leader.sh HOLDFAST HOLDFASTD PLACE"
holdfast=$(realpath "${1:?$usage}") || exit 70
holdfastd=$(realpath "${2:?$usage}") || exit 70
place=${3:?$usage}
. "$(dirname "$0")/demo_common.sh"

ms() {
    echo $(($(date +%s%N) / 1000000))
}

# serve NAME: $server is its process, $port its port.
serve() {
    "$holdfastd" --port 0 --at "$place" --ready-fd 7 7>"$here/$1.port" \
        2>"$here/$1.err" &
    server=$!
    started+=("$server")
    until_true 20 "server $1 does not listen" [ -s "$here/$1.port" ]
    port=$(cat "$here/$1.port")
}

leads() { # PORT
    "$holdfast" ls --at "http://127.0.0.1:$1" >"$here/ls.out" 2>&1
}

held() {
    "$holdfast" show report >"$here/show.out" 2>&1
}

bob_waits() {
    held && grep -qE '^ +1 +exclusive .*bob' "$here/show.out"
}

cat >"$here/alice" <<'END'
echo "fence $HOLDFAST_FENCE"
until [ -e "$1" ]; do sleep 0.05; done
echo "ended well"
END

# Its argument tells it apart from alice's in the line.
cat >"$here/bob" <<'END'
echo "fence $HOLDFAST_FENCE"
END

say "Two lock servers keep their locks in one place, and one of them leads:"
say "$place"
say
say "1. Two are started.  Whoever is asked leads, or names who does."
serve first
first=$server
ports=127.0.0.1:$port
until_true 60 "the first server does not lead" leads "$port"
serve second
ports=$ports,127.0.0.1:$port
export HOLDFAST_AT=http://$ports
say "   HOLDFAST_AT=$HOLDFAST_AT"
say

say "2. Alice holds the lock 'report', and Bob waits for it."
"$holdfast" run report -- bash "$here/alice" "$here/go" >"$here/alice.out" \
    2>"$here/alice.err" &
alice=$!
started+=("$alice")
until_true 20 "alice does not hold the lock" grep -q '^fence' "$here/alice.out"
"$holdfast" run -w 60s report -- bash "$here/bob" >"$here/bob.out" \
    2>"$here/bob.err" &
bob=$!
started+=("$bob")
until_true 20 "bob does not wait" bob_waits
quote "$here/show.out"
say

say "3. kill -9 of the server that leads (process $first)."
killed=$(ms)
kill -KILL "$first"
until_true 60 "the second server does not lead" leads "$port"
took=$(($(ms) - killed))
until_true 20 "bob is not in line any more" bob_waits
kill -0 "$alice" 2>/dev/null || fail "alice's command was ended"
[ -s "$here/bob.out" ] && fail "bob did not wait"
say "   Proved: the other one led after $took ms, Alice still has her lock, and Bob"
say "   his place in line.  It knows them from the place:"
quote "$here/show.out"
say

say "4. Alice's command ends, and Bob has the lock."
touch "$here/go"
wait "$alice" || fail "alice's command did not end well"
grep -qx 'ended well' "$here/alice.out" || fail "alice's command was ended"
wait "$bob" || fail "bob's command did not run"
[ "$(fence_of bob)" -gt "$(fence_of alice)" ] || fail "bob's fence is not higher"
say "   Proved: Bob's fence is $(fence_of bob), above Alice's $(fence_of alice)."
say
say "All of it was shown, in $SECONDS s."
