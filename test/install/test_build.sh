#!/bin/bash
# test_build.sh SOURCE: scripts/build.sh tells how far it is, and what failed;
# beside a cmake that only speaks as ninja does.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
build=$1/scripts/build.sh

mkdir "$here/bin"
cat >"$here/bin/cmake" <<'END'
#!/bin/bash
[ "$1" = --build ] || exit 0 # configured
for step in $(seq "$STEPS"); do
    status=${NINJA_STATUS:-}
    printf -v percent '%3d%%' $((100 * step / STEPS))
    status=${status//%p/$percent}
    status=${status//%f/$step}
    echo "${status//%t/$STEPS}Building C object $step"
    [ "$step" != "$FAILS" ] || { echo "x.c:1: error: of the compiler"; exit 2; }
done
[ "$STEPS" != 0 ] || echo "ninja: no work to do."
END
chmod +x "$here/bin/cmake"

built() { # built STEPS FAILS: what is said is in run.out, its exit code in $code
    (cd "$here" && STEPS=$1 FAILS=$2 PATH=$here/bin:$PATH "$build" dev) \
        >"$here/run.out" 2>"$here/run.err"
    code=$?
}

built 200 none
check "a build ends well" [ "$code" = 0 ]
check "and has said how far it was, five times" [ 5 = "$(
    grep -cE '^building dev: [0-9]+/200 steps$' "$here/run.out")" ]
check "to its end" grep -qx 'building dev: 200/200 steps' "$here/run.out"
check "and nothing else" [ 5 = "$(wc -l <"$here/run.out")" ]
built 0 none
check "of what is built nothing is said" [ ! -s "$here/run.out" ]
built 200 50
check "a build that fails has its exit code" [ "$code" != 0 ]
check "and says what the compiler does" grep -qx 'x.c:1: error: of the compiler' \
    "$here/run.out"
finish
