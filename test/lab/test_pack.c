/* Packing: nothing that matters is lost, and what does not matter is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/world/model.h"
#include "lab/world/pack.h"
#include "lab/world/step.h"
#include "lab/world/worlds.h"

/* A model whose every state is packed again when it is expanded. */
struct careful {
    struct explore_system model;
    const struct world_config *config;
};

static void
start(const void *ctx, void *state)
{
    const struct careful *careful = ctx;

    careful->model.start(careful->config, state);
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct careful *careful = ctx;
    struct world world;
    uint8_t again[PACKED_MAX];

    unpack(careful->config, state, &world);
    pack(&world, again);
    assert_memory_equal(again, state, careful->model.state_size);
    careful->model.expand(careful->config, state, explorer);
}

static void
a_state_unpacked_and_packed_again_is_the_same(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        struct world_config config = worlds[i];
        struct careful careful = {model_system(&config), &config};
        struct explore_system system = {
            .state_size = careful.model.state_size,
            .ctx = &careful,
            .start = start,
            .expand = expand,
        };
        struct explore_report report;

        config.judge_stuck = false; /* of no interest here, and slow */
        assert_true(explore_all(&system,
                                &(struct explore_limits){
                                    .faults = 2,
                                    .states_max = 20000,
                                },
                                &report));
        assert_true(report.states > 1000 || report.verdict == EXPLORE_VIOLATED);
        explore_report_fini(&report);
    }
}

/* ---- Packing changes nothing that can follow ---------------------------- */

static uint64_t
roll(uint64_t *dice)
{
    *dice =
        *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *dice >> 33;
}

/* The same step in both. */
static void
assert_same_step(const struct world *raw, const struct world *packed,
                 struct world_action action)
{
    size_t size = pack_size(raw->config);
    struct world a = *raw;
    struct world b = *packed;
    uint8_t a_bytes[PACKED_MAX];
    uint8_t b_bytes[PACKED_MAX];

    step_apply(&a, action);
    pack(&a, a_bytes);
    assert_true(step_allowed(packed, action));
    assert_int_equal(step_is_fault(raw, action), step_is_fault(packed, action));
    step_apply(&b, action);
    assert_ptr_equal(a.violated, b.violated);
    pack(&b, b_bytes);
    assert_memory_equal(a_bytes, b_bytes, size);
}

/* What comes of a late write; returns the promise that it breaks. */
static const char *
apply_late(const struct world *world, unsigned index, uint8_t *bytes)
{
    struct world after = *world;

    memset(bytes, 0, PACKED_MAX);
    step_apply(&after, (struct world_action){ACT_LATE, index});
    pack(&after, bytes);
    return after.violated;
}

/* They are kept in another order, so each has its like. */
static void
assert_same_late(const struct world *raw, const struct world *packed)
{
    uint8_t bytes[PACKED_MAX];
    uint8_t likes[WORLD_LATE_MAX][PACKED_MAX];
    const char *violated[WORLD_LATE_MAX];
    bool taken[WORLD_LATE_MAX] = {false};

    assert_int_equal(raw->late_count, packed->late_count);
    for (unsigned i = 0; i < packed->late_count; i++)
        violated[i] = apply_late(packed, i, likes[i]);
    for (unsigned i = 0; i < raw->late_count; i++) {
        const char *broken = apply_late(raw, i, bytes);
        unsigned like = 0;

        while (like < packed->late_count &&
               (taken[like] || violated[like] != broken ||
                memcmp(likes[like], bytes, PACKED_MAX) != 0))
            like++;
        assert_true(like < packed->late_count);
        taken[like] = true;
    }
}

/* What can be done, and what each of it leads to, is the same for both. */
static void
assert_alike(const struct world *raw, const struct world *packed)
{
    assert_same_late(raw, packed);
    for (enum world_act act = 0; act < ACT_COUNT; act++)
        for (unsigned who = 0; who < WORLD_LATE_MAX && act != ACT_LATE; who++) {
            struct world_action action = {act, who};

            if (step_allowed(raw, action))
                assert_same_step(raw, packed, action);
            else
                assert_false(step_allowed(packed, action));
        }
}

static struct world_action
choose(const struct world *world, uint64_t *dice)
{
    struct world_action chosen = {ACT_TICK, 0};
    unsigned found = 0;
    bool fault = roll(dice) % 8 == 0;

    for (enum world_act act = 0; act < ACT_COUNT; act++)
        for (unsigned who = 0; who < WORLD_LATE_MAX; who++) {
            struct world_action action = {act, who};

            if (step_allowed(world, action) &&
                step_is_fault(world, action) == fault &&
                roll(dice) % ++found == 0)
                chosen = action;
        }
    return chosen;
}

/* A world that is never packed has every version, id and instant it ever had;
 * beside it, at each step, goes the same world packed. */
static void
walk(const struct world_config *config, uint64_t seed)
{
    enum { STEPS = 120, VERSIONS_MAX = 60 };
    struct world raw;
    struct world again;
    uint8_t bytes[PACKED_MAX];
    uint64_t dice = seed;

    world_start(&raw, config);
    for (unsigned i = 0; i < STEPS && raw.version < VERSIONS_MAX; i++) {
        struct world_action action = choose(&raw, &dice);

        pack(&raw, bytes);
        unpack(config, bytes, &again);
        assert_alike(&raw, &again);
        if (!step_allowed(&raw, action))
            continue;
        step_apply(&raw, action);
        if (raw.violated != NULL)
            return;
    }
}

static void
a_packed_world_goes_on_as_the_one_it_was_made_of(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        struct world_config config = worlds[i];

        config.symmetric = false; /* so that workers keep their places */
        for (uint64_t seed = 1; seed <= 100; seed++)
            walk(&config, seed);
    }
}

/* ---- Pairs -------------------------------------------------------------- */

static struct world_config
plain(bool symmetric)
{
    struct world_config config = *worlds_find("takeover");

    config.freezes = true;
    config.symmetric = symmetric;
    return config;
}

/* The first worker holds the lock, the second has a read out. */
static struct world
one_holds(const struct world_config *config, unsigned holder)
{
    const enum world_act acts[] = {ACT_BEGIN, ACT_SERVE, ACT_DELIVER, ACT_SERVE,
                                   ACT_DELIVER};
    struct world world;

    world_start(&world, config);
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        step_apply(&world, (struct world_action){acts[i], holder});
    step_apply(&world, (struct world_action){ACT_BEGIN, 1 - holder});
    assert_true(world.workers[holder].in_section);
    return world;
}

static bool
same_bytes(const struct world *a, const struct world *b)
{
    uint8_t a_bytes[PACKED_MAX];
    uint8_t b_bytes[PACKED_MAX];

    pack(a, a_bytes);
    pack(b, b_bytes);
    return memcmp(a_bytes, b_bytes, pack_size(a->config)) == 0;
}

static void
after(const struct world *before, enum world_act act, unsigned who,
      struct world *world)
{
    struct world_action action = {act, who};

    *world = *before;
    assert_true(step_allowed(before, action));
    step_apply(world, action);
    assert_null(world->violated);
}

static void
worlds_that_behave_differently_have_different_bytes(void **unused)
{
    const enum world_act acts[] = {ACT_SERVE, ACT_READ_FAILS, ACT_SLOW,
                                   ACT_CUT,   ACT_CRASH,      ACT_FREEZE};
    enum { COUNT = sizeof(acts) / sizeof(acts[0]) };
    struct world_config config = plain(false);
    struct world from = one_holds(&config, 0);
    struct world to[COUNT + 1] = {[COUNT] = from};

    (void)unused;
    for (unsigned i = 0; i < COUNT; i++)
        after(&from, acts[i], 1, &to[i]);
    for (unsigned i = 0; i <= COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_false(same_bytes(&to[i], &to[k]));
}

#define EXPECT_OTHER(change)                                                   \
    do {                                                                       \
        other = from;                                                          \
        change;                                                                \
        assert_false(same_bytes(&from, &other));                               \
    } while (0)

static void
each_of_these_makes_another_state(void **unused)
{
    struct world_config config = plain(false);
    struct world from = one_holds(&config, 0);
    struct world other;

    (void)unused;
    EXPECT_OTHER(other.workers[0].in_section = false);
    EXPECT_OTHER(other.workers[0].cleared = true);
    EXPECT_OTHER(other.workers[0].contender.keeper.right_until.ms -= 250);
    EXPECT_OTHER(other.workers[0].contender.keeper.question.again_at.ms += 250);
    EXPECT_OTHER(other.workers[0].contender.keeper.version--);
    EXPECT_OTHER(other.workers[0].contender.keeper.heartbeat.id++);
    EXPECT_OTHER(other.workers[0].contender.keeper.over = 1);
    EXPECT_OTHER(other.workers[1].contender.keeper.question.asked_at.ms -= 250);
    EXPECT_OTHER(other.workers[1].contender.answered = true);
    EXPECT_OTHER(other.workers[1].contender.asked_with = HF_PROOF_GONE);
    EXPECT_OTHER(other.workers[1].mail.slow = true);
    EXPECT_OTHER(other.workers[1].phase = 1);
    EXPECT_OTHER(other.version++);
    EXPECT_OTHER(other.id++);
    EXPECT_OTHER(other.marker = other.token);
    EXPECT_OTHER(other.late_count = 1);
}

static void
each_of_these_makes_another_state_of_the_stamp(void **unused)
{
    struct world_config config = *worlds_find("trust-clock");
    struct world from;
    struct world other;

    (void)unused;
    from = one_holds(&config, 0);
    EXPECT_OTHER(other.age++);
    EXPECT_OTHER(other.set++);
    from.workers[1].mail = (struct world_mail){
        .out = true, .served = true, .reads = true, .sight = {.stood = {250}}};
    EXPECT_OTHER(other.workers[1].mail.sight.stood.ms += 250);

    /* As old as matters, it may be set forward as often. */
    from.age = 5;
    other = from;
    other.set++;
    assert_true(same_bytes(&from, &other));
}

/* The second worker's write, of a grant before the first's, is under way. */
static struct world
one_is_behind(const struct world_config *config)
{
    struct world world = one_holds(config, 0);

    world.resource = (struct world_resource){
        .fence = world.token,
        .grant = 2,
        .grants = 2,
        .writes = {{.holds = 2}, {.out = true, .fence = 1, .grant = 1}},
    };
    return world;
}

static void
each_of_these_makes_another_state_of_the_resource(void **unused)
{
    struct world_config config = *worlds_find("fenced");
    struct world from;
    struct world other;

    (void)unused;
    config.symmetric = false;
    from = one_is_behind(&config);
    EXPECT_OTHER(other.resource.fence = 1);
    EXPECT_OTHER(other.resource.grant = 1);
    EXPECT_OTHER(other.resource.writes[0].holds = 1);
    EXPECT_OTHER(other.resource.writes[0].out = true);
    EXPECT_OTHER(other.resource.writes[1].out = false);
    EXPECT_OTHER(other.resource.writes[1].fence = from.resource.fence);
    EXPECT_OTHER(other.resource.writes[1].grant = from.resource.grant);

    /* Where nobody is behind, what was taken last says nothing any more. */
    from.resource.writes[1] = (struct world_write_out){.out = false};
    other = from;
    other.resource.fence = other.resource.grant = 0;
    assert_true(same_bytes(&from, &other));
}

/* The first worker has died with its lock, which a person has seen. */
static struct world
one_is_looked_at(const struct world_config *config)
{
    const enum world_act acts[] = {ACT_PERSON_COMES, ACT_PERSON_SERVE,
                                   ACT_PERSON_HEARS};
    struct world world = one_holds(config, 0);

    step_apply(&world, (struct world_action){ACT_CRASH, 0});
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        step_apply(&world, (struct world_action){acts[i], 0});
    assert_int_equal(world.person.examiner.state, HF_EXAMINER_WATCHING);
    return world;
}

/* From a worker's delete, and from a clear by force. */
static void
assert_late_clear_is_known(const struct world *world)
{
    struct world other = *world;
    uint8_t bytes[PACKED_MAX];

    assert_int_equal(world->late_count, 1);
    assert_true(world->late[0].looked);
    other.late[0].looked = false;
    assert_false(same_bytes(world, &other));
    pack(world, bytes);
    unpack(world->config, bytes, &other);
    assert_true(other.late[0].looked);
}

static void
each_of_these_makes_another_state_of_the_person(void **unused)
{
    struct world_config config = *worlds_find("examine-same-host");
    struct world from;
    struct world other;
    struct world_person *person = &other.person;
    struct hf_examiner *examiner = &person->examiner;

    (void)unused;
    config.symmetric = false;
    from = one_is_looked_at(&config);
    EXPECT_OTHER(*person = (struct world_person){.there = false});
    EXPECT_OTHER(examiner->state = HF_EXAMINER_LOOKING);
    EXPECT_OTHER(examiner->evidence.gone = true);
    EXPECT_OTHER(examiner->evidence.version--);
    EXPECT_OTHER(examiner->evidence.token--);
    EXPECT_OTHER(examiner->evidence.terms.ttl.ms = 0);
    EXPECT_OTHER(examiner->evidence.shown_at.ms -= 250);
    EXPECT_OTHER(examiner->question.failures++);
    EXPECT_OTHER(examiner->question.again_at.ms += 250);

    /* It asks once more, with a proof. */
    after(&from, ACT_PERSON_GONE, 0, &other);
    from = other;
    EXPECT_OTHER(examiner->asked_with = HF_PROOF_NONE);
    EXPECT_OTHER(examiner->question.asked_at.ms -= 250);
    EXPECT_OTHER(person->mail.slow = true);
    after(&from, ACT_PERSON_SERVE, 0, &other);
    assert_false(same_bytes(&from, &other));
    from = other;
    EXPECT_OTHER(person->mail.sight.kind = HF_SIGHT_ABSENT);
    EXPECT_OTHER(person->mail.sight.version--);
    EXPECT_OTHER(person->mail.sight.token--);
    EXPECT_OTHER(person->mail.sight.terms.ttl.ms = 0);

    /* And clears. */
    after(&from, ACT_PERSON_HEARS, 0, &other);
    from = other;
    assert_int_equal(from.person.examiner.state, HF_EXAMINER_CLEARING);
    EXPECT_OTHER(examiner->version--);
    EXPECT_OTHER(examiner->unsettled = true);
    EXPECT_OTHER(examiner->question.kind = HF_ASK_READ);
    after(&from, ACT_PERSON_LATER, 0, &other);
    assert_late_clear_is_known(&other);
    after(&from, ACT_PERSON_SERVE, 0, &other);
    from = other;
    EXPECT_OTHER(person->mail.verdict = HF_UNKNOWN);
    EXPECT_OTHER(person->mail.number--); /* of a clear that was given up */
    EXPECT_OTHER(examiner->first_clear--);
}

/* The second worker has read, and reads once more, that the first holds a
 * refuse lock. */
static void
each_of_these_makes_another_state_of_what_is_known(void **unused)
{
    const enum world_act acts[] = {ACT_SERVE, ACT_DELIVER, ACT_HINT, ACT_SERVE};
    struct world_config config = *worlds_find("shell-refuse");
    struct world from;
    struct world other;

    (void)unused;
    config.symmetric = false;
    from = one_holds(&config, 0);
    EXPECT_OTHER(other.foreign = true);
    EXPECT_OTHER(other.heard[0].out = false);
    EXPECT_OTHER(other.heard[0].verdict = HF_UNKNOWN);
    EXPECT_OTHER(other.heard[0].number--);
    EXPECT_OTHER(other.heard[1] = other.heard[0]);
    EXPECT_OTHER(world_end_token(&other, from.token));
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        step_apply(&from, (struct world_action){acts[i], 1});
    assert_int_equal(from.workers[1].mail.sight.kind, HF_SIGHT_LOCK);
    EXPECT_OTHER(other.workers[1].mail.of_dead = true);
    EXPECT_OTHER(other.workers[1].mail.of_believer = false);
    from.token = 1; /* of the one before */
    EXPECT_OTHER(world_end_token(&other, from.workers[1].mail.sight.token));
    from.workers[1].mail.sight.token = 1;
    EXPECT_OTHER(
        world_end_token(&other, from.workers[1].contender.evidence.token));
}

#undef EXPECT_OTHER

/* Every version so many higher; 0 is none. */
static void
raise_versions(struct world *world, uint64_t by)
{
    world->version += by;
    world->token += world->token > 0 ? by : 0;
    world->highest += world->highest > 0 ? by : 0;
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct hf_contender *c = &world->workers[i].contender;
        uint64_t *versions[] = {&c->keeper.version, &c->keeper.token,
                                &c->claimed_version, &c->evidence.version,
                                &c->evidence.token};

        for (size_t k = 0; k < sizeof(versions) / sizeof(versions[0]); k++)
            *versions[k] += *versions[k] > 0 ? by : 0;
    }
}

static void
how_high_the_versions_are_does_not_matter(void **unused)
{
    struct world_config config = plain(false);
    struct world low = one_holds(&config, 0);
    struct world high = low;

    (void)unused;
    raise_versions(&high, 20);
    assert_true(same_bytes(&low, &high));
}

static void
which_of_two_workers_that_are_alike_matters_only_without_symmetry(void **unused)
{
    struct world_config named = plain(false);
    struct world_config alike = plain(true);
    struct world a = one_holds(&named, 0);
    struct world b = one_holds(&named, 1);

    (void)unused;
    assert_false(same_bytes(&a, &b));
    a = one_holds(&alike, 0);
    b = one_holds(&alike, 1);
    assert_true(same_bytes(&a, &b));
    alike.terms[1].ttl++;
    a = one_holds(&alike, 0);
    b = one_holds(&alike, 1);
    assert_false(same_bytes(&a, &b));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_unpacked_and_packed_again_is_the_same),
        cmocka_unit_test(a_packed_world_goes_on_as_the_one_it_was_made_of),
        cmocka_unit_test(worlds_that_behave_differently_have_different_bytes),
        cmocka_unit_test(each_of_these_makes_another_state),
        cmocka_unit_test(each_of_these_makes_another_state_of_the_stamp),
        cmocka_unit_test(each_of_these_makes_another_state_of_the_resource),
        cmocka_unit_test(each_of_these_makes_another_state_of_the_person),
        cmocka_unit_test(each_of_these_makes_another_state_of_what_is_known),
        cmocka_unit_test(how_high_the_versions_are_does_not_matter),
        cmocka_unit_test(
            which_of_two_workers_that_are_alike_matters_only_without_symmetry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
