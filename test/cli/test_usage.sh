#!/bin/bash
# Bad input: one clear sentence on stderr, the right exit code, and nothing
# written, not even an empty database.
# shellcheck source=test/cli/support.sh
. "$(dirname "$0")/support.sh"

refuses() { # refuses CODE TEXT ARGUMENT...
    local expected=$1 text=$2
    shift 2
    run "$@"
    exits "$expected" && says run.err "$text" &&
        is 1 "$(wc -l <"$here/run.err")" &&
        is "holdfast: " "$(head -c 10 "$here/run.err")" &&
        is "" "$(cat "$here/run.out")" &&
        is "" "$(find "$here" -name 'locks.db*')"
}

long=$(printf 'x%.0s' {1..513})
week=$((8 * 24))h
control=$'a\nb'

check "no verb" refuses 64 "what shall it do"
check "an unknown verb" refuses 64 "unknown verb lock" lock
check "a verb that is near another" refuses 64 "did you mean clear?" cler x
check "one that others have" refuses 64 "did you mean show?" status x
check "a lock in the place of a verb" refuses 64 "did you mean run?" x -- true
check "one that is near none" refuses 64 "unknown verb nothing (see" nothing
check "help for an unknown verb" refuses 64 "did you mean clear?" help cler
check "an option that is near another" refuses 64 "did you mean --if-dead?" \
    run --if-daed refuse x -- true
check "with its value" refuses 64 "did you mean --wait?" run --wiat=5s x -- true
check "one that flock has" refuses 64 "unknown option --timeout: did you mean -w?" \
    run --timeout 90s x -- true
check "with its value, too" refuses 64 "did you mean -E?" \
    run --conflict-exit-code=0 x -- true
check "which another verb has not" refuses 64 "unknown option --try (see" ls --try
check "of another verb" refuses 64 "did you mean --space?" ls --spaec x
check "one that is near none, of these" refuses 64 "unknown option --fast (see" \
    run --fast x -- true
check "an unknown option" refuses 64 "unknown option --lock" --lock
check "an unknown option of run" refuses 64 "unknown option --fast" \
    run --fast x -- true
check "an unknown letter" refuses 64 "unknown option -z" run -z x -- true
check "an option without its value" refuses 64 "option --ttl needs a value" \
    run --ttl
check "a value that is not wanted" refuses 64 "takes no value" \
    ls --json=yes
check "no lock" refuses 64 "which lock" run
check "no command" refuses 64 "NAME -- COMMAND" run x
check "no command after the dashes" refuses 64 "NAME -- COMMAND" run x --
check "a command without the dashes" refuses 64 \
    "the command goes after --: holdfast run x -- true …" run x true a
check "one with spaces" refuses 64 "holdfast run x -- 'a && b' …" run x 'a && b'
check "one with options" refuses 64 "holdfast run x -- make …" run x make -j8
check "one with long options" refuses 64 "holdfast run x -- make …" \
    run x make --jobs
check "a shell's, as flock takes it" refuses 64 "holdfast run x -- COMMAND …" \
    run -n x -c 'a && b'
check "dashes without the name" refuses 64 "which lock? its name goes before --" \
    run -- echo hi
check "no time to wait" refuses 64 "-w 0 does not wait: write -n" \
    run -w 0 x -- true
check "nor with a unit" refuses 64 "-w 0s does not wait: write -n" \
    run --wait 0s x -- true
check "a number that is too large for one of seconds" refuses 64 "-w: " \
    run -w 99999999999999999999 x -- true
check "two names" refuses 64 "need a lock server" run x y -- true
check "a shared lock" refuses 64 "need a lock server" run --shared x -- true
check "both -n and -w" refuses 64 "choose one" run -n -w 1s x -- true
check "a number alone where no wait is meant" refuses 64 "--beat: " \
    run --beat 2 x -- true
check "a negative duration" refuses 64 "-w: " run -w -5s x -- true
check "a duration without a unit" refuses 64 "--ttl: " run --ttl 5 x -- true
check "a duration that overflows" refuses 64 "--ttl: " \
    run --ttl 9223372036854775807h x -- true
check "a duration of nothing" refuses 64 "--grace must be more than zero" \
    run --grace 0s x -- true
check "a ttl below all bounds" refuses 64 "too short" \
    run --ttl 10ms x -- true
check "a ttl above all bounds" refuses 64 "a week at most" \
    run --ttl "$week" x -- true
check "a ttl too short for beat and grace" refuses 64 "too short" \
    run --ttl 5s --beat 2s --grace 1s x -- true
check "an if-dead of another kind" refuses 64 "--if-dead is neither takeover nor refuse" \
    run --if-dead maybe x -- true
check "an empty name" refuses 64 "the name is empty" run '' -- true
check "a name with a newline" refuses 64 "control characters" \
    run "$control" -- true
check "a name with a character that nobody sees" refuses 64 "no width" \
    run $'a\xe2\x80\xaeb' -- true
check "a name that is too long" refuses 64 "at most 512" run "$long" -- true
check "a space of Holdfast's own" refuses 64 "Holdfast's own" \
    run --space '!audit' x -- true
check "an empty space" refuses 64 "the space is empty" run --space '' x -- true
for verb in ls show why; do
    check "$verb in a space of Holdfast's own" refuses 64 "Holdfast's own" \
        "$verb" --space '!audit' x
    check "$verb with two names" refuses 64 "what is y" "$verb" x y
    check "$verb with an unknown option" refuses 64 "unknown option" \
        "$verb" --fast x
done
check "show without a name" refuses 64 "which lock" show
check "why for no time" refuses 64 "more than zero" why --watch 0s x
check "clear without a reason" refuses 64 "--reason is required" clear x
check "clear with an empty reason" refuses 64 "--reason is required" \
    clear --reason '' x
check "clear of a fence that is no number" refuses 64 "--fence needs" \
    clear --fence x --reason y z
check "clear of an empty name" refuses 64 "the name is empty" \
    clear --reason y ''
check "a place that is no URL" refuses 64 "" run --at nowhere x -- true
# In $here, so that the place would be locks.db there.
relative() { # relative AS-WRITTEN AS-MEANT VERB ARGUMENT...
    local written=$1 meant=$2
    shift 2
    (cd -P "$here" && export HOME=$here && refuses 64 "write $meant" "$@" &&
        HOLDFAST_AT=$written refuses 64 "write $meant" "${@:1:1}" "${@:4}")
}
folder=$(cd -P "$here" && pwd)
for place in locks.db ./locks.db; do
    check "a relative place, $place" \
        relative "sqlite:$place" "sqlite:$folder/locks.db" \
        run --at "sqlite:$place" x -- true
done
check "a place below a home that no shell has put in" \
    relative "sqlite:~/locks.db" "sqlite:$here/locks.db" \
    run --at "sqlite:~/locks.db" x -- true
for verb in ls show why; do
    check "$verb at a relative place" \
        relative sqlite:locks.db "sqlite:$folder/locks.db" \
        "$verb" --at sqlite:locks.db x
done
check "an empty place" refuses 64 "--at is empty" run --at '' x -- true
check "an empty place of ls" refuses 64 "--at is empty" ls --at ''
check "a place that nobody else sees" refuses 64 "keeps nobody out" \
    run --at memory:x x -- true
check "nor with why" refuses 64 "keeps nobody out" why --at memory:x x
stranger=(setpriv --reuid 4242 --clear-groups)
if [ "$(id -u)" = 0 ] && "${stranger[@]}" test -x "$holdfast"; then
    (cd / && unset HOLDFAST_AT HOME XDG_STATE_HOME &&
        exec "${stranger[@]}" "$holdfast" ls) \
        2>"$here/homeless.err"
    code=$?
    check "no home and no place: 64" is 64 "$code"
    check "and what to give" says homeless.err "HOLDFAST_AT"
fi
check "a place of an unknown kind" refuses 64 "" run --at redis://h x -- true

for limit in 12 14 16; do # our own streams, and others that a test inherits
    (ulimit -n "$limit" && exec "$holdfast" run x -- true) \
        2>"$here/few.err" </dev/null
    code=$?
    check "with $limit descriptors the command line is not called wrong" \
        grep -qE '^(69|70)$' <<<"$code"
done
run run x -- true
rm -f "$here"/locks.db*

mkdir "$here/folder"
run run --at "sqlite:$here/folder" x -- touch "$here/ran"
check "a directory as database ends with 69, 65 or 64" \
    grep -qE '^(69|65|64)$' <<<"$code"
check "and in one line" is 1 "$(wc -l <"$here/run.err")"
check "and without running the command" test ! -e "$here/ran"

echo "not a database, but long enough to be looked at: $long" >"$here/text"
cp "$here/text" "$here/text.before"
run run --at "sqlite:$here/text" x -- touch "$here/ran"
check "a file that is no database ends with 65" exits 65
check "and is left as it was" cmp "$here/text" "$here/text.before"

run run x -- true
sql "INSERT INTO holdfast_records SELECT space, 'odd',
    version + 1, version + 1, 0, '{\"lock\":7}' FROM holdfast_records LIMIT 1"
run run odd -- touch "$here/ran"
check "a value that is not ours ends with 65" exits 65
check "and no command ran" test ! -e "$here/ran"
check "and we are told how to learn more" says run.err \
    "holdfast why --at $HOLDFAST_AT odd"
run why odd
check "why of it ends with 65" exits 65
check "and names the way out" says run.out \
    "holdfast clear --at $HOLDFAST_AT --force --reason '…' odd"
run show odd
check "show of it ends with 65" exits 65
check "and says whose it is not" says run.out "not Holdfast's"
run ls
check "ls shows it beside the others" says run.out "(not ours)"
run clear --force --reason "a test" odd
check "a forced clear deletes it" exits 0
run run odd -- true
check "and it is a lock again" exits 0

run --version
check "--version" grep -qE '^holdfast [0-9]+\.[0-9]+' "$here/run.out"
for verb in '' run ls show why watch clear audit doctor; do
    run ${verb:+"$verb"} --help
    check "holdfast $verb --help" exits 0
    check "and it names its usage" says run.out "usage: holdfast"
    check "in 80 columns" is "" "$(grep -E '.{81}' "$here/run.out")"
    cp "$here/run.out" "$here/help.out"
    run ${verb:+"$verb"} -h
    check "and so does holdfast $verb -h" cmp "$here/help.out" "$here/run.out"
    run help ${verb:+"$verb"}
    check "and holdfast help $verb" cmp "$here/help.out" "$here/run.out"
done
finish
