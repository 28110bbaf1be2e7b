#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tale/support/cluster.h"

/*
 * Random walks, the same every time, of two keys side by side: one forgets
 * the writes that nothing can tell apart, the other is made to keep them all.
 * Nobody must be able to tell the two keys apart.
 */

enum { WALKERS = 3, WALKS = 3000, WALK_STEPS = 120, WRITES_EACH = 2 };

struct walk {
    struct riak riak;
    struct riak keeper;
    uint8_t writes[WALKERS];
    uint64_t seed;
};

static unsigned
any_of(struct walk *walk, unsigned count)
{
    walk->seed ^= walk->seed << 13;
    walk->seed ^= walk->seed >> 7;
    walk->seed ^= walk->seed << 17;
    return (unsigned)(walk->seed >> 33) % count;
}

/* A worker that does nothing has a context that no object shares: so there is
 * no write that all clocks have seen. */
static void
keep_all(struct riak *riak)
{
    riak->writes[0] = (struct key_value){.id = 9, .stamp = 9};
    riak->workers[WALKERS].context = 1;
}

/* What a step is to somebody who looks at either key. */
static bool
same(const struct riak_happening *a, const struct riak_happening *b)
{
    return a->kind == b->kind && a->worker == b->worker &&
           a->partition == b->partition;
}

/* How many of the steps look like this one; *step is the last of them. */
static unsigned
count_like(const struct riak *riak, const struct riak_happening *what,
           struct key_step *step)
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count = riak_steps(riak, steps);
    unsigned like = 0;

    for (unsigned i = 0; i < count; i++) {
        struct riak_happening other = riak_describe(riak, steps[i]);

        if (!same(what, &other))
            continue;
        *step = steps[i];
        like++;
    }
    return like;
}

/* A step that only one request can take, in both keys. */
static void
step_both(struct walk *walk)
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count = riak_steps(&walk->riak, steps);
    struct key_step picked = steps[any_of(walk, count)];
    struct riak_happening what = riak_describe(&walk->riak, picked);
    struct key_step step;
    unsigned like = count_like(&walk->riak, &what, &step);

    assert_int_equal(count, riak_steps(&walk->keeper, steps));
    assert_int_equal(like, count_like(&walk->keeper, &what, &step));
    if (like != 1 || (picked.fault && any_of(walk, 4) != 0))
        return;
    riak_step(&walk->riak, picked);
    riak_step(&walk->keeper, step);
}

static void
issue_both(struct walk *walk, unsigned worker)
{
    struct key_request request = {
        .kind = (enum key_request_kind)any_of(walk, 3),
        .with_context = any_of(walk, 2) != 0,
        .value = {.id = (uint8_t)(worker + 1)},
    };

    if (walk->writes[worker] == WRITES_EACH)
        request.kind = KEY_READ;
    if (request.kind != KEY_READ)
        walk->writes[worker]++;
    riak_issue(&walk->riak, worker, request);
    riak_issue(&walk->keeper, worker, request);
}

static void
look_at_answers(struct walk *walk, unsigned worker)
{
    struct key_answer answer = {.count = 0};
    struct key_answer other = {.count = 0};

    assert_true(riak_answer(&walk->riak, worker, &answer));
    assert_true(riak_answer(&walk->keeper, worker, &other));
    assert_int_equal(answer.kind, other.kind);
    assert_int_equal(answer.count, other.count);
    assert_memory_equal(answer.siblings, other.siblings,
                        sizeof(answer.siblings));
}

/* What is true of every key. */
static void
check_objects(const struct riak_object *objects)
{
    for (unsigned i = 0; i < RIAK_N_MAX; i++) {
        assert_int_equal(objects[i].siblings & ~(unsigned)objects[i].clock, 0);
        assert_int_equal(objects[i].siblings == 0, objects[i].clock == 0);
    }
}

static void
walk_with(const char *settings)
{
    for (unsigned i = 0; i < WALKS; i++) {
        struct walk walk = {.seed = i * UINT64_C(0x9e3779b97f4a7c15) + 1};

        start(&walk.riak, settings);
        start(&walk.keeper, settings);
        keep_all(&walk.keeper);
        for (unsigned j = 0; j < WALK_STEPS; j++) {
            unsigned worker = any_of(&walk, WALKERS);

            if (riak_answered(&walk.riak, worker))
                look_at_answers(&walk, worker);
            else if (walk.riak.workers[worker].state == 0 &&
                     riak_ready(&walk.riak) && any_of(&walk, 3) == 0)
                issue_both(&walk, worker);
            else
                step_both(&walk);
            check_objects(walk.riak.home);
            check_objects(walk.riak.away);
        }
        drain(&walk.riak);
        assert_true(riak_ready(&walk.riak));
        for (unsigned j = 0; j < WALKERS; j++)
            assert_int_not_equal(walk.riak.workers[j].state, 1);
    }
}

static void
what_is_forgotten_makes_no_difference_to_anybody(void **state)
{
    (void)state;
    walk_with("delete_mode=immediate pr=1 pw=1");
    walk_with("delete_mode=later notfound_ok=false");
}

static void
nor_does_it_without_siblings(void **state)
{
    (void)state;
    walk_with("allow_mult=false slow_clock=2 delete_mode=keep");
    walk_with("allow_mult=false last_write_wins=true delete_mode=immediate");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forgotten_makes_no_difference_to_anybody),
        cmocka_unit_test(nor_does_it_without_siblings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
