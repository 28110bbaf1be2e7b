#!/bin/bash
# holdfast-lab as a person or a script meets it: verbs, exit codes, output.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
lab=$1 json=$2
page=$(dirname "$0")/../../man/holdfast-lab.1

# gives CODE TEXT ARGUMENT...: the exit code, and what is said somewhere.
gives() {
    local code=$1 text=$2 result
    shift 2
    "$lab" "$@" >"$here/run.out" 2>"$here/run.err"
    result=$?
    [ $result = "$code" ] || return 1
    cat "$here/run.out" "$here/run.err" | grep -qF -e "$text"
}
says() { grep -qE -e "$2" "$here/$1"; }
is_json() { "$json" <"$here/run.out" >"$here/json"; }
silent() { [ ! -s "$here/$1" ]; }
one_sentence() { [ "$(wc -l <"$here/run.err")" = 1 ] && silent run.out; }

check "help" gives 0 "usage: holdfast-lab prove" --help
check "help goes to stdout" silent run.err
check "no verb" gives 64 "usage:"
check "which it is" gives 0 "holdfast-lab 0." --version
check "an unknown verb" gives 64 "holdfast-lab: there is no verb 'disprove'" \
    disprove
check "is said in one sentence" one_sentence
check "an unknown option" gives 64 \
    "holdfast-lab: unrecognized option '--fast'" prove --fast
for what in "run needs a SPECIMEN" "wander needs a WORLD" \
    "replay needs a LINE" "report needs -o DIR"; do
    check "what is missing: $what" gives 64 "holdfast-lab: $what" \
        "${what%% *}"
    check "and nothing else is said" one_sentence
done
check "an option of another verb" gives 64 "prove takes no --set" \
    prove takeover --set on=riak
check "an option of none" gives 64 "list takes no --json" list --json
check "a letter of another verb" gives 64 "run takes no -o" run draft1 -o x
check "a word too many" gives 64 "one word too many" list draft1
check "a trace of a specimen" gives 64 "only a world's schedule" \
    replay draft1:2:1 --trace
check "an unknown world" gives 64 "no world 'nowhere'" prove nowhere
check "no walk at all" gives 64 "at least 1" wander --walks 0 takeover
check "few walks, where something must be found" gives 75 "nothing found" \
    wander --walks 1 --seed 1 drift-beyond
check "an unknown world to wander in" gives 64 "no world 'nowhere'" \
    wander nowhere
for bad in "--workers 0" "--workers 5" "--workers -1" "--workers x" \
    "--faults 16" "--faults 1x" "--memory 0" "--states -3" "--seed" \
    "--states 99999999999999999999" "--faults 99999999999" "slow"; do
    for what in "prove takeover" "run draft1"; do
        # shellcheck disable=SC2086 # words, on purpose
        check "$what $bad" gives 64 "" $what $bad
        check "and says so in one sentence" one_sentence
    done
done
check "how many workers there are" gives 64 \
    "--workers cannot be '5': it is 1 to 4" run draft1 --workers 5
check "how many faults" gives 64 "--faults cannot be '16': it is 0 to 15" \
    run draft1 --faults 16
check "an unknown specimen" gives 64 "no specimen 'draft9'" run draft9
check "a world where a specimen is wanted" gives 64 \
    "it is a world: say holdfast-lab prove" run takeover
check "a specimen where a world is wanted" gives 64 \
    "it is a specimen: say holdfast-lab run" prove draft1
check "to wander in, too" gives 64 "it is a specimen" wander draft1
check "an unknown setting" gives 64 "no such setting" \
    run draft1 --set colour=red
check "no setting at all" gives 64 "it is not NAME=VALUE" run draft1 --set skew
check "an unknown value" gives 64 "no such value" run draft1 --set pace=fast
check "a value that is too large" gives 64 "no such value" \
    run draft1 --set skew=99999999999999999999
check "an unknown property" gives 64 "no property 'harmony'" \
    run draft1 --only harmony
check "a setting of another key" gives 64 "pw needs on=riak" \
    run draft1 --set pw=2
check "settings that cannot go together" gives 64 \
    "no quorum is above n_val, which is 1" \
    run draft1 --set on=riak --set n_val=1 --set pw=2
check "nothing was searched for any of them" silent run.out
check "a setting that changes what is found" gives 0 "proved" \
    run draft1 --set pace=turns
check "replay of what is no line" gives 64 "cannot replay" replay hello
check "replay of an unknown action" gives 64 "no such action" \
    replay takeover:2:jump1
# Whether a promise broke, and whether the line could be told to its end.
check "replay of what breaks nothing" gives 0 "     nothing is broken" \
    replay takeover:2:begin1,serve1
check "of a specimen, too" gives 0 "     nothing is broken" replay draft1:2:1,2
check "replay of what breaks a promise" gives 1 "     broken: overlap" \
    replay draft1:2:1,2,2,2,1,1
check "replay of what goes another way" gives 1 \
    "step 2 of the line is not possible here" replay takeover:2:begin1,deliver1
check "nothing of it on stderr" silent run.err
check "of a specimen's" gives 1 "step 3 of the line is not possible here" \
    replay draft1:2:1,2,0
check "tells what is possible" says run.out "^  2\\. Worker #2 reads"
check "but no more" [ "$(wc -l <"$here/run.out")" = 3 ]
for huge in draft1:4294967298:1 draft1:2:4294967297 draft1:2:1.4294967296; do
    check "replay of $huge" gives 64 "cannot replay" replay $huge
done
check "too few workers to break it" gives 0 "proved" \
    run stale-lock-file --workers 2
check "the usage of a verb" gives 0 "usage: holdfast-lab prove" run --help

# A table specimen's schedule in a real database.
table=close-two-steps:2:1,1,0,2,2,1
check "replay on a database" gives 0 "the database agreed at every step" \
    replay --on "sqlite:$here/locks.db" $table
check "with the property" says run.out "broken: a lock lost to nobody"
check "with the SQL" says run.out \
    "worker #1> DELETE FROM locks WHERE name = 'lock' -- 1 row"
check "nothing of it on stderr" silent run.err
cp "$here/locks.db" "$here/kept.db"
check "not on one that is not empty" gives 65 "locks.db is not empty" \
    replay $table --on "sqlite:$here/locks.db"
check "which stays as it is" cmp "$here/locks.db" "$here/kept.db"
check "nor on what is no place" gives 64 "'locks.db' is not a place" \
    replay $table --on locks.db
check "nor where no file can be" gives 69 "make $here/run.out/locks.db" \
    replay $table --on "sqlite:$here/run.out/locks.db"
check "nor of a lock without a table" gives 64 "no table of locks" \
    replay draft1:2:1 --on "sqlite:$here/other.db"
check "nor of a world" gives 64 "only a specimen's schedule" \
    replay takeover:2:begin1 --on "sqlite:$here/other.db"
check "nor of what is not possible" gives 1 "step 4 of the line is not" \
    replay close-two-steps:2:1,1,1,1,1 --on "sqlite:$here/other.db"
check "and then no file is made" [ ! -e "$here/other.db" ]

check "list names the worlds" gives 0 "takeover" list
check "and says what must be found" says run.out "must be found: "

check "a proof" gives 0 "proved" prove takeover --workers 2 --faults 0
check "nothing of it on stderr" silent run.err
check "its row" says run.out \
    "^takeover +2 +0 +- +proved +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+"
reduced=$(awk '$1 == "takeover" { print $6 }' "$here/run.out")
check "every order" gives 0 "proved" prove takeover --full --workers 2 --faults 0
check "is more of them" \
    [ "$(awk '$1 == "takeover" { print $6 }' "$here/run.out")" -gt "$reduced" ]
check "no proof is of the list" gives 64 "no such proof in the list" \
    prove --quick --workers 4
check "a quick proof takes no faults" gives 64 \
    "--quick chooses the workers and faults" prove --quick takeover --faults 3
check "nor does one of all" gives 64 "--all chooses the workers and faults" \
    prove --all takeover --faults 3
check "quick is not all" gives 64 "do not go together" prove --quick --all
check "a proof that make test makes" gives 0 "proved" prove --quick refuse
check "is one line, which says so" \
    [ "$(awk '$1 == "refuse" { print $4 }' "$here/run.out")" = test ]
check "so does the number of faults" \
    gives 64 "no such proof in the list" prove --quick --faults 9
check "of the list those are made that have so many" gives 0 " proved " \
    prove --quick --workers 1 --faults 2
check "each once" [ "$(wc -l <"$here/run.out")" = 2 ]
check "a search cut short is no proof" gives 75 \
    "no violation within 5000 states, depth" \
    prove takeover --workers 2 --faults 2 --states 5000
check "and is called bounded" says run.out "bounded +5000 "
check "nor is one that should find something a failure to" gives 75 \
    "no violation within 100 states" prove frozen-unfenced --states 100
check "nor one of a specimen" gives 75 "bounded, 10 states" \
    run draft4 --states 10
check "nor in JSON" gives 75 '"verdict":"bounded","property":null' \
    run draft4 --states 10 --json
check "which expects nothing then" says run.out '"expected":null'

check "a violation, where there is no room for the shortest schedule" gives 0 \
    "perhaps not the shortest" \
    prove frozen-unfenced --workers 2 --faults 1 --states 74000
check "is one all the same" says run.out "^frozen-unfenced +2 +1 +test +violated "
check "and its schedule breaks the promise" gives 1 \
    "broken: a frozen holder and another in the section" \
    replay "$(sed -n 's/^ *holdfast-lab replay //p' "$here/run.out")"

check "what must be found" gives 0 "(must be)" \
    prove drift-beyond --workers 2 --faults 1
check "its sentences are numbered" says run.out "^  1\\. Worker #1 wants"
line=$(sed -n 's/^ *holdfast-lab replay //p' "$here/run.out")
sed -n '/^ *[0-9]*\. /p' "$here/run.out" >"$here/told"
check "its line is replayed" gives 1 "broken: a live lock stolen" \
    replay "$line"
sed -n '/^ *[0-9]*\. /p' "$here/run.out" >"$here/retold"
check "in the same words" cmp "$here/told" "$here/retold"
check "as a table too" gives 1 "broken: a live lock stolen" \
    replay --trace "$line"
check "of one row a step" \
    [ "$(grep -cE '^ *[0-9]+ \|' "$here/run.out")" = "$(wc -l <"$here/told")" ]
check "what is behind the end of the story" gives 1 "are not told: 2" \
    replay "$line,tick1,tick1"
check "is not told" [ "$(grep -cE '^ *[0-9]+\.' "$here/run.out")" = \
    "$(wc -l <"$here/told")" ]
check "not found where it must be: exit code 1" gives 1 "proved" \
    prove drift-beyond --workers 2 --faults 0
check "is said" says run.out \
    'not as expected: it must find "a live lock stolen"'

# Of a world that is stuck, the loop, also of its line.
check "a stuck world" gives 0 "stuck (must be)" prove --quick dead-refuse
sed -n '/^ *[0-9]*\. /p' "$here/run.out" >"$here/stuck"
line=$(sed -n 's/^ *holdfast-lab replay //p' "$here/run.out")
check "its line" gives 1 "     broken: stuck" replay "$line"
check "shows the loop" says run.out "^     \.\.\. and again from step"
sed -n '/^ *[0-9]*\. /p' "$here/run.out" >"$here/stuck_again"
check "in the same words, too" cmp "$here/stuck" "$here/stuck_again"

# What a specimen's source says holds for the specimen as it stands.
check "a specimen" gives 0 "violated: overlap (must be)," run draft1
check "what is looked for stands in the verdict" gives 0 \
    "proved: no overlap," run draft3 --only overlap
check "and above it" says run.out "^     looking only for: overlap"
check "and beside a limit" gives 75 "bounded: no overlap so far," \
    run draft3 --only overlap --states 5
check "and in the JSON" gives 0 '"property":null,"only":"overlap"' \
    run draft3 --only overlap --json
check "where nothing is expected" says run.out '"expected":null'
check "and so it does when it is found" gives 0 \
    '"property":"overlap","only":"overlap"' run draft1 --only overlap --json
check "all in all it is null" gives 0 '"property":"overlap","only":null' \
    run draft1 --json
check "as it must be" says run.out '"expected":true'
line=$("$lab" run draft1 | sed -n 's/^ *holdfast-lab replay //p')
check "with the line" says run.out "\"replay\":\"$line\""
check "what never could happen is named" gives 0 "never possible: choice 1" \
    run reclaim-two-transactions --set transactions=one
check "in the JSON, too" gives 0 '"never_possible":["choice 1","choice 2"]' \
    run reclaim-two-transactions --set transactions=one --json
check "a fault that cannot be" gives 0 "never possible: a fault" \
    run ghost-grant-blocking-timeout --faults 1
check "settings are listed once" \
    [ "$("$lab" list | grep -c -e '--set n_val=')" = 1 ]
check "and named where they are the same" gives 0 "--set as draft1 has it" list

check "a walk finds it" gives 0 "seed " wander --seed 1 frozen-unfenced
cp "$here/run.out" "$here/first"
check "the same walk again" gives 0 "seed " wander --seed 1 frozen-unfenced
check "word for word" cmp "$here/first" "$here/run.out"
check "a walk that finds nothing" gives 0 "nothing found" \
    wander --walks 20 --workers 4 takeover

check "JSON" gives 0 '"verdict":"violated"' \
    prove drift-beyond --workers 2 --faults 1 --json
check "is JSON" is_json
check "with every field" says run.out "^\\{\"protocol\":\"drift-beyond\",\
\"workers\":2,\"faults\":1,\"verdict\":\"violated\",\"property\":\"[a-z ]+\",\
\"expected\":true,\
\"store_operations\":[0-9]+,\"steps\":$(wc -l <"$here/told"),\"states\":[0-9]+,\
\"transitions\":[0-9]+,\"depth\":[0-9]+,\"bytes\":[0-9]+,\
\"seconds\":[0-9.]+,\"schedule\":\\[\"Worker #1 wants.*\\],\
\"replay\":\"drift-beyond:2:begin1,[a-z0-9,]+\"\\}\$"
check "JSON of a proof" gives 0 '"property":null' \
    prove takeover --workers 2 --faults 0 --json
check "is JSON, too" is_json

# A picture of what was found: whole, or not there.
svg=$here/picture.svg
well_formed() { python3 -c '
import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.argv[1])' "$1"; }
has_event() { grep -qF "<g data-event=\"$2\"><title>$2. " "$1"; }
check "a picture" gives 0 "violated: overlap" run draft1 --svg "$svg"
line=$(sed -n 's/^ *holdfast-lab replay //p' "$here/run.out")
check "is well-formed" well_formed "$svg"
check "shows the first event" has_event "$svg" 1
check "and the last" has_event "$svg" 6
check "has no temporary file beside it" \
    [ "$(find "$here" -name 'picture.svg*' | wc -l)" = 1 ]
mv "$svg" "$here/first.svg"
check "the picture of its line" gives 1 "broken: overlap" \
    replay "$line" --svg "$svg"
check "is the same" cmp "$here/first.svg" "$svg"
check "nothing found" gives 0 "no picture" run draft4-perfect \
    --svg "$here/none.svg"
check "is no file" [ ! -e "$here/none.svg" ]
check "of a world" gives 64 "only a specimen" \
    replay takeover:2:begin1 --svg "$here/none.svg"
check "beside a database" gives 64 "do not go together" \
    replay close-two-steps:2:1 --on sqlite:none.db --svg "$here/none.svg"
check "in a folder that is none" gives 64 "cannot write into" \
    run draft1 --svg "$here/first.svg/none.svg"
mkdir "$here/folder.svg"
check "where a folder is" gives 64 "cannot write" \
    run draft1 --svg "$here/folder.svg"
check "nothing is left of it" \
    [ "$(find "$here" -name 'folder.svg*' | wc -l)" = 1 ]
ln -s first.svg "$here/link.svg"
mkfifo "$here/pipe.svg"
check "where a link is" gives 64 "not a plain file" \
    run draft1 --svg "$here/link.svg"
check "which stays" [ -L "$here/link.svg" ]
check "where a pipe is" gives 64 "not a plain file" \
    run draft1 --svg "$here/pipe.svg"
check "which stays, too" [ -p "$here/pipe.svg" ]
check "in a file without a name" gives 64 "names no file" run draft1 --svg ""
check "in a folder alone" gives 64 "names no file" run draft1 --svg "$here/"
for more in "draft4 --workers 3" "draft1 --set on=riak" put-failed \
    redlock-restart; do
    # shellcheck disable=SC2086 # words, on purpose
    check "$more" gives 0 "violated" run $more --svg "$svg"
    check "is well-formed, too" well_formed "$svg"
done

# The man page and --help name the same options.
"$lab" --help | grep -oE -e '--[a-z]+' | sort -u >"$here/help"
sed 's/\\-/-/g' "$page" | grep -oE -e '--[a-z]+' | sort -u >"$here/man"
check "the man page has the options of --help" cmp "$here/help" "$here/man"

# What cannot be printed was not told.
for verb in list --help "run draft1" "run draft1 --json" \
    "replay draft1:2:1,2" "wander --walks 1 takeover"; do
    # shellcheck disable=SC2086 # words, on purpose
    "$lab" $verb 2>"$here/run.err" >/dev/full
    check "$verb on a full disk" [ $? = 69 ]
    check "says so" says run.err "cannot write to stdout"
    # shellcheck disable=SC2086
    "$lab" $verb 2>"$here/run.err" >&-
    check "$verb without a stdout" [ $? = 69 ]
done

# An interrupt ends the search with what was found.
interrupt "$lab" prove takeover --workers 3 --faults 3
check "an interrupted search is not done" [ $? = 75 ]
check "and says how far it came" says run.out "no violation within"
interrupt "$lab" prove frozen-unfenced --workers 4 --faults 0
check "nor one for what must be found" [ $? = 75 ]
interrupt "$lab" wander --walks 18446744073709551615 takeover
check "nor are interrupted walks" [ $? = 75 ]
check "and say how many they were" says run.out \
    "^[0-9]{1,9} walks of up to 1000 steps from seed 1: nothing found"
finish
