#include <string.h>

#include "unit/support/session_script.h"

/* Who stands in the way of a wish, and what its wait ends with by that. */

static struct hf_blocker
holder(enum hf_if_dead if_dead, enum hf_life life, int64_t since_ms)
{
    return (struct hf_blocker){
        .kind = HF_BLOCKER_HOLDER,
        .life = life,
        .if_dead = if_dead,
        .since = {since_ms},
        .until = {since_ms},
    };
}

/* It waits since 1,000 ms, on stream 2. */
static struct client_fixture
waiting(struct want want)
{
    struct client_fixture g = client_new();

    want.id = 1;
    client_want(&g, want);
    client_opened(&g, 1);
    client_hush(&g);
    return g;
}

/* Its limit is over in a session that is kept alive. */
static void
expect_at_limit(struct client_fixture *g, const char *text)
{
    client_clock(g, 2000);
    assert_memory_equal(g->text, text, strlen(text));
    client_fini(g);
}

#define LIMITED ((struct want){.wait_ms = 1000})

static void
what_its_limit_says_goes_by_who_was_seen(void **state)
{
    static const struct {
        enum hf_if_dead if_dead;
        enum hf_life life;
        int64_t since_ms;
        const char *text;
    } cases[] = {
        {HF_TAKEOVER, HF_LIFE_BEATING, 1000, "wish 1 ended: held too long\n"},
        {HF_TAKEOVER, HF_LIFE_BEATING, 1001, "wish 1 ended: timed out\n"},
        {HF_REFUSE, HF_LIFE_BEATING, 0, "wish 1 ended: held too long\n"},
        {HF_TAKEOVER, HF_LIFE_RUNNING, 0, "wish 1 ended: timed out\n"},
        {HF_TAKEOVER, HF_LIFE_UNKNOWN, 0, "wish 1 ended: timed out\n"},
        {HF_TAKEOVER, HF_LIFE_SUSPECTED, 0, "wish 1 ended: timed out\n"},
        {HF_TAKEOVER, HF_LIFE_GONE, 0, "wish 1 ended: timed out\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct client_fixture g = waiting(LIMITED);

        client_clock(&g, 1500);
        client_sees(&g, 1,
                    holder(cases[i].if_dead, cases[i].life, cases[i].since_ms));
        EXPECT_SAID(&g, "");
        expect_at_limit(&g, cases[i].text);
    }
}

#define TRY ((struct want){.try_only = true, .wait_ms = 9000})

static struct client_fixture
tried(struct hf_blocker blocker)
{
    struct client_fixture g = waiting(TRY);

    client_hears(&g, (struct said){.stream = 2,
                                   .kind = HF_ANSWER_OVER,
                                   .over = HF_OVER_HELD,
                                   .blocker = blocker});
    return g;
}

static void
a_try_is_told_no_by_who_holds_it(void **state)
{
    static const struct {
        enum hf_if_dead if_dead;
        enum hf_life life;
        const char *text;
    } cases[] = {
        {HF_TAKEOVER, HF_LIFE_BEATING, "wish 1 ended: timed out\n"},
        {HF_TAKEOVER, HF_LIFE_RUNNING, "wish 1 ended: timed out\n"},
        {HF_REFUSE, HF_LIFE_UNKNOWN, "wish 1 ended: timed out\n"},
        {HF_REFUSE, HF_LIFE_SUSPECTED, "wish 1 ended: suspected dead\n"},
        {HF_REFUSE, HF_LIFE_GONE, "wish 1 ended: gone\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct client_fixture g =
            tried(holder(cases[i].if_dead, cases[i].life, 0));

        EXPECT_SAID(&g, cases[i].text);
        client_fini(&g);
    }
}

static void
of_several_holders_one_decides(void **state)
{
    static const struct {
        enum hf_if_dead if_dead;
        enum hf_life life;
    } rising[] = {
        {HF_TAKEOVER, HF_LIFE_GONE},    {HF_REFUSE, HF_LIFE_UNKNOWN},
        {HF_TAKEOVER, HF_LIFE_RUNNING}, {HF_TAKEOVER, HF_LIFE_BEATING},
        {HF_REFUSE, HF_LIFE_SUSPECTED}, {HF_REFUSE, HF_LIFE_GONE},
    };
    enum { COUNT = sizeof(rising) / sizeof(rising[0]) };

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++) {
            size_t most = i > k ? i : k;
            struct hf_blocker first =
                holder(rising[i].if_dead, rising[i].life, 20);
            struct hf_blocker second =
                holder(rising[k].if_dead, rising[k].life, 10);
            struct hf_blocker all = {.kind = HF_BLOCKER_UNKNOWN};

            hf_blocker_add(&all, &first);
            hf_blocker_add(&all, &second);
            assert_int_equal(all.life, rising[most].life);
            assert_int_equal(all.if_dead, rising[most].if_dead);
            assert_int_equal(all.since.ms, i > k ? 20 : 10);
            assert_int_equal(all.until.ms, i >= k ? 20 : 10);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_its_limit_says_goes_by_who_was_seen),
    /* The one before it had the lock for the first part of the wait. */
    STORY(a_holder_that_came_within_the_wait_had_it_for_a_part_only,
          "want 1, wait 1000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 1000 ms\n"
          "clock 1200\n"
          "sees 1 beating, since 0\n"
          "clock 1800\n"
          "sees 1 beating, since 1500\n"
          "clock 2000\n"
          "| wish 1 ended: timed out\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 release 1.1\n"),
    STORY(who_is_seen_no_more_is_not_named,
          "want 1, wait 1000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 1000 ms\n"
          "sees 1 beating, since 0\n"
          "sees 1 unknown\n"
          "clock 2000\n"
          "| wish 1 ended: timed out\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 release 1.1\n"),
    STORY(a_place_that_grants_nothing_beyond_the_limit_is_unavailable,
          "want 1, wait 1000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 1000 ms\n"
          "sees 1 place until 2001\n"
          "clock 2000\n"
          "| wish 1 ended: HF_E_UNAVAILABLE\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 release 1.1\n"
          "start\n"
          "want 1, wait 1000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 1000 ms\n"
          "sees 1 place until 2000\n"
          "clock 2000\n"
          "| wish 1 ended: timed out\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 release 1.1\n"),

    /* ---- For a person ---------------------------------------------------- */

    STORY(a_refuse_holder_that_is_gone_ends_the_wait,
          "want 1                      | 1: #1 open\n"
          "hear #1 opened              | 1: #2 acquire 1.1.1\n"
          "sees 1 gone refuse, since 0 | close #2; 1: #3 release 1.1\n"
          "waits 1                     | no\n"
          "hear #3 released            | wish 1 ended: gone\n"),
    STORY(what_its_user_gives_up_meanwhile_is_cancelled,
          "want 1                      | 1: #1 open\n"
          "hear #1 opened              | 1: #2 acquire 1.1.1\n"
          "sees 1 gone refuse, since 0 | close #2; 1: #3 release 1.1\n"
          "release 1\n"
          "hear #3 released            | wish 1 ended: HF_E_CANCELLED\n"),
    STORY(a_suspected_holder_is_said_once_and_is_why_at_the_limit,
          "want 1, wait 1000                | 1: #1 open\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1, 1000 ms\n"
          "sees 1 suspected refuse, since 0 | wish 1 suspected\n"
          "sees 1 suspected refuse, since 0\n"
          "sees 1 beating refuse, since 0\n"
          "sees 1 suspected refuse, since 0 | wish 1 suspected\n"
          "clock 2000\n"
          "| wish 1 ended: suspected dead\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 release 1.1\n"),
    STORY(who_fails_at_a_suspected_holder_does_so_at_once,
          "want 1, fail-suspected           | 1: #1 open\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1\n"
          "sees 1 suspected refuse, since 0 | close #2; 1: #3 release 1.1\n"
          "hear #3 released                 | wish 1 ended: suspected dead\n"),
    STORY(who_holds_it_himself_waits_for_nobody, "start refuse\n"
                                                 "holding\n"
                                                 "sees 1 gone refuse, since 0\n"
                                                 "holds 1 | granted\n"),

    /* ---- Tries ----------------------------------------------------------- */

    cmocka_unit_test(a_try_is_told_no_by_who_holds_it),
    STORY(a_try_beside_a_dead_holder_waits_for_its_end,
          "want 1, try, wait 9000 | 1: #1 open\n"
          "hear #1 opened         | 1: #2 acquire 1.1.1, try\n"
          "hear #2 over held, by silent, since 1500\n"
          "| 1: #3 acquire 1.2.1, 1500 ms\n"
          "hear #3 granted 101    | wish 1 granted 101\n"),
    STORY(it_waits_for_no_other_holder,
          "want 1, try, wait 9000  | 1: #1 open\n"
          "hear #1 opened          | 1: #2 acquire 1.1.1, try\n"
          "hear #2 over held, by silent, since 1500\n"
          "| 1: #3 acquire 1.2.1, 1500 ms\n"
          "sees 1 beating, since 0 | close #3; 1: #4 release 1.2\n"
          "hear #4 released        | wish 1 ended: timed out\n"),
    STORY(it_waits_for_no_longer_than_that_takes,
          "want 1, try, wait 9000 | 1: #1 open\n"
          "hear #1 opened         | 1: #2 acquire 1.1.1, try\n"
          "hear #2 over held, by silent, since 500\n"
          "| 1: #3 acquire 1.2.1, 1000 ms\n"
          "clock 1999\n"
          "clock 2000\n"
          "| wish 1 ended: timed out\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 release 1.2\n"),
    /* [W4]: only the server says no */
    STORY(a_look_alone_tells_no_try_that_others_hold_it,
          "want 1, try, wait 9000 | 1: #1 open\n"
          "hear #1 opened         | 1: #2 acquire 1.1.1, try\n"
          "sees 1 beating, since 0\n"
          "hear #2 granted 101    | wish 1 granted 101\n"),

    /* ---- What is between ------------------------------------------------- */

    STORY(who_is_cut_beside_a_living_holder_was_held_up_by_it,
          "want 1, wait 9000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 9000 ms\n"
          "sees 1 beating, since 0\n"
          "cut 2             | 1: #3 acquire 1.1.2, 9000 ms\n"
          "clock 6001\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 acquire 1.1.3, 3999 ms, waited 5001 ms\n"
          "sees 1 beating, since 0\n"
          "clock 10000\n"
          "| wish 1 ended: held too long\n"
          "| close #5\n"
          "| 2: #6 keep-alive\n"
          "| 2: #7 release 1.1\n"
          "start\n"
          "want 1, wait 9000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 9000 ms\n"
          "sees 1 beating, since 0\n"
          /* it was seen too long ago */
          "cut 2             | 1: #3 acquire 1.1.2, 9000 ms\n"
          "clock 6000\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 acquire 1.1.3, 4000 ms, waited 5000 ms\n"
          "sees 1 beating, since 0\n"
          "clock 10000\n"
          "| wish 1 ended: HF_E_UNAVAILABLE\n"
          "| close #5\n"
          "| 2: #6 keep-alive\n"
          "| 2: #7 release 1.1\n"
          "start\n"
          "want 1, wait 9000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 9000 ms\n"
          "sees 1 beating, since 0\n"
          "stream-ends 2     | 1: #3 acquire 1.1.2, 9000 ms\n"
          "clock 6001\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 acquire 1.1.3, 3999 ms, waited 5001 ms\n"
          "sees 1 beating, since 0\n"
          "clock 10000\n"
          "| wish 1 ended: HF_E_UNAVAILABLE\n"
          "| close #5\n"
          "| 2: #6 keep-alive\n"
          "| 2: #7 release 1.1\n"),

    /* ---- Several holders ------------------------------------------------- */

    cmocka_unit_test(of_several_holders_one_decides),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
