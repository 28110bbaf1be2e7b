/* The worlds of grants: each promise fires where it is broken, and there alone;
 * here those which no mutant of lab/mutants/list.txt breaks in these worlds.
 * What no machine of ours does is put into the oracle, or into what was seen of
 * the machine, by hand.  And packing loses nothing that matters. */
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
    world.snapshot.clients[1].claims[0].modes[0] = HF_EXCLUSIVE + 1;
    expect_of_state(&world, SERVER_CONFLICT);
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
a_fence_that_is_not_above_all_others_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    world.oracle.lanes[0].grants[0].fence = 9;
    expect(&world, GRANTS_WANT + B, 1, SERVER_FENCES);
}

/* ---- What is told -------------------------------------------------------- */

static void
a_try_that_is_not_told_no_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    pretend_grant(&world, 0, A);
    expect(&world, GRANTS_TRY + A, 1, SERVER_UNSAID_NO);
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

/* ---- What is so ---------------------------------------------------------- */

static void
a_place_that_was_lost_is_seen(void **unused)
{
    struct grants_world world = one_waits("grants");

    (void)unused;
    memset(world.snapshot.clients[1].claims, 0,
           sizeof(world.snapshot.clients[1].claims));
    expect_of_state(&world, SERVER_PLACE_LOST);
}

static void
a_grant_that_was_lost_is_seen(void **unused)
{
    struct grants_world world = start("grants");

    (void)unused;
    step(&world, GRANTS_WANT + A, 0);
    memset(world.snapshot.clients[0].claims, 0,
           sizeof(world.snapshot.clients[0].claims));
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
    snapshot_take(grants_machine(&world), &world.snapshot_config, world.now,
                  &world.snapshot);
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
        cmocka_unit_test(a_grant_to_a_parked_place_is_seen),
        cmocka_unit_test(a_fence_that_is_not_above_all_others_is_seen),
        cmocka_unit_test(a_try_that_is_not_told_no_is_seen),
        cmocka_unit_test(a_lane_told_that_it_holds_what_it_does_not_is_seen),
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
