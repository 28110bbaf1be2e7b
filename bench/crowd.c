#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "client/client.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/forward_store.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * bench_crowd [IDLE_MS [WAITERS...]]: what many waiters of one client cost,
 * started and told through its descriptor, without a thread of their own: on
 * one lock, and on as many locks.  Another process holds them, and gives them
 * all back at once; each waiter that is granted gives back at once, too.
 *
 * Meanwhile the same client holds a lock with a short ttl, the guard.  It must
 * never be lost: exit code 1 if it is.  It is given back only for IDLE_MS, in
 * which what the waiters cost while nothing happens is counted, but that their
 * holder beats every two seconds.
 *
 * The place is in memory (/dev/shm), where it is the processor that counts,
 * unless $TMPDIR says otherwise.  scripts/plot_crowd.py draws what this prints.
 */

enum {
    IDLE_MS = 6000,
    IDLE_MAX_MS = 60000,
    SETTLE_MS = 300,
    WAITERS_MAX = 50000,
    SIZES_MAX = 8,
    REPEATS_MAX = 21, /* of few waiters, for their medians */
    HANDOVERS = 2000, /* or so many in all, if that is less */
    GOAL_BYTES = 1536,
    GOAL_TIMES = 3,
    MS_PER_HOUR = 3600000,
};

#define GUARD_TTL   "1500ms"
#define IN_MEMORY   "/dev/shm"
#define GOAL_GROWTH 1.02 /* of what does not grow: the guard beats beside it */

/* ---- Memory -------------------------------------------------------------- */

/* Counts what is in use; a block begins with its length. */
struct memory {
    struct hf_alloc alloc;
    _Atomic size_t used;
};

union head {
    size_t len;
    max_align_t aligned;
};

static void *
allocate(void *ctx, size_t count, size_t size)
{
    struct memory *memory = ctx;
    union head *head;

    if (size != 0 && count > (SIZE_MAX - sizeof(*head)) / size)
        return NULL;
    head = calloc(1, sizeof(*head) + count * size);
    if (head == NULL)
        return NULL;
    head->len = count * size;
    atomic_fetch_add(&memory->used, head->len);
    return head + 1;
}

static void
release(void *ctx, void *block)
{
    struct memory *memory = ctx;
    union head *head = block;

    if (head == NULL)
        return;
    head--;
    atomic_fetch_sub(&memory->used, head->len);
    free(head);
}

/* ---- Calls of the store -------------------------------------------------- */

struct calls {
    uint64_t reads;
    uint64_t commits;
    uint64_t waits;
};

struct counting {
    struct forward_store forward;
    _Atomic uint64_t reads;
    _Atomic uint64_t commits;
    _Atomic uint64_t waits;
};

static enum hf_status
count_get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
          struct hf_instant until, hf_store_found_fn *found, void *ctx,
          struct hf_error *error)
{
    atomic_fetch_add(&((struct counting *)(void *)store)->reads, 1);
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

static void
count_commit(struct hf_store *store, struct hf_store_group *groups,
             size_t groups_count, struct hf_instant until,
             struct hf_error *error)
{
    atomic_fetch_add(&((struct counting *)(void *)store)->commits, 1);
    forward_store_commit(store, groups, groups_count, until, error);
}

static void
count_wait(struct hf_store *store, struct hf_store_watch *watches,
           size_t watches_count, struct hf_instant until, int wake_fd)
{
    atomic_fetch_add(&((struct counting *)(void *)store)->waits, 1);
    forward_store_wait(store, watches, watches_count, until, wake_fd);
}

static struct counting *
open_counting(const char *place)
{
    static const struct hf_store_methods changed = {
        .get = count_get, .commit = count_commit, .wait = count_wait};
    struct counting *counting =
        forward_store_open(place, sizeof(*counting), &changed);

    HF_CHECK(counting != NULL);
    return counting;
}

static struct calls
calls_of(struct counting *counting)
{
    return (struct calls){
        .reads = atomic_load(&counting->reads),
        .commits = atomic_load(&counting->commits),
        .waits = atomic_load(&counting->waits),
    };
}

/* ---- The holder ---------------------------------------------------------- */

/* A name of 32 bytes. */
static const char *
name_of(size_t index, char name[33])
{
    snprintf(name, 33, "crowd-%026zu", index);
    return name;
}

static void
put(int fd, const void *bytes, size_t len)
{
    HF_CHECK(write(fd, bytes, len) == (ssize_t)len);
}

/* False: the other end is closed. */
static bool
take(int fd, void *bytes, size_t len)
{
    return read(fd, bytes, len) == (ssize_t)len;
}

static int64_t
give_all_back(struct hf_lock **locks, size_t count)
{
    int64_t began_us = actors_now_us();

    for (size_t i = 0; i < count; i++)
        hf_lock_release(locks[i]);
    for (size_t i = 0; i < count; i++)
        HF_CHECK(finish(locks[i]) == HF_OK);
    return began_us;
}

/* An order is a number of locks: hold them and say so, give them back at the
 * next byte, and say when that was begun. */
static void
hold_as_told(const char *place, int orders, int news)
{
    struct hf_client *client = open_client(place);
    struct hf_lock **locks = calloc(WAITERS_MAX, sizeof(*locks));
    size_t count;
    char byte = '!';
    char name[33];

    HF_CHECK(locks != NULL);
    while (take(orders, &count, sizeof(count))) {
        int64_t began_us;

        for (size_t i = 0; i < count; i++)
            locks[i] = ask_for(client, name_of(i, name), NULL);
        for (size_t i = 0; i < count; i++)
            HF_CHECK(hf_lock_wait(locks[i], HF_FOREVER) == HF_STATE_HELD);
        put(news, &byte, 1);
        HF_CHECK(take(orders, &byte, 1));
        began_us = give_all_back(locks, count);
        put(news, &began_us, sizeof(began_us));
    }
    free(locks);
    close_client(client);
}

/* ---- The crowd ----------------------------------------------------------- */

struct crowd {
    struct hf_client *client;
    struct counting *counting;
    struct memory memory;
    struct hf_lock *guard;
    unsigned guard_told;
    size_t waiters;
    size_t locks; /* one, or as many */
    size_t seen;  /* the holder, by so many */
    size_t granted;
    size_t ended;
    int orders; /* to the holder */
    int news;   /* from it */
};

struct figures {
    size_t waiters;
    size_t locks;
    double us;    /* a hand-over */
    double reads; /* of the store a hand-over, and so on */
    double commits;
    double waits;
    double bytes; /* a waiter */
    size_t threads;
    size_t descriptors;
    double wakes; /* an hour */
    double looks;
    unsigned guard_told;
    bool guard_held;
};

static void
open_crowd(struct crowd *crowd, const char *place)
{
    struct hf_error error = {0};

    crowd->memory.alloc = (struct hf_alloc){allocate, release, &crowd->memory};
    crowd->counting = open_counting(place);
    HF_CHECK(hf_client_new(&crowd->memory.alloc, &crowd->client, &error) ==
             HF_OK);
    HF_CHECK(hf_client_open_on(crowd->client, &crowd->counting->forward.base,
                               place, &error) == HF_OK);
}

static void
hold_guard(struct crowd *crowd)
{
    crowd->guard = hold(crowd->client, "guard", HF_TTL, GUARD_TTL, NULL);
    hf_lock_set_user(crowd->guard, crowd);
}

static void
take_notice(struct crowd *crowd, const struct hf_notice *notice)
{
    unsigned news = hf_notice_news(notice);
    struct hf_lock *lock;

    if (hf_notice_user(notice) == crowd) {
        crowd->guard_told |= news;
        return;
    }
    lock = hf_notice_user(notice);
    if (lock == NULL)
        return; /* the guard's grant: it had no mark yet */
    if ((news & HF_NEWS_HOLDER) != 0)
        crowd->seen++;
    if ((news & HF_NEWS_GRANTED) != 0) {
        crowd->granted++;
        hf_lock_release(lock);
    }
    if ((news & HF_NEWS_ENDED) != 0) {
        crowd->ended++;
        HF_CHECK(hf_lock_error(lock, NULL) == HF_OK);
        hf_lock_free(lock);
    }
}

/* Take notices until *count is what it is to be. */
static void
take_notices(struct crowd *crowd, const size_t *count, size_t wanted)
{
    struct pollfd fd = {.fd = hf_client_fd(crowd->client), .events = POLLIN};

    while (*count < wanted) {
        const struct hf_notice *notice = hf_client_next(crowd->client);

        if (notice != NULL)
            take_notice(crowd, notice);
        else
            HF_CHECK(poll(&fd, 1, HF_TEST_PATIENCE_MS) == 1);
    }
}

static void
start_waiters(struct crowd *crowd)
{
    char name[33];

    for (size_t i = 0; i < crowd->waiters; i++) {
        struct hf_lock *lock =
            new_lock(crowd->client, name_of(i % crowd->locks, name), HF_WAIT,
                     "forever", NULL);

        hf_lock_set_user(lock, lock);
        HF_CHECK(hf_lock_start(lock, NULL) == HF_OK);
    }
}

/* ---- While they wait ----------------------------------------------------- */

static size_t
count_entries(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    const struct dirent *entry;

    HF_CHECK(entries != NULL);
    while ((entry = readdir(entries)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static int64_t
times_slept(void)
{
    struct rusage used;

    HF_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return used.ru_nvcsw;
}

/* Without the guard, whose beats would be all that is counted. */
static void
measure_idle(struct crowd *crowd, int idle_ms, struct figures *figures)
{
    const struct hf_store *store = crowd->counting->forward.inner;
    double hours;
    int64_t began_us;

    HF_CHECK(give_back(crowd->guard) == HF_OK);
    poll(NULL, 0, SETTLE_MS);
    began_us = actors_now_us();
    figures->wakes = -(double)times_slept();
    figures->looks = -(double)hf_store_looks(store);
    poll(NULL, 0, idle_ms);
    figures->wakes += (double)times_slept() - 1; /* this one's */
    figures->looks += (double)hf_store_looks(store);
    hours = (double)(actors_now_us() - began_us) / 1000 / MS_PER_HOUR;
    figures->wakes /= hours;
    figures->looks /= hours;
    hold_guard(crowd);
}

static void
measure_waiting(struct crowd *crowd, size_t used, struct figures *figures)
{
    poll(NULL, 0, SETTLE_MS);
    figures->bytes = ((double)atomic_load(&crowd->memory.used) - (double)used) /
                     (double)crowd->waiters;
    figures->threads = count_entries("/proc/self/task");
    figures->descriptors = count_entries("/proc/self/fd") - 1; /* its own */
}

/* ---- A hand-over after the other ----------------------------------------- */

/* Until the last has given it back; the time of one, in µs. */
static double
hand_over(struct crowd *crowd, struct figures *figures)
{
    double count = (double)crowd->waiters;
    struct calls before = calls_of(crowd->counting);
    struct calls after;
    int64_t began_us;
    int64_t ended_us;

    put(crowd->orders, "!", 1);
    take_notices(crowd, &crowd->ended, crowd->waiters);
    ended_us = actors_now_us();
    after = calls_of(crowd->counting);
    HF_CHECK(take(crowd->news, &began_us, sizeof(began_us)));
    HF_CHECK(crowd->granted == crowd->waiters);
    figures->reads = (double)(after.reads - before.reads) / count;
    figures->commits = (double)(after.commits - before.commits) / count;
    figures->waits = (double)(after.waits - before.waits) / count;
    return (double)(ended_us - began_us) / count;
}

static int
compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static void
measure(struct crowd *crowd, int idle_ms, struct figures *figures)
{
    double us[REPEATS_MAX];
    size_t repeats = HANDOVERS / crowd->waiters;

    repeats = repeats < 1 ? 1 : repeats;
    repeats = repeats > REPEATS_MAX ? REPEATS_MAX : repeats;
    hold_guard(crowd);
    for (size_t i = 0; i < repeats; i++) {
        size_t used;
        char held;

        put(crowd->orders, &crowd->locks, sizeof(crowd->locks));
        HF_CHECK(take(crowd->news, &held, 1));
        used = atomic_load(&crowd->memory.used);
        crowd->seen = crowd->granted = crowd->ended = 0;
        start_waiters(crowd);
        take_notices(crowd, &crowd->seen, crowd->waiters);
        if (i == 0) {
            measure_waiting(crowd, used, figures);
            measure_idle(crowd, idle_ms, figures);
        }
        us[i] = hand_over(crowd, figures);
    }
    qsort(us, repeats, sizeof(*us), compare);
    figures->us = us[repeats / 2];
    figures->guard_held = hf_lock_check(crowd->guard) == HF_GRANTED;
    HF_CHECK(give_back(crowd->guard) == HF_OK || !figures->guard_held);
    figures->guard_told = crowd->guard_told;
}

/* ---- Processes ----------------------------------------------------------- */

/* The bench itself has no client: SQLite bears no fork. */
static pid_t
start_holder(const char *place, int *orders, int *news)
{
    int to[2];
    int from[2];
    pid_t pid;

    HF_CHECK(pipe(to) == 0 && pipe(from) == 0);
    pid = fork();
    HF_CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(to[1]);
        hold_as_told(place, to[0], from[1]);
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    *orders = to[1];
    *news = from[0];
    return pid;
}

static void
be_crowd(struct crowd *crowd, int idle_ms, int out)
{
    struct figures figures = {.waiters = crowd->waiters, .locks = crowd->locks};
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    pid_t holder;

    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    holder = start_holder(place, &crowd->orders, &crowd->news);
    open_crowd(crowd, place);
    measure(crowd, idle_ms, &figures);
    (void)hf_client_close(crowd->client, HF_FOREVER);
    close(crowd->orders);
    HF_CHECK(processes_wait(holder) == 0);
    folder_remove(folder);
    put(out, &figures, sizeof(figures));
}

static struct figures
measure_crowd(size_t waiters, size_t locks, int idle_ms)
{
    static struct crowd crowd;
    struct figures figures;
    int out[2];
    pid_t pid;

    HF_CHECK(pipe(out) == 0);
    pid = fork();
    HF_CHECK(pid >= 0);
    if (pid == 0) {
        close(out[0]);
        crowd.waiters = waiters;
        crowd.locks = locks;
        be_crowd(&crowd, idle_ms, out[1]);
        _exit(0);
    }
    close(out[1]);
    HF_CHECK(take(out[0], &figures, sizeof(figures)));
    close(out[0]);
    HF_CHECK(processes_wait(pid) == 0);
    return figures;
}

/* ---- Figures ------------------------------------------------------------- */

static void
say_head(int idle_ms)
{
    printf("waiters  on        us/hand-over  reads  commits  waits   "
           "bytes/waiter  threads  files  wakes/h  looks/h\n");
    printf("# wakes and looks an hour: reckoned from %.1f s; the holder beats "
           "every 2 s\n",
           (double)idle_ms / 1000);
}

static void
say(const struct figures *f)
{
    printf("%7zu  %-8s  %12.1f  %5.3f  %7.3f  %5.3f  %13.0f  %7zu  %5zu  %7.0f"
           "  %7.0f%s\n",
           f->waiters, f->locks == 1 ? "one lock" : "as many", f->us, f->reads,
           f->commits, f->waits, f->bytes, f->threads, f->descriptors, f->wakes,
           f->looks,
           (f->guard_told & HF_NEWS_AT_RISK) != 0 ? "  # guard at risk" : "");
    fflush(stdout);
}

static double
calls_a_handover(const struct figures *f)
{
    return f->reads + f->commits + f->waits;
}

/* The most waiters beside the fewest. */
static void
say_goals(const struct figures *few, const struct figures *many)
{
    const char *on = many->locks == 1 ? "one lock" : "as many";
    double times = many->us / few->us;
    double calls = calls_a_handover(many);

    printf("goal: %zu on %s hand over no slower than %d x %zu: %.2f x, %s\n",
           many->waiters, on, GOAL_TIMES, few->waiters, times,
           times <= GOAL_TIMES ? "met" : "missed");
    printf("goal: store calls a hand-over do not grow: %.3f, then %.3f, %s\n",
           calls_a_handover(few), calls,
           calls <= calls_a_handover(few) * GOAL_GROWTH ? "met" : "missed");
    printf("goal: at most %d bytes a waiter: %.0f, %s\n", GOAL_BYTES,
           many->bytes, many->bytes <= GOAL_BYTES ? "met" : "missed");
    printf("goal: threads and files do not grow: %s\n",
           many->threads <= few->threads &&
                   many->descriptors <= few->descriptors
               ? "met"
               : "missed");
}

static bool
lost_guard(const struct figures *f)
{
    bool lost = !f->guard_held || (f->guard_told & HF_NEWS_LOST) != 0;

    if (lost)
        printf("%zu waiters on %zu locks: the guard was lost\n", f->waiters,
               f->locks);
    return lost;
}

int
main(int argc, char **argv)
{
    static struct figures figures[2][SIZES_MAX];
    size_t sizes[SIZES_MAX] = {10, 1000, 10000};
    size_t count = argc > 2 ? (size_t)argc - 2 : 3;
    int idle_ms = argc > 1 ? (int)strtol(argv[1], NULL, 10) : IDLE_MS;
    bool lost = false;

    if (idle_ms < 1 || idle_ms > IDLE_MAX_MS || count > SIZES_MAX)
        return 64;
    for (size_t i = 0; argc > 2 && i < count; i++) {
        sizes[i] = strtoul(argv[i + 2], NULL, 10);
        if (sizes[i] < 1 || sizes[i] > WAITERS_MAX)
            return 64;
    }
    if (access(IN_MEMORY, W_OK) == 0)
        HF_CHECK(setenv("TMPDIR", IN_MEMORY, 0) == 0);
    processes_begin((struct hf_duration){1200000});
    say_head(idle_ms);
    for (int as_many = 0; as_many < 2; as_many++)
        for (size_t i = 0; i < count; i++) {
            struct figures *f = &figures[as_many][i];

            *f = measure_crowd(sizes[i], as_many ? sizes[i] : 1, idle_ms);
            say(f);
            lost = lost_guard(f) || lost;
        }
    for (int as_many = 0; as_many < 2; as_many++)
        say_goals(&figures[as_many][0], &figures[as_many][count - 1]);
    return lost ? 1 : 0;
}
