#!/bin/sh
# deps.sh [--check] PURPOSE...: install the Debian packages that the purposes
# (run, servers, test, lint, browser) need and that are missing; with --check,
# only say so.  Installs nothing, and asks for nothing, when nothing is missing.
set -eu

run="gcc libc6-dev cmake ninja-build pkg-config libsqlite3-dev
    libnghttp2-dev libuv1-dev libssl-dev libpq-dev
    libinih-dev"
test="g++ spin python3 clang lld libclang-rt-14-dev libcmocka-dev
    libjansson-dev faketime sqlite3 procps iproute2 jq curl openssl
    nghttp2-client nodejs python3-h2 python3-yaml python3-jsonschema"
servers="python3" # what scripts/servers.sh fetches is started by it
browser="python3 chromium"
lint="clang-format-14 clang-tidy-14 cppcheck shellcheck python3-minimal"

check=no
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi

wanted=
for purpose in "$@"; do
    case $purpose in
    run) wanted="$wanted $run" ;;
    servers) wanted="$wanted $servers" ;;
    test) wanted="$wanted $test" ;;
    lint) wanted="$wanted $lint" ;;
    browser) wanted="$wanted $browser" ;;
    *)
        echo "deps.sh: no such purpose: $purpose" >&2
        exit 64
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps.sh: this is no Debian; it should have what Debian calls:$wanted" >&2
    exit 0
fi

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>&1) || true
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

cannot() {
    echo "deps.sh: these packages are missing, and $1; as root: apt-get install$missing" >&2
    exit 69
}

[ $check = no ] || cannot "this command installs nothing"
if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null; then
    root=sudo
else
    cannot "you are neither root nor have sudo"
fi

install() {
    # shellcheck disable=SC2086 # lists of words, on purpose
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing
}

# The lists of packages are fetched only where there are none, or old ones.
echo "deps.sh: installing$missing"
mkdir -p build
if ! install >build/deps.log 2>&1; then
    $root apt-get update -qq >>build/deps.log 2>&1 ||
        cannot "apt-get update failed (build/deps.log)"
    install >>build/deps.log 2>&1 ||
        cannot "apt-get install failed (build/deps.log)"
fi
