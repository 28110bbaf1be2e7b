#include "support/suite.h"

#include <string.h>

#include "wire/head.h"

/*
 * A store keeps the locks of a table, or is served: a claim is refused while a
 * head names a node, in the very transaction that would make it.
 */

static const struct hf_key head_key = {HF_HEAD_SPACE, HF_HEAD_NAME};

/* Put the head, with that node and that address, or with none. */
static void
put_head(struct hf_store *store, const char *node, const char *address)
{
    struct hf_head head = {
        .claim = {.heartbeat = {7, 1}, .terms = {HF_TAKEOVER, {5000}, {1000}}},
        .next_fence = 9,
        .service = 1,
        .store = hf_store_identity(store),
    };
    static char value[HF_RECORD_TEXT_MAX];
    struct hf_record record;

    (void)snprintf(head.node, sizeof(head.node), "%s", node);
    (void)snprintf(head.address, sizeof(head.address), "%s", address);
    assert_int_equal(get_one(store, head_key, suite_soon(), &record, NULL),
                     HF_OK);
    (void)hf_head_encode(&head, value, sizeof(value));
    (void)suite_apply(store, suite_put(head_key, record.version, value));
}

static enum hf_verdict
claim(struct hf_store *store, const char *name, struct hf_error *error)
{
    struct hf_store_op op =
        suite_put(suite_key(name), suite_absent(store, suite_key(name)), "x");
    struct hf_store_group group = {
        .ops = &op, .ops_count = 1, .verdict = HF_UNAVAILABLE};

    hf_store_commit(store, &group, 1, suite_soon(), error);
    return group.verdict;
}

static void
nothing_is_claimed_in_a_store_that_is_served(struct suite_bench *b)
{
    struct hf_error error = {0};

    assert_int_equal(claim(b->store, "before", NULL), HF_APPLIED);
    assert_int_equal(hf_store_unserved(b->store, NULL), HF_OK);
    put_head(b->store, "n1", "db1:7420");
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "http://db1:7420"));
    assert_int_equal(hf_store_unserved(b->store, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "http://db1:7420"));
    put_head(b->store, "", "");
    assert_int_equal(claim(b->store, "meanwhile", NULL), HF_APPLIED);
    assert_int_equal(hf_store_unserved(b->store, NULL), HF_OK);
}

/* Its server has gone, and may have left locks to their holders. */
static void
nothing_is_claimed_while_a_stopped_servers_locks_may_be_held(
    struct suite_bench *b)
{
    struct hf_error error = {0};

    put_head(b->store, "", "db1:7420");
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "db1:7420"));
    assert_non_null(strstr(error.text, "may still be held"));
    assert_int_equal(hf_store_unserved(b->store, NULL), HF_E_UNAVAILABLE);
}

/* A head of another Holdfast's says nothing, so it says no. */
static void
nothing_is_claimed_beside_a_head_that_cannot_be_read(struct suite_bench *b)
{
    struct hf_error error = {0};

    put_head(b->store, "", "");
    (void)suite_apply(
        b->store,
        suite_put(head_key, suite_present(b->store, head_key), "no head"));
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "cannot be read"));
}

/* So that those who hold one can keep it, and give it back. */
static void
what_was_claimed_before_beats_and_ends(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");

    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    put_head(b->store, "n1", "db1:7420");
    (void)suite_apply(b->store,
                      suite_beat(lock, suite_present(b->store, lock), "beat"));
    (void)suite_apply(b->store,
                      suite_delete(lock, suite_present(b->store, lock)));
    (void)suite_absent(b->store, lock);
}

/* A claim beside others in one commit: it alone is refused. */
static void
others_in_the_commit_are_not_held_up(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_store_op beat;
    struct hf_store_op other;
    struct hf_store_group groups[2] = {
        {.ops = &other, .ops_count = 1, .verdict = HF_UNAVAILABLE},
        {.ops = &beat, .ops_count = 1, .verdict = HF_UNAVAILABLE},
    };

    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    put_head(b->store, "n1", "db1:7420");
    beat = suite_beat(lock, suite_present(b->store, lock), "beat");
    other = suite_put(suite_key("other"),
                      suite_absent(b->store, suite_key("other")), "x");
    hf_store_commit(b->store, groups, 2, suite_soon(), NULL);
    assert_int_equal(groups[0].verdict, HF_UNAVAILABLE);
    assert_int_equal(groups[1].verdict, HF_APPLIED);
}

static void
a_lock_of_users_is_found_and_nothing_else(struct suite_bench *b)
{
    struct hf_store_lock lock;

    put_head(b->store, "n1", "db1:7420");
    assert_int_equal(hf_store_find_lock(b->store, &lock, NULL), HF_OK);
    assert_string_equal(lock.name, "");
    put_head(b->store, "", "");
    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    assert_int_equal(hf_store_find_lock(b->store, &lock, NULL), HF_OK);
    assert_string_equal(lock.name, "lock");
    assert_string_equal(lock.space, suite_key("lock").space);
    (void)suite_apply(b->store,
                      suite_delete(suite_key("lock"),
                                   suite_present(b->store, suite_key("lock"))));
    assert_int_equal(hf_store_find_lock(b->store, &lock, NULL), HF_OK);
    assert_string_equal(lock.name, "");
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(nothing_is_claimed_in_a_store_that_is_served),
        SUITE_CASE(
            nothing_is_claimed_while_a_stopped_servers_locks_may_be_held),
        SUITE_CASE(nothing_is_claimed_beside_a_head_that_cannot_be_read),
        SUITE_CASE(what_was_claimed_before_beats_and_ends),
        SUITE_CASE(others_in_the_commit_are_not_held_up),
        SUITE_CASE(a_lock_of_users_is_found_and_nothing_else),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
