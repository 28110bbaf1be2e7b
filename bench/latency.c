#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
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
 * bench_latency HOLDFAST [ROUNDS]: on one host, with a SQLite file, how long
 * after a release, and after a kill -9 of holdfast, the next one's command is
 * running.
 *
 * As a test (HF_BOUND_MS set) it fails when a median is above that.
 *
 * bench_latency command FOLDER: what holdfast runs: tells that it runs, waits
 * for an order, tells that it ends.
 */

#define ROUNDS       200
#define SILENCE_MS   20000
#define PERCENT_LOW  50
#define PERCENT_HIGH 99

struct stamp {
    int64_t at_us;
    int32_t pid;
    uint32_t ends; /* 0: it runs now */
};

struct bench {
    const char *self;
    const char *holdfast;
    char folder[FOLDER_SIZE];
    int stamps; /* a pipe from the commands */
    int orders; /* and one to them */
    unsigned started;
    size_t rounds;
    double bound_ms;
    bool good;
};

static int
open_in(const char *folder, const char *name, int flags)
{
    char path[FOLDER_SIZE + 32];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return open(path, flags | O_CLOEXEC);
}

static int
run_command(const char *folder)
{
    int stamps = open_in(folder, "stamps", O_WRONLY);
    int orders = open_in(folder, "orders", O_RDWR);
    struct stamp stamp = {.at_us = actors_now_us(), .pid = getpid()};
    char order;

    if (write(stamps, &stamp, sizeof(stamp)) != sizeof(stamp) ||
        read(orders, &order, 1) != 1)
        return 1;
    stamp.at_us = actors_now_us();
    stamp.ends = 1;
    return write(stamps, &stamp, sizeof(stamp)) == sizeof(stamp) ? 0 : 1;
}

/* ---- Figures ------------------------------------------------------------ */

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static void
say(struct bench *b, const char *what, int64_t *took_us)
{
    double low;
    double high;

    qsort(took_us, b->rounds, sizeof(*took_us), compare);
    low = (double)took_us[b->rounds * PERCENT_LOW / 100] / 1000;
    high = (double)took_us[b->rounds * PERCENT_HIGH / 100] / 1000;
    printf("%-52s p50 %6.1f ms   p99 %6.1f ms   (%zu)\n", what, low, high,
           b->rounds);
    if (b->bound_ms > 0 && low > b->bound_ms) {
        printf("that is above %.0f ms\n", b->bound_ms);
        b->good = false;
    }
}

/* ---- Holders and waiters ------------------------------------------------ */

static struct stamp
next_stamp(const struct bench *b)
{
    struct pollfd stamps = {.fd = b->stamps, .events = POLLIN};
    struct stamp stamp;

    HF_CHECK(poll(&stamps, 1, SILENCE_MS) == 1);
    HF_CHECK(read(b->stamps, &stamp, sizeof(stamp)) == sizeof(stamp));
    return stamp;
}

/* Start a `holdfast run` that says on stderr when it has to wait. */
static pid_t
start_run(struct bench *b, char *output, size_t size)
{
    const char *argv[] = {b->holdfast, "run",     "latency", "--",
                          b->self,     "command", b->folder, NULL};

    snprintf(output, size, "%s/output-%u", b->folder, b->started++);
    return processes_start(
        &(struct processes_start){.argv = argv, .output = output});
}

static pid_t
start_waiter(struct bench *b)
{
    char output[FOLDER_SIZE + 32];
    struct stat told = {0};
    pid_t waiter = start_run(b, output, sizeof(output));
    int64_t until_us = actors_now_us() + SILENCE_MS * 1000;

    while (stat(output, &told) != 0 || told.st_size == 0) {
        HF_CHECK(actors_now_us() < until_us);
        poll(NULL, 0, 1);
    }
    return waiter;
}

/* Each holder's waiter is the next holder. */
static void
measure_handover(struct bench *b, bool by_death)
{
    static int64_t took_us[10 * ROUNDS];
    char output[FOLDER_SIZE + 32];
    pid_t holder = start_run(b, output, sizeof(output));

    (void)next_stamp(b);
    for (size_t i = 0; i < b->rounds; i++) {
        pid_t waiter = start_waiter(b);
        int64_t ended_us = actors_now_us();
        struct stamp stamp;

        if (by_death)
            HF_CHECK(kill(holder, SIGKILL) == 0);
        else
            HF_CHECK(write(b->orders, "!", 1) == 1);
        stamp = next_stamp(b);
        if (stamp.ends != 0) {
            ended_us = stamp.at_us;
            stamp = next_stamp(b);
        }
        took_us[i] = stamp.at_us - ended_us;
        (void)processes_wait(holder);
        holder = waiter;
    }
    HF_CHECK(write(b->orders, "!", 1) == 1);
    HF_CHECK(next_stamp(b).ends == 1);
    (void)processes_wait(holder);
    say(b,
        by_death ? "the next command runs, after kill -9 of holdfast"
                 : "the next command runs, after the end of the one before",
        took_us);
}

/* ---- Main --------------------------------------------------------------- */

static void
open_bench(struct bench *b)
{
    char path[FOLDER_SIZE + 32];

    folder_make(b->folder);
    snprintf(path, sizeof(path), "sqlite:%s/locks.db", b->folder);
    HF_CHECK(setenv("HOLDFAST_AT", path, 1) == 0);
    snprintf(path, sizeof(path), "%s/stamps", b->folder);
    HF_CHECK(mkfifo(path, 0600) == 0);
    snprintf(path, sizeof(path), "%s/orders", b->folder);
    HF_CHECK(mkfifo(path, 0600) == 0);
    b->stamps = open_in(b->folder, "stamps", O_RDWR);
    b->orders = open_in(b->folder, "orders", O_RDWR);
    HF_CHECK(b->stamps >= 0 && b->orders >= 0);
}

int
main(int argc, char **argv)
{
    const char *bound = getenv("HF_BOUND_MS");
    struct bench b = {
        .self = argv[0],
        .holdfast = argc > 1 ? argv[1] : NULL,
        .rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : ROUNDS,
        .bound_ms = bound == NULL ? 0 : strtod(bound, NULL),
        .good = true,
    };

    if (argc == 3 && strcmp(argv[1], "command") == 0)
        return run_command(argv[2]);
    if (argc < 2 || b.rounds < 1 || b.rounds > (size_t)10 * ROUNDS)
        return 64;
    processes_begin((struct hf_duration){100000});
    open_bench(&b);
    measure_handover(&b, false);
    measure_handover(&b, true);
    folder_remove(b.folder);
    return b.good ? 0 : 1;
}
