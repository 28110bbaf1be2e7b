#ifndef LAB_WORLD_LAYOUT_H
#define LAB_WORLD_LAYOUT_H

#include "lab/world/world.h"

/*
 * Layout: what pack.c writes and unpack.c reads.  First the world, then the
 * writes that may come late, the workers, the resource and the person; the
 * bytes of a worker are named where they are written, in pack_worker.
 */
enum {
    WORLD_BYTES = 8,
    LATE_BYTES = 4,
    WORKER_BYTES = 34,
    CALL_AT = 27,         /* of a worker's bytes, what tells of its call */
    FAILURES_MAX = 15,    /* in a row: pauses are at their longest by then */
    LAST_QUESTION = 0x80, /* the call is of the last, though it is given up;
                             told apart where its answer may come again */
    NO_TERMS = 0xff,
    NEVER = 0xff,
};

/* The numbers of the question that is asked, of one that was before and whose
 * call is still under way, and of one before that was answered. */
enum { ANSWERED = 1, OWED, ASKED };

static inline uint8_t
layout_bits(const bool *flags, unsigned count)
{
    uint8_t byte = 0;

    for (unsigned i = 0; i < count; i++)
        byte |= (uint8_t)((unsigned)flags[i] << i);
    return byte;
}

static inline bool
layout_bit(uint8_t byte, unsigned index)
{
    return (byte >> index & 1) != 0;
}

/* Ticks until an instant, rounded up; 0 when it is reached. */
static inline uint8_t
layout_until(struct hf_instant instant)
{
    int64_t ms;

    if (instant.ms == HF_NEVER.ms)
        return NEVER;
    if (hf_reached(WORLD_NOW, instant))
        return 0;
    ms = instant.ms - WORLD_NOW.ms;
    return (uint8_t)((ms + WORLD_TICK_MS - 1) / WORLD_TICK_MS);
}

static inline struct hf_instant
layout_in(uint8_t count)
{
    if (count == NEVER)
        return HF_NEVER;
    return (struct hf_instant){WORLD_NOW.ms + (int64_t)count * WORLD_TICK_MS};
}

/* Ticks since an instant; more than the longest that matters is as good as
 * that. */
static inline uint8_t
layout_since(struct hf_instant instant, struct hf_duration longest)
{
    int64_t since = WORLD_NOW.ms - instant.ms;

    if (since < 0)
        since = 0;
    if (since > longest.ms)
        since = longest.ms;
    return (uint8_t)(since / WORLD_TICK_MS);
}

static inline struct hf_instant
layout_ago(uint8_t count)
{
    return (struct hf_instant){WORLD_NOW.ms - (int64_t)count * WORLD_TICK_MS};
}

/* A record's terms are those of some worker. */
static inline uint8_t
layout_terms_index(const struct world_config *config,
                   const struct hf_terms *terms)
{
    for (unsigned i = 0; i < config->workers; i++)
        if (terms->ttl.ms == (int64_t)config->terms[i].ttl * WORLD_TICK_MS &&
            terms->beat.ms == world_terms_of(config, i).beat.ms &&
            terms->if_dead == config->terms[i].if_dead)
            return (uint8_t)i;
    return NO_TERMS;
}

static inline struct hf_terms
layout_terms(const struct world_config *config, uint8_t index)
{
    if (index == NO_TERMS)
        return (struct hf_terms){0};
    return world_terms_of(config, index);
}

#endif
