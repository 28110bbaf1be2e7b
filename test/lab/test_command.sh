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
for what in "wander needs a WORLD" "replay needs a LINE"; do
    check "what is missing: $what" gives 64 "holdfast-lab: $what" \
        "${what%% *}"
    check "and nothing else is said" one_sentence
done
check "an option of another verb" gives 64 "prove takes no --seed" \
    prove takeover --seed 1
check "an option of none" gives 64 "list takes no --json" list --json
check "a word too many" gives 64 "one word too many" list takeover
check "an unknown world" gives 64 "no world 'nowhere'" prove nowhere
check "no walk at all" gives 64 "at least 1" wander --walks 0 takeover
check "few walks, where something must be found" gives 75 "nothing found" \
    wander --walks 1 --seed 1 drift-beyond
check "an unknown world to wander in" gives 64 "no world 'nowhere'" \
    wander nowhere
for bad in "--workers 0" "--workers 5" "--workers -1" "--workers x" \
    "--faults 16" "--faults 1x" "--memory 0" "--states -3" "--seed" \
    "--states 99999999999999999999" "--faults 99999999999" "slow"; do
    # shellcheck disable=SC2086 # words, on purpose
    check "$bad" gives 64 "" prove takeover $bad
    check "and says so in one sentence" one_sentence
done
check "how many workers there are" gives 64 \
    "--workers cannot be '5': it is 1 to 4" prove takeover --workers 5
check "how many faults" gives 64 "--faults cannot be '16': it is 0 to 15" \
    prove takeover --faults 16
check "replay of what is no line" gives 64 "cannot replay" replay hello
check "replay of an unknown action" gives 64 "no such action" \
    replay takeover:2:jump1
check "nothing was searched for any of them" silent run.out
# Whether a promise broke, and whether the line could be told to its end.
check "replay of what breaks nothing" gives 0 "     nothing is broken" \
    replay takeover:2:begin1,serve1
check "replay of what goes another way" gives 1 \
    "step 2 of the line is not possible here" replay takeover:2:begin1,deliver1
check "nothing of it on stderr" silent run.err
check "the usage of a verb" gives 0 "usage: holdfast-lab prove" prove --help

check "list names the worlds" gives 0 "takeover" list
check "and says what must be found" says run.out "must be found: "
check "every promise is told" gives 0 "overlap: two workers believe" promises

check "a proof" gives 0 "proved" prove takeover --workers 2 --faults 0
check "nothing of it on stderr" silent run.err
check "its row" says run.out \
    "^takeover +2 +0 +- +proved +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+"
reduced=$(awk '$1 == "takeover" { print $6 }' "$here/run.out")
check "every order" gives 0 "proved" prove takeover --full --workers 2 --faults 0
check "is more of them" \
    [ "$(awk '$1 == "takeover" { print $6 }' "$here/run.out")" -gt "$reduced" ]
check "no proof is of the list" gives 64 "no such proof in the list" \
    prove --quick --workers 4 --faults 1
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
check "nor in JSON" gives 75 '"verdict":"bounded","property":null' \
    prove frozen-unfenced --states 100 --json
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

# The man page and --help name the same options.
"$lab" --help | grep -oE -e '--[a-z]+' | sort -u >"$here/help"
sed 's/\\-/-/g' "$page" | grep -oE -e '--[a-z]+' | sort -u >"$here/man"
check "the man page has the options of --help" cmp "$here/help" "$here/man"

# What cannot be printed was not told.
for verb in list promises --help "wander --walks 1 takeover" \
    "replay takeover:2:begin1" "prove takeover --faults 0 --json"; do
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
