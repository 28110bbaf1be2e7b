#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

/*
 * Lost replies, by enumeration: each tale is told again and again, each time
 * with the reply to another of its writes (or reads) lost, once, twice or three
 * times in a row, the write having been applied, or never, or later: before the
 * first operation after it, before the second, ... and when all is over.  Never
 * may two hold, never may a holder lose its own lock, fences must grow, and
 * when everybody has gone no record may be left that nobody beats.
 */

typedef void tale_fn(struct world *world);

struct tale_title {
    const char *title;
    tale_fn *tell;
    size_t grants; /* how many are granted the lock in it, or ANY */
};

#define ANY SIZE_MAX

/* After a claim was answered, or its answer lost, and before it is sent again:
 * the pause after the first failure is longer. */
#define PAUSE_MS 3

static void
let_beat(struct world *world)
{
    world_pass(world, 3 * WORLD_BEAT_MS + WORLD_BEAT_MS / 2);
}

static void
hold_and_release(struct world *world, struct actor *actor)
{
    world_until(world, world_granted, actor);
    let_beat(world);
    world_tell(world, actor, HF_ON_RELEASE);
    world_until(world, world_ended, actor);
}

/* ---- The tales ---------------------------------------------------------- */

static void
hand_over(struct world *world, enum hf_if_dead if_dead)
{
    struct actor *a = world_acquire(world, if_dead, WORLD_LIMIT_MS);
    struct actor *b;

    world_until(world, world_granted, a);
    b = world_acquire(world, if_dead, WORLD_LIMIT_MS);
    hold_and_release(world, a);
    hold_and_release(world, b);
}

static void
a_takeover_lock_is_handed_over(struct world *world)
{
    hand_over(world, HF_TAKEOVER);
}

static void
a_refuse_lock_is_handed_over(struct world *world)
{
    hand_over(world, HF_REFUSE);
}

static bool
any_granted(const struct world *world, const struct actor *actor)
{
    (void)actor;
    return world->grants > 0;
}

static void
two_claim_at_once(struct world *world)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    struct actor *b = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    bool a_first;

    world_until(world, any_granted, NULL);
    a_first = world_granted(world, a);
    hold_and_release(world, a_first ? a : b);
    hold_and_release(world, a_first ? b : a);
}

static bool
two_granted(const struct world *world, const struct actor *actor)
{
    (void)actor;
    return world->grants == 2;
}

/* Two wait for one that dies; one takes over, the other follows it. */
static void
take_over(struct world *world, bool evidence)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    struct actor *b;
    struct actor *c;
    bool b_first;

    world_until(world, world_granted, a);
    b = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    c = world_acquire(world, HF_REFUSE, WORLD_LIMIT_MS);
    let_beat(world);
    world_kill(world, a, evidence);
    world_until(world, two_granted, NULL);
    b_first = world_granted(world, b);
    hold_and_release(world, b_first ? b : c);
    hold_and_release(world, b_first ? c : b);
}

static void
a_silent_holder_is_taken_over(struct world *world)
{
    take_over(world, false);
}

static void
a_gone_holder_is_taken_over(struct world *world)
{
    take_over(world, true);
}

/* The dead one's claim, beat or nothing of it may be on its way. */
static void
a_claimant_dies_before_its_grant(struct world *world)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    struct actor *b;

    world_until(world, world_claiming, a);
    world_kill(world, a, false);
    b = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    hold_and_release(world, b);
}

static void
give_up_claim(struct world *world, int64_t after_ms)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);

    world_until(world, world_claiming, a);
    world_pass(world, after_ms);
    world_tell(world, a, HF_ON_CANCEL);
    world_until(world, world_ended, a);
}

static void
a_claim_is_given_up(struct world *world)
{
    give_up_claim(world, 0);
}

static void
an_answered_claim_is_given_up(struct world *world)
{
    give_up_claim(world, PAUSE_MS);
}

static void
give_up_takeover(struct world *world, int64_t after_ms)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    struct actor *b;
    struct actor *c;

    world_until(world, world_granted, a);
    world_kill(world, a, false);
    b = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    world_until(world, world_claiming, b);
    world_pass(world, after_ms);
    world_tell(world, b, HF_ON_CANCEL);
    c = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    world_until(world, world_ended, b);
    hold_and_release(world, c);
}

static void
a_takeover_is_given_up(struct world *world)
{
    give_up_takeover(world, 0);
}

static void
an_answered_takeover_is_given_up(struct world *world)
{
    give_up_takeover(world, PAUSE_MS);
}

static void
a_waiter_gives_up_at_its_limit(struct world *world)
{
    struct actor *a = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    struct actor *b;

    world_until(world, world_granted, a);
    b = world_acquire(world, HF_TAKEOVER, 4 * WORLD_BEAT_MS);
    world_until(world, world_ended, b);
    world_expect(world, b->contender.outcome == HF_HELD_TOO_LONG,
                 "the waiter did not end with held too long");
    hold_and_release(world, a);
}

/* Its waiter watches the clear, and the one who clears may be late. */
static void
a_refuse_lock_is_cleared(struct world *world)
{
    struct actor *a = world_acquire(world, HF_REFUSE, WORLD_LIMIT_MS);
    struct actor *b;
    struct actor *x;

    world_until(world, world_granted, a);
    b = world_acquire(world, HF_TAKEOVER, WORLD_LIMIT_MS);
    let_beat(world);
    world_kill(world, a, false);
    world_pass(world, WORLD_TTL_MS);
    world_expect(world, !world_granted(world, b),
                 "a refuse lock was overridden");
    x = world_clear(world);
    hold_and_release(world, b);
    world_until(world, world_ended, x);
    world_expect(
        world,
        x->examiner.status == HF_OK ||
            (x->examiner.status == HF_E_UNKNOWN && world->sea->losses > 0),
        "the clear failed");
}

static const struct tale_title tales[] = {
    {"a takeover lock is handed over", a_takeover_lock_is_handed_over, 2},
    {"a refuse lock is handed over", a_refuse_lock_is_handed_over, 2},
    {"two claim at once", two_claim_at_once, 2},
    {"a silent holder is taken over", a_silent_holder_is_taken_over, 3},
    {"a gone holder is taken over", a_gone_holder_is_taken_over, 3},
    {"a claimant dies before its grant", a_claimant_dies_before_its_grant, 1},
    {"a claim is given up", a_claim_is_given_up, 0},
    {"an answered claim is given up", an_answered_claim_is_given_up, ANY},
    {"a takeover is given up", a_takeover_is_given_up, 2},
    {"an answered takeover is given up", an_answered_takeover_is_given_up, ANY},
    {"a waiter gives up at its limit", a_waiter_gives_up_at_its_limit, 1},
    {"a refuse lock is cleared", a_refuse_lock_is_cleared, 2},
};

/* ---- Telling them ------------------------------------------------------- */

static unsigned runs;

/* What is left when all is over, and when the late have come. */
static void
check_end(struct world *world, const struct tale_title *tale)
{
    for (size_t i = 0; i < world->count; i++) {
        const struct actor *actor = &world->actors[i];

        world_expect(world, actor->dead || world_ended(world, actor),
                     "somebody has not ended");
    }
    world_expect(world, tale->grants == ANY || world->grants == tale->grants,
                 "a wrong number was granted the lock");
    lossy_sea_end(world->sea);
    world_expect(world, lossy_sea_records(world->sea, "default") == 0,
                 "a record is left that nobody beats");
    world_expect(world, lossy_sea_records(world->sea, "!RECLAIM") == 0,
                 "a marker is left");
}

/* Tell it once; returns how many replies were lost. */
static unsigned
tell(const struct tale_title *tale, const struct lossy_plan *plan,
     bool *waited_to_the_end)
{
    struct lossy_sea sea;
    struct world world = {.sea = &sea, .now = {1000}};
    char text[160];
    char place[32];

    /* A table of its own, also after a run that failed and closed nothing. */
    snprintf(place, sizeof(place), "memory:world-%u", ++runs);
    assert_int_equal(lossy_sea_open(&sea, place, plan), HF_OK);
    world.store = lossy_open(&sea, place);
    assert_non_null(world.store);
    tale->tell(&world);
    check_end(&world, tale);
    if (world.why[0] != '\0')
        fail_msg("%s; %s; %s", tale->title,
                 lossy_plan_text(plan, text, sizeof(text)), world.why);
    *waited_to_the_end = sea.waited_to_the_end;
    hf_store_close(world.store);
    lossy_sea_close(&sea);
    return sea.losses;
}

/* Every write (or read) in turn, until the tale has no more of them. */
static void
tell_all(const struct tale_title *tale, struct lossy_plan plan)
{
    bool waited = false;

    for (plan.at = 1; tell(tale, &plan, &waited) > 0; plan.at++)
        continue;
    assert_true(plan.at > 1);
}

static void
tell_all_late(const struct tale_title *tale, struct lossy_plan plan)
{
    unsigned lost = 1;

    for (plan.at = 1; lost > 0; plan.at++) {
        bool waited = false;

        for (plan.later = 1; lost > 0 && !waited; plan.later++)
            lost = tell(tale, &plan, &waited);
    }
}

static void
tell_with_losses(enum lossy_how how)
{
    for (size_t i = 0; i < sizeof(tales) / sizeof(tales[0]); i++) {
        for (unsigned variant = 0; variant < 6; variant++) {
            struct lossy_plan plan = {
                .how = how,
                .count = variant % 3 + 1,
                .then_blind = variant >= 3,
            };

            if (how == LOSSY_LATER)
                tell_all_late(&tales[i], plan);
            else
                tell_all(&tales[i], plan);
        }
    }
    print_message("%u runs so far\n", runs);
}

static void
the_tales_are_true_without_a_loss(void **state)
{
    bool waited;

    (void)state;
    for (size_t i = 0; i < sizeof(tales) / sizeof(tales[0]); i++)
        assert_int_equal(tell(&tales[i], &(struct lossy_plan){0}, &waited), 0);
}

static void
any_write_may_be_applied_and_its_answer_lost(void **state)
{
    (void)state;
    tell_with_losses(LOSSY_APPLIED);
}

static void
any_write_may_be_lost(void **state)
{
    (void)state;
    tell_with_losses(LOSSY_DROPPED);
}

static void
any_write_may_be_applied_at_any_later_time(void **state)
{
    (void)state;
    tell_with_losses(LOSSY_LATER);
}

static void
any_read_may_fail(void **state)
{
    (void)state;
    tell_with_losses(LOSSY_BLIND);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tales_are_true_without_a_loss),
        cmocka_unit_test(any_write_may_be_applied_and_its_answer_lost),
        cmocka_unit_test(any_write_may_be_lost),
        cmocka_unit_test(any_write_may_be_applied_at_any_later_time),
        cmocka_unit_test(any_read_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
