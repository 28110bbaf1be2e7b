#!/bin/bash
# commands.sh HOLDFAST SOURCE-FOLDER JSON-READER HOLDFASTD: every verb of the
# command, on a lock server.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
daemon=$4

# serve PORT: a server on that port (0: the kernel's choice), as $server; its
# port in $here/port.
serve() {
    rm -f "$here/port"
    "$daemon" --listen "127.0.0.1:$1" --at "sqlite:$here/served.db" \
        --ready-fd 7 7>"$here/port" 2>>"$here/daemon.err" &
    server=$!
    started+=("$server")
    await "the server to listen" [ -s "$here/port" ]
    HOLDFAST_AT="http://127.0.0.1:$(cat "$here/port")"
    await "the server to lead" leads
}

leads() { "$holdfast" ls >"$here/leads.out"; }
held() { "$holdfast" show "$1" >/dev/null 2>&1; }
dies_of() {
    "$holdfast" why "$1" >"$here/why.out" 2>&1
    says why.out "dead: every process"
}
in_line() { [ "$("$holdfast" show --json "$1" | "$json" waiters)" = "$2" ]; }
position() { says "$1.err" "we are number $2 of "; }
rid() { # rid NAME: the lock's fence
    "$holdfast" show --json "$1" | "$json" fence
}

serve 0

# ---- As with a file ---------------------------------------------------------------
run run job -- sh -c 'exit 7'
check "a command runs, and its code is ours" is 7 "$code"
start holder run --reason night job -- sleep 100
holder=$pid
await "the holder" held job
run ls
check "and why" grep -qE '^job .* night$' "$here/run.out"
check "ls lists it" grep -qE '^job .*sleep 100' "$here/run.out"
run ls --sessions
check "ls --sessions lists who has one, and what it has" grep -qE \
    '^[0-9a-f]{16} +1 +0 +[0-9]+s +[0-9]+s +end or ttl +[^ ]+@' "$here/run.out"
run ls --sessions --json
check "and as JSON" is 1 "$("$json" holds <"$here/run.out")"
check "but no secret" is 0 "$(grep -c secret "$here/run.out")"
run ls --sessions x
check "but of no prefix" is 64 "$code"
run ls --sessions --at "sqlite:$here/none.db"
check "a place that is no server has none" is 64 "$code"
check "which is said" says run.err "is no lock server"
run show job
check "show tells who holds it, and why" says run.out "reason     night"
run why job
check "why tells that it is alive" says run.out "alive: the server heard it"
run run -n job -- touch "$here/ran"
check "-n does not wait" is 75 "$code"
check "and says who holds it" says run.err "runs: sleep 100"
run run -w 3s job -- touch "$here/ran"
check "-w waits so long" is 75 "$code"
check "and says that one holder kept it" says run.err "held too long"
run clear --reason none job
check "who is alive is not cleared" [ "$code" != 0 ]
check "nothing ran" [ ! -e "$here/ran" ]
run doctor
check "the doctor asks the node" grep -qE '^ok +node .*it leads' "$here/run.out"

# ---- As people write it -----------------------------------------------------------
node=${HOLDFAST_AT#http://}
for place in "HTTP://$node" "http://$node/" "http://$node,http://$node" \
    "Http://$node/,$node/"; do
    run run --at "$place" written -- printenv HOLDFAST_AT
    check "a place as people write it: $place" is 0 "$code"
done

# ---- The line ---------------------------------------------------------------------
start first run job -- echo first
await "its place in line to be told" position first 1
check "and the holder's reason" says first.err ", reason: night, runs: sleep 100"
start second run job -- echo second
await "the next one's" position second 2
run show job
check "show shows the line" grep -qE '^ +2 +exclusive .*echo second' \
    "$here/run.out"
first=$pid
kill -TERM "$holder"
await "both to run" says second.out second
check "in their order" says first.out first
finished "$first"

# ---- A place that is kept ---------------------------------------------------------
# poll: ask for a moment, with the place kept, as a program that is not ours.
poll() {
    curl -s -m 20 -H 'Idempotency-Key: the key of one that polls' \
        -d '{"ttl":"60s","park":"30s","who":"cron@db1"}' \
        "$HOLDFAST_AT/v1/locks/kept/acquire" >"$here/poll.out"
}
told() { "$json" "$1" <"$here/poll.out"; }

start holder run kept -- sleep 100
await "the holder" held kept
poll
check "a program polls" says poll.out '"park_ms":30000'
run show kept
check "show tells whose place is kept, and for how long" \
    says run.out "cron@db1    (to ask again: its place is kept for 30s)"
kill -TERM "$pid"
finished "$pid"
run run -n -E 0 kept -- echo got
check "a try beside it ends as beside a holder" is 0 "$code"
check "and says what it is" says run.err \
    "kept is kept for who is first in line, and -n does not wait"
check "for how long, and for whom" says run.err \
    "the first place in line is kept for 30s, for cron@db1, who is to ask again"
check "and nothing was forgotten" [ "$(grep -c forgotten "$here/run.err")" = 0 ]
check "nor run" [ ! -s "$here/run.out" ]
curl -s -m 20 -d '{}' "$HOLDFAST_AT/v1/locks/kept/acquire" >"$here/try.out"
check "a program is told the cause" is place "$("$json" cause <"$here/try.out")"
check "and whose the place is" says try.out '"who":"cron@db1"'
start behind run kept -- echo behind
await "who waits behind it to be told so" says behind.err \
    "nobody holds it, but a place before ours is kept for 30s"
check "and where it stands" says behind.err "we are number 2 of 2 in line"
run show kept
check "nobody holds it" says run.err "nobody holds kept at "
check "and show has the line all the same" says run.out "in line    2"
run ls
check "ls names the place that is kept, and whose it is" grep -qE \
    '^kept +\(kept 30s for cron@db1\) ' "$here/run.out"
run ls kept --json
check "and as JSON" is 30000 "$("$json" parked_ms <"$here/run.out")"
run why kept
check "why names it, too" says run.err \
    "but the first place in line is kept for 30s, for cron@db1, who is to ask"
check "and that nobody holds it" is 1 "$code"
run why --json kept
check "and as JSON" is 30000 "$("$json" seen record parked_ms <"$here/run.out")"
run watch -w 100ms kept
check "and so does watch" says run.out \
    "nobody holds it, but the first place in line is kept for 30s, for cron@db1"
poll
kill -TERM "$pid"
finished "$pid"
run show kept
check "and then it is the poller's" says run.out "holder     cron@db1"
curl -s -m 20 -o "$here/released" -H "Holdfast-Secret: $(told secret)" \
    -d "{\"session\":\"$(told session)\"}" \
    "$HOLDFAST_AT/v1/locks/kept/release"

# Who only waits until it is free keeps nobody out, also while its place is kept.
start holder run looked -- sleep 100
await "the holder of it" held looked
curl -s -m 20 -o "$here/looks.out" -H 'Idempotency-Key: the key of who looks on' \
    -d '{"ttl":"60s","park":"30s","wait":"1ms"}' "$HOLDFAST_AT/v1/locks/looked/wait"
check "one looks at it now and then" says looks.out '"park_ms":30000'
kill -TERM "$pid"
finished "$pid"
run ls looked
check "ls shows no lock that is kept for it" \
    [ "$(grep -c '^looked' "$here/run.out")" = 0 ]
run why looked
check "nor does why" [ "$(grep -c "kept for" "$here/run.err")" = 0 ]
run run -n looked -- echo ran
check "and it is free" says run.out ran

# ---- What only a server keeps -----------------------------------------------------
start one run --shared a b -- sleep 100
one=$pid
await "two names" held b
run run --shared -n a -- true
check "a shared lock is shared" is 0 "$code"
run run -n b -- true
check "and keeps out who is alone" is 75 "$code"
kill -TERM "$one"
finished "$one"
run run -n a b -- printenv HOLDFAST_HELD
check "several names are held at once" is 0 "$code"
check "and each is known below" grep -q ',a,.* .*,b,' "$here/run.out"
run run a b -- "$holdfast" run b -- touch "$here/ran"
check "who waits for what its own run holds is told so" \
    says run.err "is held by the holdfast run that runs this command"

# ---- Which of several -------------------------------------------------------------
# The lock that is named is the one that the holder has, whichever was asked for
# first.
curl -s -m 20 -d '{"ttl":"60s","who":"ann@db1"}' \
    "$HOLDFAST_AT/v1/locks/beta/acquire" >"$here/poll.out"
for waiting in 1 2 3; do
    start "queued$waiting" run beta -- true
    queued[waiting]=$pid
    await "its place in line" in_line beta "$waiting"
done
run run -n alpha beta -- true
check "a try names the lock that is held" says run.err "beta is held, and -n"
check "and asks why of that" says run.err " beta"
check "and of no other" [ "$(grep -c alpha "$here/run.err")" = 0 ]
check "and who is in line" says run.err "held: exclusive, 3 in line"
run run -n --json alpha beta -- true
check "and so it is in JSON" is beta "$("$json" seen record name <"$here/run.err")"
check "with who is in line" is 3 "$("$json" seen record waiters <"$here/run.err")"
for waiting in 1 2 3; do
    kill -TERM "${queued[waiting]}"
    finished "${queued[waiting]}"
done
start both run -w 6s alpha beta -- true
await "a wait for both to say which is held" says both.err \
    "waiting for alpha and beta: beta is held by ann@db1"

# What nobody holds is kept for who is first in line, and waits for another.
await "the first in line" says both.err "we are number 1 of 1 in line"
run run -n alpha -- true
check "a try for what the first in line waits with is not granted" is 75 "$code"
check "and is told that nobody holds it" says run.err \
    "alpha is kept for who is first in line, and -n does not wait"
check "and who is first, and why" says run.err \
    "first in line: it waits for another of its locks"
start after run alpha -- true
await "a wait is told so, too" says after.err \
    "nobody holds it, but $(id -un)@"
after=$pid
run why alpha
check "and so says why" says run.err "first in line: it waits for another of its"
check "and that nobody holds it" is 1 "$code"
run watch -w 100ms alpha
check "and watch" says run.out "first in line: it waits for another of its locks"
run ls alpha
check "and ls" grep -qE '^alpha +\(first in line: ' "$here/run.out"
run why --json alpha
check "and JSON" is elsewhere "$("$json" seen record why <"$here/run.out")"
await "the wait for both to end" says both.err "held too long"
check "which names the lock that is held" says both.err "beta is held too long"
finished "$after"
curl -s -m 20 -o "$here/released" -H "Holdfast-Secret: $(told secret)" \
    -d "{\"session\":\"$(told session)\"}" \
    "$HOLDFAST_AT/v1/locks/beta/release"

# Who shares a lock is in nobody's way who would share it.
start shares run --shared alpha -- sleep 100
shares=$pid
await "one who shares it" held alpha
start alone run beta -- sleep 100
alone=$pid
await "and one who has the other" held beta
run run -n --shared alpha beta -- true
check "who would share both is told of the other" says run.err "beta is held, and"
start sharing run --shared alpha beta -- echo shared
await "and so who waits" says sharing.err ": beta is held by "
sharing=$pid
kill -TERM "$alone" "$shares"
finished "$alone"
finished "$shares"
finished "$sharing"

# The command that is printed clears what it should.
start dead run --if-dead refuse beta -- sleep 100
dead=$pid
await "one who dies" held beta
kill -KILL "$dead"
await "its death to be seen" dies_of beta
run run -n alpha beta -- true
check "its lock is named" says run.err "the holder of beta is dead"
pasted=$(sed -n "s/^ *holdfast \(clear .*\)'…'/\1tested/p" "$here/run.err")
# shellcheck disable=SC2086 # they are words
run $pasted
check "and what is printed clears it" is 0 "$code"
run run -n alpha beta -- true
check "and then both are had" is 0 "$code"

for many in 31 32 33 64; do
    # shellcheck disable=SC2046 # they are names
    run run $(seq "$many") -- timeout 20 "$holdfast" ls --json
    check "ls lists $many locks, each once, and ends" \
        [ "$code,$(sort -u "$here/run.out" | wc -l),$(wc -l <"$here/run.out")" = \
        "0,$many,$many" ]
done
run run a a -- true
check "one name twice is refused" is 64 "$code"
HOLDFAST_AT=sqlite:$here/locks.db run run --shared a -- true
check "a file shares nothing, and says what does" says run.err "need a lock server"
check "with 64" is 64 "$code"

# ---- Dead, and kept from others ------------------------------------------------------
start guarded run --if-dead refuse --ttl 3s --beat 200ms --grace 1s half -- sleep 100
await "a refuse holder" held half
guard=$(guard_of "$pid")
kill -KILL "$pid"
finished "$pid"
await "its guard to end" all_gone "$guard"
run why half
check "why sees that its processes are gone" says run.out "dead: every process"
begun=$SECONDS
run run -w 60s half -- touch "$here/ran"
check "nobody takes it over" is 73 "$code"
check "nor waits for who is gone" [ $((SECONDS - begun)) -lt 30 ]
check "what to do is said" says run.err "clear --at $HOLDFAST_AT"
run clear --fence "$(rid half)" --reason 'put right' half
check "a person clears it" is 0 "$code"
run audit half
check "and the audit tells who and why" says run.out "$(id -un)@$(uname -n): put right"
start forced run forced -- sleep 100
forced=$pid
await "another holder" held forced
run clear --force --reason 'by force' forced
finished "$forced"
check "whose holder is told by whom, and why" \
    says forced.err "forced is lost: $(id -un)@$(uname -n) cleared it: by force"
run audit --json forced
check "and that it was by force, and the last beat" [ 1 = "$(
    grep -c '"forced":true.*"stamp_ms":[1-9]' "$here/run.out")" ]
run run -n half -- true
check "then it is free" is 0 "$code"

# Somebody of another host, of whom nothing is known but what the server hears.
curl -s -m 20 -o "$here/mute" -d '{"ttl":"3s","if_dead":"refuse","who":"eve@db7"}' \
    "$HOLDFAST_AT/v1/locks/mute/acquire"
run clear --reason 'db7 burnt' mute
check "who was heard a moment ago is watched until it is suspected" is 0 "$code"
check "and it is said for how long" says run.err "watching mute, at most 3s: eve@db7"
check "but not what it runs, for it tells nothing of that" \
    is "" "$(grep 'watching.*runs:' "$here/run.err")"
curl -s -m 20 -o "$here/mute" -d '{"ttl":"1s","if_dead":"refuse","who":"eve@db7"}' \
    "$HOLDFAST_AT/v1/locks/mute/acquire"
start waiter run mute -- true
await "its end, long before its limit" all_gone "$pid"
finished "$pid"
check "who is suspected is not waited for" is 73 "$code"
check "who waits for one of another host is told where to end it" \
    says waiter.err "on db7, end what is left of eve@db7"
run clear --reason '…' mute
check "a placeholder is no reason" is 64 "$code"
run clear --reason 'db7 burnt' mute none
check "several are cleared" is 1 "$code"
check "each with a line" grep -qE '^cleared mute: eve@db7, fence [0-9]+$' "$here/run.out"

# ---- In a circle ------------------------------------------------------------------
# cross FIRST SECOND: the second one inside the first, when both are held.
cross() {
    # shellcheck disable=SC2016 # an inner shell's
    start "$1" run "$1" -- sh -c \
        'until "$1" show "$2" >/dev/null 2>&1; do sleep 0.1; done
        exec "$1" run -w 60s "$2" -- true' sh "$holdfast" "$2"
}
cross ab ba
one=$pid
cross ba ab
other=$pid
for name in ab ba; do
    await "the word of $name" says "$name.err" \
        ", itself waits for $name, which a run around us holds"
done
kill -TERM "$one"
finished "$one"
finished "$other"
check "of two that wait for each other both are told" is 0 "$code"

# ---- Held for longer than the command ---------------------------------------------
start first run --hold-at-least 10m cron -- true
await "the end of its command" says first.err "cron stays held"
run run -n -q -E 0 --hold-at-least 10m cron -- touch "$here/ran"
check "a job of another host does not run again" is 0 "$code"
check "though the first has ended" [ ! -e "$here/ran" ]
kill -TERM "$pid"
finished "$pid"
run run -n cron -- true
check "until the first one gives it back" is 0 "$code"

# ---- Dead, and to be taken over ---------------------------------------------------
# die NAME: one that holds NAME, and all its processes, are killed.
die() {
    start "$1" run --ttl 10s --beat 500ms --grace 1s "$1" -- sleep 100
    await "a holder of $1" held "$1"
    murder "$pid"
}

die short
run run -w 3s short -- true
check "who waits less than the ttl of the dead goes without it" is 75 "$code"
check "is not told that it lives" is "" "$(grep alive "$here/run.err")"
check "but that it is given on" says run.err "once its ttl of 10s is over"
run run -n short -- true
check "who only tries finds the dead, within its ttl" is 0 "$code"
start living run living -- sleep 100
living=$pid
await "one that lives" held living
run run -n living -- true
check "who only tries does not wait for who lives" is 75 "$code"
kill -TERM "$living"
finished "$living"

# ---- A node that does not lead ----------------------------------------------------
"$daemon" --listen 127.0.0.1:0 --at "sqlite:$here/served.db" --ready-fd 7 \
    7>"$here/follows" 2>>"$here/daemon.err" &
follower=$!
started+=("$follower")
await "a second server to listen" [ -s "$here/follows" ]
run run --at "http://127.0.0.1:$(cat "$here/follows")" -w 3s led -- true
check "who asks a node that does not lead is not answered" is 69 "$code"
check "and told who does" says run.err "name ${HOLDFAST_AT#http://}, too"
check "once" is "1 0" "$(grep -c 'nothing is known about' "$here/run.err") $(
    grep -c 'waiting for' "$here/run.err")"
run doctor --at "http://127.0.0.1:$(cat "$here/follows")"
check "the doctor finds that the leader is not named" is 1 "$code"
check "and names it" says run.out \
    "name it, too: --at http://127.0.0.1:$(cat "$here/follows"),${HOLDFAST_AT#http://}"
run doctor --at "http://localhost:${HOLDFAST_AT##*:},127.0.0.1:$(cat "$here/follows")"
check "but not if it is named otherwise" is 0 "$code"
run ls --at "http://127.0.0.1:$(cat "$here/follows")"
check "nor does a follower list" is 69 "$code"
check "but it names the leader" says run.err "name ${HOLDFAST_AT#http://}, too"
kill -TERM "$follower"
wait "$follower"

# ---- Without an answer ------------------------------------------------------------
start kept run --ttl 20s job -- sh -c "echo in; sleep 100"
kept=$pid
await "it to be held" says kept.out in
fence=$(rid job)
kill -KILL "$server"
wait "$server" 2>/dev/null
start waiter run -w 30s job -- echo after
await "the word of no answer" says waiter.err "nothing is known about job"
serve "${HOLDFAST_AT##*:}"
check "its log tells it from the one before" says daemon.err \
    "after=\"an earlier process at ${HOLDFAST_AT#http://}\""
check "who held it holds it when the server is back" is "$fence" "$(rid job)"
kill -TERM "$kept"
await "who waited meanwhile to run" says waiter.out after
kill -KILL "$server"
wait "$server" 2>/dev/null
run ls
check "without a server ls says that there is none" is 69 "$code"
check "and where" says run.err "${HOLDFAST_AT#http://}: Connection refused"
run run -w 500ms job -- true
check "so does run" is 69 "$code"
run doctor
check "the doctor, too" is 69 "$code"
check "and what is the matter" grep -qE '^fail +reachable .*refused' "$here/run.out"
run audit --at "sqlite:$here/served.db"
check "its file still has the audit, with who and why" \
    says run.out "$(id -un)@$(uname -n): put right"
check "and nothing in it that is not ours" is "" "$(
    grep 'not ours' "$here/run.out")"

# One that takes connections, and says nothing.
python3 - >"$here/deaf" <<'END' &
import socket, time
deaf = socket.create_server(("127.0.0.1", 0))
print(deaf.getsockname()[1], flush=True)
time.sleep(600)
END
started+=("$!")
await "a deaf server" [ -s "$here/deaf" ]
deaf=http://127.0.0.1:$(cat "$here/deaf")
run ls --at "$deaf"
check "a server that does not answer is given up" is 69 "$code"
check "and said to be silent" says run.err "${deaf#http://}: no answer"
run doctor --at "$deaf"
check "the doctor tells who is silent from who is not there" \
    says run.out "if holdfastd runs on 127.0.0.1, it hangs or is stopped"
run run --at "$deaf" -w 1s job -- true
check "and nobody waits for it for longer than was said" is 69 "$code"

# ---- Places -----------------------------------------------------------------------
for place in http:// http://: http://a:b http://a:0 http://a:99999 'http://[::1' \
    http://a,,b http://a/b http://a/,/b http://a,http:// https://a \
    http://a,https://b 'http://a b'; do
    run ls --at "$place"
    check "no place: $place" is 64 "$code"
done
run ls --at http://no-such-host.invalid:1
check "a host that nobody knows is said" is 69 "$code"
finish
