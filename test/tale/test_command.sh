#!/bin/bash
# holdfast-tale as a person or a script meets it: verbs, exit codes, output.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
tale=$1 json=$2
page=$(dirname "$0")/../../man/holdfast-tale.1

# gives CODE TEXT ARGUMENT...: the exit code, and what is said somewhere.
gives() {
    local code=$1 text=$2 result
    shift 2
    "$tale" "$@" >"$here/run.out" 2>"$here/run.err"
    result=$?
    [ $result = "$code" ] || return 1
    cat "$here/run.out" "$here/run.err" | grep -qF -e "$text"
}
says() { grep -qE -e "$2" "$here/$1"; }
is_json() { "$json" <"$here/run.out" >"$here/json"; }
silent() { [ ! -s "$here/$1" ]; }
one_sentence() { [ "$(wc -l <"$here/run.err")" = 1 ] && silent run.out; }

check "help" gives 0 "usage: holdfast-tale run" --help
check "help goes to stdout" silent run.err
check "no verb" gives 64 "usage:"
check "which it is" gives 0 "holdfast-tale 0." --version
check "an unknown verb" gives 64 "holdfast-tale: there is no verb 'prove'" prove
check "is said in one sentence" one_sentence
check "an unknown option" gives 64 \
    "holdfast-tale: unrecognized option '--fast'" run --fast draft1
for what in "run needs a SPECIMEN" "replay needs a LINE" \
    "report needs -o DIR"; do
    check "what is missing: $what" gives 64 "holdfast-tale: $what" \
        "${what%% *}"
    check "and nothing else is said" one_sentence
done
check "an option of another verb" gives 64 "replay takes no --set" \
    replay draft1:2:1 --set on=riak
check "an option of none" gives 64 "list takes no --json" list --json
check "a letter of another verb" gives 64 "run takes no -o" run draft1 -o x
check "a word too many" gives 64 "one word too many" list draft1
for bad in "--workers 0" "--workers 5" "--faults 16" "--faults 1x" \
    "--memory 0" "--states -3" "--set" "slow"; do
    # shellcheck disable=SC2086 # words, on purpose
    check "$bad" gives 64 "" run draft1 $bad
    check "and says so in one sentence" one_sentence
done
check "how many workers there are" gives 64 \
    "--workers cannot be '5': it is 1 to 4" run draft1 --workers 5
check "an unknown specimen" gives 64 "no specimen 'draft9'" run draft9
check "a world where a specimen is wanted" gives 64 \
    "it is a world: say holdfast-lab prove" run takeover
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
check "replay of a world's line" gives 64 "of a world: holdfast-lab replay" \
    replay takeover:2:begin1
# Whether a property broke, and whether the line could be told to its end.
check "replay of what breaks nothing" gives 0 "     nothing is broken" \
    replay draft1:2:1,2
check "replay of what breaks a property" gives 1 "     broken: overlap" \
    replay draft1:2:1,2,2,2,1,1
check "replay of what is not possible" gives 1 \
    "step 3 of the line is not possible here" replay draft1:2:1,2,0
check "nothing of it on stderr" silent run.err
check "tells what is possible" says run.out "^  2\\. Worker #2 reads"
check "but no more" [ "$(wc -l <"$here/run.out")" = 3 ]
for huge in draft1:4294967298:1 draft1:2:4294967297 draft1:2:1.4294967296; do
    check "replay of $huge" gives 64 "cannot replay" replay $huge
done
check "too few workers to break it" gives 0 "proved" \
    run stale-lock-file --workers 2
check "the usage of a verb" gives 0 "usage: holdfast-tale run" run --help

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
check "nor on a relative one" gives 64 "the place is relative" \
    replay $table --on sqlite:relative.db
check "nor where no file can be" gives 69 "make $here/run.out/locks.db" \
    replay $table --on "sqlite:$here/run.out/locks.db"
check "nor of a lock without a table" gives 64 "no table of locks" \
    replay draft1:2:1 --on "sqlite:$here/other.db"
check "nor of what is not possible" gives 1 "step 4 of the line is not" \
    replay close-two-steps:2:1,1,1,1,1 --on "sqlite:$here/other.db"
check "and then no file is made" [ ! -e "$here/other.db" ]

check "list names the specimens" gives 0 "draft4-skew" list
check "and says what must be found" says run.out "must be found: "
check "settings are listed once" \
    [ "$("$tale" list | grep -c -e '--set n_val=')" = 1 ]
check "and named where they are the same" gives 0 "--set as draft1 has it" list

check "a search cut short is no proof" gives 75 "bounded, 10 states" \
    run draft4 --states 10
check "nor in JSON" gives 75 '"verdict":"bounded","property":null' \
    run draft4 --states 10 --json
check "which expects nothing then" says run.out '"expected":null'

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
line=$("$tale" run draft1 | sed -n 's/^ *holdfast-tale replay //p')
check "with the line" says run.out "\"replay\":\"$line\""
check "what never could happen is named" gives 0 "never possible: choice 1" \
    run reclaim-two-transactions --set transactions=one
check "in the JSON, too" gives 0 '"never_possible":["choice 1","choice 2"]' \
    run reclaim-two-transactions --set transactions=one --json
check "a fault that cannot be" gives 0 "never possible: a fault" \
    run ghost-grant-blocking-timeout --faults 1
check "a specimen may be about one property" gives 0 \
    "violated: backlog (must be)," run ghost-backlog
check "which is said" says run.out "^     looking only for: backlog"
check "and may be asked for" gives 0 "violated: backlog (must be)," \
    run ghost-backlog --only backlog
check "another may, too" gives 0 "violated: ghost grant," \
    run ghost-backlog --only "ghost grant"
line=$("$tale" run ghost-backlog | sed -n 's/^ *holdfast-tale replay //p')
check "its line is told to that property" gives 1 "broken: backlog" \
    replay "$line"
# A picture of what was found: whole, or not there.
svg=$here/picture.svg
well_formed() { python3 -c '
import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.argv[1])' "$1"; }
has_event() { grep -qF "<g data-event=\"$2\"><title>$2. " "$1"; }
check "a picture" gives 0 "violated: overlap" run draft1 --svg "$svg"
line=$(sed -n 's/^ *holdfast-tale replay //p' "$here/run.out")
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
check "beside a database" gives 64 "do not go together" \
    replay close-two-steps:2:1 --on "sqlite:$here/none.db" --svg "$here/none.svg"
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
"$tale" --help | grep -oE -e '--[a-z]+' | sort -u >"$here/help"
sed 's/\\-/-/g' "$page" | grep -oE -e '--[a-z]+' | sort -u >"$here/man"
check "the man page has the options of --help" cmp "$here/help" "$here/man"

# What cannot be printed was not told.
for verb in list --help "run draft1" "run draft1 --json" \
    "replay draft1:2:1,2"; do
    # shellcheck disable=SC2086 # words, on purpose
    "$tale" $verb 2>"$here/run.err" >/dev/full
    check "$verb on a full disk" [ $? = 69 ]
    check "says so" says run.err "cannot write to stdout"
    # shellcheck disable=SC2086
    "$tale" $verb 2>"$here/run.err" >&-
    check "$verb without a stdout" [ $? = 69 ]
done

# An interrupt ends the search with what was found.
interrupt "$tale" run draft4 --workers 4 --faults 2 --only "ghost grant"
check "an interrupted search is not done" [ $? = 75 ]
check "and says how far it came" says run.out "bounded: no ghost grant so far"
finish
