#include "support/suite.h"

#include <string.h>

#include "base/limits.h"

/* Purge removes what has a stamp this old: everything. */
static const struct hf_duration any_age = {0};

static size_t
purge_all(struct hf_store *store)
{
    size_t purged = 0;

    assert_int_equal(
        hf_store_purge(store, any_age, 1000, suite_soon(), &purged, NULL),
        HF_OK);
    return purged;
}

static void
a_new_store_expects_its_floor_the_wall_clock(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    uint64_t now_us = (uint64_t)hf_wall_us();

    assert_true(floor <= now_us);
    assert_true(floor > now_us - 60 * 1000 * 1000);
    assert_true(suite_absent(b->store, suite_key("b")) == floor);
}

static void
a_put_on_nothing_applies_only_at_exactly_the_floor(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor = suite_absent(b->store, key);
    struct hf_store_op above = suite_put(key, floor + 1, "x");
    struct hf_store_op below = suite_put(key, floor - 1, "x");
    struct hf_store_op zero = suite_put(key, 0, "x");

    assert_int_equal(suite_commit(b->store, &above, 1), HF_REFUSED);
    assert_int_equal(suite_commit(b->store, &below, 1), HF_REFUSED);
    assert_int_equal(suite_commit(b->store, &zero, 1), HF_REFUSED);
    assert_true(suite_absent(b->store, key) == floor);
    assert_true(suite_apply(b->store, suite_put(key, floor, "x")) > floor);
}

static void
a_new_generation_takes_its_version_as_token(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor = suite_absent(b->store, key);
    uint64_t first = suite_apply(b->store, suite_put(key, floor, "x"));
    struct hf_record record;

    assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                     HF_OK);
    assert_true(record.token == first);
    assert_true(record.version == first);
}

static void
a_beat_keeps_the_token_and_raises_the_version(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t first =
        suite_apply(b->store, suite_put(key, suite_absent(b->store, key), "0"));
    uint64_t second = suite_apply(b->store, suite_beat(key, first, "1"));
    struct hf_record record;

    assert_true(second > first);
    assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                     HF_OK);
    assert_true(record.token == first);
    assert_true(record.version == second);
    suite_expect_value(b->store, key, "1");
}

static void
a_takeover_moves_the_token(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t first =
        suite_apply(b->store, suite_put(key, suite_absent(b->store, key), "0"));
    uint64_t second = suite_apply(b->store, suite_put(key, first, "1"));
    struct hf_record record;

    assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                     HF_OK);
    assert_true(second > first);
    assert_true(record.token == second);
}

static void
a_beat_on_nothing_or_on_a_tombstone_is_refused(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t version = suite_absent(b->store, key);
    struct hf_store_op op = suite_beat(key, version, "x");

    assert_int_equal(suite_commit(b->store, &op, 1), HF_REFUSED);
    version = suite_apply(b->store, suite_delete(key, version));
    op = suite_beat(key, version, "x");
    assert_int_equal(suite_commit(b->store, &op, 1), HF_REFUSED);
    assert_true(suite_absent(b->store, key) == version);
}

static void
a_stamp_is_the_wall_clock_of_the_last_put(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    int64_t before_ms = hf_wall_ms();
    struct hf_record record;

    suite_apply(b->store, suite_put(key, suite_absent(b->store, key), "0"));
    assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                     HF_OK);
    assert_true(record.stamp_ms >= before_ms);
    assert_true(record.stamp_ms <= hf_wall_ms());
    assert_true(record.stood.ms == 0); /* nobody promises that it is right */
}

static void
versions_grow_across_delete_and_re_creation(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t version = suite_absent(b->store, key);

    for (int i = 0; i < 5; i++) {
        uint64_t put = suite_apply(b->store, suite_put(key, version, "x"));
        uint64_t deleted = suite_apply(b->store, suite_delete(key, put));

        assert_true(put > version);
        assert_true(deleted > put);
        assert_true(suite_absent(b->store, key) == deleted);
        version = deleted;
    }
}

static void
a_delete_of_a_tombstone_or_of_nothing_raises_the_version(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t floor = suite_absent(b->store, key);
    uint64_t first = suite_apply(b->store, suite_delete(key, floor));
    uint64_t second = suite_apply(b->store, suite_delete(key, first));
    struct hf_store_op late = suite_put(key, floor, "late");

    assert_true(first > floor);
    assert_true(second > first);
    assert_true(suite_absent(b->store, key) == second);
    assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
}

static void
versions_grow_across_purge_and_re_creation(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    uint64_t highest = 0;

    for (int i = 0; i < 5; i++) {
        uint64_t floor = suite_absent(b->store, key);
        uint64_t put = suite_apply(b->store, suite_put(key, floor, "x"));
        uint64_t deleted = suite_apply(b->store, suite_delete(key, put));

        assert_true(floor > highest);
        assert_true(put > floor);
        assert_int_equal(purge_all(b->store), 1);
        highest = deleted;
    }
    assert_true(suite_absent(b->store, key) > highest);
}

static void
purge_spares_records_young_tombstones_and_other_spaces(struct suite_bench *b)
{
    struct hf_key lives = suite_key("lives");
    struct hf_key dead = suite_key("dead");
    struct hf_key marker = {"!RECLAIM", "marker"};
    struct hf_key audit = {"!audit", "audit"};
    uint64_t floor = suite_absent(b->store, lives);
    uint64_t live = suite_apply(b->store, suite_put(lives, floor, "x"));
    size_t purged = 99;

    suite_apply(b->store, suite_delete(dead, floor));
    suite_apply(b->store, suite_put(marker, floor, "x"));
    suite_apply(b->store, suite_put(audit, floor, "x"));

    assert_int_equal(hf_store_purge(b->store, (struct hf_duration){3600000},
                                    1000, suite_soon(), &purged, NULL),
                     HF_OK);
    assert_int_equal(purged, 0);
    assert_int_equal(
        hf_store_purge(b->store, HF_FOREVER, 1000, suite_soon(), &purged, NULL),
        HF_OK);
    assert_int_equal(purged, 0);
    assert_true(suite_absent(b->store, suite_key("else")) == floor);

    assert_int_equal(purge_all(b->store), 2);
    assert_true(suite_present(b->store, lives) == live);
    suite_present(b->store, audit);
    suite_absent(b->store, marker);
    assert_true(suite_absent(b->store, dead) > floor + 1);
}

static void
a_purge_after_its_time_leaves_all(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    size_t purged = 99;

    suite_apply(b->store, suite_delete(suite_key("a"), floor));
    assert_int_equal(
        hf_store_purge(b->store, any_age, 1000, hf_now(), &purged, NULL),
        HF_E_UNAVAILABLE);
    assert_int_equal(purged, 99);
    assert_int_equal(purge_all(b->store), 1);
}

static void
purge_stops_at_its_limit(struct suite_bench *b)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    size_t purged = 99;

    for (size_t i = 0; i < 5; i++)
        suite_apply(b->store, suite_delete(suite_key(names[i]), floor));
    assert_int_equal(
        hf_store_purge(b->store, any_age, 0, suite_soon(), &purged, NULL),
        HF_OK);
    assert_int_equal(purged, 0);
    assert_int_equal(
        hf_store_purge(b->store, any_age, 2, suite_soon(), &purged, NULL),
        HF_OK);
    assert_int_equal(purged, 2);
    assert_int_equal(purge_all(b->store), 3);
    assert_int_equal(purge_all(b->store), 0);
}

/* The floor rises for every key on which nothing stands. */
static void
a_late_put_on_nothing_is_refused_after_another_keys_purge(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    struct hf_key other = suite_key("b");
    uint64_t floor = suite_absent(b->store, key);
    struct hf_store_op late = suite_put(key, floor, "late");

    suite_apply(b->store, suite_delete(other, floor));
    purge_all(b->store);
    assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
    suite_absent(b->store, key);
}

/*
 * Capture every write that was ever right, play the key's whole life, and send
 * each of them again at each point after its own: none may apply.
 */
static void
a_late_write_applies_to_nothing(struct suite_bench *b)
{
    enum { LIVES = 3, WRITES = LIVES * 4 };
    struct hf_key key = suite_key("a");
    struct hf_store_op sent[WRITES];
    size_t count = 0;

    for (int life = 0; life < LIVES; life++) {
        uint64_t version = suite_absent(b->store, key);

        for (int step = 0; step < 4; step++) {
            uint64_t before = version;

            sent[count] = step == 0   ? suite_put(key, version, "new")
                          : step == 1 ? suite_beat(key, version, "beat")
                          : step == 2 ? suite_delete(key, version)
                                      : suite_delete(key, version);
            version = suite_apply(b->store, sent[count++]);
            assert_true(version > before);
            for (size_t i = 0; i < count; i++) {
                struct hf_store_op late = sent[i];

                assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
            }
        }
        assert_int_equal(purge_all(b->store), 1);
        for (size_t i = 0; i < count; i++) {
            struct hf_store_op late = sent[i];

            assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
        }
    }
}

static void
what_was_committed_is_there_after_reopening(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");
    struct hf_key dead = suite_key("b");
    uint64_t floor = suite_absent(b->store, key);
    uint64_t put = suite_apply(b->store, suite_put(key, floor, "x"));
    uint64_t gone = suite_apply(b->store, suite_delete(dead, floor));

    if (!b->kind->reopens)
        return;
    hf_store_close(b->store);
    b->store = suite_open(b);
    assert_true(suite_present(b->store, key) == put);
    suite_expect_value(b->store, key, "x");
    assert_true(suite_absent(b->store, dead) == gone);
    assert_true(suite_absent(b->store, suite_key("c")) == floor);
}

static void
values_of_every_length_come_back_whole_or_as_their_beginning(
    struct suite_bench *b)
{
    static const size_t lens[] = {
        0, 1, 4096, HF_RECORD_TEXT_MAX, HF_RECORD_TEXT_MAX + 1, HF_VALUE_MAX};
    static char value[HF_VALUE_MAX];
    static struct hf_record record;
    struct hf_key key = suite_key("a");
    uint64_t version = suite_absent(b->store, key);

    for (size_t i = 0; i < sizeof(value); i++)
        value[i] = (char)('a' + i % 26);
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        size_t shown =
            lens[i] < HF_RECORD_TEXT_MAX ? lens[i] : HF_RECORD_TEXT_MAX;
        struct hf_store_op op = suite_put(key, version, "");

        op.value = value;
        op.value_len = lens[i];
        version = suite_apply(b->store, op);
        assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                         HF_OK);
        assert_true(record.exists);
        assert_int_equal(record.value_len, lens[i]);
        assert_memory_equal(record.value, value, shown);
    }
}

static void
a_read_after_its_time_is_unavailable_and_touches_nothing(struct suite_bench *b)
{
    struct hf_record record = {.version = 4711};
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(
        get_one(b->store, suite_key("a"), hf_now(), &record, &error),
        HF_E_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_true(record.version == 4711);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(a_new_store_expects_its_floor_the_wall_clock),
        SUITE_CASE(a_put_on_nothing_applies_only_at_exactly_the_floor),
        SUITE_CASE(a_new_generation_takes_its_version_as_token),
        SUITE_CASE(a_beat_keeps_the_token_and_raises_the_version),
        SUITE_CASE(a_takeover_moves_the_token),
        SUITE_CASE(a_beat_on_nothing_or_on_a_tombstone_is_refused),
        SUITE_CASE(a_stamp_is_the_wall_clock_of_the_last_put),
        SUITE_CASE(versions_grow_across_delete_and_re_creation),
        SUITE_CASE(a_delete_of_a_tombstone_or_of_nothing_raises_the_version),
        SUITE_CASE(versions_grow_across_purge_and_re_creation),
        SUITE_CASE(purge_spares_records_young_tombstones_and_other_spaces),
        SUITE_CASE(a_purge_after_its_time_leaves_all),
        SUITE_CASE(purge_stops_at_its_limit),
        SUITE_CASE(a_late_put_on_nothing_is_refused_after_another_keys_purge),
        SUITE_CASE(a_late_write_applies_to_nothing),
        SUITE_CASE(what_was_committed_is_there_after_reopening),
        SUITE_CASE(
            values_of_every_length_come_back_whole_or_as_their_beginning),
        SUITE_CASE(a_read_after_its_time_is_unavailable_and_touches_nothing),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
