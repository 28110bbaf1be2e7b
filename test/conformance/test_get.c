#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Several keys in one read.  Of one key, the other tests read enough. */

enum { KEYS_MAX = 5000 };

/* What a read showed, in the order in which it did. */
struct sights {
    struct hf_record records[8]; /* of the first */
    size_t count;
};

static void
take(void *ctx, size_t index, const struct hf_record *record)
{
    struct sights *sights = ctx;

    assert_int_equal(index, sights->count);
    if (index < 8)
        sights->records[index] = *record;
    sights->count++;
}

static void
read_keys(struct hf_store *store, const struct hf_key *keys, size_t count,
          struct sights *sights)
{
    struct hf_error error = {.status = HF_OK};

    sights->count = 0;
    if (hf_store_get(store, keys, count, suite_soon(), take, sights, &error) !=
        HF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(sights->count, count);
}

static void
expect_record(const struct hf_record *record, uint64_t version,
              const char *value)
{
    assert_true(record->exists);
    assert_true(record->version == version);
    assert_int_equal(record->value_len, strlen(value));
    assert_memory_equal(record->value, value, record->value_len);
}

static void
keys_are_shown_in_the_order_given(struct suite_bench *b)
{
    static struct sights sights;
    const struct hf_key keys[] = {suite_key("b"), suite_key("none"),
                                  suite_key("a"), suite_key("dead"),
                                  suite_key("b")};
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    uint64_t a = suite_apply(b->store, suite_put(suite_key("a"), floor, "1"));
    uint64_t second =
        suite_apply(b->store, suite_put(suite_key("b"), floor, "22"));
    uint64_t dead = suite_apply(b->store, suite_delete(keys[3], floor));

    read_keys(b->store, keys, 5, &sights);
    expect_record(&sights.records[0], second, "22");
    assert_false(sights.records[1].exists);
    assert_true(sights.records[1].version == floor);
    expect_record(&sights.records[2], a, "1");
    assert_false(sights.records[3].exists);
    assert_true(sights.records[3].version == dead);
    expect_record(&sights.records[4], second, "22"); /* the same key twice */
}

static void
a_read_of_no_keys_shows_nothing(struct suite_bench *b)
{
    static struct sights sights;

    read_keys(b->store, NULL, 0, &sights);
}

static void
thousands_of_keys_are_shown_in_one_read(struct suite_bench *b)
{
    static struct hf_key keys[KEYS_MAX];
    static struct sights sights;
    static char names[KEYS_MAX][16];
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_instant begun;

    for (size_t i = 0; i < KEYS_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "lock %zu", i);
        keys[i] = suite_key(names[i]);
        if (i % 1000 == 0)
            suite_apply(b->store, suite_put(keys[i], floor, "x"));
    }
    begun = hf_now();
    read_keys(b->store, keys, KEYS_MAX, &sights);
    print_message("%s: %d keys in %d ms\n", b->kind->name, KEYS_MAX,
                  (int)hf_between(begun, hf_now()).ms);
    assert_true(sights.records[0].exists);
    assert_false(sights.records[1].exists);
}

static void
a_read_after_its_time_shows_nothing(struct suite_bench *b)
{
    const struct hf_key keys[] = {suite_key("a"), suite_key("b")};
    static struct sights sights;
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(
        hf_store_get(b->store, keys, 2, hf_now(), take, &sights, &error),
        HF_E_UNAVAILABLE);
    assert_int_equal(sights.count, 0);
}

/* ---- At one instant ------------------------------------------------------ */

struct writer {
    struct hf_store *store;
    atomic_uint commits;
    atomic_bool done;
};

/* Both keys with the same value, in one group. */
static void *
write_pairs(void *ctx)
{
    struct writer *w = ctx;
    uint64_t left = suite_absent(w->store, suite_key("left"));
    uint64_t right = suite_absent(w->store, suite_key("right"));

    while (!atomic_load(&w->done)) {
        char value[16];
        struct hf_store_op ops[2];

        snprintf(value, sizeof(value), "%u", atomic_load(&w->commits));
        ops[0] = suite_put(suite_key("left"), left, value);
        ops[1] = suite_put(suite_key("right"), right, value);
        assert_int_equal(suite_commit(w->store, ops, 2), HF_APPLIED);
        left = ops[0].version;
        right = ops[1].version;
        atomic_fetch_add(&w->commits, 1);
    }
    return NULL;
}

static void
keys_are_shown_as_they_were_at_one_instant(struct suite_bench *b)
{
    enum { READS = 300, COMMITS = 20 };
    const struct hf_key keys[] = {suite_key("left"), suite_key("right")};
    static struct sights sights;
    struct writer writer = {.store = suite_open(b)};
    pthread_t thread;

    suite_threads_begin();
    assert_int_equal(pthread_create(&thread, NULL, write_pairs, &writer), 0);
    for (size_t i = 0; i < READS || atomic_load(&writer.commits) < COMMITS;
         i++) {
        const struct hf_record *left = &sights.records[0];
        const struct hf_record *right = &sights.records[1];

        read_keys(b->store, keys, 2, &sights);
        assert_int_equal(left->exists, right->exists);
        assert_int_equal(left->value_len, right->value_len);
        assert_memory_equal(left->value, right->value, left->value_len);
    }
    atomic_store(&writer.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    suite_threads_end();
    hf_store_close(writer.store);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(keys_are_shown_in_the_order_given),
        SUITE_CASE(a_read_of_no_keys_shows_nothing),
        SUITE_CASE(thousands_of_keys_are_shown_in_one_read),
        SUITE_CASE(a_read_after_its_time_shows_nothing),
        SUITE_CASE(keys_are_shown_as_they_were_at_one_instant),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
