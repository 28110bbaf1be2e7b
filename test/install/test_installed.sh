#!/bin/bash
# What `make install` lays down is enough to build and run a program, and
# nothing private is visible in it.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
build=$1 source=$2 compiler=$3
root=$here/root

DESTDIR=$root cmake --install "$build" >"$here/install.out" 2>"$here/install.err"
check "it installs into DESTDIR" [ $? = 0 ]

configuration=$(cd "$root" && find . -name holdfast.pc)
check "a pkg-config file is there" [ -n "$configuration" ]
library=$(cd "$root" && find . -name 'libholdfast.so')
program=$(cd "$root" && find . -path '*/bin/holdfast')
prefix=$root/${program%/bin/holdfast}
check "the program is there" [ -x "$root/$program" ]
check "the man page is there" \
    [ -n "$(find "$root" -path '*/man/man1/holdfast.1')" ]
check "the laboratory and its man page are there" \
    [ "$(find "$root" -path '*/bin/holdfast-lab' -o \
        -path '*/man/man1/holdfast-lab.1' | wc -l)" = 2 ]
check "the lock server, its man pages and its unit are there" \
    [ "$(find "$root" -path '*/bin/holdfastd' -o \
        -path '*/man/man8/holdfastd.8' -o \
        -path '*/man/man5/holdfastd.conf.5' -o \
        -path '*/systemd/system/holdfastd.service' | wc -l)" = 4 ]
DESTDIR=$here/tale cmake --install "$build" --component tale \
    >>"$here/install.out" 2>>"$here/install.err"
check "the tale is a component: its program and its man page" \
    [ "$(find "$here/tale" -type f -printf '%f\n' | sort | tr '\n' ' ')" = \
    "holdfast-tale holdfast-tale.1 " ]
check "which is there with all the others" \
    [ "$(find "$root" -name 'holdfast-tale*' | wc -l)" = 2 ]
DESTDIR=$here/postgresql cmake --install "$build" --component postgresql \
    >>"$here/install.out" 2>>"$here/install.err"
module=$(find "$here/postgresql" -type f)
check "PostgreSQL is a component: one module, of one symbol" \
    [ "${module##*/} $(nm -D --defined-only "$module" | sed 's/.* //')" = \
    "place-postgresql.so hf_place_module" ]
check "and nothing else needs its library" \
    [ "$(find "$root" -type f -exec grep -lF libpq.so {} + |
        sed 's,.*/,,')" = place-postgresql.so ]
check "the library names its interface" \
    grep -q 'SONAME.*\[libholdfast.so.0.1\]' <(readelf -d "$root/$library")

PKG_CONFIG_PATH=$(dirname "$root/$configuration")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$root
check "pkg-config knows the version" \
    [ "$(pkg-config --modversion holdfast)" = 0.1.0 ]

# compile EXAMPLE: as it says of itself, here.
compile() {
    local example=$1 line

    line=$(sed 's/^ \* *//' "$source/examples/$example.c" |
        awk '/^cc /, !/\\$/ { print }')
    [ -n "$line" ] || return 1
    (cd "$here" && cp "$source/examples/$example.c" . &&
        eval "cc() { $compiler \"\$@\"; }; $line") 2>>"$here/compile.err"
}

check "an example compiles as it says" compile worker
check "and one that needs another library does, too" compile fenced_write
LD_LIBRARY_PATH=$(dirname "$root/$library") \
    "$here/fenced_write" "sqlite:$here/locks.db" "$here/report.db" hello \
    >"$here/program.out" 2>"$here/program.err"
check "and runs" [ $? = 0 ]
check "and holds a lock" grep -q '^written with fence' "$here/program.out"

"$compiler" -std=c11 -o "$here/static" "$source/examples/fenced_write.c" \
    -I"$prefix/include" "$root/${library%.so}.a" -lsqlite3 -pthread 2>"$here/static.err"
check "it links statically, too" [ $? = 0 ]
"$here/static" "sqlite:$here/locks.db" "$here/report.db" hello \
    >"$here/static.out" 2>>"$here/static.err"
check "and runs without the shared library" [ $? = 0 ]
# shellcheck disable=SC2046 # words, on purpose
"$compiler" -static -std=c11 -o "$here/whole" "$source/examples/worker.c" \
    $(pkg-config --static --cflags --libs holdfast) 2>"$here/whole.err"
check "and without any, by what pkg-config names" [ $? = 0 ]

# Every function that the headers declare public.
sed -n '/HF_PUBLIC/,/;/p' "$root"/*/*/include/holdfast/*.h |
    grep -oE '\bhf_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$here/declared"

# And what a user of C++ would: with every function, for each must link.
sed 's/.*/    reinterpret_cast<void *>(\&&),/' "$here/declared" >"$here/all.inc"
cat >"$here/program.cc" <<'END'
#include <holdfast/holdfast.h>
#include <cstring>
#include <poll.h>

static void *const all[] = {
#include "all.inc"
};

int
main()
{
    hf_client *client = nullptr;
    hf_lock *lock = nullptr;
    hf_query *query = nullptr;
    hf_view *view = nullptr;
    const hf_notice *notice = nullptr;
    hf_error error;

    for (void *one : all)
        if (one == nullptr)
            return 1;
    if (HF_VERSION_NUM != hf_version_num() ||
        std::strcmp(HF_VERSION, hf_version()) != 0)
        return 1;
    if (hf_client_new(nullptr, &client, &error) != HF_OK ||
        hf_client_open(client, "memory:a place", &error) != HF_OK ||
        hf_lock_new(client, "a lock", &lock, &error) != HF_OK ||
        hf_lock_set(lock, HF_TTL, "30s", &error) != HF_OK ||
        hf_lock_start(lock, &error) != HF_OK)
        return 1;
    for (pollfd fd = {hf_client_fd(client), POLLIN, 0}; notice == nullptr;)
        if (poll(&fd, 1, 20000) != 1)
            return 1;
        else
            notice = hf_client_next(client);
    if (hf_notice_id(notice) != hf_lock_id(lock) ||
        (hf_notice_news(notice) & HF_NEWS_GRANTED) == 0 ||
        hf_lock_wait(lock, HF_FOREVER) != HF_STATE_HELD)
        return 1;
    if (hf_query_new(client, HF_EXAMINE, &query, &error) != HF_OK ||
        hf_query_set(query, HF_NAME, "a lock", &error) != HF_OK ||
        hf_query_start(query, &error) != HF_OK ||
        !hf_query_wait(query, HF_FOREVER))
        return 1;
    view = hf_query_view(query);
    if (hf_view_number(view, HF_FIELD_TTL_MS) != 30000)
        return 1;
    hf_view_free(view);
    hf_query_free(query);
    hf_lock_free(lock);
    return hf_client_close(client, HF_FOREVER);
}
END
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046 # words, on purpose
    c++ -std=c++11 -Wall -Wextra -pedantic -Werror -o "$here/cplus" \
        "$here/program.cc" $(pkg-config --cflags --libs holdfast) \
        2>"$here/cplus.err" &&
        LD_LIBRARY_PATH=$(dirname "$root/$library") "$here/cplus"
    check "a program of C++ compiles, links and runs" [ $? = 0 ]
else
    echo "# SKIP a program of C++: there is no c++"
fi

# The same with CMake.
mkdir "$here/project"
cat >"$here/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_package(holdfast 0.1 REQUIRED)
add_executable(program $source/examples/fenced_write.c)
target_link_libraries(program PRIVATE holdfast::holdfast sqlite3)
END
cmake -S "$here/project" -B "$here/project" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$here/project.out" 2>&1 &&
    cmake --build "$here/project" >>"$here/project.out" 2>&1
check "CMake finds it" [ $? = 0 ]
"$here/project/program" "sqlite:$here/locks.db" "$here/report.db" hello \
    >"$here/project.out" 2>"$here/project.err"
check "and what it builds runs" [ $? = 0 ]

env -u LD_LIBRARY_PATH HOLDFAST_AT="sqlite:$here/locks.db" \
    "$root/$program" run greet -- echo hello >"$here/greet.out" 2>"$here/greet.err"
check "the installed program finds the library beside it" [ $? = 0 ]
check "and runs a command" grep -qx hello "$here/greet.out"

# A library folder may be absolute, as some distributions have it.
cmake -S "$source" -B "$here/absolute" -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR=/opt/lib -DBUILD_TESTING=OFF \
    >"$here/absolute.out" 2>"$here/absolute.err"
check "an absolute library folder is no part of the prefix" \
    grep -qx 'libdir=/opt/lib' "$here/absolute/holdfast.pc"
check "and that is where the program looks for it" \
    grep -q ' RPATH "/opt/lib"' "$here/absolute/cmake_install.cmake"

# From a fresh tree, for a PREFIX whose library folder is another one; how fast
# its code is does not matter here.
mkdir "$here/tree"
(cd "$source" && tar -c --exclude=./build --exclude=./.git .) |
    tar -x -C "$here/tree"
sed -i 's/"-O2 -g"/"-O0"/' "$here/tree/CMakeLists.txt"
env -u PKG_CONFIG_PATH -u PKG_CONFIG_SYSROOT_DIR \
    make -C "$here/tree" DESTDIR="$here/usr" PREFIX=/usr install \
    >"$here/usr.out" 2>"$here/usr.err"
check "a fresh tree installs under /usr at once" [ $? = 0 ]
check "with its program" [ -x "$here/usr/usr/bin/holdfast" ]

# What the output names is there.
made() {
    sed -n 's,^  \(build/[^ ]*\)  .*,\1,p' "$here/usr.out"
}
next() {
    sed -n 's/^  make \([a-z]*\) .*/\1/p' "$here/usr.out"
}
check "make says what it made: five files" [ "$(made | wc -l)" = 5 ]
check "each of which is there" \
    [ "$(cd "$here/tree" && made | xargs ls | wc -l)" = 5 ]
check "and what to type next" [ "$(next | wc -l)" = 4 ]
check "each of which make knows" [ "$(next | xargs -I{} \
    grep -c '^{}:' "$here/tree/Makefile" | grep -c 1)" = 4 ]
check "and where it installed it" grep -q "^installed under $here/usr/usr;" \
    "$here/usr.out"

# Every function that the headers declare public is exported, and no other.
nm -D --defined-only "$root/$library" |
    sed -n 's/.* [B-Z] \(.*\)@@HOLDFAST_0[.]1$/\1/p' | sort -u >"$here/exported"
check "the library exports what its headers declare" \
    diff "$here/declared" "$here/exported"
check "and has no function that nothing can reach" \
    [ -z "$(nm "$root/$library" | grep ' hf_check_listen')" ]
finish
