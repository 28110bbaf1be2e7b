#!/bin/bash
# holdfast-tale report: one page, whole or not at all, with everything in it.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
tale=$1 lab=$2
holds_together=$(dirname "$0")/check_page.py
dir=$here/not/yet/there
page=$dir/index.html
tab=$'\t'

# gives CODE TEXT ARGUMENT...: the exit code, and one line that says so.
gives() {
    local code=$1 text=$2
    shift 2
    "$tale" report "$@" >"$here/run.out" 2>"$here/run.err"
    [ $? = "$code" ] || return 1
    [ -z "$text" ] || grep -qF -e "$text" "$here/run.err"
}
one_line() { [ "$(wc -l <"$here/run.err")" = 1 ]; }
has() { grep -qF -e "$1" "$page"; }
says_what_it_wrote() {
    [ ! -s "$here/run.err" ] &&
        grep -qxE "$page: [0-9]+ locks of others, [0-9]+ of them broken; $1" \
            "$here/run.out"
}
nothing_beside() { [ "$(ls -A "$dir")" = index.html ]; }

"$lab" prove takeover --workers 2 --faults 0 >"$here/proofs"
"$lab" prove dead-refuse --workers 2 --faults 1 >>"$here/proofs"
printf 'mutant\tfile\twrong\tlab\tunit\n' >"$here/mutants"
printf 'm1\tsrc/x.c\tIt is <b>&\xff wrong.\tlive 1 1: stuck\t-\n' \
    >>"$here/mutants"
printf 'm2\tsrc/x.c\tThis too.\t-\ttest_x: a_word_is_a_word\n' \
    >>"$here/mutants"
files=(--proofs "$here/proofs" --mutants "$here/mutants")

check "a report" gives 0 "" -o "$dir" "${files[@]}"
check "says what it wrote, and nothing else" \
    says_what_it_wrote "2 proofs of ours, 2 mutants"
check "is one page in a folder that was made" nothing_beside
check "that others may read" \
    [ "$(stat -c %a "$page")" = "$(printf '%o' $((0666 & ~$(umask))))" ]
check "holds together" "$holds_together" "$page"

"$tale" list | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' \
    >"$here/specimens"
every_specimen() {
    local name

    while read -r name; do
        has "<article id=\"$name\">" || return 1
    done <"$here/specimens"
}
check "there are specimens" [ "$(wc -l <"$here/specimens")" -ge 19 ]
check "each is in it" every_specimen

# The same words as in a terminal, and a picture with the same numbers.
"$tale" run draft2 >"$here/draft2"
sed -n '/<article id="draft2">/,/<\/article>/p' "$page" >"$here/article"
sed -n 's/^ *[0-9]*\. //p' "$here/draft2" >"$here/told"
sed -n 's/.*<span class="said">\([^<]*[^< ]\).*/\1/p' "$here/article" \
    >"$here/shown"
check "a story is that of run" cmp "$here/told" "$here/shown"
every_number() {
    local i

    for ((i = 1; i <= $(wc -l <"$here/told"); i++)); do
        sed -n '/<svg/,$p' "$here/article" | grep -q "data-event=\"$i\"" ||
            return 1
    done
}
check "its picture has an event for each sentence" every_number

# The drafts stand on the page with their own steps, whether they break or not,
# and whoever has not read their source learns its words first.
every_step() {
    local draft steps

    for draft in draft1:5 draft2:7 draft3:7 draft4:7 draft4-perfect:7 \
        draft4-skew:7 draft4-ids:7 put-failed:5 resurrection:5; do
        steps=$(sed -n "/<article id=\"${draft%:*}\">/,/<\/article>/p" "$page" |
            sed -n '/<div class="text">/,/<\/div>/p' |
            grep -c '^<li value="[1-7]">[A-Z].*[.]</li>$')
        [ "$steps" = "${draft#*:}" ] || return 1
    done
}
check "a draft has its own steps beside its story" every_step
check "and each sentence names its line" \
    [ "$(grep -o 'class="of">line [0-9]' "$here/article" | tr -dc '0-9\n' |
        tr '\n' ' ')" = "1 1 3 4 3 4 " ]
check "what came before them is explained" \
    [ "$(sed -n '/<div class="terms">/,/<article/p' "$page" |
        grep -cE '<strong>(Riak|Quorum|Siblings)[.]</strong>')" = 3 ]
remarked() { # SPECIMEN WORD...: its remark says so
    local name=$1 word
    shift
    for word in "$@"; do
        sed -n "/<article id=\"$name\">/,/<\/article>/p" "$page" |
            grep '<p class="remark">' | grep -qF -e "$word" || return 1
    done
}
check "threads are remarked upon" remarked draft2 threads operations
check "and who sets clocks back" remarked draft4-skew ntpd person
check "and what clocks cost that agree" remarked draft4-perfect atomic bound
"$tale" replay "$(sed -n 's/.*holdfast-tale replay \([^<]*\).*/\1/p' \
    "$here/article")" >"$here/replayed"
check "its line can be replayed" [ $? = 1 ]
check "to what it breaks" grep -q "^     broken: overlap" "$here/replayed"
check "a variant is shown" has "<code>fence=yes</code>"
check "no setting is left out" has "<code>slow_clock=0</code>"

check "the proofs are those of the file" has "dead-refuse"
check "with their stories" has ">Worker #1 crashes"
check "and no others" [ "$(grep -c 'data-label="deepest"' "$page")" = 2 ]
check "the mutants are those of the file" has "2 changes, 2 caught"
check "and are shown as text" has "It is &lt;b&gt;&amp;$(printf '\xef\xbf\xbd')"

# A second report replaces the first, or leaves it alone.
cp "$page" "$here/first"
check "no mutants" gives 0 "" -o "$dir" --proofs "$here/proofs"
check "is said" has "They were not run for this page."
cp "$page" "$here/second"
full() (
    trap '' XFSZ
    ulimit -f 8
    "$tale" report -o "$dir" "${files[@]}" 2>"$here/run.err"
    [ $? = 69 ] && grep -qF "cannot write $page: " "$here/run.err"
)
check "no room" full
check "is said in a line" one_line
check "leaves the report that was there" cmp "$page" "$here/second"
check "and nothing beside it" nothing_beside

check "no folder" gives 64 "report needs -o DIR"
check "an empty name" gives 64 "names no folder" -o "" "${files[@]}"
check "below a file" gives 64 "Not a directory" -o "$page/x" "${files[@]}"
check "into a file" gives 64 "Not a directory" -o "$page" "${files[@]}"
check "where nothing can be made" gives 69 "cannot make /proc/nowhere" \
    -o /proc/nowhere "${files[@]}"
check "is said in a line, too" one_line
check "where one may make nothing" gives 77 "cannot make /sys/nowhere" \
    -o /sys/nowhere "${files[@]}"

bad() {
    local option=$1 code=$2 text=$3

    check "$option: $text" gives "$code" "$text" -o "$here/bad" "$option" \
        "$here/input"
    check "$option: in one line" one_line
}
bad --proofs 64 "cannot read $here/input: No such file"
bad --mutants 64 "cannot read $here/input: No such file"
: >"$here/input"
bad --proofs 65 "no line of holdfast-lab prove"
bad --mutants 65 "has no mutant"
echo hello >"$here/input"
bad --proofs 65 "$here/input:1: this is no line of holdfast-lab prove"
bad --mutants 65 "$here/input:1: this is not what scripts/mutants.py"
sed 's/^takeover/takeaway/' "$here/proofs" >"$here/input"
bad --proofs 65 "$here/input:2: there is no such world"
sed '2s/ [0-9.]*$//' "$here/proofs" >"$here/input"
bad --proofs 65 "$here/input:2: this is no line"
"$lab" prove takeover --workers 2 --faults 0 --json >"$here/input"
bad --proofs 65 "$here/input:1: this is no line"
sed "s/${tab}[^${tab}]*\$//" "$here/mutants" >"$here/input"
bad --mutants 65 "$here/input:1: this is not"
sed "2s/${tab}[^${tab}]*\$//" "$here/mutants" >"$here/input"
bad --mutants 65 "$here/input:2: this is no line"
head -c 100000 /dev/zero >"$here/input"
bad --proofs 65 "$here/input:1: this is no line"
check "nothing was written" [ ! -e "$here/bad" ]

# What is not as it should be is said on the page, and by the exit code.
printf 'm3\tsrc/x.c\tNobody sees it.\t-\t-\n' >>"$here/mutants"
check "a mutant that survives: exit code 1" gives 1 \
    "not as expected: a mutant that survives" -o "$dir" "${files[@]}"
check "is said in a line, as well" one_line
check "it is marked" has "<strong>survives</strong>"
check "the page is there all the same" "$holds_together" "$page"

sed '2s/ proved / bounded /' "$here/proofs" >"$here/input"
check "a proof that was cut short: exit code 75" gives 75 \
    "bounded: the world takeover" -o "$dir" --proofs "$here/input"

# An interrupt leaves what was there.
cp "$page" "$here/last"
interrupt "$tale" report -o "$dir" --mutants "$here/mutants"
check "an interrupted report" [ $? = 75 ]
check "says so" grep -q "interrupted: no report was written" "$here/run.err"
check "and leaves the one before" cmp "$page" "$here/last"
finish
