#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"

/*
 * bench_run HOLDFAST SHIM [TURNS]: `holdfast run x -- true` beside `flock x
 * true` and beside a bare program that makes as many commits, in turns, in
 * five rounds; and where the time goes.  The place is there before, as it is
 * in use.  (That nobody has it open then costs more than the reading: SQLite
 * makes the index of its log anew, and the file system lets that wait while
 * others sync.)  SHIM is the shared object that counts syncs (test/shim).
 *
 * As a test (HF_BOUND_MS set) it fails when a median of ours is above that.
 *
 * bench_run bare FILE COMMAND: the bare program: a page is written and synced,
 * the command runs, a page is written and synced.
 */

#define ROUNDS    5
#define TURNS     100
#define TURNS_MAX 1000

/* What a commit of one row adds to SQLite's log: a page and its header. */
#define COMMIT_LEN 4120

enum what {
    OURS,
    FLOCK,
    BARE,
    /* Parts of ours. */
    SYNC,
    COMMAND,
    LOADING,
    LOOKING,
    WHATS
};

static const char *const names[WHATS] = {
    [OURS] = "holdfast run x -- true",
    [FLOCK] = "flock x true",
    [BARE] = "write, sync, true, write, sync",
    [SYNC] = "write, sync",
    [COMMAND] = "true",
    [LOADING] = "holdfast --version",
    [LOOKING] = "holdfast show x",
};

struct bench {
    const char *self;
    const char *holdfast;
    const char *shim;
    char folder[FOLDER_SIZE];
    char file[FOLDER_SIZE + 32]; /* flock's */
    char log[FOLDER_SIZE + 32];  /* the bare program's */
    char output[FOLDER_SIZE + 32];
    int log_fd;
    size_t turns;
    int64_t took_us[WHATS][ROUNDS * TURNS_MAX];
    size_t count[WHATS];
};

static void
commit(int fd)
{
    static const char page[COMMIT_LEN];

    HF_CHECK(write(fd, page, sizeof(page)) == sizeof(page));
    HF_CHECK(fdatasync(fd) == 0);
}

static int
run_bare(const char *file, const char *command)
{
    const char *argv[] = {command, NULL};
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int code;

    HF_CHECK(fd >= 0);
    commit(fd);
    code = processes_run(&(struct processes_start){.argv = argv});
    commit(fd);
    return code;
}

/* ---- One turn ------------------------------------------------------------ */

static void
run(struct bench *b, const char *const *argv, int expected)
{
    HF_CHECK(processes_run(&(struct processes_start){
                 .argv = argv, .output = b->output}) == expected);
}

static void
do_once(struct bench *b, enum what what)
{
    const char *ours[] = {b->holdfast, "run", "x", "--", "/bin/true", NULL};
    const char *theirs[] = {"/usr/bin/flock", b->file, "/bin/true", NULL};
    const char *bare[] = {b->self, "bare", b->log, "/bin/true", NULL};
    const char *command[] = {"/bin/true", NULL};
    const char *loading[] = {b->holdfast, "--version", NULL};
    const char *looking[] = {b->holdfast, "show", "x", NULL};

    switch (what) {
    case OURS:
        run(b, ours, 0);
        break;
    case FLOCK:
        run(b, theirs, 0);
        break;
    case BARE:
        run(b, bare, 0);
        break;
    case SYNC:
        commit(b->log_fd);
        break;
    case COMMAND:
        run(b, command, 0);
        break;
    case LOADING:
        run(b, loading, 0);
        break;
    case LOOKING:
        run(b, looking, 1); /* there is no such lock */
        break;
    case WHATS:
        break;
    }
}

static void
measure_round(struct bench *b)
{
    for (size_t turn = 0; turn < b->turns; turn++)
        for (enum what what = 0; what < WHATS; what++) {
            int64_t began_us = actors_now_us();

            do_once(b, what);
            b->took_us[what][b->count[what]++] = actors_now_us() - began_us;
        }
}

/* ---- Figures ------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* In ms, of the turns from `first` on; they are sorted by that. */
static double
median(struct bench *b, enum what what, size_t first)
{
    size_t count = b->count[what] - first;
    int64_t *took_us = b->took_us[what] + first;

    qsort(took_us, count, sizeof(*took_us), compare);
    return (double)took_us[count / 2] / 1000;
}

/* How often one run of ours syncs, by the shim that counts. */
static size_t
count_syncs(struct bench *b)
{
    char preload[FOLDER_SIZE + 256];
    char count[FOLDER_SIZE + 64];
    struct stat counted;
    const char *assign[] = {preload, count, NULL};
    const char *argv[] = {b->holdfast, "run", "x", "--", "/bin/true", NULL};

    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", b->shim);
    snprintf(count, sizeof(count), "HF_SYNC_COUNT=%s/syncs", b->folder);
    HF_CHECK(processes_run(&(struct processes_start){
                 .argv = argv, .assign = assign, .output = b->output}) == 0);
    snprintf(count, sizeof(count), "%s/syncs", b->folder);
    return stat(count, &counted) == 0 ? (size_t)counted.st_size : 0;
}

static void
say_round(struct bench *b, unsigned round)
{
    size_t first = round * b->turns;
    double ours = median(b, OURS, first);
    double theirs = median(b, FLOCK, first);

    printf("round %u, medians of %zu:  %s %5.1f ms   %s %5.1f ms   ratio %4.1f"
           "   two commits and true %5.1f ms\n",
           round + 1, b->turns, names[OURS], ours, names[FLOCK], theirs,
           ours / theirs, median(b, BARE, first));
}

static void
say_all(struct bench *b, size_t syncs)
{
    double all[WHATS];
    double rest;

    for (enum what what = 0; what < WHATS; what++)
        all[what] = median(b, what, 0);
    printf("all rounds:   %s %.1f ms   %s %.1f ms   ratio %.1f\n", names[OURS],
           all[OURS], names[FLOCK], all[FLOCK], all[OURS] / all[FLOCK]);
    rest = all[OURS] - all[LOOKING] - all[COMMAND] - (double)syncs * all[SYNC];
    printf("where it goes: %.1f loading the program, %.1f opening the place "
           "and reading, %.1f in %zu syncs of %.1f, %.1f the command, %.1f "
           "guard, threads and all else\n",
           all[LOADING], all[LOOKING] - all[LOADING], (double)syncs * all[SYNC],
           syncs, all[SYNC], all[COMMAND], rest);
}

/* ---- Main ---------------------------------------------------------------- */

static void
prepare(struct bench *b)
{
    char place[FOLDER_SIZE + 32];

    folder_make(b->folder);
    snprintf(b->file, sizeof(b->file), "%s/flock", b->folder);
    snprintf(b->log, sizeof(b->log), "%s/log", b->folder);
    snprintf(b->output, sizeof(b->output), "%s/output", b->folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", b->folder);
    HF_CHECK(setenv("HOLDFAST_AT", place, 1) == 0);
    b->log_fd = open(b->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    HF_CHECK(b->log_fd >= 0);
    do_once(b, OURS);
}

int
main(int argc, char **argv)
{
    const char *bound = getenv("HF_BOUND_MS");
    static struct bench b;
    double ours;

    if (argc == 4 && strcmp(argv[1], "bare") == 0)
        return run_bare(argv[2], argv[3]);
    if (argc < 3)
        return 64;
    b.self = argv[0];
    b.holdfast = argv[1];
    b.shim = argv[2];
    b.turns = argc > 3 ? strtoul(argv[3], NULL, 10) : TURNS;
    if (b.turns < 1 || b.turns > TURNS_MAX)
        return 64;
    processes_begin((struct hf_duration){300000});
    prepare(&b);
    for (unsigned round = 0; round < ROUNDS; round++) {
        measure_round(&b);
        say_round(&b, round);
    }
    say_all(&b, count_syncs(&b));
    ours = median(&b, OURS, 0);
    folder_remove(b.folder);
    return bound == NULL || ours <= strtod(bound, NULL) ? 0 : 1;
}
