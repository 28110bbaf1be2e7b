#include "lab/server/kind.h"

#include <string.h>

#include "base/check.h"
#include "lab/world/attempt.h"
#include "lab/world/model.h"

void
kind_copy(const struct kind_world *of, void *to, const void *from)
{
    if (of->kind->copy != NULL)
        of->kind->copy(of->config, to, from);
    else
        memcpy(to, from, of->kind->world_size);
}

static void
copy(const struct kind_world *of, struct kind_state *to,
     const struct kind_state *from)
{
    kind_copy(of, to->bytes, from->bytes);
}

static bool
is_whole(const struct kind_world *of)
{
    const struct kind_config *config = of->config;

    return config->is_whole;
}

/* A world that behaves as this one, made anew from the few bytes that say how:
 * so that what is walked is what would be searched. */
static void
renew(const struct kind_world *of, struct kind_state *to,
      const struct kind_state *from)
{
    uint8_t packed[KIND_PACKED_MAX];

    if (is_whole(of)) {
        copy(of, to, from);
        return;
    }
    of->kind->pack(from->bytes, packed);
    of->kind->unpack(of->config, packed, to->bytes);
}

/* ---- A step that a check may end ----------------------------------------- */

struct trial {
    const struct kind_world *of;
    struct kind_action action;
    struct kind_state *world;
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
          struct kind_state *world, uint8_t *packed)
{
    struct trial trial = {.of = of, .action = action, .world = world};
    const char *check;

    trial.packed = packed;
    check = attempt(try_step, &trial);
    return check != NULL ? check : trial.violated;
}

/* ---- To be explored ------------------------------------------------------ */

static void
start(const void *ctx, void *state)
{
    const struct kind_world *of = ctx;
    struct kind_state world;

    of->kind->start(of->config, world.bytes);
    of->kind->pack(world.bytes, state);
}

static void
try_action(const struct kind_world *of, const struct kind_state *world,
           struct kind_action action, struct explorer *explorer)
{
    const struct kind *kind = of->kind;
    uint8_t packed[KIND_PACKED_MAX];
    struct kind_state after;
    struct explore_step step = {
        .state = packed,
        .action = kind_number(action),
        .fault = kind_is_fault(kind, action),
    };

    if (!explore_wants(explorer, step.fault) ||
        !kind->allowed(world->bytes, action))
        return;
    step.actor = (uint8_t)kind->actor(action);
    copy(of, &after, world);
    step.violated = take_step(of, action, &after, packed);
    if (step.violated == NULL && kind->granted(after.bytes))
        step.seen |= MODEL_SEEN_INSIDE;
    if (step.fault)
        step.seen |= MODEL_SEEN_FAULT;
    explore_add(explorer, &step);
}

static unsigned
count_of(const struct kind_world *of, unsigned act)
{
    if (of->kind->count == NULL)
        return KIND_WHO;
    return of->kind->count(of->config, act);
}

/* Whatever may be possible in a world of this configuration. */
struct actions {
    struct kind_action all[KIND_ACTS_MAX * WORLD_WHO_MAX];
    unsigned count;
};

static void
list_actions(const struct kind_world *of, struct actions *actions)
{
    unsigned counts[KIND_ACTS_MAX] = {0};

    HF_CHECK(of->kind->acts_count <= KIND_ACTS_MAX);
    for (unsigned act = 0; act < of->kind->acts_count; act++)
        counts[act] = count_of(of, act);
    actions->count = 0;
    for (unsigned who = 0; who < WORLD_WHO_MAX; who++)
        for (unsigned act = 0; act < of->kind->acts_count; act++)
            if (who < counts[act])
                actions->all[actions->count++] = (struct kind_action){act, who};
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct kind_world *of = ctx;
    struct actions actions;
    struct kind_state world;

    list_actions(of, &actions);
    of->kind->unpack(of->config, state, world.bytes);
    for (unsigned i = 0; i < actions.count; i++)
        try_action(of, &world, actions.all[i], explorer);
}

size_t
kind_packed_size(const struct kind_world *of)
{
    uint16_t parts[EXPLORE_PARTS_MAX] = {0};
    size_t size = 0;

    of->kind->parts(of->config, parts);
    for (unsigned i = 0; i < EXPLORE_PARTS_MAX; i++)
        size += parts[i];
    return size;
}

struct explore_system
kind_system(const struct kind_world *of)
{
    size_t size = kind_packed_size(of);
    struct explore_system system = {
        .state_size = size,
        .ctx = of,
        .start = start,
        .expand = expand,
        .must_see = MODEL_SEEN_INSIDE,
    };

    HF_CHECK(size <= KIND_PACKED_MAX && of->kind->world_size <= KIND_WORLD_MAX);
    of->kind->parts(of->config, system.parts);
    return system;
}

/* ---- To be told again ---------------------------------------------------- */

/* A search makes its worlds anew at each step, by which streams may get other
 * numbers; a walk only after so many, for that costs more than a step. */
enum { SEARCHED = 1, WALKED = 16 };

struct telling {
    const struct kind_world *of;
    unsigned renewed_after; /* steps */
    kind_show_fn *show;     /* may be NULL */
    void *ctx;
};

static bool
is_possible(const struct kind_world *of, const struct kind_state *world,
            struct kind_action action)
{
    return action.act < of->kind->acts_count &&
           action.who < count_of(of, action.act) &&
           of->kind->allowed(world->bytes, action);
}

static const char *
tell_step(const struct telling *telling, struct kind_action action,
          const struct kind_state *before, struct kind_state *after,
          size_t number)
{
    const struct kind *kind = telling->of->kind;
    const char *violated = take_step(telling->of, action, after, NULL);
    char sentence[400];
    struct hf_text text;

    if (telling->show == NULL)
        return violated;
    hf_text_init(&text, sentence, sizeof(sentence));
    kind->sentence(before->bytes, after->bytes, action, &text);
    if (kind_is_fault(kind, action))
        hf_text_addf(&text, " (a fault)");
    if (violated != NULL)
        hf_text_addf(&text, "; %s", violated);
    telling->show(telling->ctx, (unsigned)number, sentence);
    return violated;
}

static const char *
tell(const struct telling *telling, const uint16_t *schedule, size_t len,
     size_t *steps, bool *possible)
{
    const struct kind_world *of = telling->of;
    const char *violated = NULL;
    struct kind_state before;
    struct kind_state after;

    *possible = true;
    of->kind->start(of->config, after.bytes);
    for (*steps = 0; *steps < len && violated == NULL; ++*steps) {
        struct kind_action action = kind_action_of(schedule[*steps]);

        if (*steps % telling->renewed_after == 0)
            renew(of, &before, &after);
        else
            copy(of, &before, &after);
        *possible = is_possible(of, &before, action);
        if (!*possible)
            return NULL;
        copy(of, &after, &before);
        violated = tell_step(telling, action, &before, &after, *steps + 1);
    }
    return violated;
}

const char *
kind_replay(const struct kind_world *of, const uint16_t *schedule, size_t len,
            kind_show_fn *show, void *ctx, size_t *steps, bool *possible)
{
    struct telling telling = {.of = of, .renewed_after = SEARCHED};

    tell(&telling, schedule, len, steps, possible);
    if (!*possible)
        telling.renewed_after = WALKED;
    telling.show = show;
    telling.ctx = ctx;
    return tell(&telling, schedule, len, steps, possible);
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

/* One of those that are possible, by their weights. */
static bool
choose(const struct kind_world *of, const struct actions *actions,
       const struct kind_state *world, uint64_t *dice,
       struct kind_action *chosen)
{
    const struct kind *kind = of->kind;
    bool fault = roll(dice) % kind->fault_in == 0;
    unsigned all = 0;

    for (unsigned i = 0; i < actions->count; i++) {
        struct kind_action action = actions->all[i];
        unsigned weight = kind->acts[action.act].weight;

        if (kind_is_fault(kind, action) != fault ||
            !kind->allowed(world->bytes, action))
            continue;
        all += weight;
        if (roll(dice) % all < weight)
            *chosen = action;
    }
    return all > 0;
}

const char *
kind_walk(const struct kind_world *of, uint64_t seed, uint16_t *schedule,
          size_t max, size_t *len)
{
    struct actions actions;
    struct kind_state before;
    struct kind_state world;
    uint64_t dice = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    list_actions(of, &actions);
    of->kind->start(of->config, world.bytes);
    for (*len = 0; *len < max;) {
        struct kind_action action = {0};
        const char *violated;

        if (!is_whole(of) && *len % WALKED == 0) {
            renew(of, &before, &world);
            copy(of, &world, &before);
        }
        while (!choose(of, &actions, &world, &dice, &action))
            ; /* none of that sort is possible here: roll again */
        schedule[(*len)++] = kind_number(action);
        violated = take_step(of, action, &world, NULL);
        if (violated != NULL)
            return violated;
    }
    return NULL;
}
