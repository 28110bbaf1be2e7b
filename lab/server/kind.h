#ifndef LAB_SERVER_KIND_H
#define LAB_SERVER_KIND_H

#include "base/text.h"
#include "explore/explore.h"
#include "lab/world/world.h"

/*
 * Kind: a kind of world in which a lockspace runs, as a system that can be
 * explored, walked through at random, and told again.
 *
 * A world is plain data of the kind's own; it is packed into the same bytes
 * where it behaves the same.  What a step breaks is a promise by its name, or
 * "check failed: ..." where a check of the machine ends it.
 */

enum {
    KIND_WORLD_MAX = 131072,
    KIND_PACKED_MAX = 3072,
    KIND_ACTS_MAX = 128,
    KIND_WHO = 16,
};

struct kind_action {
    unsigned act;
    unsigned who; /* below WORLD_WHO_MAX */
};

static inline uint16_t
kind_number(struct kind_action action)
{
    return (uint16_t)(action.act * WORLD_WHO_MAX + action.who);
}

static inline struct kind_action
kind_action_of(uint16_t number)
{
    return (struct kind_action){number / WORLD_WHO_MAX, number % WORLD_WHO_MAX};
}

/* The memory of one world, of whichever kind. */
struct kind_state {
    _Alignas(64) uint8_t bytes[KIND_WORLD_MAX];
};

/* What every config begins with. */
struct kind_config {
    const char *name;
    const char *about; /* one line */
    unsigned clients;
    bool alike;         /* they are, and nobody tells them apart */
    bool is_whole;      /* too large to be packed: it is only walked through */
    const char *expect; /* the property that must be violated; NULL: none */
};

/* A row of a table of worlds: its name, what it is about, how many clients it
 * has, and what else makes it. */
#define KIND_WORLD(its_name, line, count, ...)                                 \
    {                                                                          \
        .world.name = its_name, .world.about = line, .world.clients = count,   \
        __VA_ARGS__                                                            \
    }

struct kind_act {
    const char *word; /* as in a line that is replayed */
    const char *does; /* for the sentences of its kind; may be NULL */
    uint8_t weight;   /* at random */
};

/* A world is what `start` and `unpack` write; a config is the kind's own, and
 * begins with a struct kind_config. */
struct kind {
    const struct kind_act *acts;
    unsigned acts_count;
    unsigned batch;    /* the act that writes one */
    unsigned fault_in; /* at random: one step in about so many is a fault */
    size_t world_size;
    unsigned (*count)(const void *config, unsigned act); /* of those whom it
                                                            can be about; NULL:
                                                            KIND_WHO */
    void (*copy)(const void *config, void *to, const void *from); /* NULL: all
                                                                     of it */
    void (*start)(const void *config, void *world);
    bool (*allowed)(const void *world, struct kind_action action);
    bool (*fault)(struct kind_action action); /* NULL: there is none */
    unsigned (*actor)(struct kind_action action);
    const char *(*apply)(void *world, struct kind_action action);
    bool (*granted)(const void *world); /* does anybody hold anything? */
    void (*parts)(const void *config, uint16_t parts[EXPLORE_PARTS_MAX]);
    void (*pack)(const void *world, uint8_t *bytes);
    void (*unpack)(const void *config, const uint8_t *bytes, void *world);
    void (*sentence)(const void *before, const void *after,
                     struct kind_action action, struct hf_text *text);
};

/* The functions of a kind that are the same in each but for their types: they
 * call `name`_start, and so on, with those of the kind's own. */
#define KIND_FUNCTIONS(name)                                                   \
    static void start(const void *config, void *world)                         \
    {                                                                          \
        name##_start(world, config);                                           \
    }                                                                          \
    static bool allowed(const void *world, struct kind_action action)          \
    {                                                                          \
        return name##_allowed(world, (enum name##_act)action.act, action.who); \
    }                                                                          \
    static const char *apply(void *world, struct kind_action action)           \
    {                                                                          \
        struct name##_world *own = world;                                      \
                                                                               \
        name##_apply(own, (enum name##_act)action.act, action.who);            \
        return own->violated;                                                  \
    }                                                                          \
    static void parts(const void *config, uint16_t sizes[EXPLORE_PARTS_MAX])   \
    {                                                                          \
        name##_parts(config, sizes);                                           \
    }                                                                          \
    static void pack(const void *world, uint8_t *bytes)                        \
    {                                                                          \
        name##_pack(world, bytes);                                             \
    }                                                                          \
    static void unpack(const void *config, const uint8_t *bytes, void *world)  \
    {                                                                          \
        name##_unpack(config, bytes, world);                                   \
    }

/* And their places in a struct kind. */
#define KIND_FIELDS(name)                                                      \
    .world_size = sizeof(struct name##_world), .start = start,                 \
    .allowed = allowed, .apply = apply, .parts = parts, .pack = pack,          \
    .unpack = unpack

/* What the functions below are about: borrowed. */
struct kind_world {
    const struct kind *kind;
    const void *config;
};

/* Of a world that is packed. */
size_t kind_packed_size(const struct kind_world *of);

/* As `=`, of what there is in a world of that config. */
void kind_copy(const struct kind_world *of, void *to, const void *from);

/* Is it a fault? */
static inline bool
kind_is_fault(const struct kind *kind, struct kind_action action)
{
    return kind->fault != NULL && kind->fault(action);
}

/* What a search tells it has seen: MODEL_SEEN_INSIDE, and _FAULT. */
struct explore_system kind_system(const struct kind_world *of);

/* As model_replay: "1. The client ...", one call a step. */
typedef void kind_show_fn(void *ctx, unsigned number, const char *sentence);
const char *kind_replay(const struct kind_world *of, const uint16_t *schedule,
                        size_t len, kind_show_fn *show, void *ctx,
                        size_t *steps, bool *possible);

/* As walk_at_random. */
const char *kind_walk(const struct kind_world *of, uint64_t seed,
                      uint16_t *schedule, size_t max, size_t *len);

#endif
