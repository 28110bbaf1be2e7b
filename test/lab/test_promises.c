/* The promises: each fires where it is broken, and there alone.  What no
 * machine of ours does is put into the world by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/world/fair.h"
#include "lab/world/pack.h"
#include "lab/world/promise.h"
#include "lab/world/step.h"
#include "lab/world/stored.h"
#include "lab/world/worlds.h"

enum { HOLDER, OTHER };

/* Well in the future, well in the past. */
static const struct hf_instant later = {2000000};
static const struct hf_instant before = {10};

static struct world_worker *
worker(struct world *world, unsigned who)
{
    return &world->workers[who];
}

/* A world in which the first worker holds the lock, and the second wants it. */
static struct world
one_holds(const char *name)
{
    static const enum world_act acts[] = {
        ACT_BEGIN, ACT_SERVE, ACT_DELIVER, ACT_SERVE, ACT_DELIVER,
    };
    struct world world;

    world_start(&world, worlds_find(name));
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        step_apply(&world, (struct world_action){acts[i], HOLDER});
    step_apply(&world, (struct world_action){ACT_BEGIN, OTHER});
    assert_true(world_believes(&world, HOLDER));
    assert_null(world.violated);
    return world;
}

/* The same after the holder's process has died. */
static struct world
one_died(const char *name)
{
    struct world world = one_holds(name);

    step_apply(&world, (struct world_action){ACT_CRASH, HOLDER});
    assert_true(world.exists);
    assert_null(world.violated);
    return world;
}

/* A write on the record as it is there. */
static struct world_write
write_of(const struct world *world, enum hf_op_kind kind, unsigned who)
{
    return (struct world_write){
        .kind = kind,
        .claims = kind == HF_PUT,
        .version = world->version,
        .id = 60,
        .worker = who,
    };
}

static const char *
after_write(struct world world, struct world_write write)
{
    world.violated = NULL;
    promise_write(&world, &write);
    return world.violated;
}

static const char *
after_grant(struct world world, unsigned who)
{
    world.violated = NULL;
    promise_grant(&world, who);
    return world.violated;
}

static const char *
after_end(struct world world, unsigned who)
{
    world.violated = NULL;
    promise_end(&world, who);
    return world.violated;
}

static const char *
in_state(struct world world)
{
    world.violated = NULL;
    promise_state(&world);
    return world.violated;
}

#define EXPECT_BROKEN(found, promise)                                          \
    do {                                                                       \
        const char *is = (found);                                              \
                                                                               \
        assert_non_null(is);                                                   \
        assert_string_equal(is, promise);                                      \
    } while (0)

/* ---- Nobody holds what another holds ------------------------------------- */

static void
two_that_believe_overlap(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    world.workers[OTHER] = world.workers[HOLDER];
    worker(&world, OTHER)->contender.keeper.heartbeat.id = 60;
    EXPECT_BROKEN(in_state(world), PROMISE_OVERLAP);
    worker(&world, OTHER)->cleared = true; /* by a person */
    assert_null(in_state(world));
}

static void
a_token_is_taken_over_once(void **unused)
{
    struct world world = one_died("takeover");
    struct world_write takeover = write_of(&world, HF_PUT, OTHER);

    (void)unused;
    takeover.over = world.token;
    assert_null(after_write(world, takeover));
    world.taken = world.token;
    EXPECT_BROKEN(after_write(world, takeover), PROMISE_TWO_TAKERS);
}

static void
the_token_that_was_taken_over_is_remembered(void **unused)
{
    struct world world = one_died("takeover");
    struct world_write takeover = write_of(&world, HF_PUT, OTHER);

    (void)unused;
    takeover.over = world.token;
    promise_write(&world, &takeover);
    EXPECT_BROKEN(after_write(world, takeover), PROMISE_TWO_TAKERS);
}

static void
a_live_lock_is_not_overwritten(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    EXPECT_BROKEN(after_write(world, write_of(&world, HF_PUT, OTHER)),
                  PROMISE_STOLEN);
}

static void
a_live_lock_is_not_deleted(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    EXPECT_BROKEN(after_write(world, write_of(&world, HF_DELETE, OTHER)),
                  PROMISE_LOST_LOCK);
}

static void
nor_by_its_own_holder_while_it_holds(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    EXPECT_BROKEN(after_write(world, write_of(&world, HF_DELETE, HOLDER)),
                  PROMISE_LOST_LOCK);
}

static void
nor_by_a_person_who_looked(void **unused)
{
    struct world world = one_holds("examine-same-host");
    struct world_write clear = write_of(&world, HF_DELETE, WORLD_WORKERS_MAX);

    (void)unused;
    clear.id = 0;
    assert_null(after_write(world, clear)); /* by force */
    clear.looked = true;
    EXPECT_BROKEN(after_write(world, clear), PROMISE_LOST_LOCK);
}

static void
nobody_but_a_person_touches_a_dead_refuse_lock(void **unused)
{
    struct world world = one_died("refuse");
    struct world_write takeover = write_of(&world, HF_PUT, OTHER);
    struct world_write clear = write_of(&world, HF_DELETE, WORLD_WORKERS_MAX);

    (void)unused;
    takeover.over = world.token;
    EXPECT_BROKEN(after_write(world, takeover), PROMISE_REFUSE);
    clear.id = 0;
    assert_null(after_write(world, clear));
}

static void
what_is_not_ours_is_not_touched(void **unused)
{
    struct world world = one_died("foreign");

    (void)unused;
    stored_put_foreign(&world);
    EXPECT_BROKEN(after_write(world, write_of(&world, HF_PUT, OTHER)),
                  PROMISE_FOREIGN);
}

/* ---- Fences -------------------------------------------------------------- */

static void
a_fence_is_above_all_before_it(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    EXPECT_BROKEN(after_grant(world, HOLDER), PROMISE_FENCE); /* again */
    world.highest = 0;
    assert_null(after_grant(world, HOLDER));
}

static void
a_fence_is_the_token_of_its_record(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    worker(&world, HOLDER)->contender.keeper.token = 50;
    EXPECT_BROKEN(after_grant(world, HOLDER), PROMISE_FENCE);
}

static void
a_resource_takes_writes_in_the_order_of_grants(void **unused)
{
    struct world world = one_holds("fenced");

    (void)unused;
    world.violated = NULL;
    world.resource.grant = 2;
    promise_resource(&world, 2, true);
    promise_resource(&world, 1, false);
    assert_null(world.violated);
    promise_resource(&world, 1, true);
    EXPECT_BROKEN(world.violated, PROMISE_RESOURCE);
    world.violated = NULL;
    promise_resource(&world, 3, false);
    EXPECT_BROKEN(world.violated, PROMISE_RESOURCE);
}

/* ---- Nothing is left behind ---------------------------------------------- */

static void
who_lets_go_of_a_claim_leaves_no_record(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    worker(&world, HOLDER)->in_section = false;
    worker(&world, HOLDER)->contender.state = HF_CONTENDER_WATCHING;
    worker(&world, HOLDER)->contender.keeper.state = HF_KEEPER_IDLE;
    EXPECT_BROKEN(in_state(world), PROMISE_ORPHAN);
}

static void
who_ends_leaves_no_record(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    EXPECT_BROKEN(after_end(world, HOLDER), PROMISE_ORPHAN);
}

static void
who_ends_leaves_no_claim_under_way(void **unused)
{
    struct world world = one_holds("takeover");
    struct world_write claim = write_of(&world, HF_PUT, OTHER);

    (void)unused;
    assert_null(after_end(world, OTHER));
    stored_keep_late(&world, claim);
    EXPECT_BROKEN(after_end(world, OTHER), PROMISE_ORPHAN);
}

/* ---- What a worker is told ----------------------------------------------- */

static void
nobody_is_granted_a_right_that_is_over(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    world.highest = 0;
    worker(&world, HOLDER)->contender.keeper.right_until = before;
    EXPECT_BROKEN(after_grant(world, HOLDER), PROMISE_LATE_ANSWER);
}

/* A machine whose alarm was not set for the end of its right. */
static void
the_end_of_a_right_is_told_in_time(void **unused)
{
    struct world world = one_holds("takeover");
    struct hf_contender *c = &worker(&world, HOLDER)->contender;

    (void)unused;
    worker(&world, HOLDER)->in_section = false;
    c->state = HF_CONTENDER_LOOKING;
    c->keeper.right_until = before;
    c->keeper.question.again_at = later;
    EXPECT_BROKEN(in_state(world), PROMISE_UNTOLD);
    c->keeper.question.again_at = before; /* it is about to look */
    assert_null(in_state(world));
}

static void
who_has_lost_it_is_not_inside_any_more(void **unused)
{
    struct world world = one_holds("takeover");
    struct hf_contender *c = &worker(&world, HOLDER)->contender;

    (void)unused;
    c->state = HF_CONTENDER_LEAVING;
    c->keeper.state = HF_KEEPER_SETTLING;
    c->keeper.question.again_at = later;
    EXPECT_BROKEN(in_state(world), PROMISE_UNTOLD);
    worker(&world, HOLDER)->frozen = true;
    assert_null(in_state(world));
}

static void
a_doubt_is_told_in_time(void **unused)
{
    struct world world = one_holds("refuse");
    struct hf_keeper *k = &worker(&world, HOLDER)->contender.keeper;

    (void)unused;
    k->state = HF_KEEPER_IN_DOUBT;
    k->question.again_at = later;
    EXPECT_BROKEN(in_state(world), PROMISE_UNTOLD);
    worker(&world, HOLDER)->doubts = true;
    assert_null(in_state(world));
}

static void
what_was_lost_is_not_held_again(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    world.violated = NULL;
    promise_step(&world, HOLDER, HF_NOT_HELD);
    assert_null(world.violated);
    promise_step(&world, HOLDER, HF_LOST);
    EXPECT_BROKEN(world.violated, PROMISE_REVIVED);
}

static void
nobody_living_is_said_to_be_dead(void **unused)
{
    struct world world = one_holds("refuse");

    (void)unused;
    world.violated = NULL;
    promise_death(&world, HF_GONE, &(struct world_mail){.of_dead = true});
    promise_death(&world, HF_SUSPECTED_DEAD,
                  &(struct world_mail){.of_dead = true});
    assert_null(world.violated);
    promise_death(&world, HF_GONE, &(struct world_mail){.of_dead = false});
    EXPECT_BROKEN(world.violated, PROMISE_FALSE_DEATH);
}

static void
nobody_who_holds_is_suspected(void **unused)
{
    struct world world = one_holds("refuse");

    (void)unused;
    world.violated = NULL;
    promise_death(&world, HF_SUSPECTED_DEAD,
                  &(struct world_mail){.of_believer = true});
    EXPECT_BROKEN(world.violated, PROMISE_FALSE_DEATH);
}

static void
who_holds_notices_that_the_place_went_back(void **unused)
{
    struct world world = one_holds("forgets");

    (void)unused;
    worker(&world, HOLDER)->cleared = true;
    world.forgot = true;
    assert_null(in_state(world));
    world.since = 2;
    EXPECT_BROKEN(in_state(world), PROMISE_UNNOTICED);
}

static void
two_in_the_section_are_shown_where_that_is_asked(void **unused)
{
    struct world world = one_holds("frozen-unfenced");

    (void)unused;
    world.workers[OTHER] = world.workers[HOLDER];
    worker(&world, OTHER)->contender.keeper.heartbeat.id = 60;
    worker(&world, HOLDER)->frozen = true;
    worker(&world, HOLDER)->contender.keeper.right_until = before;
    EXPECT_BROKEN(in_state(world), PROMISE_BOTH_BELIEVE);
}

/* ---- What happens in the end --------------------------------------------- */

static const char *
judged(const struct world *world)
{
    uint8_t packed[PACKED_MAX];

    pack(world, packed);
    return fair_judge(world->config, packed);
}

/* A store that lets a holder beat on a record which is not its own. */
static void
who_was_cleared_learns_it_in_the_end(void **unused)
{
    struct world world = one_holds("clear-live");
    struct world_config nobody_clears = *world.config;

    (void)unused;
    assert_null(judged(&world));
    nobody_clears.operator= false;
    world.config = &nobody_clears;
    world.id = 60;
    EXPECT_BROKEN(judged(&world), PROMISE_UNHEARD);
}

static void
somebody_is_granted_in_the_end(void **unused)
{
    struct world world = one_holds("dead-refuse");

    (void)unused;
    assert_null(judged(&world));
    step_apply(&world, (struct world_action){ACT_CRASH, HOLDER});
    EXPECT_BROKEN(judged(&world), PROMISE_STUCK);
}

/* ---- And every step looks at them ---------------------------------------- */

static const char *
after_step(struct world world, enum world_act act, unsigned who)
{
    step_apply(&world, (struct world_action){act, who});
    return world.violated;
}

static void
every_step_looks_at_the_state(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    assert_null(after_step(world, ACT_SERVE, OTHER));
    world.workers[HOLDER].contender.keeper.state = HF_KEEPER_SETTLING;
    world.workers[HOLDER].contender.state = HF_CONTENDER_LEAVING;
    EXPECT_BROKEN(after_step(world, ACT_SERVE, OTHER), PROMISE_UNTOLD);
}

static void
every_write_is_looked_at(void **unused)
{
    struct world world = one_holds("takeover");

    (void)unused;
    world.workers[OTHER].mail.reads = false;
    world.workers[OTHER].mail.write = write_of(&world, HF_PUT, OTHER);
    EXPECT_BROKEN(after_step(world, ACT_SERVE, OTHER), PROMISE_STOLEN);
}

static void
every_grant_is_looked_at(void **unused)
{
    static const enum world_act acts[] = {
        ACT_BEGIN,
        ACT_SERVE,
        ACT_DELIVER,
        ACT_SERVE,
    };
    struct world world;

    (void)unused;
    world_start(&world, worlds_find("takeover"));
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        step_apply(&world, (struct world_action){acts[i], HOLDER});
    assert_null(after_step(world, ACT_DELIVER, HOLDER));
    world.highest = 50;
    EXPECT_BROKEN(after_step(world, ACT_DELIVER, HOLDER), PROMISE_FENCE);
}

/* A store that says that it has deleted what is there. */
static void
every_end_is_looked_at(void **unused)
{
    struct world world = one_holds("takeover");
    struct world_mail *mail = &world.workers[HOLDER].mail;

    (void)unused;
    step_apply(&world, (struct world_action){ACT_RELEASE, HOLDER});
    assert_true(mail->out && mail->write.kind == HF_DELETE);
    mail->served = true;
    mail->verdict = HF_APPLIED;
    EXPECT_BROKEN(after_step(world, ACT_DELIVER, HOLDER), PROMISE_ORPHAN);
}

/* A machine that was in doubt of a takeover lock. */
static void
every_event_is_looked_at(void **unused)
{
    struct world world = one_holds("takeover");
    struct hf_keeper *k = &world.workers[HOLDER].contender.keeper;

    (void)unused;
    k->question.again_at = before;
    step_apply(&world, (struct world_action){ACT_CLOCK, HOLDER});
    step_apply(&world, (struct world_action){ACT_SERVE, HOLDER});
    k->state = HF_KEEPER_IN_DOUBT;
    k->right_until = before;
    EXPECT_BROKEN(after_step(world, ACT_DELIVER, HOLDER), PROMISE_REVIVED);
}

/* The second worker has heard the answer to a read that would prove a death. */
static struct world
one_is_about_to_say_so(enum hf_proof proof)
{
    struct world world = one_holds("shell-refuse");
    struct hf_contender *c = &world.workers[OTHER].contender;

    step_apply(&world, (struct world_action){ACT_SERVE, OTHER});
    step_apply(&world, (struct world_action){ACT_DELIVER, OTHER});
    step_apply(&world, (struct world_action){ACT_HINT, OTHER});
    step_apply(&world, (struct world_action){ACT_SERVE, OTHER});
    assert_null(world.violated);
    c->asked_with = proof;
    return world;
}

static void
whoever_says_that_one_is_dead_is_looked_at(void **unused)
{
    struct world gone = one_is_about_to_say_so(HF_PROOF_GONE);
    struct world suspected = one_is_about_to_say_so(HF_PROOF_UNCHANGED);

    (void)unused;
    assert_null(
        after_step(one_is_about_to_say_so(HF_PROOF_NONE), ACT_DELIVER, OTHER));
    EXPECT_BROKEN(after_step(gone, ACT_DELIVER, OTHER), PROMISE_FALSE_DEATH);
    EXPECT_BROKEN(after_step(suspected, ACT_DELIVER, OTHER),
                  PROMISE_FALSE_DEATH);
    gone.workers[OTHER].mail.of_dead = true;
    assert_null(after_step(gone, ACT_DELIVER, OTHER));
}

static void
every_arrival_at_the_resource_is_looked_at(void **unused)
{
    struct world world = one_holds("fenced");

    (void)unused;
    step_apply(&world, (struct world_action){ACT_SEND, HOLDER});
    assert_null(after_step(world, ACT_ARRIVE, HOLDER));
    world.resource.grant = 50;
    EXPECT_BROKEN(after_step(world, ACT_ARRIVE, HOLDER), PROMISE_RESOURCE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_believe_overlap),
        cmocka_unit_test(a_token_is_taken_over_once),
        cmocka_unit_test(the_token_that_was_taken_over_is_remembered),
        cmocka_unit_test(a_live_lock_is_not_overwritten),
        cmocka_unit_test(a_live_lock_is_not_deleted),
        cmocka_unit_test(nor_by_its_own_holder_while_it_holds),
        cmocka_unit_test(nor_by_a_person_who_looked),
        cmocka_unit_test(nobody_but_a_person_touches_a_dead_refuse_lock),
        cmocka_unit_test(what_is_not_ours_is_not_touched),
        cmocka_unit_test(a_fence_is_above_all_before_it),
        cmocka_unit_test(a_fence_is_the_token_of_its_record),
        cmocka_unit_test(a_resource_takes_writes_in_the_order_of_grants),
        cmocka_unit_test(who_lets_go_of_a_claim_leaves_no_record),
        cmocka_unit_test(who_ends_leaves_no_record),
        cmocka_unit_test(who_ends_leaves_no_claim_under_way),
        cmocka_unit_test(nobody_is_granted_a_right_that_is_over),
        cmocka_unit_test(the_end_of_a_right_is_told_in_time),
        cmocka_unit_test(who_has_lost_it_is_not_inside_any_more),
        cmocka_unit_test(a_doubt_is_told_in_time),
        cmocka_unit_test(what_was_lost_is_not_held_again),
        cmocka_unit_test(nobody_living_is_said_to_be_dead),
        cmocka_unit_test(nobody_who_holds_is_suspected),
        cmocka_unit_test(who_holds_notices_that_the_place_went_back),
        cmocka_unit_test(two_in_the_section_are_shown_where_that_is_asked),
        cmocka_unit_test(who_was_cleared_learns_it_in_the_end),
        cmocka_unit_test(somebody_is_granted_in_the_end),
        cmocka_unit_test(every_step_looks_at_the_state),
        cmocka_unit_test(every_write_is_looked_at),
        cmocka_unit_test(every_grant_is_looked_at),
        cmocka_unit_test(every_end_is_looked_at),
        cmocka_unit_test(every_event_is_looked_at),
        cmocka_unit_test(whoever_says_that_one_is_dead_is_looked_at),
        cmocka_unit_test(every_arrival_at_the_resource_is_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
