#include "support/suite.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Far beyond the time limit of the test: a wait that misses its event hangs,
 * and fails by that limit. */
static const struct hf_duration long_time = {3600 * 1000};

static struct hf_store_watch
watch_of(const char *name, uint64_t version)
{
    return (struct hf_store_watch){.key = suite_key(name), .version = version};
}

static void
wait_on(struct hf_store *store, const char *name, uint64_t version, int wake_fd)
{
    struct hf_store_watch watch = watch_of(name, version);

    hf_store_wait(store, &watch, 1, hf_after(hf_now(), long_time), wake_fd);
}

/* Wait until the version has truly moved: a wait may return early. */
static void
wait_for_news(struct hf_store *store, const char *name, uint64_t version)
{
    struct hf_record record = {.version = version};

    while (record.version == version) {
        wait_on(store, name, version, -1);
        assert_int_equal(
            get_one(store, suite_key(name), suite_soon(), &record, NULL),
            HF_OK);
    }
}

/* A second thread with a store of its own, which answers each change of "ask"
 * by one of "reply". */
struct partner {
    struct hf_store *store;
    uint64_t ask;
    uint64_t reply;
    int rounds;
    const char *place; /* of one in a process of its own */
};

static void *
answer_each(void *ctx)
{
    struct partner *p = ctx;

    for (int i = 0; i < p->rounds; i++) {
        struct hf_record record = {.version = 0};

        wait_for_news(p->store, "ask", p->ask);
        if (get_one(p->store, suite_key("ask"), suite_soon(), &record, NULL) !=
            HF_OK)
            return NULL;
        p->ask = record.version;
        p->reply =
            suite_apply(p->store, suite_put(suite_key("reply"), p->reply, "r"));
    }
    return p;
}

/* Neither side goes on but by the other's commit. */
static void
a_commit_of_another_store_ends_the_wait(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("ask"));
    struct partner partner = {.store = suite_open(b),
                              .ask = floor,
                              .reply = floor,
                              .rounds = b->kind->rounds};
    uint64_t ask = floor;
    uint64_t reply = floor;
    pthread_t thread;
    void *done = NULL;

    suite_threads_begin();
    assert_int_equal(pthread_create(&thread, NULL, answer_each, &partner), 0);
    for (int i = 0; i < b->kind->rounds; i++) {
        ask = suite_apply(b->store, suite_put(suite_key("ask"), ask, "a"));
        wait_for_news(b->store, "reply", reply);
        reply = suite_present(b->store, suite_key("reply"));
    }
    assert_int_equal(pthread_join(thread, &done), 0);
    suite_threads_end();
    assert_ptr_equal(done, &partner);
    hf_store_close(partner.store);
}

/* The same, where the other is a process of its own. */
static bool
answer_each_alone(void *ctx)
{
    struct partner *p = ctx;

    p->store = suite_open_place(p->place);
    assert_ptr_equal(answer_each(p), p);
    hf_store_close(p->store);
    return true;
}

static void
a_commit_of_another_process_ends_the_wait(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("ask"));
    struct partner partner = {.place = b->place,
                              .ask = floor,
                              .reply = floor,
                              .rounds = b->kind->rounds};
    pid_t child;

    if (!b->kind->processes)
        return;
    /* The child's parent must have no SQLite place open. */
    hf_store_close(b->store);
    child = suite_start(answer_each_alone, &partner);
    b->store = suite_open(b);
    for (int i = 0; i < b->kind->rounds; i++) {
        partner.ask = suite_apply(
            b->store, suite_put(suite_key("ask"), partner.ask, "a"));
        wait_for_news(b->store, "reply", partner.reply);
        partner.reply = suite_present(b->store, suite_key("reply"));
    }
    assert_int_equal(suite_end_of(child), 0);
}

static void
an_earlier_commit_of_the_same_store_ends_the_wait(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor = suite_absent(b->store, key);
    uint64_t version = suite_apply(b->store, suite_put(key, floor, "x"));

    wait_on(b->store, "a", floor, -1);
    suite_apply(b->store, suite_delete(key, version));
    wait_on(b->store, "a", version, -1);
    assert_true(suite_absent(b->store, key) > version);
}

static void
an_earlier_commit_of_another_store_ends_the_wait(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor = suite_absent(b->store, key);
    struct hf_store *other = suite_open(b);

    suite_apply(other, suite_put(key, floor, "x"));
    wait_on(b->store, "a", floor, -1);
    assert_true(suite_present(b->store, key) > floor);
    hf_store_close(other);
}

/* ---- Naming -------------------------------------------------------------- */

/* Until one is named: a wait may return early, with none. */
static void
wait_for_names(struct hf_store *store, struct hf_store_watch *watches,
               size_t count)
{
    bool named = false;

    while (!named) {
        hf_store_wait(store, watches, count, hf_after(hf_now(), long_time), -1);
        for (size_t i = 0; i < count; i++)
            named |= watches[i].changed;
    }
}

/* All that changed before the wait, and here, where nobody else is at work,
 * none too many. */
static void
the_keys_that_changed_are_named(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    uint64_t c = suite_apply(b->store, suite_put(suite_key("c"), floor, "x"));
    uint64_t e = suite_apply(b->store, suite_put(suite_key("e"), floor, "x"));
    struct hf_store_watch watches[] = {
        watch_of("a", floor),    watch_of("b", floor), watch_of("c", c),
        watch_of("none", floor), watch_of("e", e),     watch_of("a", floor),
    };

    watches[3].changed = true; /* nothing that comes in counts */
    suite_apply(b->store, suite_put(suite_key("a"), floor, "x"));
    suite_apply(b->store, suite_delete(suite_key("e"), e));
    wait_for_names(b->store, watches, 6);
    assert_true(watches[0].changed);
    assert_false(watches[1].changed);
    assert_false(watches[2].changed);
    assert_false(watches[3].changed);
    assert_true(watches[4].changed);
    assert_true(watches[5].changed);
}

static void
a_wait_that_ends_in_time_names_none(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_watch watch = watch_of("a", floor);

    watch.changed = true;
    hf_store_wait(b->store, &watch, 1, hf_now(), -1);
    assert_false(watch.changed);
}

static void
few_of_very_many_keys_are_named(struct suite_bench *b)
{
    enum { MANY = 5000, STEP = 499 };
    static struct hf_store_watch watches[MANY];
    static char names[MANY][16];
    uint64_t floor = suite_absent(b->store, suite_key("a"));

    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "lock %zu", i);
        watches[i] = watch_of(names[i], floor);
    }
    for (size_t i = STEP; i < MANY; i += STEP)
        suite_apply(b->store, suite_put(suite_key(names[i]), floor, "x"));
    wait_for_names(b->store, watches, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(watches[i].changed, i > 0 && i % STEP == 0);
}

/* ---- What else ends it --------------------------------------------------- */

static void
a_raised_floor_ends_the_wait_on_nothing(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    size_t purged = 0;

    suite_apply(b->store, suite_delete(suite_key("b"), floor));
    assert_int_equal(hf_store_purge(b->store, (struct hf_duration){0}, 10,
                                    suite_soon(), &purged, NULL),
                     HF_OK);
    wait_on(b->store, "a", floor, -1);
    assert_true(suite_absent(b->store, suite_key("a")) > floor);
}

static void
the_wake_fd_ends_the_wait(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    int fd = eventfd(1, EFD_CLOEXEC);

    assert_true(fd >= 0);
    wait_on(b->store, "a", floor, fd);
    hf_store_wait(b->store, NULL, 0, hf_after(hf_now(), long_time), fd);
    hf_store_wait(b->store, NULL, 0, HF_NEVER, fd);
    close(fd);
}

static void *
wake(void *ctx)
{
    eventfd_write(*(int *)ctx, 1);
    return NULL;
}

static void
the_wake_fd_ends_a_wait_that_has_begun(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    int fd = eventfd(0, EFD_CLOEXEC);
    pthread_t thread;

    assert_true(fd >= 0);
    assert_int_equal(pthread_create(&thread, NULL, wake, &fd), 0);
    wait_on(b->store, "a", floor, fd);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(fd);
}

/* It may return early, so ask until the time has come; a store that returned
 * at once each time would be heard by its rounds. */
static void
until_ends_the_wait_and_not_much_sooner(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_watch watch = watch_of("a", floor);
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){50});
    int rounds = 0;

    while (!hf_reached(hf_now(), until)) {
        hf_store_wait(b->store, &watch, 1, until, -1);
        rounds++;
    }
    assert_in_range(rounds, 1, 10);

    hf_store_wait(b->store, &watch, 1, hf_now(), -1);
    hf_store_wait(b->store, NULL, 0, hf_now(), -1);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(a_commit_of_another_store_ends_the_wait),
        SUITE_CASE(a_commit_of_another_process_ends_the_wait),
        SUITE_CASE(an_earlier_commit_of_the_same_store_ends_the_wait),
        SUITE_CASE(an_earlier_commit_of_another_store_ends_the_wait),
        SUITE_CASE(the_keys_that_changed_are_named),
        SUITE_CASE(a_wait_that_ends_in_time_names_none),
        SUITE_CASE(few_of_very_many_keys_are_named),
        SUITE_CASE(a_raised_floor_ends_the_wait_on_nothing),
        SUITE_CASE(the_wake_fd_ends_the_wait),
        SUITE_CASE(the_wake_fd_ends_a_wait_that_has_begun),
        SUITE_CASE(until_ends_the_wait_and_not_much_sooner),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
