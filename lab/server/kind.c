#include "lab/server/kind.h"

#include <string.h>

#include "base/check.h"
#include "lab/world/attempt.h"
#include "lab/world/model.h"

/* Where a world stands while a search is at it. */
struct room {
    _Alignas(64) uint8_t bytes[KIND_WORLD_MAX];
};

static void
copy(const struct kind_world *of, struct room *to, const struct room *from)
{
    memcpy(to->bytes, from->bytes, of->kind->world_size(of->config));
}

/* ---- A step that a check may end ----------------------------------------- */

struct trial {
    const struct kind_world *of;
    struct kind_action action;
    struct room *world;
    uint8_t *packed; /* NULL: not wanted */
    const char *violated;
};

static void
try_step(void *ctx)
{
    struct trial *trial = ctx;
    const struct kind *kind = trial->of->kind;

    trial->violated = kind->apply(trial->world->bytes, trial->action);
    if (trial->packed != NULL)
        kind->pack(trial->world->bytes, trial->packed);
}

static const char *
take_step(const struct kind_world *of, struct kind_action action,
          struct room *world, uint8_t *packed)
{
    struct trial trial = {of, action, world, packed, NULL};
    const char *check = attempt(try_step, &trial);

    return check != NULL ? check : trial.violated;
}

/* ---- To be explored ------------------------------------------------------ */

static void
start(const void *ctx, void *state)
{
    const struct kind_world *of = ctx;
    struct room world;

    of->kind->start(of->config, world.bytes);
    of->kind->pack(world.bytes, state);
}

static void
try_action(const struct kind_world *of, const struct room *world,
           struct kind_action action, struct explorer *explorer)
{
    const struct kind *kind = of->kind;
    uint8_t packed[KIND_PACKED_MAX];
    struct room after;
    struct explore_step step = {
        .state = packed,
        .action = kind_number(action),
        .fault = kind->fault(world->bytes, action),
    };

    if (!explore_wants(explorer, step.fault) ||
        !kind->allowed(world->bytes, action))
        return;
    step.actor = (uint8_t)kind->actor(world->bytes, action);
    copy(of, &after, world);
    step.violated = take_step(of, action, &after, packed);
    if (step.violated == NULL && kind->granted(after.bytes))
        step.seen |= MODEL_SEEN_INSIDE;
    if (step.fault)
        step.seen |= MODEL_SEEN_FAULT;
    explore_add(explorer, &step);
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct kind_world *of = ctx;
    struct room world;

    of->kind->unpack(of->config, state, world.bytes);
    for (unsigned who = 0; who < 16; who++)
        for (unsigned act = 0; act < of->kind->acts; act++)
            try_action(of, &world, (struct kind_action){act, who}, explorer);
}

struct explore_system
kind_system(const struct kind_world *of)
{
    size_t size = of->kind->packed_size(of->config);
    struct explore_system system = {
        .state_size = size,
        .ctx = of,
        .start = start,
        .expand = expand,
        .must_see = MODEL_SEEN_INSIDE,
    };

    HF_CHECK(size <= KIND_PACKED_MAX &&
             of->kind->world_size(of->config) <= KIND_WORLD_MAX);
    of->kind->parts(of->config, system.parts);
    return system;
}

/* ---- To be told again ---------------------------------------------------- */

const char *
kind_replay(const struct kind_world *of, const uint16_t *schedule, size_t len,
            kind_show_fn *show, void *ctx, size_t *steps, bool *possible)
{
    const struct kind *kind = of->kind;
    struct room before;
    struct room after;
    uint8_t packed[KIND_PACKED_MAX];

    *possible = true;
    *steps = 0;
    kind->start(of->config, after.bytes);
    for (size_t i = 0; i < len; i++) {
        struct kind_action action = kind_action_of(schedule[i]);
        const char *violated;
        char sentence[400];
        struct hf_text text;

        kind->pack(after.bytes, packed);
        kind->unpack(of->config, packed, before.bytes);
        *possible =
            action.act < kind->acts && kind->allowed(before.bytes, action);
        if (!*possible)
            return NULL;
        copy(of, &after, &before);
        violated = take_step(of, action, &after, NULL);
        hf_text_init(&text, sentence, sizeof(sentence));
        kind->sentence(before.bytes, after.bytes, action, &text);
        if (kind->fault(before.bytes, action))
            hf_text_addf(&text, " (a fault)");
        if (violated != NULL)
            hf_text_addf(&text, "; %s", violated);
        *steps = i + 1;
        if (show != NULL)
            show(ctx, (unsigned)i + 1, sentence);
        if (violated != NULL)
            return violated;
    }
    return NULL;
}

/* ---- At random ----------------------------------------------------------- */

/* xorshift64* (Vigna 2016), as walk.c. */
static uint64_t
roll(uint64_t *dice)
{
    *dice ^= *dice >> 12;
    *dice ^= *dice << 25;
    *dice ^= *dice >> 27;
    return *dice * UINT64_C(0x2545f4914f6cdd1d);
}

static bool
choose(const struct kind_world *of, const struct room *world, uint64_t *dice,
       struct kind_action *chosen)
{
    bool fault = roll(dice) % 30 == 0;
    unsigned found = 0;

    for (unsigned who = 0; who < 16; who++)
        for (unsigned act = 0; act < of->kind->acts; act++) {
            struct kind_action action = {act, who};

            if (!of->kind->allowed(world->bytes, action) ||
                of->kind->fault(world->bytes, action) != fault)
                continue;
            if (roll(dice) % ++found == 0)
                *chosen = action;
        }
    return found > 0;
}

const char *
kind_walk(const struct kind_world *of, uint64_t seed, uint16_t *schedule,
          size_t max, size_t *len)
{
    struct room world;
    uint8_t packed[KIND_PACKED_MAX];
    uint64_t dice = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    of->kind->start(of->config, world.bytes);
    for (*len = 0; *len < max;) {
        struct kind_action action;
        const char *violated;

        of->kind->pack(world.bytes, packed);
        of->kind->unpack(of->config, packed, world.bytes);
        if (!choose(of, &world, &dice, &action))
            continue; /* none of that sort is possible here: roll again */
        schedule[(*len)++] = kind_number(action);
        violated = take_step(of, action, &world, NULL);
        if (violated != NULL)
            return violated;
    }
    return NULL;
}
