#!/bin/bash
# places.sh HOLDFAST SOURCE-FOLDER JSON-READER HOLDFASTD: a store keeps the
# locks of a table or those of a server, never both.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
daemon=$4
table=sqlite:$here/locks.db

# serve: a server on the table's file, as $server; its place in $url.
serve() {
    rm -f "$here/port"
    "$daemon" --port 0 --at "$table" --ready-fd 7 7>"$here/port" \
        2>>"$here/daemon.err" &
    server=$!
    started+=("$server")
    await "the server to listen" [ -s "$here/port" ]
    url=http://127.0.0.1:$(cat "$here/port")
    await "the server to lead" leads
}

leads() { "$holdfast" ls --at "$url" >"$here/leads.out"; }
held() { "$holdfast" show "$1" >/dev/null 2>&1; }
unheld() { [ -z "$("$holdfast" ls --at "$url")" ]; }
suspected() { "$holdfast" why --at "$url" "$1" | grep -q suspected; }

# daemon ARGUMENT...: to its end; as `run`.
daemon() {
    "$daemon" "$@" >"$here/run.out" 2>"$here/run.err" </dev/null
    code=$?
}

# ---- A table's locks keep a server out --------------------------------------------
start table run mine -- sleep 100
holder=$pid
await "a lock of the table" held mine
daemon --port 0 --at "$table"
check "a store with a table's lock is not served" is 69 "$code"
check "and the lock is named" says run.err "'mine' in space default"
daemon --retire --at "$table"
check "there is nobody to retire" is 0 "$code"
check "and that is said" says run.out "nothing to free: nobody serves $table"
check "and the lock stays" held mine
kill -TERM "$holder"
finished "$holder"

# ---- A server keeps a table's locks out -------------------------------------------
serve
run run mine -- touch "$here/ran"
check "a served store takes no table locks" is 69 "$code"
check "and the server is named" says run.err "name $url as the place"
check "nothing ran" [ ! -e "$here/ran" ]
for verb in ls "show mine" "why mine"; do
    # shellcheck disable=SC2086 # a verb and its name
    run $verb
    check "nor does it call them free: $verb" is 69 "$code"
    check "but names the server" says run.err "name $url as the place"
done
run doctor
check "the doctor looks at it" says run.out "name $url as the place"
run run --at "$url" mine -- true
check "and its locks are the server's" is 0 "$code"
daemon --retire --at "$table"
check "who is alive is not retired" is 69 "$code"
check "and is named" says run.err "it is served, by a node that is alive: $url"
check "it still serves" leads

# ---- After the server --------------------------------------------------------------
kill -TERM "$server"
wait "$server"
check "a server that is told to stop does" is 0 $?
run run mine -- true
check "and leaves the store to table locks" is 0 "$code"

serve
kill -KILL "$server"
wait "$server" 2>/dev/null
run run mine -- touch "$here/ran"
check "one that was killed keeps it" is 69 "$code"
check "the way out is named" says run.err "holdfastd --retire"
daemon --retire --at "$table"
check "a dead server is retired" is 0 "$code"
check "which says what it waits for" says run.err \
    "waiting for 5 s, because the server at $url may still be alive"
check "and what it freed" says run.out \
    "freed $table of the server at $url: no client believes any more in the 0 locks"
run run mine -- true
check "then the store keeps table locks" is 0 "$code"
daemon --retire --at "$table"
check "a place that is free stays so" is 0 "$code"
daemon --retire --at "sqlite:$here/none.db"
check "one that is not there is not made" is 69 "$code"
check "nor called free" [ ! -e "$here/none.db" ]

# ---- What a server has granted outlives it ----------------------------------------
# ask PATH BODY: of the server, by hand; the answer is in $here/answer.
ask() { curl -s -m 20 -o "$here/answer" -d "$2" "$url/v1/locks/$1"; }
serve
ask other/acquire '{"ttl":"1s"}'
ask mine/acquire '{"ttl":"3s"}' # shorter than the server's own, 5 s
kill -TERM "$server"
wait "$server"
run run -n mine -- touch "$here/ran"
check "what a stopped server has granted is not had in the table" is 69 "$code"
check "and that is said" says run.err "what it granted may still be held"
check "nothing ran yet" [ ! -e "$here/ran" ]
begun=$(date +%s%N)
daemon --retire --at "$table"
check "it is retired" is 0 "$code"
check "for so long it says that it waits, and why" says run.err \
    "waiting for 3 s, because the server at $url left locks granted"
check "for two locks" says run.out "in the 2 locks that it had granted"
check "when their holders have lost them" \
    [ $(($(date +%s%N) - begun)) -ge 3000000000 ]
run run -n mine -- true
check "and is had then" is 0 "$code"
serve
ask migration/acquire '{"ttl":"1s","if_dead":"refuse"}'
kill -KILL "$server"
wait "$server" 2>/dev/null
daemon --retire --at "$table"
check "what is for a person to clear is not freed" is 69 "$code"
check "and is named" says run.err "'migration' is granted"
serve
await "the holder to be suspected" suspected migration
"$holdfast" clear --at "$url" --reason tested migration >/dev/null
await "all else to be over" unheld
kill -TERM "$server"
wait "$server"
run run -n migration -- true
check "cleared, it is free" is 0 "$code"

# ---- Who was there first stays so --------------------------------------------------
# A client that had opened the table before is refused by each claim, and the
# claims of many at once never meet a server that serves.
start early run -w 20s early -- sh -c 'echo in; sleep 100'
early=$pid
await "an early client" says early.out in
start queued run -w 60s early -- echo queued
await "one that waits" says queued.err "waiting for early"
daemon --port 0 --at "$table"
check "they keep a server out" is 69 "$code"
kill -TERM "$early"
await "the one that waited" says queued.out queued

finish
