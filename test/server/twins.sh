#!/bin/bash
# twins.sh HOLDFAST SOURCE-FOLDER JSON-READER HOLDFASTD: two servers with a file
# each, named as if they were nodes of one, do not grant a lock twice [S7].
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
daemon=$4
unset HOLDFAST_AT

# begin NAME [PORT]: a server of that name's file, as $server; its address in
# $address.
begin() {
    rm -f "$here/port"
    "$daemon" --port "${2:-0}" --at "sqlite:$here/$1.db" --ready-fd 7 \
        7>"$here/port" 2>>"$here/$1.log" &
    server=$!
    started+=("$server")
    await "$1 to listen" [ -s "$here/port" ]
    address=127.0.0.1:$(cat "$here/port")
}

serve() { # likewise, and it leads
    begin "$@"
    await "$1 to lead" leads "$address"
}

knows_its_service() {
    curl -sf "http://$1/v1/info" | grep -q '"service":"'
}
leads() { curl -sf "http://$1/v1/info" | grep -q '"state":"serving"'; }
holds() { "$holdfast" show --at "http://$1" "$2" >/dev/null 2>&1; }
rid() { "$holdfast" show --json --at "http://$1" "$2" | "$json" fence; }
unheld() { ! holds "$@"; }
killed() { kill -KILL "$1" && wait "$1"; } 2>/dev/null
asked_for_no_session() {
    curl -sf "http://$1/metrics" >"$here/metrics" &&
        ! grep -q 'code="410"' "$here/metrics"
}

serve one
first=$server one=$address
serve other
second=$server other=$address

# ---- Both are there ---------------------------------------------------------------
run doctor --at "http://$one,$other"
check "the doctor finds two services under one list" is 1 "$code"
check "and names both" says run.out "$one and $other are two services, not nodes of one"
run doctor --at "http://$one"
check "each for itself is sound" is 0 "$code"

start a run --at "http://$one,$other" job -- touch "$here/ran"
a=$pid
start b run --at "http://$other,$one" job -- touch "$here/ran"
b=$pid
run run -w 3s --at "http://$one,$other" job -- touch "$here/ran"
check "a wait that ends before that is settled ends with 69, too" is 69 "$code"
check "and says why" says run.err "$one and $other are two services, not nodes of one"
finished "$a"
check "who names both is told so" is 69 "$code"
check "and which they are" says a.err "$one and $other are two services, not nodes of one"
finished "$b"
check "in whichever order" is 69 "$code"
check "nothing ran" [ ! -e "$here/ran" ]

for verb in ls "show job" "why job" "clear --reason tested job"; do
    # shellcheck disable=SC2086 # a verb and its name
    run $verb --at "http://$one,$other"
    check "nor is anybody told what one of them knows: $verb" is 69 "$code"
done

run run --at "http://$one" job -- true
check "who names one of them is granted" is 0 "$code"

# ---- What is held while the other is found -----------------------------------------
killed "$second"
start ended run --at "http://$other,$one" ended -- sleep 600
ended=$pid
start kept run --ttl 6s --at "http://$other,$one" kept -- sleep 600
kept=$pid
await "the one that is there to grant" holds "$one" ended
await "it to grant both" holds "$one" kept
serve other "${other##*:}"
run run --at "http://$other,$one" kept -- touch "$here/ran"
check "a lock that is held is granted to nobody else" is 69 "$code"
check "and its holder has it yet" holds "$one" kept
kill -KILL "$ended"
await "the end of a killed holder to be told to its own server" \
    unheld "$one" ended
killed "$first"
finished "$kept"
check "a holder whose server is dead has lost" is 76 "$code"
check "by time: the other was asked for nothing that it does not know" \
    asked_for_no_session "$other"
check "and nothing else ran" [ ! -e "$here/ran" ]
killed "$second"

# ---- Two nodes of one ----------------------------------------------------------------
serve pair
first=$server one=$address
begin pair
other=$address
await "the one that follows to read whom" knows_its_service "$other"
run doctor --at "http://$one,$other"
check "the doctor finds two nodes of one service sound" is 0 "$code"
start kept run --at "http://$other,$one" kept -- sleep 600
kept=$pid
await "the lock to be granted" holds "$one" kept
fence=$(rid "$one" kept)
killed "$first"
await "the other to lead" leads "$other"
check "a lock is held over the death of a node of its service" \
    is "$fence" "$(rid "$other" kept)"
kill -TERM "$kept"
finished "$kept"
check "and given back there" unheld "$other" kept

finish
