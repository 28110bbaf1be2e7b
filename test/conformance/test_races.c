#include "support/suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"

/*
 * Several at once: threads for every store, processes for those that
 * processes share.
 */

enum { RACERS = 4, ROUNDS = 250 };

static uint64_t
number_of(const struct hf_record *record)
{
    char text[32] = "";

    if (record->exists)
        memcpy(text, record->value, record->value_len);
    return strtoull(text, NULL, 10);
}

/* Read a number, write it one higher at the version read, again when refused.
 * A verdict that is not certain ends it: nothing here may cause one. */
static bool
increment(struct hf_store *store, const char *name)
{
    struct hf_record record;
    char text[32];

    for (;;) {
        struct hf_store_op op;

        if (get_one(store, suite_key(name), suite_soon(), &record, NULL) !=
            HF_OK)
            return false;
        snprintf(text, sizeof(text), "%llu",
                 (unsigned long long)number_of(&record) + 1);
        op = suite_put(suite_key(name), record.version, text);
        switch (suite_commit(store, &op, 1)) {
        case HF_APPLIED:
            return true;
        case HF_REFUSED:
        case HF_UNAVAILABLE: /* others kept it locked: surely not done */
            break;
        case HF_UNKNOWN:
            return false;
        }
    }
}

static void *
increment_often(void *ctx)
{
    struct hf_store *store = ctx;

    for (int i = 0; i < ROUNDS; i++)
        if (!increment(store, "number"))
            return NULL;
    return ctx;
}

static void
expect_number(struct hf_store *store, const char *name, uint64_t expected)
{
    struct hf_record record;

    assert_int_equal(
        get_one(store, suite_key(name), suite_soon(), &record, NULL), HF_OK);
    assert_true(number_of(&record) == expected);
}

static void
racing_threads_count_exactly(struct suite_bench *b)
{
    struct hf_store *stores[RACERS];
    pthread_t threads[RACERS];

    suite_threads_begin();
    for (int i = 0; i < RACERS; i++) {
        stores[i] = suite_open(b);
        assert_int_equal(
            pthread_create(&threads[i], NULL, increment_often, stores[i]), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        void *done = NULL;

        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_ptr_equal(done, stores[i]);
        hf_store_close(stores[i]);
    }
    suite_threads_end();
    expect_number(b->store, "number", RACERS * ROUNDS);
}

/* What a child does with the bench's place. */
typedef bool work_fn(struct hf_store *store);

struct task {
    const struct suite_bench *bench;
    work_fn *work;
};

static bool
open_and_work(void *ctx)
{
    const struct task *task = ctx;
    struct hf_store *store = suite_open(task->bench);
    bool good = task->work(store);

    hf_store_close(store);
    return good;
}

static pid_t
start(const struct suite_bench *b, work_fn *work)
{
    struct task task = {b, work};

    return suite_start(open_and_work, &task);
}

static bool
increment_in_child(struct hf_store *store)
{
    return increment_often(store) != NULL;
}

/* Nothing of the parent's store may cross a fork. */
static bool
leave_store(struct suite_bench *b)
{
    if (!b->kind->processes)
        return false;
    hf_store_close(b->store);
    b->store = NULL;
    return true;
}

static void
racing_processes_count_exactly(struct suite_bench *b)
{
    pid_t children[RACERS];

    if (!leave_store(b))
        return;
    for (int i = 0; i < RACERS; i++)
        children[i] = start(b, increment_in_child);
    for (int i = 0; i < RACERS; i++)
        assert_int_equal(suite_end_of(children[i]), 0);
    b->store = suite_open(b);
    expect_number(b->store, "number", RACERS * ROUNDS);
}

static bool
touch_once(struct hf_store *store)
{
    return increment(store, "number");
}

/* The place does not exist yet: all of them make it. */
static void
processes_that_make_the_place_at_once_all_succeed(struct suite_bench *b)
{
    enum { TRIES = 20 };

    if (!leave_store(b))
        return;
    for (int try = 0; try < TRIES; try++) {
        pid_t children[RACERS];

        b->kind->destroy(b->place);
        assert_true(b->kind->make(b->place));
        for (int i = 0; i < RACERS; i++)
            children[i] = start(b, touch_once);
        for (int i = 0; i < RACERS; i++)
            assert_int_equal(suite_end_of(children[i]), 0);
        b->store = suite_open(b);
        expect_number(b->store, "number", RACERS);
        hf_store_close(b->store);
        b->store = NULL;
    }
    b->store = suite_open(b);
}

static bool
commit_and_die(struct hf_store *store)
{
    suite_apply(store, suite_put(suite_key("a"),
                                 suite_absent(store, suite_key("a")), "done"));
    raise(SIGKILL);
    return false;
}

static void
what_was_applied_outlives_a_crash_before_the_answer(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor;
    struct hf_store_op late;
    int end;

    if (!leave_store(b))
        return;
    b->store = suite_open(b);
    floor = suite_absent(b->store, key);
    late = suite_put(key, floor, "again");
    leave_store(b);

    end = suite_end_of(start(b, commit_and_die));
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    b->store = suite_open(b);
    assert_true(suite_present(b->store, key) > floor);
    suite_expect_value(b->store, key, "done");
    assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
}

/* One group of two keys, again and again: they must always agree.  What a
 * server still does for one that was killed may refuse one of the next. */
static bool
write_pairs(struct hf_store *store)
{
    struct hf_store_op ops[2];
    struct hf_record record;
    enum hf_verdict verdict;
    char text[32];

    for (;;) {
        uint64_t next;

        if (get_one(store, suite_key("left"), suite_soon(), &record, NULL) !=
            HF_OK)
            return false;
        next = number_of(&record) + 1;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)next);
        ops[0] = suite_put(suite_key("left"), record.version, text);
        ops[1] = suite_put(suite_key("right"), 0, text);
        ops[1].expect.kind = HF_EXPECT_ANYTHING;
        verdict = suite_commit(store, ops, 2);
        if (verdict != HF_APPLIED && verdict != HF_REFUSED)
            return false;
    }
}

/* Wait until the child has committed something new, and then a little more, at
 * random, so that the kill falls anywhere in its work. */
static void
kill_at_work(struct suite_bench *b, pid_t child)
{
    struct hf_store_watch watch = {.key = suite_key("left")};
    struct hf_record record;
    uint64_t dice = 0;
    int end;

    assert_int_equal(get_one(b->store, watch.key, suite_soon(), &record, NULL),
                     HF_OK);
    watch.version = record.version;
    while (record.version == watch.version) {
        hf_store_wait(b->store, &watch, 1, suite_soon(), -1);
        assert_int_equal(
            get_one(b->store, watch.key, suite_soon(), &record, NULL), HF_OK);
    }
    assert_int_equal(hf_random_u64(&dice, NULL), HF_OK);
    for (uint64_t spin = dice % 20000; spin > 0; spin--)
        hf_now();
    kill(child, SIGKILL);
    end = suite_end_of(child);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
}

struct pair {
    uint64_t left;
    uint64_t right;
};

static void
take_side(void *ctx, size_t index, const struct hf_record *record)
{
    struct pair *pair = ctx;

    *(index == 0 ? &pair->left : &pair->right) = number_of(record);
}

/* In one read: a server may still be at work for a client that was killed. */
static struct pair
read_pair(struct hf_store *store)
{
    const struct hf_key keys[] = {suite_key("left"), suite_key("right")};
    struct pair pair = {0};

    assert_int_equal(
        hf_store_get(store, keys, 2, suite_soon(), take_side, &pair, NULL),
        HF_OK);
    return pair;
}

static void
a_kill_at_any_moment_leaves_all_or_none(struct suite_bench *b)
{
    enum { KILLS = 40 };
    uint64_t last = 0;

    if (!leave_store(b))
        return;
    for (int i = 0; i < KILLS; i++) {
        pid_t child = start(b, write_pairs);
        struct pair pair;

        b->store = suite_open(b);
        kill_at_work(b, child);
        pair = read_pair(b->store);
        assert_true(pair.left > last);
        assert_true(pair.left == pair.right);
        last = pair.left;

        /* Half of the time everybody is gone, and the next one recovers. */
        if (i % 2 == 0)
            leave_store(b);
        else
            hf_store_close(b->store);
        b->store = NULL;
    }
    b->store = suite_open(b);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(racing_threads_count_exactly),
        SUITE_CASE(racing_processes_count_exactly),
        SUITE_CASE(processes_that_make_the_place_at_once_all_succeed),
        SUITE_CASE(what_was_applied_outlives_a_crash_before_the_answer),
        SUITE_CASE(a_kill_at_any_moment_leaves_all_or_none),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
