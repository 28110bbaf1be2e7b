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

enum { KIND_WORLD_MAX = 131072, KIND_PACKED_MAX = 3072, KIND_ACTS_MAX = 128 };

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

/* What every config begins with. */
struct kind_config {
    const char *name;
    const char *about; /* one line */
    unsigned clients;
    bool alike;         /* they are, and nobody tells them apart */
    bool is_whole;      /* too large to be packed: it is only walked through */
    const char *expect; /* the property that must be violated; NULL: none */
};

/* A world is what `start` and `unpack` write; a config is the kind's own, and
 * begins with a struct kind_config. */
struct kind {
    const char *const *words; /* of the acts, as in a line that is replayed */
    unsigned acts;
    unsigned batch;         /* the act that writes one */
    const uint8_t *weights; /* of the acts, at random; NULL: they are equal */
    unsigned fault_in; /* at random: one step in about so many is a fault */
    size_t (*world_size)(const void *config);
    unsigned (*count)(const void *config, unsigned act); /* of those whom it
                                                            can be about */
    void (*copy)(const void *config, void *to, const void *from);
    void (*start)(const void *config, void *world);
    bool (*allowed)(const void *world, struct kind_action action);
    bool (*fault)(const void *world, struct kind_action action);
    unsigned (*actor)(const void *world, struct kind_action action);
    const char *(*apply)(void *world, struct kind_action action);
    bool (*granted)(const void *world); /* does anybody hold anything? */
    size_t (*packed_size)(const void *config);
    void (*parts)(const void *config, uint16_t parts[EXPLORE_PARTS_MAX]);
    void (*pack)(const void *world, uint8_t *bytes);
    void (*unpack)(const void *config, const uint8_t *bytes, void *world);
    void (*sentence)(const void *before, const void *after,
                     struct kind_action action, struct hf_text *text);
};

/* What the functions below are about: borrowed. */
struct kind_world {
    const struct kind *kind;
    const void *config;
};

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
