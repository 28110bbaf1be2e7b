#!/bin/sh
# show.sh BUILD PLACE: the main job, at a file (PLACE is empty), or what blocked
# requests did to a lock server (PLACE is server).
set -eu

case $2 in
'') exec scripts/demo.sh "$1/bin/holdfast" ;;
server)
    cmake --build "$1" --target holdfastd_ghosts -- --quiet
    exec scripts/demo_server.sh "$1/bin/holdfast" "$1/bin/holdfastd" \
        "$1/bin/holdfastd_ghosts"
    ;;
*)
    echo "make run: PLACE is server, or is not given" >&2
    exit 64
    ;;
esac
