#!/bin/bash
# murder.sh HOLDFAST SOURCE-FOLDER JSON-READER HOLDFASTD: how soon after a
# holder is killed the next one in line runs.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
daemon=$4

leads() { "$holdfast" ls >"$here/leads.out"; }
held() { "$holdfast" show "$1" >/dev/null 2>&1; }
waits() { "$holdfast" show job | grep -qE '^ +1 +exclusive .*date'; }

"$daemon" --listen 127.0.0.1:0 --at "sqlite:$here/served.db" --ready-fd 7 \
    7>"$here/port" 2>"$here/daemon.err" &
started+=("$!")
await "the server to listen" [ -s "$here/port" ]
HOLDFAST_AT="http://127.0.0.1:$(cat "$here/port")"
await "the server to lead" leads

# murder: a holder is killed, and the next in line runs; after how many us is
# in $took.
murder() {
    local victim killed

    start victim run job -- sleep 100
    victim=$pid
    await "the victim" held job
    : >"$here/heir.out"
    start heir run job -- date +%s%N
    await "the heir to wait" waits
    killed=$(date +%s%N)
    kill -KILL "$victim"
    await "the heir to run" [ -s "$here/heir.out" ]
    finished "$pid"
    took=$((($(cat "$here/heir.out") - killed) / 1000))
    echo "# the next one ran after $took us"
}

for _ in 1 2 3; do
    murder
    check "the next one runs within 100 ms of a kill" [ "$took" -lt 100000 ]
done
finish
