/* The worlds of grants: each promise fires where it is broken, and there alone;
 * packing loses nothing that matters.  What no machine of ours does is put into
 * the oracle, or into what was seen of the machine, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/server/grants.h"
#include "lab/server/grants_pack.h"
#include "lab/server/grants_promise.h"
#include "lab/server/worlds.h"

enum { SHARE = GRANTS_SETS_EXCLUSIVE, A = 0, B = 1, AB = 2 }; /* sets */

static const struct grants_config *
find(const char *name)
{
    for (unsigned i = 0; i < grants_worlds_count; i++)
        if (strcmp(grants_worlds[i].world.name, name) == 0)
            return &grants_worlds[i];
    fail_msg("there is no world %s", name);
    return NULL;
}

static struct grants_world
start(const char *name)
{
    struct grants_world world;

    grants_start(&world, find(name));
    assert_null(world.violated);
    return world;
}

/* A step that breaks nothing. */
static void
step(struct grants_world *world, unsigned act, unsigned who)
{
    assert_true(grants_allowed(world, act, who));
    grants_apply(world, act, who);
    assert_null(world->violated);
}

static void
expect(struct grants_world *world, unsigned act, unsigned who,
       const char *promise)
{
    grants_apply(world, act, who);
    assert_non_null(world->violated);
    assert_string_equal(world->violated, promise);
}

/* Of what is so, without a step. */
static void
expect_of_state(struct grants_world *world, const char *promise)
{
    assert_null(world->violated);
    grants_promise_state(world);
    assert_non_null(world->violated);
    assert_string_equal(world->violated, promise);
}

/* What a lane holds, or waits for, by the oracle alone. */
static struct grants_lane *
pretend_grant(struct grants_world *world, unsigned who, unsigned set)
{
    struct grants_lane *lane = &world->oracle.lanes[who];

    lane->grants[0] =
        (struct grants_grant){.n = 1, .fence = 1, .modes = grants_set(set)};
    lane->state = HF_LANE_GRANTED;
    lane->n = 1;
    return lane;
}

static struct grants_lane *
pretend_wait(struct grants_world *world, unsigned who, unsigned set)
{
    struct grants_lane *lane = &world->oracle.lanes[who];

    lane->state = HF_LANE_WAITING;
    lane->n++;
    lane->placed = true;
    lane->order = 1;
    lane->stream = 1000;
    lane->wants = grants_set(set);
    return lane;
}

static void
pretend_nothing(struct grants_world *world, unsigned who)
{
    memset(&world->oracle.lanes[who], 0, sizeof(world->oracle.lanes[who]));
}

/* Lane 0 holds a, and lane 1 waits for it. */
static struct grants_world
one_waits(const char *name)
{
    struct grants_world world = start(name);

    step(&world, GRANTS_WANT + A, 0);
    step(&world, GRANTS_WANT + A, 1);
    assert_int_equal(world.oracle.lanes[1].state, HF_LANE_WAITING);
    return world;
}

/* ---- Who is granted ------------------------------------------------------ */

static void
two_that_hold_what_conflicts_are_seen(void **unused)
{
    struct grants_world world = start("grants-shared");

    (void)unused;
    step(&world, GRANTS_WANT + SHARE, 0);
    step(&world, GRANTS_WANT + SHARE, 1);
    world.picture.clients[1].claims[0].modes[0] = HF_EXCLUSIVE + 1;
    expect_of_state(&world, SERVER_CONFLICT);
}

static void
a_grant_before_an_earlier_request_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    pretend_wait(&world, 0, A);
    pretend_grant(&world, 1, A);
    expect(&world, GRANTS_WANT + A, 2, SERVER_OVERTAKEN);
}

static void
a_grant_to_a_parked_place_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    world.oracle.lanes[1].state = HF_LANE_PARKED;
    expect(&world, GRANTS_RELEASE, 0, SERVER_PARKED);
}

static void
a_grant_of_what_a_grace_withholds_is_seen(void **unused)
{
    struct grants_world world = start("grants-takeover");

    (void)unused;
    pretend_wait(&world, 0, A)->placed = false;
    expect(&world, GRANTS_WANT + A, 1, SERVER_WITHHELD);
}

static void
a_second_grant_of_one_request_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    world.oracle.lanes[0].grants[0].fence++;
    expect(&world, GRANTS_AGAIN, 0, SERVER_TWICE_GIVEN);
}

static void
a_grant_after_its_release_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    grants_oracle_release(&world.oracle, 0, 1, 1000);
    expect(&world, GRANTS_AGAIN_TRY, 0, SERVER_TWICE_GIVEN);
}

static void
a_fence_that_is_not_above_all_others_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    world.oracle.lanes[0].grants[0].fence = 9;
    expect(&world, GRANTS_WANT + B, 1, SERVER_FENCES);
}

static void
one_that_waits_for_nothing_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    pretend_nothing(&world, 0);
    expect(&world, GRANTS_WANT + A, 1, SERVER_IN_VAIN);
}

static void
places_in_another_order_than_of_arrival_are_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 2);
    world.oracle.lanes[1].order = 9;
    expect_of_state(&world, SERVER_ORDER);
}

static void
those_that_waited_elsewhere_in_another_order_are_seen(void **unused)
{
    struct grants_world world = start("grants-takeover");

    (void)unused;
    step(&world, GRANTS_BACK_1 + A, 0);
    step(&world, GRANTS_BACK_2 + A, 1);
    world.oracle.lanes[0].waited = 3;
    expect_of_state(&world, SERVER_ORDER);
}

/* ---- What is told -------------------------------------------------------- */

static void
a_no_that_is_not_true_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    pretend_nothing(&world, 0);
    expect(&world, GRANTS_TRY + A, 1, SERVER_UNTRUE_NO);
}

static void
a_try_that_is_not_told_no_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    pretend_grant(&world, 0, A);
    expect(&world, GRANTS_TRY + A, 1, SERVER_UNSAID_NO);
}

/* Lane 0 holds a, and lane 1 holds b. */
static struct grants_world
each_holds(void)
{
    struct grants_world world = start("grants");

    step(&world, GRANTS_WANT + A, 0);
    step(&world, GRANTS_WANT + B, 1);
    return world;
}

static void
a_deadlock_that_is_none_is_seen(void **unused)
{
    struct grants_world world = each_holds();

    (void)unused;
    step(&world, GRANTS_WANT + B, 0);
    world.oracle.lanes[0].state = HF_LANE_LEFT;
    expect(&world, GRANTS_WANT + A, 1, SERVER_DEADLOCK);
}

static void
a_deadlock_that_is_not_told_is_seen(void **unused)
{
    struct grants_world world = each_holds();

    (void)unused;
    pretend_wait(&world, 0, B);
    expect(&world, GRANTS_WANT + A, 1, SERVER_UNTOLD);
}

static void
a_circle_that_is_none_is_seen(void **unused)
{
    struct grants_world world = each_holds();
    struct grants_heard heard = {.circle_len = 2, .circle = {0, 2}};

    (void)unused;
    world.oracle.said_count = 0;
    world.oracle.edges[0] = 1U << 1;
    world.oracle.edges[1] = 1U << 0;
    grants_promise_answers(&world, &heard);
    assert_string_equal(world.violated, SERVER_CIRCLE);
}

static void
a_lane_told_that_it_holds_what_it_does_not_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    memset(world.oracle.lanes[0].grants, 0,
           sizeof(world.oracle.lanes[0].grants));
    expect(&world, GRANTS_WANT + A, 0, SERVER_NOT_HELD);
}

static void
a_lane_granted_what_it_holds_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    pretend_grant(&world, 0, A);
    expect(&world, GRANTS_WANT + A, 0, SERVER_HELD_TWICE);
}

static void
one_told_that_it_is_free_when_it_is_not_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    pretend_grant(&world, 0, A);
    expect(&world, GRANTS_FREE + A, 1, SERVER_NOT_FREE);
}

static void
one_that_is_to_hold_nothing_and_does_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    world.oracle.lanes[1].free = true;
    expect(&world, GRANTS_RELEASE, 0, SERVER_UNTOLD_FREE);
}

/* Lane 1 waits for a and b, and is to look at them only. */
static void
one_that_only_looks_and_is_in_the_way_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    step(&world, GRANTS_WANT + AB, 1);
    world.oracle.lanes[1].free = true;
    expect(&world, GRANTS_WANT + B, 2, SERVER_KEPT_OUT);
}

static void
a_limit_where_there_is_room_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants-limits");

    (void)unused;
    world.oracle.limits.waiters = 2;
    expect(&world, GRANTS_WANT + A, 2, SERVER_LIMIT);
}

static void
more_than_a_limit_allows_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    world.oracle.limits.waiters = 1;
    expect(&world, GRANTS_WANT + A, 2, SERVER_BEYOND);
}

static void
an_answer_that_nobody_waits_for_is_seen(void **unused)
{
    struct grants_world world = start("grants");
    struct grants_heard heard = {
        .count = 1,
        .answers = {{.kind = HF_ANSWER_RELEASED, .stream = 1000}},
    };

    (void)unused;
    grants_promise_answers(&world, &heard);
    assert_string_equal(world.violated, SERVER_ANSWER);
}

/* ---- What is so ---------------------------------------------------------- */

static void
a_place_that_was_lost_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    memset(world.picture.clients[1].claims, 0,
           sizeof(world.picture.clients[1].claims));
    expect_of_state(&world, SERVER_PLACE_LOST);
}

static void
a_grant_that_was_lost_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    memset(world.picture.clients[0].claims, 0,
           sizeof(world.picture.clients[0].claims));
    expect_of_state(&world, SERVER_GRANT_LOST);
}

static void
a_grant_that_nobody_wants_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    pretend_nothing(&world, 0);
    expect_of_state(&world, SERVER_GHOST);
}

static void
a_name_that_is_held_in_another_way_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    world.oracle.lanes[0].grants[0].modes = grants_set(SHARE);
    expect_of_state(&world, SERVER_MODES);
}

static void
a_lane_that_is_not_as_it_must_be_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    world.oracle.lanes[0].n++;
    expect_of_state(&world, SERVER_STATE);
}

/* ---- Packing ------------------------------------------------------------- */

/* A world whose every state is packed again when it is expanded. */
struct careful {
    struct explore_system system;
    const struct grants_config *config;
};

static void
careful_start(const void *ctx, void *state)
{
    const struct careful *careful = ctx;

    careful->system.start(careful->system.ctx, state);
}

static void
careful_expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct careful *careful = ctx;
    struct grants_world world;
    uint8_t again[512];

    grants_unpack(careful->config, state, &world);
    picture_take(grants_machine(&world), &world.picture_config, world.now,
                 &world.picture);
    grants_promise_state(&world);
    assert_null(world.violated);
    grants_pack(&world, again);
    assert_memory_equal(again, state, careful->system.state_size);
    careful->system.expand(careful->system.ctx, state, explorer);
}

static void
a_state_unpacked_and_packed_again_is_the_same(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < grants_worlds_count; i++) {
        struct kind_world of = {&grants_kind, &grants_worlds[i]};
        struct careful careful = {kind_system(&of), &grants_worlds[i]};
        struct explore_system system = {
            .state_size = careful.system.state_size,
            .ctx = &careful,
            .start = careful_start,
            .expand = careful_expand,
        };
        struct explore_report report;

        assert_true(explore_all(
            &system, &(struct explore_limits){.states_max = 4000}, &report));
        assert_null(report.violated);
        assert_true(report.states > 100);
        explore_report_fini(&report);
    }
}

/* Lane `who` holds the one set, and the other lane wants the other. */
static void
pack_two(const struct grants_config *config, unsigned who, unsigned held,
         unsigned wanted, uint8_t bytes[512])
{
    struct grants_world world;

    memset(bytes, 0, 512);
    grants_start(&world, config);
    step(&world, GRANTS_WANT + held, who);
    step(&world, GRANTS_WANT + wanted, (who + 1) % 2);
    grants_pack(&world, bytes);
}

static void
who_is_alike_is_told_apart_only_where_it_matters(void **unused)
{
    struct grants_config config = *find("grants-parked");
    uint8_t one[512];
    uint8_t other[512];

    (void)unused;
    pack_two(&config, 0, A, A, one);
    pack_two(&config, 1, B, B, other);
    assert_memory_equal(one, other, sizeof(one));
    pack_two(&config, 0, A, B, other);
    assert_memory_not_equal(one, other, sizeof(one));
    config.names_alike = false;
    pack_two(&config, 0, A, A, one);
    pack_two(&config, 1, A, A, other);
    assert_memory_equal(one, other, sizeof(one));
    pack_two(&config, 0, B, B, other);
    assert_memory_not_equal(one, other, sizeof(one));
    config.world.alike = false;
    pack_two(&config, 1, A, A, other);
    assert_memory_not_equal(one, other, sizeof(one));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_hold_what_conflicts_are_seen),
        cmocka_unit_test(a_grant_before_an_earlier_request_is_seen),
        cmocka_unit_test(a_grant_to_a_parked_place_is_seen),
        cmocka_unit_test(a_grant_of_what_a_grace_withholds_is_seen),
        cmocka_unit_test(a_second_grant_of_one_request_is_seen),
        cmocka_unit_test(a_grant_after_its_release_is_seen),
        cmocka_unit_test(a_fence_that_is_not_above_all_others_is_seen),
        cmocka_unit_test(one_that_waits_for_nothing_is_seen),
        cmocka_unit_test(places_in_another_order_than_of_arrival_are_seen),
        cmocka_unit_test(those_that_waited_elsewhere_in_another_order_are_seen),
        cmocka_unit_test(a_no_that_is_not_true_is_seen),
        cmocka_unit_test(a_try_that_is_not_told_no_is_seen),
        cmocka_unit_test(a_deadlock_that_is_none_is_seen),
        cmocka_unit_test(a_deadlock_that_is_not_told_is_seen),
        cmocka_unit_test(a_circle_that_is_none_is_seen),
        cmocka_unit_test(a_lane_told_that_it_holds_what_it_does_not_is_seen),
        cmocka_unit_test(a_lane_granted_what_it_holds_is_seen),
        cmocka_unit_test(one_told_that_it_is_free_when_it_is_not_is_seen),
        cmocka_unit_test(one_that_is_to_hold_nothing_and_does_is_seen),
        cmocka_unit_test(one_that_only_looks_and_is_in_the_way_is_seen),
        cmocka_unit_test(a_limit_where_there_is_room_is_seen),
        cmocka_unit_test(more_than_a_limit_allows_is_seen),
        cmocka_unit_test(an_answer_that_nobody_waits_for_is_seen),
        cmocka_unit_test(a_place_that_was_lost_is_seen),
        cmocka_unit_test(a_grant_that_was_lost_is_seen),
        cmocka_unit_test(a_grant_that_nobody_wants_is_seen),
        cmocka_unit_test(a_name_that_is_held_in_another_way_is_seen),
        cmocka_unit_test(a_lane_that_is_not_as_it_must_be_is_seen),
        cmocka_unit_test(a_state_unpacked_and_packed_again_is_the_same),
        cmocka_unit_test(who_is_alike_is_told_apart_only_where_it_matters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
