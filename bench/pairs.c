#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * bench_pairs [MS]: acquire and release, so many ms of it at a time, beside a
 * bare program in the same process, which makes the same two commits and
 * nothing else: in turns, in five rounds, on a disk ($TMPDIR, or /var/tmp) and
 * in memory (/dev/shm), where no disk hides the processor's time.
 *
 * A pair is a lock asked for, waited for, given back, waited for, and freed.
 * Of a hand-over the time counts from the call that gives back in one process
 * to the grant in the other, which has been waiting for it, and its rate is
 * that of the median; what the two say to each other meanwhile, by pipes, is
 * among its switches.
 */

#define ROUNDS        5
#define MS            1000
#define MS_MAX        60000
#define THREADS       16
#define GOAL_DISK     0.7 /* one thread, of the bare program's pairs */
#define GOAL_MEMORY   0.3
#define GOAL_MANY     3.0 /* of those of one thread */
#define HANDOVERS_MAX 200000
#define VALUE_LEN     300 /* as long as a record is that a command made */
#define IN_MEMORY     "/dev/shm"
#define WARM_PAIRS    60 /* until both logs are written over, and do not grow */
#define BARE_TABLE    "CREATE TABLE t(name TEXT PRIMARY KEY, value TEXT) STRICT"
#define BARE_WRITE                                                             \
    "INSERT INTO t VALUES('name', ?1)"                                         \
    " ON CONFLICT(name) DO UPDATE SET value = ?1"

enum what { BARE, ONE, MANY, HANDOVER, WHATS };

static const char *const names[WHATS] = {
    [BARE] = "bare SQLite: two commits",
    [ONE] = "one thread",
    [MANY] = "16 threads on 16 names",
    [HANDOVER] = "hand-over to another process",
};

struct sample {
    double rate;      /* pairs a second */
    double slept;     /* context switches a pair: it waited for something */
    double preempted; /* and others: somebody else was to run */
    double late_us;   /* of a hand-over, the 99th percentile */
};

/* What the two processes of a hand-over have in common. */
struct handed {
    bool over;           /* this round */
    int64_t released_us; /* when it was given back last */
    size_t count;
    int64_t took_us[HANDOVERS_MAX]; /* from there to the grant */
    int64_t slept;
    int64_t preempted;
};

/* One of the two. */
struct side {
    const char *place;
    struct handed *handed;
    int64_t ms;
    bool first;
    int orders; /* from the bench: a byte a round; its end is ours */
    int done;   /* to it */
    int hears;  /* from the other side */
    int tells;
};

struct bench {
    char place[FOLDER_SIZE + 32];
    int64_t ms;
    struct hf_client *client;
    sqlite3 *bare;
    sqlite3_stmt *begin;
    sqlite3_stmt *write;
    sqlite3_stmt *commit;
    struct handed *handed; /* shared memory */
    pid_t sides[2];
    int orders[2]; /* to the sides */
    int done;      /* from both */
    struct sample samples[WHATS][ROUNDS];
};

static struct rusage
rusage_now(void)
{
    struct rusage used;

    HF_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return used;
}

/* ---- The bare program ---------------------------------------------------- */

static void
run_bare(sqlite3 *bare, const char *sql)
{
    HF_CHECK(sqlite3_exec(bare, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* Its log is as short as ours: one that grows takes twice as long to sync. */
static void
open_bare(struct bench *b, const char *folder)
{
    char path[FOLDER_SIZE + 32];

    snprintf(path, sizeof(path), "%s/bare.db", folder);
    HF_CHECK(sqlite3_open(path, &b->bare) == SQLITE_OK);
    run_bare(b->bare, "PRAGMA journal_mode=WAL");
    run_bare(b->bare, "PRAGMA synchronous=FULL");
    run_bare(b->bare, "PRAGMA wal_autocheckpoint=100");
    run_bare(b->bare, BARE_TABLE);
    HF_CHECK(sqlite3_prepare_v2(b->bare, "BEGIN IMMEDIATE", -1, &b->begin,
                                NULL) == SQLITE_OK);
    HF_CHECK(sqlite3_prepare_v2(b->bare, BARE_WRITE, -1, &b->write, NULL) ==
             SQLITE_OK);
    HF_CHECK(sqlite3_prepare_v2(b->bare, "COMMIT", -1, &b->commit, NULL) ==
             SQLITE_OK);
}

static void
close_bare(struct bench *b)
{
    sqlite3_finalize(b->begin);
    sqlite3_finalize(b->write);
    sqlite3_finalize(b->commit);
    HF_CHECK(sqlite3_close(b->bare) == SQLITE_OK);
}

static void
step(sqlite3_stmt *statement)
{
    HF_CHECK(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
}

static void
commit_bare(struct bench *b, char fill)
{
    char value[VALUE_LEN];

    memset(value, fill, sizeof(value));
    step(b->begin);
    HF_CHECK(sqlite3_bind_text(b->write, 1, value, VALUE_LEN, SQLITE_STATIC) ==
             SQLITE_OK);
    step(b->write);
    step(b->commit);
}

static uint64_t
do_bare(struct bench *b, int64_t until_us)
{
    uint64_t pairs = 0;

    do {
        commit_bare(b, 'a');
        commit_bare(b, 'r');
        pairs++;
    } while (actors_now_us() < until_us);
    return pairs;
}

/* ---- Ours ---------------------------------------------------------------- */

static uint64_t
do_pairs(struct hf_client *client, const char *name, int64_t until_us)
{
    uint64_t pairs = 0;

    do {
        struct hf_lock *lock = hold(client, name, NULL);

        HF_CHECK(give_back(lock) == HF_OK);
        pairs++;
    } while (actors_now_us() < until_us);
    return pairs;
}

struct hand {
    pthread_t thread;
    struct hf_client *client;
    char name[32];
    int64_t until_us;
    uint64_t pairs;
};

static void *
hand_main(void *arg)
{
    struct hand *hand = arg;

    hand->pairs = do_pairs(hand->client, hand->name, hand->until_us);
    return NULL;
}

static uint64_t
do_many(struct bench *b, int64_t until_us)
{
    struct hand hands[THREADS];
    uint64_t pairs = 0;

    for (size_t i = 0; i < THREADS; i++) {
        hands[i] = (struct hand){.client = b->client, .until_us = until_us};
        snprintf(hands[i].name, sizeof(hands[i].name), "pair-%zu", i);
        HF_CHECK(pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]) ==
                 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        HF_CHECK(pthread_join(hands[i].thread, NULL) == 0);
        pairs += hands[i].pairs;
    }
    return pairs;
}

/* ---- A hand-over --------------------------------------------------------- */

static void
tell(int fd)
{
    HF_CHECK(write(fd, "!", 1) == 1);
}

/* False: the other end is closed. */
static bool
hear(int fd)
{
    char byte;

    return read(fd, &byte, 1) == 1;
}

static void
add_switches(struct handed *handed, int sign)
{
    struct rusage used = rusage_now();

    handed->slept += sign * used.ru_nvcsw;
    handed->preempted += sign * used.ru_nivcsw;
}

/* The other holds it: wait for it behind him. */
static struct hf_lock *
take(struct side *side, struct hf_client *client)
{
    struct hf_lock *lock = ask_for(client, "handed", NULL);

    await_holder(client, lock);
    tell(side->tells); /* it may be given back */
    HF_CHECK(hf_lock_wait(lock, HF_FOREVER) == HF_STATE_HELD);
    side->handed->took_us[side->handed->count++] =
        actors_now_us() - side->handed->released_us;
    tell(side->tells); /* it may be asked for again */
    return lock;
}

/*
 * They take turns, and each says which turn it is by a byte: so what they have
 * in common needs no lock.
 */
static void
do_handovers(struct side *side, struct hf_client *client)
{
    struct handed *handed = side->handed;
    int64_t until_us = actors_now_us() + side->ms * 1000;
    struct hf_lock *lock = NULL;

    if (side->first) {
        lock = hold(client, "handed", NULL);
        tell(side->tells);
    }
    for (;;) {
        if (lock != NULL) {
            HF_CHECK(hear(side->hears)); /* the other waits */
            handed->over = side->first && (actors_now_us() > until_us ||
                                           handed->count + 2 > HANDOVERS_MAX);
            handed->released_us = actors_now_us();
            HF_CHECK(give_back(lock) == HF_OK);
        }
        HF_CHECK(hear(side->hears)); /* the other holds */
        if (handed->over)
            return;
        lock = take(side, client);
        if (handed->over)
            break;
    }
    HF_CHECK(give_back(lock) == HF_OK);
}

static void
serve_side(struct side *side)
{
    while (hear(side->orders)) {
        struct hf_client *client = open_client(side->place);

        add_switches(side->handed, -1);
        do_handovers(side, client);
        add_switches(side->handed, 1);
        close_client(client);
        tell(side->done);
    }
}

/* Before this process has a client: SQLite bears no fork. */
static void
start_sides(struct bench *b)
{
    int done[2];
    int orders[2][2];
    int between[2][2];

    b->handed = mmap(NULL, sizeof(*b->handed), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    HF_CHECK(b->handed != MAP_FAILED && pipe(done) == 0);
    for (int i = 0; i < 2; i++)
        HF_CHECK(pipe(orders[i]) == 0 && pipe(between[i]) == 0);
    for (int i = 0; i < 2; i++) {
        struct side side = {
            .place = b->place,
            .handed = b->handed,
            .ms = b->ms,
            .first = i == 0,
            .orders = orders[i][0],
            .done = done[1],
            .hears = between[i][0],
            .tells = between[1 - i][1],
        };

        b->sides[i] = fork();
        HF_CHECK(b->sides[i] >= 0);
        if (b->sides[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(orders[0][1]);
            close(orders[1][1]);
            serve_side(&side);
            _exit(0);
        }
    }
    for (int i = 0; i < 2; i++) {
        close(orders[i][0]);
        close(between[i][0]);
        close(between[i][1]);
        b->orders[i] = orders[i][1];
    }
    close(done[1]);
    b->done = done[0];
}

static void
end_sides(struct bench *b)
{
    for (int i = 0; i < 2; i++)
        close(b->orders[i]);
    for (int i = 0; i < 2; i++)
        HF_CHECK(processes_wait(b->sides[i]) == 0);
    close(b->done);
    HF_CHECK(munmap(b->handed, sizeof(*b->handed)) == 0);
}

static int
compare_us(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static struct sample
sample_handovers(struct bench *b)
{
    struct handed *handed = b->handed;
    double count;

    handed->over = false;
    handed->count = 0;
    handed->slept = handed->preempted = 0;
    tell(b->orders[0]);
    tell(b->orders[1]);
    HF_CHECK(hear(b->done) && hear(b->done));
    HF_CHECK(handed->count > 0);
    qsort(handed->took_us, handed->count, sizeof(*handed->took_us), compare_us);
    count = (double)handed->count;
    return (struct sample){
        .rate = 1e6 / (double)handed->took_us[handed->count / 2],
        .slept = (double)handed->slept / count,
        .preempted = (double)handed->preempted / count,
        .late_us = (double)handed->took_us[handed->count * 99 / 100],
    };
}

/* ---- A round ------------------------------------------------------------- */

static uint64_t
do_for(struct bench *b, enum what what, int64_t until_us)
{
    switch (what) {
    case BARE:
        return do_bare(b, until_us);
    case ONE:
        return do_pairs(b->client, "pair", until_us);
    case MANY:
        return do_many(b, until_us);
    case HANDOVER:
    case WHATS:
        break;
    }
    return 0;
}

static struct sample
sample(struct bench *b, enum what what)
{
    struct rusage before;
    struct rusage after;
    int64_t began_us;
    int64_t ended_us;
    double pairs;

    if (what == HANDOVER)
        return sample_handovers(b);
    (void)do_for(b, what, 0);
    before = rusage_now();
    began_us = actors_now_us();
    pairs = (double)do_for(b, what, began_us + b->ms * 1000);
    ended_us = actors_now_us();
    after = rusage_now();
    return (struct sample){
        .rate = pairs * 1e6 / (double)(ended_us - began_us),
        .slept = (double)(after.ru_nvcsw - before.ru_nvcsw) / pairs,
        .preempted = (double)(after.ru_nivcsw - before.ru_nivcsw) / pairs,
    };
}

/* ---- Figures ------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static double
median(double figures[ROUNDS])
{
    qsort(figures, ROUNDS, sizeof(*figures), compare);
    return figures[ROUNDS / 2];
}

static struct sample
median_of(const struct bench *b, enum what what)
{
    double rate[ROUNDS];
    double slept[ROUNDS];
    double preempted[ROUNDS];
    double late_us[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        rate[i] = b->samples[what][i].rate;
        slept[i] = b->samples[what][i].slept;
        preempted[i] = b->samples[what][i].preempted;
        late_us[i] = b->samples[what][i].late_us;
    }
    return (struct sample){median(rate), median(slept), median(preempted),
                           median(late_us)};
}

/* The median of the rounds' ratios: what slows one round slows all of it. */
static double
ratio(const struct bench *b, enum what above, enum what below)
{
    double ratios[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++)
        ratios[i] = b->samples[above][i].rate / b->samples[below][i].rate;
    return median(ratios);
}

static void
say_goal(const char *what, double found, double goal)
{
    printf("goal: %s, at least %.1f: %.2f, %s\n", what, goal, found,
           found >= goal ? "met" : "missed");
}

static void
say(const struct bench *b, bool in_memory)
{
    printf("%s, medians of %d rounds\n",
           in_memory ? "in memory (tmpfs)" : "on a disk", ROUNDS);
    printf("  %-30s %9s %7s %12s %12s\n", "", "pairs/s", "x bare",
           "sleeps/pair", "preempted");
    for (enum what what = 0; what < WHATS; what++) {
        struct sample middle = median_of(b, what);

        printf("  %-30s %9.0f %7.2f %12.2f %12.2f\n", names[what], middle.rate,
               ratio(b, what, BARE), middle.slept, middle.preempted);
    }
    printf("  a hand-over took %.2f ms, and of a hundred the last %.2f ms\n",
           1e3 / median_of(b, HANDOVER).rate,
           median_of(b, HANDOVER).late_us / 1e3);
    say_goal("one thread beside the bare program", ratio(b, ONE, BARE),
             in_memory ? GOAL_MEMORY : GOAL_DISK);
    say_goal("16 threads beside one", ratio(b, MANY, ONE), GOAL_MANY);
    fflush(stdout);
}

/* ---- Main ---------------------------------------------------------------- */

static bool
is_in_memory(const char *folder)
{
    struct statfs found;

    return statfs(folder, &found) == 0 && found.f_type == TMPFS_MAGIC;
}

static void
measure(int64_t ms, const char *under)
{
    static struct bench b;
    char folder[FOLDER_SIZE];

    b = (struct bench){.ms = ms};
    HF_CHECK(setenv("TMPDIR", under, 1) == 0);
    folder_make(folder);
    snprintf(b.place, sizeof(b.place), "sqlite:%s/locks.db", folder);
    start_sides(&b);
    open_bare(&b, folder);
    b.client = open_client(b.place);
    for (size_t i = 0; i < WARM_PAIRS; i++) {
        (void)do_bare(&b, 0);
        (void)do_pairs(b.client, "pair", 0);
    }
    for (size_t round = 0; round < ROUNDS; round++)
        for (enum what what = 0; what < WHATS; what++)
            b.samples[what][round] = sample(&b, what);
    close_client(b.client);
    close_bare(&b);
    end_sides(&b);
    say(&b, is_in_memory(folder));
    folder_remove(folder);
}

int
main(int argc, char **argv)
{
    int64_t ms = argc > 1 ? strtol(argv[1], NULL, 10) : MS;
    const char *under = getenv("TMPDIR");

    if (ms < 1 || ms > MS_MAX)
        return 64;
    processes_begin((struct hf_duration){ms * 8 * WHATS * ROUNDS + 60000});
    measure(ms, under == NULL ? "/var/tmp" : under);
    if (access(IN_MEMORY, W_OK) == 0)
        measure(ms, IN_MEMORY);
    return 0;
}
