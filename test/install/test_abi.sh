#!/bin/bash
# A program that was built against today's headers runs on a library with one
# more option, notice bit, outcome, state and field, and sees no difference;
# and no function goes away unnoticed.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
library=$1 source=$2 compiler=$3 symbols=$2/src/client/holdfast.symbols

# grow WHAT FILE SCRIPT: change it by sed, which must find what it changes.
grow() {
    cp "$here/tree/$2" "$here/before"
    sed -i "$3" "$here/tree/$2"
    check "one more $1" not cmp -s "$here/before" "$here/tree/$2"
}

not() {
    ! "$@"
}

# The last row of a table gets another beside it.  What is private grows in
# front, so that nothing of it stays where it was.
grow_tree() {
    grow outcome include/holdfast/words.h \
        's/^\( *X(HF_AT_LIMIT, .*)\)$/\1 X(HF_NEWER, 75, "newer")/'
    grow state include/holdfast/words.h \
        's/^\( *X(HF_STATE_ENDED, .*)\)$/\1 X(HF_STATE_NEWER, "newer")/'
    grow field include/holdfast/view.h \
        's/^\( *\)X(HF_FIELD_WHY, "why", TEXT)/\1X(HF_FIELD_WHY, "why", TEXT) X(HF_FIELD_NEW, "newer", TEXT)/'
    grow "kind of news" include/holdfast/holdfast.h \
        's/^ *HF_NEWS_CHANGED = 256,.*$/& HF_NEWS_NEWER = 512,/'
    grow "bit in every notice" src/client/handle.c \
        's/handle->news |= news;/handle->news |= news | HF_NEWS_NEWER;/'
    grow option src/client/settings.c \
        's/^ *HF_OPTION_PLAIN(TEXT, HF_REASON, \(.*\)$/& HF_OPTION_PLAIN(TEXT, "newer", \1/'
    for what in settings handle notice view; do
        grow "member of struct hf_$what" \
            "$(cd "$here/tree" && grep -l "^struct hf_$what {" src/client/*.h)" \
            "s/^struct hf_$what {\$/& char newer[40];/"
    done
}

# Of the functions alone; the version that they carry is a part of the name.
exported() {
    nm -D --defined-only "$1" | sed -n 's/.* [B-Z] \(.*@@.*\)$/\1/p' |
        LC_ALL=C sort
}

soname() {
    readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'
}

mkdir "$here/tree"
(cd "$source" && tar -c --exclude=./build --exclude=./.git .) |
    tar -x -C "$here/tree"
grow_tree
cmake -S "$here/tree" -B "$here/build" -G Ninja -DBUILD_TESTING=OFF \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS=-w \
    >"$here/configure.out" 2>&1 &&
    cmake --build "$here/build" --target holdfast >"$here/build.out" 2>&1
check "the newer library builds" [ $? = 0 ]
newer=$here/build/lib/libholdfast.so

"$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L -fstack-protector-strong \
    -Wall -Wextra -Werror -I"$source/include" -o "$here/program" \
    "$source/test/install/abi.c" "$library" 2>"$here/compile.err"
check "the program builds against today's" [ $? = 0 ]
LD_LIBRARY_PATH=$(dirname "$library") "$here/program" >"$here/today.out" 2>&1
check "it runs" [ $? = 0 ]
check "and sees much" [ "$(wc -l <"$here/today.out")" -gt 150 ]
LD_LIBRARY_PATH=$(dirname "$newer") "$here/program" >"$here/newer.out" 2>&1
check "it runs on the newer library" [ $? = 0 ]
check "and sees the same" diff "$here/today.out" "$here/newer.out"
check "only the newer one knows what is newer" \
    [ "$(for folder in "$(dirname "$library")" "$(dirname "$newer")"; do
        LD_LIBRARY_PATH=$folder "$here/program" newer; echo $?
    done | xargs)" = "1 0" ]
check "the sonames say that it may" \
    [ "$(soname "$library") $(soname "$newer")" = \
    "libholdfast.so.0.1 libholdfast.so.0.1" ]

# A function more is a line more in that list, and a line less breaks callers.
check "what is exported is what the list says" \
    diff "$symbols" <(exported "$library")
check "and the newer one exports it, too" diff "$symbols" <(exported "$newer")
check "one that is removed is noticed" not cmp -s "$symbols" \
    <(exported "$library" | grep -v '^hf_lock_start@')
finish
