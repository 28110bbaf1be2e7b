/* What goes first may go first: the argument of lab/world/ample.h, sentence by
 * sentence, in every state of many worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "world/ample.h"
#include "world/model.h"
#include "world/pack.h"
#include "world/step.h"
#include "world/worlds.h"

enum { ACTIONS_MAX = 80 };

/* A world in which every state is looked at before it is expanded. */
struct looked {
    const struct world_config *config;
    uint64_t *firsts; /* steps that may go first */
    uint64_t *pairs;  /* of such a step, or another of that worker's, and one of
                         somebody else's */
};

/* The world after a step, and what it broke: packed, so as to be compared. */
struct after {
    struct world world;
    const char *violated;
    uint8_t packed[PACKED_MAX];
};

static void
apply(const struct world *world, struct world_action action,
      struct after *after)
{
    world_copy(&after->world, world);
    step_apply(&after->world, action);
    after->violated = after->world.violated;
    memset(after->packed, 0, sizeof(after->packed));
    pack(&after->world, after->packed);
}

/* The steps that are possible: `whose`, or everybody else's. */
static unsigned
collect(const struct world *world, unsigned whose, bool own,
        struct world_action actions[ACTIONS_MAX])
{
    unsigned count = 0;

    for (enum world_act act = 0; act < ACT_COUNT; act++)
        for (unsigned who = 0; who < WORLD_LATE_MAX; who++) {
            struct world_action action = {act, who};
            bool is_own = world_is_workers(act) && who == whose;

            if (is_own != own || !step_allowed(world, action))
                continue;
            assert_true(count < ACTIONS_MAX);
            actions[count++] = action;
        }
    return count;
}

static void
assert_same_place(const struct after *a, const struct after *b)
{
    assert_memory_equal(a->packed, b->packed, PACKED_MAX);
}

/* `first` and somebody's step, in either order: both are possible, they lead to
 * the same, it is still a step that may go first, and it hides nothing that the
 * other breaks. */
static void
look_at_first(const struct world *world, struct world_action first,
              struct world_action other)
{
    struct after one;
    struct after two;
    struct after first_last;
    struct after first_first;
    struct world_action again;

    apply(world, other, &one);
    apply(world, first, &two);
    assert_null(two.violated);
    assert_true(step_allowed(&two.world, other));
    apply(&two.world, other, &first_first);
    if (one.violated != NULL) {
        assert_non_null(first_first.violated);
        return;
    }
    assert_true(ample_first(&one.world, first.who, &again));
    assert_int_equal(again.act, first.act);
    apply(&one.world, first, &first_last);
    assert_ptr_equal(first_first.violated, first_last.violated);
    assert_same_place(&first_first, &first_last);
}

/* Another step of that worker's: nobody makes it possible, it makes nobody's
 * impossible, both orders lead to the same, and what the second breaks is
 * broken in the other order too, unless it was before. */
static void
look_at_own(const struct world *world, struct world_action own,
            struct world_action other)
{
    struct after one;
    struct after two;
    struct after own_last;
    struct after own_first;

    apply(world, other, &one);
    if (one.violated != NULL)
        return; /* without any step of that worker's */
    assert_true(step_allowed(&one.world, own));
    apply(world, own, &two);
    if (two.violated != NULL)
        return;
    assert_true(step_allowed(&two.world, other));
    apply(&one.world, own, &own_last);
    apply(&two.world, other, &own_first);
    assert_ptr_equal(own_last.violated, own_first.violated);
    assert_same_place(&own_last, &own_first);
}

/* Nothing becomes possible for that worker by what somebody else does. */
static void
look_at_what_becomes_possible(const struct world *world, unsigned worker,
                              struct world_action other)
{
    struct world_action actions[ACTIONS_MAX];
    struct after one;
    unsigned count;

    apply(world, other, &one);
    count = collect(&one.world, worker, true, actions);
    for (unsigned i = 0; i < count; i++)
        assert_true(step_allowed(world, actions[i]));
}

static void
look(const struct world *world, const struct looked *looked, unsigned worker)
{
    struct world_action owns[ACTIONS_MAX];
    struct world_action others[ACTIONS_MAX];
    struct world_action first;
    unsigned owns_count;
    unsigned others_count;

    if (!ample_first(world, worker, &first))
        return;
    ++*looked->firsts;
    owns_count = collect(world, worker, true, owns);
    others_count = collect(world, worker, false, others);
    for (unsigned i = 0; i < others_count; i++) {
        assert_int_not_equal(others[i].act, ACT_TICK);
        look_at_what_becomes_possible(world, worker, others[i]);
        look_at_first(world, first, others[i]);
        for (unsigned k = 0; k < owns_count; k++)
            if (owns[k].act != first.act)
                look_at_own(world, owns[k], others[i]);
        *looked->pairs += owns_count;
    }
}

/* ---- Worlds that cannot be ---------------------------------------------- */

/* The machines break no promise, so what a step would hide is looked for where
 * all is broken already: if a promise looked at anything that a first step
 * changes, then somewhere here its breach would be gone. */

static void
let_others_hold(struct world *world, unsigned worker)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_worker *w = &world->workers[i];

        if (i == worker || !w->alive)
            continue;
        w->in_section = true;
        w->contender.state = HF_CONTENDER_HOLDING;
        w->contender.keeper.state = HF_KEEPER_HELD;
        w->contender.keeper.right_until.ms = WORLD_NOW.ms + 1000;
    }
}

static void
let_record_be_its(struct world *world, unsigned worker)
{
    world->exists = true;
    world->id = world->workers[worker].contender.keeper.heartbeat.id;
}

/* A write of somebody who is gone may yet apply. */
static void
let_come_late(struct world *world, enum hf_op_kind kind)
{
    world->late_count = 1;
    world->late[0] = (struct world_write){
        .kind = kind,
        .claims = kind == HF_PUT,
        .version = world->version,
        .id = 60,
        .over = world->token,
        .worker = WORLD_WORKERS_MAX,
    };
}

static void
look_at_breach(const struct world *broken, unsigned worker,
               enum hf_op_kind kind)
{
    const struct world_action late = {ACT_LATE, 0};
    struct world_action first;
    struct world world;
    struct after one;
    struct after two;
    struct after both;

    world_copy(&world, broken);
    let_come_late(&world, kind);
    if (!ample_first(&world, worker, &first))
        return;
    apply(&world, late, &one);
    apply(&world, first, &two);
    apply(&two.world, late, &both);
    if (one.violated != NULL)
        assert_non_null(both.violated);
}

static void
look_where_all_is_broken(const struct world *world, unsigned worker)
{
    static void (*const ways[])(struct world *, unsigned) = {
        let_others_hold,
        let_record_be_its,
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct world broken;

        world_copy(&broken, world);
        ways[i](&broken, worker);
        look_at_breach(&broken, worker, HF_PUT);
        look_at_breach(&broken, worker, HF_DELETE);
    }
}

/* ---- Searches ----------------------------------------------------------- */

/* Steps that go first come to an end: nobody takes more than two of them. */
static void
look_for_the_end(const struct world *world)
{
    struct world at;
    struct world_action first;
    unsigned count = 0;
    unsigned worker;

    world_copy(&at, world);
    while ((worker = ample_worker(&at)) != WORLD_WORKERS_MAX) {
        assert_true(++count <= 2 * world->config->workers);
        assert_true(ample_first(&at, worker, &first));
        step_apply(&at, first);
    }
}

static void
start(const void *ctx, void *state)
{
    const struct looked *looked = ctx;
    struct lab_system system = model_system(looked->config);

    system.start(system.ctx, state);
}

static void
look_and_expand(const void *ctx, const void *state,
                struct lab_explorer *explorer)
{
    const struct looked *looked = ctx;
    struct lab_system system = model_system(looked->config);
    struct world world;

    unpack(looked->config, state, &world);
    for (unsigned who = 0; who < looked->config->workers; who++)
        look(&world, looked, who);
    for (unsigned who = 0; who < looked->config->workers; who++)
        look_where_all_is_broken(&world, who);
    look_for_the_end(&world);
    system.expand(system.ctx, state, explorer);
}

static void
look_everywhere(struct world_config config, unsigned faults, uint64_t states)
{
    uint64_t firsts = 0;
    uint64_t pairs = 0;
    struct looked looked = {&config, &firsts, &pairs};
    struct lab_system system;
    struct lab_report report;

    config.symmetric = false;
    system = model_system(&config);
    system.ctx = &looked;
    system.start = start;
    system.expand = look_and_expand;
    assert_true(lab_explore(
        &system, &(struct lab_limits){.faults = faults, .states_max = states},
        &report));
    print_message("%s, %u workers: %llu steps in %llu states, %llu pairs\n",
                  config.name, config.workers, (unsigned long long)firsts,
                  (unsigned long long)report.states, (unsigned long long)pairs);
    assert_true(firsts > 1000 && pairs > 1000);
    lab_report_fini(&report);
}

static void
what_goes_first_may_go_first_in_every_state(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++)
        if (ample_holds_in(&worlds[i]))
            look_everywhere(worlds[i], 2, 60000);
}

static void
among_three_as_well(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++)
        if (ample_holds_in(&worlds[i]))
            look_everywhere(worlds_with(&worlds[i], 3), 1, 20000);
}

static void
search(const struct lab_system *system, unsigned faults,
       struct lab_report *report)
{
    assert_true(lab_explore(
        system, &(struct lab_limits){.faults = faults, .states_max = 2000000},
        report));
}

static void
fewer_orders_tell_the_same(void **unused)
{
    unsigned fewer = 0;

    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        struct lab_system full = model_system(&worlds[i]);
        struct lab_system ample = model_ample_system(&worlds[i]);
        unsigned faults = worlds[i].examines ? 0 : 1;
        struct lab_report a;
        struct lab_report b;

        if (!ample_holds_in(&worlds[i])) {
            assert_ptr_equal(ample.expand, full.expand);
            continue;
        }
        search(&full, faults, &a);
        search(&ample, faults, &b);
        assert_int_not_equal(a.verdict, LAB_BOUNDED);
        assert_int_equal(a.verdict, b.verdict);
        assert_ptr_equal(a.violated, b.violated);
        assert_int_equal(a.faults, b.faults);
        assert_true(b.states < a.states);
        fewer++;
        lab_report_fini(&a);
        lab_report_fini(&b);
    }
    assert_true(fewer >= 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_first_may_go_first_in_every_state),
        cmocka_unit_test(among_three_as_well),
        cmocka_unit_test(fewer_orders_tell_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
