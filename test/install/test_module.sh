#!/bin/bash
# test_module.sh BUILD SOURCE COMPILER LIBRARY: a place whose module is missing,
# of another version, or broken is told of in one sentence; and the one that is
# beside the library is used, whatever the environment says.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
build=$1 source=$2 compiler=$3 library=$4
at=postgresql://ann@db.invalid/locks

mkdir -p "$here/bin" "$here/lib/holdfast" "$here/elsewhere/holdfast"
cp "$build/bin/holdfast" "$build/bin/holdfastd" "$here/bin"
cp -L "$library" "$here/lib/libholdfast.so.0.1"
export LD_LIBRARY_PATH=$here/lib

# says CODE TEXT COMMAND...: its exit code, and one line that has the text.
says() {
    local code=$1 text=$2
    shift 2

    "$@" >"$here/run.out" 2>"$here/run.err" </dev/null
    [ $? = "$code" ] && [ "$(wc -l <"$here/run.err")" = 1 ] &&
        grep -qF -- "$text" "$here/run.err" && return
    tail -n +1 "$here/run.out" "$here/run.err" | sed 's/^/# /'
    return 1
}

# module FOLDER VERSION: one whose store and journal say where they are from.
module() {
    cat >"$here/module.c" <<END
#include "base/fail.h"
#include "store/module.h"

static enum hf_status
open_it(const struct hf_place *place, enum hf_store_use use,
        const struct hf_alloc *alloc, struct hf_store **store,
        struct hf_error *error)
{
    (void)use, (void)alloc, (void)store;
    return hf_fail(error, HF_E_DENIED, "made up: %s", place->text);
}

static enum hf_status
open_journal(const struct hf_place *place, const struct hf_alloc *alloc,
             struct hf_journal **journal, struct hf_error *error)
{
    (void)alloc, (void)journal;
    return hf_fail(error, HF_E_DENIED, "made-up journal: %s", place->text);
}

HF_PUBLIC extern const struct hf_place_module hf_place_module;
const struct hf_place_module hf_place_module = {
    .version = "$2", .open = open_it, .journal_open = open_journal};
END
    "$compiler" -shared -fPIC -std=gnu11 -I"$source/src" -I"$source/include" \
        -o "$1/place-postgresql.so" "$here/module.c" \
        "$source/src/base/fail.c"
}

version=$("$build/bin/holdfast" --version | sed 's/^holdfast //')
none="needs the package holdfast-postgresql, which is not installed"
check "without the module the command says what to install" \
    says 69 "$none" "$here/bin/holdfast" run --at $at job -- true
check "and so does who looks" says 69 "$none" "$here/bin/holdfast" ls --at $at
check "and the lock server" \
    says 69 "$none" "$here/bin/holdfastd" --at $at --port 0

check "a module compiles" module "$here/elsewhere/holdfast" "$version"
LD_LIBRARY_PATH=$here/lib:$here/elsewhere:$here/elsewhere/holdfast \
    HOLDFAST_LIBRARY=$here/elsewhere check "no variable says where it is" \
    says 69 "$none" "$here/bin/holdfast" ls --at $at

module "$here/lib/holdfast" 0.0.9
other="needs the package holdfast-postgresql of the same version as this, $version"
check "one of another version is not used" \
    says 69 "$other" "$here/bin/holdfast" ls --at $at
check "nor by the lock server" \
    says 69 "$other" "$here/bin/holdfastd" --at $at --port 0

module "$here/lib/holdfast" "$version"
check "one of this version is" \
    says 77 "made up: $at" "$here/bin/holdfast" ls --at $at
check "by the lock server, too" says 77 "made-up journal: $at" \
    "$here/bin/holdfastd" --at $at --port 0

echo "no module" >"$here/lib/holdfast/place-postgresql.so"
check "one that does not load is told so" \
    says 69 "which does not load" "$here/bin/holdfast" ls --at $at

secret=postgresql://ann:geheim@db.invalid/locks
check "a password is no part of a place" \
    says 64 "db.invalid:5432:locks:ann:PASSWORD" \
    "$here/bin/holdfast" run --at $secret job -- true
HOLDFAST_AT=$secret check "nor of the environment's" \
    says 64 "PGPASSFILE" "$here/bin/holdfast" run job -- true
"$here/bin/holdfast" run --json --at "$secret" job -- true \
    >"$here/run.out" 2>&1
"$here/bin/holdfast" run --json --at "postgresql://d/x?password=geheim" \
    job -- true >>"$here/run.out" 2>&1
check "and nothing repeats it" \
    [ "$(grep -c '"exit":64' "$here/run.out")$(grep -c geheim \
        "$here/run.out")" = 20 ]

"$compiler" -std=c11 -o "$here/static" "$source/examples/fenced_write.c" \
    -I"$source/include" "$build/src/client/libholdfast.a" -lsqlite3 -pthread \
    2>"$here/static.err"
check "the static library has no such place" \
    says 69 "link the shared one" \
    "$here/static" $at "$here/report.db" hello
finish
