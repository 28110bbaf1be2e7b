#include <string.h>

#include "unit/support/guest.h"

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

static struct hf_blocker
beating_since(int64_t since_ms)
{
    return holder(HF_TAKEOVER, HF_LIFE_BEATING, since_ms);
}

/* It waits since 1,000 ms, on stream 2. */
static struct guest
waiting(struct want want)
{
    struct guest g = guest_new();

    want.id = 1;
    guest_want(&g, want);
    guest_opened(&g, 1);
    guest_hush(&g);
    return g;
}

/* Its limit is over in a session that is kept alive. */
static void
expect_at_limit(struct guest *g, const char *text)
{
    guest_clock(g, 2000);
    assert_memory_equal(g->text, text, strlen(text));
    guest_fini(g);
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
        struct guest g = waiting(LIMITED);

        guest_clock(&g, 1500);
        guest_sees(&g, 1,
                   holder(cases[i].if_dead, cases[i].life, cases[i].since_ms));
        EXPECT_SAID(&g, "");
        expect_at_limit(&g, cases[i].text);
    }
}

/* The one before it had the lock for the first part of the wait. */
static void
a_holder_that_came_within_the_wait_had_it_for_a_part_only(void **state)
{
    struct guest g = waiting(LIMITED);

    (void)state;
    guest_clock(&g, 1200);
    guest_sees(&g, 1, beating_since(0));
    guest_clock(&g, 1800);
    guest_sees(&g, 1, beating_since(1500));
    expect_at_limit(&g, "wish 1 ended: timed out\n");
}

static void
who_is_seen_no_more_is_not_named(void **state)
{
    struct guest g = waiting(LIMITED);

    (void)state;
    guest_sees(&g, 1, beating_since(0));
    guest_sees(&g, 1, (struct hf_blocker){.kind = HF_BLOCKER_UNKNOWN});
    expect_at_limit(&g, "wish 1 ended: timed out\n");
}

static void
a_place_that_grants_nothing_beyond_the_limit_is_unavailable(void **state)
{
    struct hf_blocker place = {.kind = HF_BLOCKER_PLACE, .until = {2001}};
    struct guest g = waiting(LIMITED);

    (void)state;
    guest_sees(&g, 1, place);
    expect_at_limit(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    place.until.ms = 2000;
    g = waiting(LIMITED);
    guest_sees(&g, 1, place);
    expect_at_limit(&g, "wish 1 ended: timed out\n");
}

/* ---- For a person -------------------------------------------------------- */

static void
a_refuse_holder_that_is_gone_ends_the_wait(void **state)
{
    struct guest g = waiting((struct want){.wait_ms = 0});

    (void)state;
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_GONE, 0));
    EXPECT_SAID(&g, "close #2\n"
                    "1: #3 release 1.1\n");
    assert_false(hf_session_waits(g.session, 1));
    guest_hears(&g, (struct said){.stream = 3, .kind = HF_ANSWER_RELEASED});
    EXPECT_SAID(&g, "wish 1 ended: gone\n");
    guest_fini(&g);
}

static void
what_its_user_gives_up_meanwhile_is_cancelled(void **state)
{
    struct guest g = waiting((struct want){.wait_ms = 0});

    (void)state;
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_GONE, 0));
    guest_release(&g, 1);
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 3, .kind = HF_ANSWER_RELEASED});
    EXPECT_SAID(&g, "wish 1 ended: HF_E_CANCELLED\n");
    guest_fini(&g);
}

static void
a_suspected_holder_is_said_once_and_is_why_at_the_limit(void **state)
{
    struct guest g = waiting(LIMITED);

    (void)state;
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_SUSPECTED, 0));
    EXPECT_SAID(&g, "wish 1 suspected\n");
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_SUSPECTED, 0));
    EXPECT_SAID(&g, "");
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_BEATING, 0));
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_SUSPECTED, 0));
    EXPECT_SAID(&g, "wish 1 suspected\n");
    expect_at_limit(&g, "wish 1 ended: suspected dead\n");
}

static void
who_fails_at_a_suspected_holder_does_so_at_once(void **state)
{
    struct guest g = waiting((struct want){.fail_suspected = true});

    (void)state;
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_SUSPECTED, 0));
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 3, .kind = HF_ANSWER_RELEASED});
    EXPECT_SAID(&g, "wish 1 ended: suspected dead\n");
    guest_fini(&g);
}

static void
who_holds_it_himself_waits_for_nobody(void **state)
{
    struct guest g = guest_holding(HF_REFUSE);

    (void)state;
    guest_sees(&g, 1, holder(HF_REFUSE, HF_LIFE_GONE, 0));
    EXPECT_SAID(&g, "");
    assert_int_equal(hf_session_holds(g.session, 1, g.now), HF_GRANTED);
    guest_fini(&g);
}

/* ---- Tries --------------------------------------------------------------- */

#define TRY ((struct want){.try_only = true, .wait_ms = 9000})

static struct guest
tried(struct hf_blocker blocker)
{
    struct guest g = waiting(TRY);

    guest_hears(&g, (struct said){.stream = 2,
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
        struct guest g = tried(holder(cases[i].if_dead, cases[i].life, 0));

        EXPECT_SAID(&g, cases[i].text);
        guest_fini(&g);
    }
}

static void
a_try_beside_a_dead_holder_waits_for_its_end(void **state)
{
    struct guest g = tried(holder(HF_TAKEOVER, HF_LIFE_UNKNOWN, 1500));

    (void)state;
    EXPECT_SAID(&g, "1: #3 acquire 1.2.1, 1500 ms\n");
    guest_granted(&g, 3, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    guest_fini(&g);
}

static void
it_waits_for_no_other_holder(void **state)
{
    struct guest g = tried(holder(HF_TAKEOVER, HF_LIFE_UNKNOWN, 1500));

    (void)state;
    guest_hush(&g);
    guest_sees(&g, 1, beating_since(0));
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 4, .kind = HF_ANSWER_RELEASED});
    EXPECT_SAID(&g, "wish 1 ended: timed out\n");
    guest_fini(&g);
}

static void
it_waits_for_no_longer_than_that_takes(void **state)
{
    struct guest g = tried(holder(HF_TAKEOVER, HF_LIFE_UNKNOWN, 500));

    (void)state;
    guest_hush(&g);
    guest_clock(&g, 1999);
    EXPECT_SAID(&g, "");
    expect_at_limit(&g, "wish 1 ended: timed out\n");
}

/* [W4] */
static void
a_look_alone_tells_no_try_that_others_hold_it(void **state)
{
    struct guest g = waiting(TRY);

    (void)state;
    guest_sees(&g, 1, beating_since(0));
    EXPECT_SAID(&g, "");
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    guest_fini(&g);
}

/* ---- What is between ----------------------------------------------------- */

/* Its next attempt is not answered either: so its node is in trouble. */
static struct guest
unanswered(bool is_cut)
{
    struct guest g = waiting((struct want){.wait_ms = 9000});

    guest_sees(&g, 1, beating_since(0));
    if (is_cut)
        guest_stream_is_cut(&g, 2);
    else
        guest_stream_ends(&g, 2);
    guest_hush(&g);
    return g;
}

static void
expect_at_its_end(struct guest *g, const char *text)
{
    guest_clock(g, 10000);
    assert_non_null(strstr(g->text, text));
    guest_fini(g);
}

static void
who_is_cut_beside_a_living_holder_was_held_up_by_it(void **state)
{
    struct guest g = unanswered(true);

    (void)state;
    guest_clock(&g, 6001);
    guest_sees(&g, 1, beating_since(0));
    expect_at_its_end(&g, "wish 1 ended: held too long\n");
    g = unanswered(true); /* it was seen too long ago */
    guest_clock(&g, 6000);
    guest_sees(&g, 1, beating_since(0));
    expect_at_its_end(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    g = unanswered(false);
    guest_clock(&g, 6001);
    guest_sees(&g, 1, beating_since(0));
    expect_at_its_end(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
}

/* ---- Several holders ----------------------------------------------------- */

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_its_limit_says_goes_by_who_was_seen),
        cmocka_unit_test(
            a_holder_that_came_within_the_wait_had_it_for_a_part_only),
        cmocka_unit_test(who_is_seen_no_more_is_not_named),
        cmocka_unit_test(
            a_place_that_grants_nothing_beyond_the_limit_is_unavailable),
        cmocka_unit_test(a_refuse_holder_that_is_gone_ends_the_wait),
        cmocka_unit_test(what_its_user_gives_up_meanwhile_is_cancelled),
        cmocka_unit_test(
            a_suspected_holder_is_said_once_and_is_why_at_the_limit),
        cmocka_unit_test(who_fails_at_a_suspected_holder_does_so_at_once),
        cmocka_unit_test(who_holds_it_himself_waits_for_nobody),
        cmocka_unit_test(a_try_is_told_no_by_who_holds_it),
        cmocka_unit_test(a_try_beside_a_dead_holder_waits_for_its_end),
        cmocka_unit_test(it_waits_for_no_other_holder),
        cmocka_unit_test(it_waits_for_no_longer_than_that_takes),
        cmocka_unit_test(a_look_alone_tells_no_try_that_others_hold_it),
        cmocka_unit_test(who_is_cut_beside_a_living_holder_was_held_up_by_it),
        cmocka_unit_test(of_several_holders_one_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
