#ifndef LAB_SERVER_CODEC_H
#define LAB_SERVER_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

/*
 * Codec: what a machine remembers as a few bytes, and a machine of these again.
 * One description serves both ways: each line of it gives the value that is
 * there, and sets what comes back, which is the same while it writes, and the
 * one that was written while it reads:
 *
 *     s->state = (enum hf_lease_state)codec_small(codec, s->state);
 *
 * Times are ticks of CODEC_TICK_MS from CODEC_NOW, at which every machine
 * stands that was read; one between two ticks is the later of them.
 */

enum { CODEC_TICK_MS = 250 };

#define CODEC_NOW ((struct hf_instant){1000000})

struct codec {
    uint8_t *at;
    uint8_t *end;
    bool reads;
    struct hf_instant now; /* of what is written; CODEC_NOW of what is read */
};

/* Into, or from, so many bytes. */
struct codec codec_writer(uint8_t *bytes, size_t size, struct hf_instant now);
struct codec codec_reader(const uint8_t *bytes, size_t size);

/* What is left of the bytes is 0. */
void codec_end(struct codec *codec);

/* A number below 256. */
uint8_t codec_small(struct codec *codec, uint64_t value);

/* An instant that matters until it has come; or HF_NEVER.  One that has come is
 * now. */
struct hf_instant codec_ahead(struct codec *codec, struct hf_instant at);

/* An instant that has come; one that is longer ago than `most` ticks, below
 * 255, is as long ago as that.  HF_NEVER stays. */
struct hf_instant codec_ago(struct codec *codec, struct hf_instant at,
                            unsigned most);

/* Some whole ticks; HF_FOREVER stays. */
struct hf_duration codec_ticks(struct codec *codec, struct hf_duration length);

/* So many ticks. */
static inline struct hf_duration
codec_length(unsigned ticks)
{
    return (struct hf_duration){(int64_t)ticks * CODEC_TICK_MS};
}

#endif
