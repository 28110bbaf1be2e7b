#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "store/store.h"
#include "support/actors.h"
#include "support/locks.h"

/*
 * bench_place PLACE WHAT ARGUMENT...: libholdfast on any place; figures for a
 * program (postgresql.py).
 *
 *   pairs THREADS MS       pairs a second, each thread its own name
 *   handover COUNT MS      of each, how long from the release in one process to
 *                          the grant in another, in us; a release comes within
 *                          MS after the other waits, at random
 *   beats COUNT TURNS      of each turn: us of a commit of one beat, and of one
 *                          of COUNT
 *   hold COUNT TTL         hold so many, say "held", and give back when the
 *                          standard input ends
 *   take COUNT TTL         wait for these, say "waits" when each has seen its
 *                          holder; of each that was then granted: us from when
 *                          it was asked for, and from when the holder was seen
 */

enum { THREADS_MAX = 256, COUNT_MAX = 2000 };

struct hand {
    pthread_t thread;
    struct hf_client *client;
    char name[32];
    int64_t until_us;
    uint64_t pairs;
};

/* ---- Pairs --------------------------------------------------------------- */

static void *
hand_main(void *arg)
{
    struct hand *hand = arg;

    do {
        HF_CHECK(give_back(hold(hand->client, hand->name, NULL)) == HF_OK);
        hand->pairs++;
    } while (actors_now_us() < hand->until_us);
    return NULL;
}

static uint64_t
do_pairs(struct hf_client *client, size_t threads, int64_t until_us)
{
    static struct hand hands[THREADS_MAX];
    uint64_t pairs = 0;

    for (size_t i = 0; i < threads; i++) {
        hands[i] = (struct hand){.client = client, .until_us = until_us};
        snprintf(hands[i].name, sizeof(hands[i].name), "pair-%zu", i);
        HF_CHECK(pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]) ==
                 0);
    }
    for (size_t i = 0; i < threads; i++) {
        HF_CHECK(pthread_join(hands[i].thread, NULL) == 0);
        pairs += hands[i].pairs;
    }
    return pairs;
}

static void
pairs(const char *place, size_t threads, int64_t ms)
{
    struct hf_client *client = open_client(place);
    int64_t began_us;
    uint64_t count;

    (void)do_pairs(client, threads, 0);
    began_us = actors_now_us();
    count = do_pairs(client, threads, began_us + ms * 1000);
    printf("%.1f\n",
           (double)count * 1e6 / (double)(actors_now_us() - began_us));
    close_client(client);
}

/* ---- A hand-over --------------------------------------------------------- */

static void
tell(int fd, int64_t what)
{
    HF_CHECK(write(fd, &what, sizeof(what)) == sizeof(what));
}

static int64_t
hear(int fd)
{
    int64_t what;

    HF_CHECK(read(fd, &what, sizeof(what)) == sizeof(what));
    return what;
}

static void
give(const char *place, size_t count, int64_t spread_ms, int hears, int tells)
{
    struct hf_client *client = open_client(place);

    for (size_t i = 0; i < count; i++) {
        struct hf_lock *lock = hold(client, "handed", NULL);

        tell(tells, 0);    /* it is held */
        (void)hear(hears); /* the other waits */
        (void)poll(NULL, 0, (int)(random() % (spread_ms + 1)));
        tell(tells, actors_now_us());
        HF_CHECK(give_back(lock) == HF_OK);
        (void)hear(hears); /* it has given back, too */
    }
    close_client(client);
}

static void
receive(const char *place, size_t count, int hears, int tells)
{
    struct hf_client *client = open_client(place);

    for (size_t i = 0; i < count; i++) {
        struct hf_lock *lock;
        int64_t granted_us;

        (void)hear(hears);
        lock = ask_for(client, "handed", NULL);
        await_holder(client, lock);
        tell(tells, 0);
        HF_CHECK(hf_lock_wait(lock, HF_FOREVER) == HF_STATE_HELD);
        granted_us = actors_now_us();
        printf("%" PRId64 "\n", granted_us - hear(hears));
        HF_CHECK(give_back(lock) == HF_OK);
        tell(tells, 0);
    }
    close_client(client);
}

/* The processes part before either has a client. */
static void
handover(const char *place, size_t count, int64_t spread_ms)
{
    int there[2];
    int back[2];
    int status;
    pid_t giver;

    HF_CHECK(pipe(there) == 0 && pipe(back) == 0);
    giver = fork();
    HF_CHECK(giver >= 0);
    if (giver == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        give(place, count, spread_ms, back[0], there[1]);
        _exit(0);
    }
    receive(place, count, there[0], back[1]);
    HF_CHECK(waitpid(giver, &status, 0) == giver && status == 0);
}

/* ---- Beats --------------------------------------------------------------- */

/* As long as a record is that a command made. */
static const char record[] =
    "{\"lock\":\"0123456789abcdef0123456789abcdef_1\",\"if_dead\":\"refuse\","
    "\"ttl_ms\":60000,\"beat_ms\":2000,\"owner\":{\"host\":\"db1.example\","
    "\"user\":\"ann\",\"command\":\"./migrate --all\",\"since\":1770000000000,"
    "\"boot\":\"12345678-1234-1234-1234-123456789abc\",\"pidns\":4026531836,"
    "\"processes\":[[812,99120]]},\"reason\":\"release 7\"}";

static int64_t
commit(struct hf_store *store, struct hf_store_group *groups, size_t count)
{
    struct hf_error error = {.status = HF_OK};
    int64_t began_us = actors_now_us();

    hf_store_commit(store, groups, count,
                    hf_after(hf_now(), (struct hf_duration){30000}), &error);
    began_us = actors_now_us() - began_us;
    for (size_t i = 0; i < count; i++) {
        struct hf_store_op *op = groups[i].ops;

        HF_CHECK(groups[i].verdict == HF_APPLIED);
        op->new_generation = false;
        op->expect = (struct hf_expect){.version = op->version};
    }
    return began_us;
}

static void
expect_found(void *ctx, size_t index, const struct hf_record *found)
{
    struct hf_store_op *ops = ctx;

    HF_CHECK(!found->exists);
    ops[index].expect = (struct hf_expect){.version = found->version};
}

static void
beats(const char *place, size_t count, size_t turns)
{
    static struct hf_store_op ops[COUNT_MAX];
    static struct hf_store_group groups[COUNT_MAX];
    static struct hf_key keys[COUNT_MAX];
    static char names[COUNT_MAX][32];
    struct hf_store *store = NULL;
    struct hf_error error;

    HF_CHECK(hf_store_open(place, &hf_alloc_libc, &store, &error) == HF_OK);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "beat-%zu", i);
        keys[i] = (struct hf_key){"default", names[i]};
        ops[i] = (struct hf_store_op){.kind = HF_PUT,
                                      .key = keys[i],
                                      .new_generation = true,
                                      .value = record,
                                      .value_len = sizeof(record) - 1};
        groups[i] = (struct hf_store_group){.ops = &ops[i], .ops_count = 1};
    }
    HF_CHECK(hf_store_get(store, keys, count,
                          hf_after(hf_now(), (struct hf_duration){30000}),
                          expect_found, ops, &error) == HF_OK);
    (void)commit(store, groups, count);
    for (size_t i = 0; i < turns; i++) {
        int64_t one_us = commit(store, groups, 1);

        printf("%" PRId64 " %" PRId64 "\n", one_us,
               commit(store, groups, count));
    }
    hf_store_close(store);
}

/* ---- Held, and waited for ------------------------------------------------ */

static struct hf_lock *
ask_for_one(struct hf_client *client, size_t number, const char *ttl)
{
    char name[32];

    snprintf(name, sizeof(name), "held-%zu", number);
    return ask_for(client, name, HF_TTL, ttl, HF_IF_DEAD, "takeover", NULL);
}

static void
hold_many(const char *place, size_t count, const char *ttl)
{
    static struct hf_lock *locks[COUNT_MAX];
    struct hf_client *client = open_client(place);

    for (size_t i = 0; i < count; i++)
        locks[i] = ask_for_one(client, i, ttl);
    for (size_t i = 0; i < count; i++)
        HF_CHECK(hf_lock_wait(locks[i], HF_FOREVER) == HF_STATE_HELD);
    puts("held");
    while (getchar() != EOF)
        ;
    for (size_t i = 0; i < count; i++)
        hf_lock_release(locks[i]);
    for (size_t i = 0; i < count; i++)
        (void)finish(locks[i]);
    close_client(client);
}

struct taken {
    struct hf_lock *lock;
    int64_t asked_us;
    int64_t seen_us;
};

/* Waits for a notice that the lock of one of them is held; which one. */
static const struct taken *
next_held(struct hf_client *client, const struct taken *all, size_t count)
{
    struct pollfd fd = {.fd = hf_client_fd(client), .events = POLLIN};

    for (;;) {
        const struct hf_notice *notice = hf_client_next(client);

        if (notice == NULL) {
            HF_CHECK(poll(&fd, 1, -1) == 1);
            continue;
        }
        if (hf_notice_state(notice) != HF_STATE_HELD)
            continue;
        for (size_t i = 0; i < count; i++)
            if (hf_lock_id(all[i].lock) == hf_notice_id(notice))
                return &all[i];
    }
}

static void
take_many(const char *place, size_t count, const char *ttl)
{
    static struct taken all[COUNT_MAX];
    struct hf_client *client = open_client(place);

    for (size_t i = 0; i < count; i++) {
        all[i].asked_us = actors_now_us();
        all[i].lock = ask_for_one(client, i, ttl);
        await_holder(client, all[i].lock);
        all[i].seen_us = actors_now_us();
    }
    puts("waits");
    for (size_t i = 0; i < count; i++) {
        const struct taken *taken = next_held(client, all, count);
        int64_t now_us = actors_now_us();

        printf("%" PRId64 " %" PRId64 "\n", now_us - taken->asked_us,
               now_us - taken->seen_us);
        hf_lock_release(taken->lock);
    }
    for (size_t i = 0; i < count; i++)
        (void)finish(all[i].lock);
    close_client(client);
}

int
main(int argc, char **argv)
{
    const char *what = argc == 5 ? argv[2] : "";
    size_t count = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    size_t number = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 1 || count > COUNT_MAX)
        return 64;
    if (strcmp(what, "pairs") == 0 && count <= THREADS_MAX)
        pairs(argv[1], count, (int64_t)number);
    else if (strcmp(what, "handover") == 0)
        handover(argv[1], count, (int64_t)number);
    else if (strcmp(what, "beats") == 0)
        beats(argv[1], count, number);
    else if (strcmp(what, "hold") == 0)
        hold_many(argv[1], count, argv[4]);
    else if (strcmp(what, "take") == 0)
        take_many(argv[1], count, argv[4]);
    else
        return 64;
    return 0;
}
