#include "support/test.h"

#include "store/rule.h"
#include "store/silence.h"

/* The rule of silence, in time that is made up. */

static const struct hf_instant noon = {1000000};

/* The limit of a call that begins at noon and has `left_ms`. */
static int64_t
limit(const struct hf_silence_rule *rule, int64_t left_ms)
{
    return hf_silence_limit(rule, noon,
                            hf_after(noon, (struct hf_duration){left_ms}))
        .ms;
}

static void
answer(struct hf_silence_rule *rule, int64_t took_ms)
{
    hf_silence_answered(rule, (struct hf_duration){took_ms});
}

TEST(a_quick_server_has_a_second)
{
    struct hf_silence_rule rule = {.failures = 0};

    assert_int_equal(limit(&rule, 10000), 1000);
    answer(&rule, 3);
    answer(&rule, 249);
    assert_int_equal(limit(&rule, 10000), 1000);
    assert_int_equal(hf_silence_limit(&rule, noon, HF_NEVER).ms, 1000);
}

TEST(a_slower_server_has_four_times_its_slowest_answer)
{
    struct hf_silence_rule rule = {.failures = 0};

    answer(&rule, 300);
    answer(&rule, 20);
    assert_int_equal(limit(&rule, 10000), 1200);
    answer(&rule, 500);
    assert_int_equal(limit(&rule, 10000), 2000);
}

TEST(sixteen_answers_are_remembered)
{
    struct hf_silence_rule rule = {.failures = 0};

    answer(&rule, 500);
    for (int i = 0; i < 15; i++)
        answer(&rule, 10);
    assert_int_equal(limit(&rule, 10000), 2000);
    answer(&rule, 10);
    assert_int_equal(limit(&rule, 10000), 1000);
}

TEST(two_thirds_of_the_time_are_left_for_another_connection)
{
    struct hf_silence_rule rule = {.failures = 0};

    assert_int_equal(limit(&rule, 2400), 800);
    answer(&rule, 400);
    assert_int_equal(limit(&rule, 4500), 1500);
    assert_int_equal(limit(&rule, 0), 0);
    assert_int_equal(limit(&rule, -5), 0);
}

/* Else each answer of it would come too late for ever. */
TEST(a_server_that_always_answers_slowly_is_heard)
{
    struct hf_silence_rule rule = {.failures = 0};

    answer(&rule, 3000);
    assert_int_equal(limit(&rule, 6600), 4500);
    assert_int_equal(limit(&rule, 4000), 4000);
}

/* The first answer of a server that takes 2 s, in calls of 3 s. */
TEST(the_first_answer_of_a_slow_server_is_heard_at_last)
{
    struct hf_silence_rule rule = {.failures = 0};
    int calls = 0;

    while (limit(&rule, 3000) < 2000 && ++calls < 10)
        hf_silence_failed(&rule, (struct hf_duration){limit(&rule, 3000)});
    assert_int_equal(calls, 2);
    answer(&rule, 20);
    assert_int_equal(limit(&rule, 9000), 1000); /* it was another silence */
}

TEST(pauses_grow_from_failure_to_failure_and_end_with_an_answer)
{
    static const int64_t pauses[] = {0, 50, 100, 200, 400, 800, 1000, 1000};
    struct hf_silence_rule rule = {.failures = 0};

    for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
        assert_int_equal(hf_silence_pause(&rule).ms, pauses[i]);
        hf_silence_failed(&rule, (struct hf_duration){0});
    }
    rule.failures = UINT32_MAX;
    assert_int_equal(hf_silence_pause(&rule).ms, 1000);
    answer(&rule, 1);
    assert_int_equal(hf_silence_pause(&rule).ms, 0);
}

/* A connection that swallows all, for good: the time of a right of 10 s, of
 * which a third is over, is enough for two more, and the place's own time. */
TEST(one_connection_that_swallows_all_costs_less_than_a_third)
{
    for (int64_t slowest = 0; slowest <= 1500; slowest += 10) {
        struct hf_silence_rule rule = {.failures = 0};
        int64_t left = 6600;
        int64_t waited;

        answer(&rule, slowest);
        waited = limit(&rule, left);
        hf_silence_failed(&rule, (struct hf_duration){waited});
        left -= waited + hf_silence_pause(&rule).ms;
        assert_true(waited <= 2250);
        assert_true(limit(&rule, left) > slowest); /* the next is heard */
        assert_true(left - slowest > 2000);
    }
}

/* A beat of a lock with a ttl of 10 s shares its commit with one that has an
 * hour: in a third of an hour it would be lost. */
TEST(a_commit_has_the_time_of_the_lock_that_has_least)
{
    const struct hf_instant ten = hf_after(noon, (struct hf_duration){10000});
    const struct hf_instant hour =
        hf_after(noon, (struct hf_duration){3600 * 1000});
    const struct hf_store_group groups[] = {
        {.until = hour}, {.until = ten}, {.until = {0}}};

    assert_int_equal(hf_rule_soonest(groups, 3, hour).ms, ten.ms);
    assert_int_equal(hf_rule_soonest(groups, 1, hour).ms, hour.ms);
    assert_int_equal(hf_rule_soonest(groups, 3, noon).ms, noon.ms);
    assert_int_equal(hf_rule_soonest(NULL, 0, ten).ms, ten.ms);
}
