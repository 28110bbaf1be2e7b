#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/splitmix.h"

/*
 * Seeded operations of three clients on a store and, one for one, on a store in
 * memory: every verdict is the same, and so is all that can be read afterwards.
 * Versions are not: an operation expects a version that both once showed at the
 * same time, which is the present one or has passed.
 */

enum {
    CLIENTS = 3,
    NAMES = 4,
    KEYS = NAMES + 2, /* of locks, and of markers */
    GROUPS_MAX = 4,
    STEPS = 400,
    SEEDS = 4,
    PAST_MAX = 512,
};

/* What the two said at the same time. */
struct pair {
    uint64_t tested;
    uint64_t model;
};

struct run {
    uint64_t seed;
    uint64_t state; /* of the random numbers */
    unsigned step;
    struct hf_store *tested[CLIENTS];
    struct hf_store *model[CLIENTS];
    struct pair past[KEYS][PAST_MAX];
    size_t past_count[KEYS];
    char values[GROUPS_MAX * 2][32];
};

static unsigned
draw(struct run *run, unsigned below)
{
    return (unsigned)(splitmix64(&run->state) % below);
}

static struct hf_key
key_at(size_t index)
{
    static const char *const names[NAMES] = {"a", "b", "ab", "\xc3\xa4"};

    return index < NAMES ? suite_key(names[index])
                         : (struct hf_key){"!RECLAIM", names[index - NAMES]};
}

static void
read_both(const struct run *run, unsigned client, size_t key,
          struct hf_record *tested, struct hf_record *model)
{
    struct hf_error error = {.status = HF_OK};

    if (get_one(run->tested[client], key_at(key), suite_soon(), tested,
                &error) != HF_OK ||
        get_one(run->model[client], key_at(key), suite_soon(), model, &error) !=
            HF_OK)
        fail_msg("seed %llu, step %u: %s", (unsigned long long)run->seed,
                 run->step, error.text);
}

/* Both show the same; their versions become a pair. */
static void
look_at(struct run *run, unsigned client, size_t key)
{
    struct hf_record tested;
    struct hf_record model;
    struct pair *past = run->past[key];
    size_t *count = &run->past_count[key];

    read_both(run, client, key, &tested, &model);
    if (tested.exists != model.exists ||
        (tested.exists &&
         (tested.value_len != model.value_len ||
          memcmp(tested.value, model.value, model.value_len) != 0 ||
          (tested.token == tested.version) != (model.token == model.version))))
        fail_msg("seed %llu, step %u: they show another %s",
                 (unsigned long long)run->seed, run->step, key_at(key).name);
    if (*count > 0) {
        assert_true(tested.version >= past[*count - 1].tested);
        assert_true(model.version >= past[*count - 1].model);
        /* One of them may raise its floor, and the other not. */
        if (tested.version == past[*count - 1].tested ||
            model.version == past[*count - 1].model)
            --*count;
    }
    assert_true(*count < PAST_MAX);
    past[(*count)++] = (struct pair){tested.version, model.version};
}

/* Mostly the present version. */
static struct pair
expected(struct run *run, size_t key)
{
    size_t back = draw(run, 4) == 0 ? draw(run, 3) : 0;
    size_t count = run->past_count[key];

    return run->past[key][back < count ? count - 1 - back : 0];
}

/* An operation that names a version. */
static void
draw_guard(struct run *run, size_t key, char value[32], struct hf_store_op *at,
           struct hf_store_op *model)
{
    struct pair version = expected(run, key);
    unsigned kind = draw(run, 5);

    snprintf(value, 32, "%u of %u", run->step, draw(run, 1000));
    if (kind < 2)
        *at = suite_put(key_at(key), version.tested, value);
    else if (kind < 4)
        *at = suite_beat(key_at(key), version.tested, value);
    else
        *at = suite_delete(key_at(key), version.tested);
    *model = *at;
    model->expect.version = version.model;
}

/* A second one of its group, which may leave the version open. */
static void
draw_open(struct run *run, size_t key, struct hf_store_op *at,
          struct hf_store_op *model)
{
    *at = suite_put(key_at(key), 0, "marker");
    at->expect.kind = draw(run, 2) == 0 ? HF_EXPECT_ABSENT : HF_EXPECT_ANYTHING;
    if (draw(run, 3) == 0) {
        at->kind = HF_ERASE;
        at->expect.kind = HF_EXPECT_ANYTHING;
        at->value = NULL;
        at->value_len = 0;
        at->new_generation = false;
    }
    *model = *at;
}

/* The same groups for both.  A key stands once in a commit. */
static size_t
draw_groups(struct run *run, struct hf_store_group *tested,
            struct hf_store_group *model, struct hf_store_op (*ops)[2],
            struct hf_store_op (*model_ops)[2])
{
    size_t count = 1 + draw(run, GROUPS_MAX);
    size_t first = draw(run, NAMES);

    for (size_t i = 0; i < count; i++) {
        tested[i] = (struct hf_store_group){.ops = ops[i], .ops_count = 1};
        model[i] = (struct hf_store_group){.ops = model_ops[i], .ops_count = 1};
        draw_guard(run, (first + i) % NAMES, run->values[i], &ops[i][0],
                   &model_ops[i][0]);
        if (i < KEYS - NAMES && draw(run, 2) == 0) {
            draw_open(run, NAMES + i, &ops[i][1], &model_ops[i][1]);
            tested[i].ops_count = model[i].ops_count = 2;
        }
    }
    return count;
}

static void
commit_both(struct run *run, unsigned client)
{
    struct hf_store_group tested[GROUPS_MAX];
    struct hf_store_group model[GROUPS_MAX];
    struct hf_store_op ops[GROUPS_MAX][2];
    struct hf_store_op model_ops[GROUPS_MAX][2];
    size_t count = draw_groups(run, tested, model, ops, model_ops);

    hf_store_commit(run->tested[client], tested, count, suite_soon(), NULL);
    hf_store_commit(run->model[client], model, count, suite_soon(), NULL);
    for (size_t i = 0; i < count; i++) {
        if (tested[i].verdict != model[i].verdict ||
            (model[i].verdict == HF_REFUSED &&
             tested[i].refused_at != model[i].refused_at))
            fail_msg("seed %llu, step %u: group %zu of %zu: %s %zu, not %s %zu",
                     (unsigned long long)run->seed, run->step, i, count,
                     hf_verdict_word(tested[i].verdict), tested[i].refused_at,
                     hf_verdict_word(model[i].verdict), model[i].refused_at);
    }
}

static void
purge_both(struct run *run, unsigned client)
{
    size_t tested = 0;
    size_t model = 0;

    /* Whatever was deleted is then older than nothing. */
    hf_store_wait(run->model[client], NULL, 0,
                  hf_after(hf_now(), (struct hf_duration){3}), -1);
    assert_int_equal(hf_store_purge(run->tested[client],
                                    (struct hf_duration){0}, 100, suite_soon(),
                                    &tested, NULL),
                     HF_OK);
    assert_int_equal(hf_store_purge(run->model[client], (struct hf_duration){0},
                                    100, suite_soon(), &model, NULL),
                     HF_OK);
    assert_true(tested >= model); /* an erase may leave a tombstone */
}

static void
run_seed(const struct suite_bench *b, uint64_t seed)
{
    static struct run run;
    char memory[64];

    memset(&run, 0, sizeof(run));
    run.seed = run.state = seed;
    snprintf(memory, sizeof(memory), "memory:model-%llu",
             (unsigned long long)seed);
    for (unsigned i = 0; i < CLIENTS; i++) {
        run.tested[i] = suite_open(b);
        run.model[i] = suite_open_place(memory);
    }
    for (size_t key = 0; key < KEYS; key++)
        look_at(&run, 0, key);
    for (run.step = 0; run.step < STEPS; run.step++) {
        unsigned client = draw(&run, CLIENTS);

        if (draw(&run, 50) == 0)
            purge_both(&run, client);
        else
            commit_both(&run, client);
        for (size_t key = 0; key < KEYS; key++)
            look_at(&run, draw(&run, CLIENTS), key);
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        hf_store_close(run.tested[i]);
        hf_store_close(run.model[i]);
    }
}

static void
three_clients_are_told_what_memory_tells_them(struct suite_bench *b)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (size_t key = 0; key < KEYS; key++) { /* of the seed before */
            struct hf_record record;

            assert_int_equal(
                get_one(b->store, key_at(key), suite_soon(), &record, NULL),
                HF_OK);
            if (record.exists)
                suite_apply(b->store,
                            suite_delete(key_at(key), record.version));
        }
        run_seed(b, seed);
    }
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(three_clients_are_told_what_memory_tells_them),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
