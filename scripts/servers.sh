#!/bin/bash
# servers.sh postgresql|etcd: a kind of server that tests and demonstrations
# start, as Debian packages unpacked into build/servers/KIND, and for PostgreSQL
# an empty cluster that they copy.  Nothing is installed, and no service runs.
# Does nothing where that was done before; ends with 77, and says why, where it
# cannot be done here.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-}
here=$PWD/build/servers/$kind
root=$here/root
# Libraries are those that programs are linked with, and a bare Debian may lack;
# what is installed is taken as it is.
case $kind in
postgresql)
    bin=$root/usr/lib/postgresql/15/bin
    servers="postgresql-15 postgresql-client-15 pgbouncer"
    programs="$bin/postgres $bin/initdb $bin/psql $bin/pg_basebackup
        $root/usr/sbin/pgbouncer"
    libraries="libpq5 libc-ares2 libcom-err2 libevent-2.1-7 libgssapi-krb5-2
        libicu72 libk5crypto3 libkeyutils1 libkrb5-3 libkrb5support0
        libldap-2.5-0 libpam0g libreadline8 libsasl2-2 libssl3 libsystemd0
        libxml2"
    ;;
etcd)
    servers="etcd-server etcd-client"
    programs="$root/usr/bin/etcd $root/usr/bin/etcdctl"
    libraries=
    ;;
*)
    echo "servers.sh: a kind of server is postgresql or etcd" >&2
    exit 64
    ;;
esac

cannot() {
    echo "servers.sh: there is no $kind for the tests: $*" >&2
    exit 77
}

# PostgreSQL refuses to be root's.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        env -u HOME setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
    else
        "$@"
    fi
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>&1)" = installed ]
}

# apt_get OPTION...: with package lists of its own, where the system has none.
apt_get() {
    apt-get -qq -o Dir::State::lists="$here/lists" -o Dir::Cache="$here/cache" \
        -o APT::Sandbox::User= "$@"
}

fetch() {
    (cd "$here/packages" &&
        if ! apt-get -qq -o APT::Sandbox::User= download "$@"; then
            mkdir -p "$here/lists/partial" "$here/cache/archives/partial" &&
                apt_get update && apt_get download "$@"
        fi) >"$here/fetch.log" 2>&1
}

unpack() {
    local package wanted=$servers

    for package in $libraries; do
        is_installed "$package" || wanted="$wanted $package"
    done
    echo "fetching into build/servers/$kind: $wanted"
    rm -rf "$here/packages" "$root" "$here/template"
    mkdir -p "$here/packages" "$root"
    # shellcheck disable=SC2086 # a list of words, on purpose
    fetch $wanted || cannot "the packages cannot be fetched ($here/fetch.log)"
    for package in "$here"/packages/*.deb; do
        dpkg -x "$package" "$root"
    done
    rm -rf "$here/packages" "$here/lists" "$here/cache"
}

# The libraries that were unpacked, for LD_LIBRARY_PATH; and none may be missing.
find_libraries() {
    local folder missing path=

    for folder in "$root"/usr/lib/*-linux-gnu* "$root"/lib/*-linux-gnu*; do
        [ ! -d "$folder" ] || path+=$folder:
    done
    # shellcheck disable=SC2086 # a list of words, on purpose
    missing=$(LD_LIBRARY_PATH=${path%:} ldd $programs |
        sed -n 's/ => not found//p' | sort -u)
    [ -z "$missing" ] || cannot "libraries are missing:" "$missing"
    printf '%s\n' "${path%:}" >"$here/library-path"
}

# A superuser postgres, and a role and a database holdfast that is its own.
make_template() {
    local made=$here/template.new

    rm -rf "$made"
    mkdir -m 700 "$made"
    [ "$(id -u)" != 0 ] || chown nobody:nogroup "$made"
    as_nobody "$bin/initdb" --pgdata="$made" --username=postgres --auth=trust \
        --encoding=UTF8 --no-locale --no-sync --wal-segsize=1 || return 1
    printf '%s;\n' "CREATE ROLE holdfast LOGIN" \
        "CREATE DATABASE holdfast OWNER holdfast" |
        as_nobody "$bin/postgres" --single -D "$made" postgres || return 1
    if grep ERROR "$here/initdb.log" >&2; then return 1; fi
    mv "$made" "$here/template"
}

prepare_postgresql() {
    LD_LIBRARY_PATH=$(cat "$here/library-path")
    export LD_LIBRARY_PATH
    as_nobody test -x "$bin/postgres" ||
        cannot "nobody, who is to run it, may not read $here"
    make_template >"$here/initdb.log" 2>&1 ||
        cannot "initdb failed ($here/initdb.log)"
}

for tool in apt-get dpkg ldd; do
    command -v $tool >/dev/null || cannot "there is no $tool here"
done
umask 022
mkdir -p "$here"
exec 9>"$here/lock"
flock 9 # tests of several builds run at once
stamp="$(sha256sum <"scripts/servers.sh") $(id -u)"
[ "$(cat "$here/stamp" 2>&1)" != "$stamp" ] || exit 0

rm -f "$here/stamp"
unpack
find_libraries
[ "$kind" != postgresql ] || prepare_postgresql
echo "$stamp" >"$here/stamp"
