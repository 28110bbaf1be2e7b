/* What goes first may go first: the argument of lab/world/reduction.h, sentence
 * by sentence, in states from all over the worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lab/world/model.h"
#include "lab/world/pack.h"
#include "lab/world/reduction.h"
#include "lab/world/step.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

enum { ACTIONS_MAX = 80, WALK_STEPS = 1000, LOOKS = 4000 };

/* What was looked at. */
struct looked {
    unsigned states;
    uint64_t firsts; /* steps that may go first */
    uint64_t pairs;  /* of such a step, or another of that worker's, and one of
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
        assert_ptr_equal(first_first.violated, one.violated);
        return;
    }
    assert_true(reduction_first(&one.world, first.who, &again));
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
look(const struct world *world, struct looked *looked, unsigned worker)
{
    struct world_action owns[ACTIONS_MAX];
    struct world_action others[ACTIONS_MAX];
    struct world_action first;
    unsigned owns_count;
    unsigned others_count;

    if (!reduction_first(world, worker, &first))
        return;
    looked->firsts++;
    owns_count = collect(world, worker, true, owns);
    others_count = collect(world, worker, false, others);
    for (unsigned i = 0; i < others_count; i++) {
        assert_int_not_equal(others[i].act, ACT_TICK);
        look_at_what_becomes_possible(world, worker, others[i]);
        look_at_first(world, first, others[i]);
        for (unsigned k = 0; k < owns_count; k++)
            if (owns[k].act != first.act)
                look_at_own(world, owns[k], others[i]);
        looked->pairs += owns_count;
    }
}

/* ---- Worlds that cannot be ---------------------------------------------- */

/* The machines break no promise, so what a first step would hide is looked for
 * where all is broken: somebody's write comes late, and whatever that breaks it
 * breaks behind the first step as well. */

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

static void
let_nothing_be(struct world *world, unsigned worker)
{
    (void)worker;
    world->exists = false;
    world->id = 0;
}

static void
look_at_breach(const struct world *broken, unsigned worker,
               const struct world_write *write)
{
    const struct world_action late = {ACT_LATE, 0};
    struct world_action first;
    struct world world;
    struct after one;
    struct after two;
    struct after both;

    world_copy(&world, broken);
    world.late_count = 1;
    world.late[0] = *write;
    if (!reduction_first(&world, worker, &first))
        return;
    apply(&world, late, &one);
    apply(&world, first, &two);
    apply(&two.world, late, &both);
    assert_ptr_equal(both.violated, one.violated);
}

static void
look_where_all_is_broken(const struct world *world, unsigned worker)
{
    static void (*const ways[])(struct world *, unsigned) = {
        let_others_hold,
        let_record_be_its,
        let_nothing_be,
    };
    const struct world_worker *w = &world->workers[worker];
    const uint64_t ids[] = {w->contender.keeper.heartbeat.id, 60};
    struct world_write write = {
        .version = world->version,
        .over = world->token,
        .worker = WORLD_WORKERS_MAX,
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
            struct world broken;

            world_copy(&broken, world);
            ways[i](&broken, worker);
            write.id = ids[k];
            write.kind = HF_PUT;
            write.claims = true;
            look_at_breach(&broken, worker, &write);
            write.kind = HF_DELETE;
            write.claims = false;
            look_at_breach(&broken, worker, &write);
        }
}

/* ---- Walks --------------------------------------------------------------- */

/* Steps that go first come to an end: nobody takes more than two of them. */
static void
look_for_the_end(const struct world *world)
{
    struct world at;
    struct world_action first;
    unsigned count = 0;
    unsigned worker;

    world_copy(&at, world);
    while ((worker = reduction_worker(&at)) != WORLD_WORKERS_MAX) {
        assert_true(++count <= 2 * world->config->workers);
        assert_true(reduction_first(&at, worker, &first));
        step_apply(&at, first);
    }
}

static void
look_before_step(void *ctx, unsigned number, const struct model_step *step)
{
    struct looked *looked = ctx;

    (void)number;
    looked->states++;
    for (unsigned who = 0; who < step->before.config->workers; who++) {
        look(&step->before, looked, who);
        look_where_all_is_broken(&step->before, who);
    }
    look_for_the_end(&step->before);
}

/* Walks go far from the start, and meet many faults. */
static void
look_around(struct world_config config)
{
    uint16_t schedule[WALK_STEPS];
    struct walk walk = {.schedule = schedule, .max = WALK_STEPS};
    struct looked looked = {0};
    bool valid;

    config.symmetric = false;
    while (looked.states < LOOKS) {
        walk.seed++;
        walk_at_random(&config, &walk);
        model_replay(&config, schedule, walk.len, look_before_step, &looked,
                     &valid);
        assert_true(valid);
    }
    print_message("%s, %u workers: %llu steps in %u states, %llu pairs\n",
                  config.name, config.workers,
                  (unsigned long long)looked.firsts, looked.states,
                  (unsigned long long)looked.pairs);
    assert_true(looked.firsts > 500 && looked.pairs > 5000);
}

static void
what_goes_first_may_go_first(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++)
        for (unsigned workers = 2; workers <= 4; workers++)
            if (reduction_holds_in(&worlds[i]))
                look_around(worlds_with(&worlds[i], workers));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_first_may_go_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
