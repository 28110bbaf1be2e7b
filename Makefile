# The front door.  CMake is the only description of the build; everything
# that takes more than one command is a script in scripts/.
PREFIX ?= /usr/local

.PHONY: all run check test prove prove-all mutants-shell lint storm bench bench-server \
	bench-postgresql fuzz install clean help

all: ## build the program and the library into build/bin and build/lib
	@scripts/deps.sh --check run
	@echo "building the commands, the server and the library into build/"
	@scripts/build.sh default
	@scripts/made.sh
run: ## install what is missing, build, and show the main job; or PLACE=server, postgresql
	@scripts/deps.sh run
	@scripts/build.sh default
	@scripts/show.sh build "$(PLACE)"
check: ## after every change: gcc, warnings are errors, quick tests; 2 minutes
	@scripts/deps.sh run test
	@scripts/test.sh check
test: ## it works: every test with gcc, the product's with sanitizers; 5 minutes
	@scripts/deps.sh run test
	@scripts/test.sh gcc asan
	@echo "it works; next: make prove, or make install"
prove: ## it keeps working: threads, proofs, mutants, torture; 30 minutes
	@scripts/deps.sh run test browser
	@scripts/test.sh tsan asan-rest proofs mutants torture remote storm browser
prove-all: ## the longest proofs, for when src/core or lab/world has changed
	@scripts/deps.sh run test
	@scripts/test.sh proofs-all
mutants-shell: ## all small wrong changes of the shell; 20 minutes
	@scripts/deps.sh run test
	@scripts/build.sh dev
	@scripts/mutants_shell.py
lint: ## format, clang-tidy, cppcheck, shellcheck, layers, circles, small rules
	@scripts/deps.sh run test lint
	@scripts/lint.sh
storm: ## a storm of N=500 single kills, in three kinds of surroundings
	@scripts/deps.sh run test
	@scripts/storm.sh $(or $(N),500)
bench: ## figures: handover, pairs, crowds, flock; the search, SPIN
	@scripts/deps.sh run test
	@scripts/build.sh dev
	@build/dev/bin/bench_latency build/dev/bin/holdfast
	@build/dev/bin/bench_waiters
	@build/dev/bin/bench_pairs
	@build/dev/bin/bench_crowd
	@build/dev/bin/bench_run build/dev/bin/holdfast \
		build/dev/lib/libshim_sync.so
	@build/dev/bin/bench_lockspace
	@bench/search.sh build/dev/bin/bench_search
bench-server: ## figures: a lock server beside an echo and bare commits, N=5 rounds
	@scripts/deps.sh run test
	@scripts/build.sh dev
	@bench/server.py build/dev/bin $(or $(N),5)
bench-postgresql: ## figures: on a PostgreSQL, beside pgbench, N=5 rounds
	@scripts/deps.sh run test
	@scripts/build.sh dev
	@scripts/servers.sh postgresql
	@bench/postgresql.py build/dev/bin $(or $(N),5)
fuzz: ## new bytes for the decoder T=record, for S=60 seconds
	@scripts/deps.sh run test
	@scripts/fuzz.sh $(or $(T),record) $(or $(S),60)
install: all ## install under PREFIX (/usr/local), staged in DESTDIR
	@cmake -S . -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) >build/configure.log
	@cmake --build build -- --quiet # another PREFIX may be another rpath
	@DESTDIR=$(DESTDIR) cmake --install build
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig
	@echo "installed under $(DESTDIR)$(PREFIX); next: $(PREFIX)/bin/holdfast --help"
clean: ## remove everything that was built
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1\t/p' Makefile | expand -t 20
