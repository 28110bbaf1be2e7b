#!/bin/bash
# test_programs.sh BUILD SOURCE: what scripts/programs.py says that tests need,
# as scripts/test.sh asks it, for stages that do not build everything.
set -u
# shellcheck source=test/support.sh
. "$(dirname "$0")/../support.sh"
build=$1 programs=$2/scripts/programs.py

# needed CTEST-ARGUMENT...: what is needed is in run.out.
needed() {
    "$programs" "$build" "$@" >"$here/run.out" 2>"$here/run.err"
}
has() { grep -qx -- "$1" "$here/run.out"; }
has_none() { ! grep -q -- "$1" "$here/run.out"; }

needed -R '^unit/test_fd$'
check "a test needs the program of its folder" has bin/unit_tests
check "and what is started by its own name" has lib/holdfast/holdfast-http.so
check "nor of the laboratory" has_none holdfast-lab
needed -R '^cli/test_slow$'
check "a script needs the programs that it is told" has bin/cli_json
check "and the libraries" has lib/libshim_sync.so
needed -R '^python/test_lock$'
check "a module needs what its environment names" has bin/holdfastd
needed -R '^docs/commands$'
check "what is told the folder of the build needs all" has all
needed -L '^tale$' -E test_atomic
check "labels are asked for as ctest is" has bin/holdfast-tale
check "and no program of another label is needed" has_none bin/unit_tests
needed -R '^none at all$'
check "no test needs what is started by its name, and no more" \
    [ 3 = "$(grep -vc place- "$here/run.out")" ]
"$programs" "$here" -R x >"$here/run.out" 2>"$here/run.err"
check "of what is no build nothing is said" [ ! -s "$here/run.out" ]
check "but that it is none" [ -s "$here/run.err" ]
finish
