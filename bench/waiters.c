#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "store/store.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/get_one.h"

/*
 * bench_waiters [PROCESSES [SECONDS]]: what it costs that processes wait for a
 * key of one SQLite file: while nothing happens, while its holder beats every
 * two seconds, and while another client commits 1,000 times a second on other
 * names; and how long after the end of a commit a process that waits for it has
 * seen it (less than zero: before its writer has gone on).
 */

enum { PROCESSES_MAX = 500, ROUNDS = 200, ASLEEP_MS = 20, SEEN_MS = 50 };

static const struct hf_key watched = {"default", "watched"};

struct told {
    int64_t cpu_us;
    uint64_t looks;
    int64_t seen_us; /* when a commit was seen */
};

/* A process that waits, and the two pipes to it. */
struct waiter {
    pid_t pid;
    int orders; /* a byte: it ends */
    int news;   /* struct told */
};

struct bench {
    char place[FOLDER_SIZE + 32];
    struct hf_store *store;
    struct waiter waiters[PROCESSES_MAX];
    size_t waiters_count;
    int64_t seconds;
};

static struct hf_store *
open_store(const char *place)
{
    struct hf_store *store = NULL;

    HF_CHECK(hf_store_open(place, &hf_alloc_libc, &store, NULL) == HF_OK);
    return store;
}

static uint64_t
version_of(struct hf_store *store, struct hf_key key)
{
    struct hf_record record;

    HF_CHECK(get_one(store, key, HF_NEVER, &record, NULL) == HF_OK);
    return record.version;
}

static void
put(struct hf_store *store, struct hf_key key)
{
    struct hf_store_op op = {
        .kind = HF_PUT,
        .key = key,
        .expect = {HF_EXPECT_VERSION, version_of(store, key)},
        .new_generation = true,
        .value = "x",
        .value_len = 1,
    };
    struct hf_store_group group = {.ops = &op, .ops_count = 1};

    hf_store_commit(store, &group, 1, HF_NEVER, NULL);
    HF_CHECK(group.verdict == HF_APPLIED);
}

static int64_t
cpu_us(void)
{
    struct rusage used;

    HF_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return (int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* ---- A process that waits ------------------------------------------------ */

static bool
is_told_to_end(int orders)
{
    struct pollfd fd = {.fd = orders, .events = POLLIN};

    return poll(&fd, 1, 0) != 0;
}

static void
wait_on(const char *place, int orders, int news)
{
    struct hf_store *store = open_store(place);
    struct hf_store_watch watch = {.key = watched,
                                   .version = version_of(store, watched)};
    struct told told = {.seen_us = actors_now_us()};

    HF_CHECK(write(news, &told, sizeof(told)) == sizeof(told));
    told = (struct told){.cpu_us = -cpu_us()};
    while (!is_told_to_end(orders)) {
        uint64_t version;

        hf_store_wait(store, &watch, 1, HF_NEVER, orders);
        version = version_of(store, watched);
        if (version != watch.version)
            told.seen_us = actors_now_us();
        watch.version = version;
    }
    told.cpu_us += cpu_us();
    told.looks = hf_store_looks(store);
    HF_CHECK(write(news, &told, sizeof(told)) == sizeof(told));
    hf_store_close(store);
}

static struct told
next_told(const struct waiter *waiter)
{
    struct told told;

    HF_CHECK(read(waiter->news, &told, sizeof(told)) == sizeof(told));
    return told;
}

/* It waits, or is just about to. */
static void
start_waiter(struct bench *b)
{
    struct waiter *waiter = &b->waiters[b->waiters_count++];
    int orders[2];
    int news[2];

    HF_CHECK(pipe(orders) == 0 && pipe(news) == 0);
    waiter->pid = fork();
    HF_CHECK(waiter->pid >= 0);
    if (waiter->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        wait_on(b->place, orders[0], news[1]);
        _exit(0);
    }
    close(orders[0]);
    close(news[1]);
    waiter->orders = orders[1];
    waiter->news = news[0];
    (void)next_told(waiter);
}

static struct told
end_waiter(struct bench *b)
{
    const struct waiter *waiter = &b->waiters[--b->waiters_count];
    struct told told;

    HF_CHECK(write(waiter->orders, "!", 1) == 1);
    told = next_told(waiter);
    close(waiter->orders);
    close(waiter->news);
    HF_CHECK(waitpid(waiter->pid, NULL, 0) == waiter->pid);
    return told;
}

/* ---- What they cost ------------------------------------------------------ */

/* Something that happens so often while they wait; NULL: nothing does. */
struct weather {
    const char *what;
    const struct hf_key *key;
    int64_t every_us;
};

static uint64_t
let_pass(struct bench *b, const struct weather *weather)
{
    int64_t next_us = actors_now_us();
    int64_t until_us = next_us + b->seconds * 1000000;
    uint64_t commits = 0;

    while (actors_now_us() < until_us) {
        struct timespec pause = {0};
        int64_t left_us;

        if (weather->key != NULL) {
            put(b->store, *weather->key);
            commits++;
        }
        next_us += weather->every_us;
        left_us = next_us - actors_now_us();
        if (left_us <= 0)
            continue;
        pause.tv_sec = left_us / 1000000;
        pause.tv_nsec = left_us % 1000000 * 1000;
        nanosleep(&pause, NULL);
    }
    return commits;
}

static void
measure_cost(struct bench *b, size_t processes, const struct weather *weather)
{
    struct told all = {0};
    uint64_t commits;
    double seconds;
    int64_t begun_us;
    int64_t own_us;

    while (b->waiters_count < processes)
        start_waiter(b);
    b->store = open_store(b->place);
    begun_us = actors_now_us();
    own_us = -cpu_us();
    commits = let_pass(b, weather);
    own_us += cpu_us();
    seconds = (double)(actors_now_us() - begun_us) / 1e6;
    while (b->waiters_count > 0) {
        struct told told = end_waiter(b);

        all.cpu_us += told.cpu_us;
        all.looks += told.looks;
    }
    hf_store_close(b->store);
    printf("%-34s %3zu processes: %6.2f %% of a core, %6.2f looks/s each; "
           "%.0f commits/s of %.0f us\n",
           weather->what, processes, (double)all.cpu_us / seconds / 1e4,
           (double)all.looks / seconds / (double)processes,
           (double)commits / seconds,
           commits == 0 ? 0 : (double)own_us / (double)commits);
}

/* ---- How soon they see --------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* Each waits for one commit, and has had time to fall asleep. */
static void
measure_sight(struct bench *b)
{
    static int64_t took_us[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        int64_t committed_us;

        start_waiter(b);
        b->store = open_store(b->place);
        poll(NULL, 0, ASLEEP_MS);
        put(b->store, watched);
        committed_us = actors_now_us();
        poll(NULL, 0, SEEN_MS);
        hf_store_close(b->store);
        took_us[i] = end_waiter(b).seen_us - committed_us;
    }
    qsort(took_us, ROUNDS, sizeof(*took_us), compare);
    printf("a commit is seen p50 %.2f ms, p99 %.2f ms after it\n",
           (double)took_us[ROUNDS / 2] / 1000,
           (double)took_us[ROUNDS * 99 / 100] / 1000);
}

int
main(int argc, char **argv)
{
    static const struct hf_key other = {"default", "other"};
    const struct weather weathers[] = {
        {"nothing happens", NULL, 1000000},
        {"a beat every 2 s", &watched, 2000000},
        {"1,000 commits/s on another name", &other, 1000},
    };
    static struct bench b;
    char folder[FOLDER_SIZE];
    size_t processes = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;

    b.seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
    if (processes < 1 || processes > PROCESSES_MAX || b.seconds < 1)
        return 64;
    folder_make(folder);
    snprintf(b.place, sizeof(b.place), "sqlite:%s/locks.db", folder);
    for (size_t i = 0; i < sizeof(weathers) / sizeof(weathers[0]); i++)
        measure_cost(&b, processes, &weathers[i]);
    measure_sight(&b);
    folder_remove(folder);
    return 0;
}
