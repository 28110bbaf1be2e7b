#!/bin/sh
# show.sh BUILD PLACE: the main job, at a file (PLACE is empty); or what blocked
# requests did to a lock server (server); or the main job in PostgreSQL, and two
# lock servers there, of which one is killed (postgresql).
set -eu

case $2 in
'') exec scripts/demo.sh "$1/bin/holdfast" ;;
server)
    cmake --build "$1" --target holdfastd_ghosts -- --quiet
    exec scripts/demo_server.sh "$1/bin/holdfast" "$1/bin/holdfastd" \
        "$1/bin/holdfastd_ghosts"
    ;;
postgresql)
    scripts/deps.sh servers
    scripts/servers.sh postgresql
    # shellcheck disable=SC2016 # expanded where the server runs
    exec test/place/run.py postgresql sh -ec '
        scripts/demo.sh "$1/bin/holdfast" "$HF_PLACE"
        echo
        scripts/demo_leader.sh "$1/bin/holdfast" "$1/bin/holdfastd" \
            "$HF_PLACE?schema=served"' sh "$1"
    ;;
*)
    echo "make run: PLACE is server or postgresql, or is not given" >&2
    exit 64
    ;;
esac
