#ifndef LAB_CODEC_H
#define LAB_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"

/*
 * Codec: a state as a few bytes, and a state of these again.  One description
 * of a struct serves both ways: it visits each field once.  While the codec
 * writes, the field goes into the bytes; while it reads, it comes out of them.
 *
 *     static void
 *     code_head(struct codec *codec, struct service_head *head)
 *     {
 *         CODE(codec, head->exists);
 *         CODE(codec, head->token);
 *         codec_ahead(codec, &head->ends_at);
 *     }
 *
 * Times are ticks of CODEC_TICK_MS from CODEC_NOW, at which every machine
 * stands that was read.  A time that is written becomes the one that would be
 * read: between two ticks, the later of them.
 *
 * Before a state is written, numbers of which only the order matters become
 * ranks: a codec that ranks visits them, and nothing else (numbers.h).
 *
 * All of it is inline, and so is a description that is to be fast: then it is
 * compiled once for each way.
 */

enum { CODEC_TICK_MS = 250, CODEC_NEVER = 0xff };

#define CODEC_NOW    ((struct hf_instant){1000000})

#define CODEC_INLINE static inline __attribute__((always_inline))

struct codec {
    uint8_t *at;
    uint8_t *end;
    bool reads;
    bool ranks;            /* it neither reads nor writes */
    uint8_t bit;           /* of the byte at `at`, the next that is free */
    struct hf_instant now; /* of what is written; CODEC_NOW of what is read */
};

/* A number below 256, an enumerator or a bool. */
#define CODE(codec, field)                                                     \
    do {                                                                       \
        if ((codec)->reads)                                                    \
            (field) = codec_get(codec);                                        \
        else                                                                   \
            codec_put((codec), (uint64_t)(field));                             \
    } while (0)

/* One of so few bits; what stands in one byte comes one after the other. */
#define CODE_BITS(codec, width, field)                                         \
    do {                                                                       \
        if ((codec)->reads)                                                    \
            (field) = codec_get_bits((codec), (width));                        \
        else                                                                   \
            codec_put_bits((codec), (width), (unsigned)(field));               \
    } while (0)

/* ---- Bytes --------------------------------------------------------------- */

/* Into so many bytes. */
CODEC_INLINE struct codec
codec_writer(uint8_t *bytes, size_t size, struct hf_instant now)
{
    return (struct codec){.at = bytes, .end = bytes + size, .now = now};
}

/* From so many, which it only reads. */
CODEC_INLINE struct codec
codec_reader(const uint8_t *bytes, size_t size)
{
    uint8_t *at = (uint8_t *)(uintptr_t)bytes;

    return (struct codec){
        .at = at, .end = at + size, .reads = true, .now = CODEC_NOW};
}

CODEC_INLINE struct codec
codec_ranker(void)
{
    return (struct codec){.ranks = true};
}

CODEC_INLINE uint8_t
codec_get(struct codec *codec)
{
    HF_CHECK(codec->at < codec->end && codec->bit == 0);
    return *codec->at++;
}

CODEC_INLINE void
codec_put(struct codec *codec, uint64_t value)
{
    if (codec->ranks)
        return;
    HF_CHECK(codec->at < codec->end && codec->bit == 0);
    HF_CHECK(value <= UINT8_MAX);
    *codec->at++ = (uint8_t)value;
}

/* The next field begins a byte of its own. */
CODEC_INLINE void
codec_byte_ends(struct codec *codec)
{
    if (codec->bit == 0)
        return;
    codec->at++;
    codec->bit = 0;
}

CODEC_INLINE void
codec_skip_bits(struct codec *codec, unsigned width)
{
    codec->bit = (uint8_t)(codec->bit + width);
    if (codec->bit == 8)
        codec_byte_ends(codec);
}

CODEC_INLINE uint8_t
codec_get_bits(struct codec *codec, unsigned width)
{
    unsigned value;

    HF_CHECK(codec->at < codec->end && codec->bit + width <= 8);
    value = *codec->at >> codec->bit & ((1u << width) - 1);
    codec_skip_bits(codec, width);
    return (uint8_t)value;
}

CODEC_INLINE void
codec_put_bits(struct codec *codec, unsigned width, unsigned value)
{
    unsigned before;

    if (codec->ranks)
        return;
    HF_CHECK(codec->at < codec->end && codec->bit + width <= 8);
    HF_CHECK(value >> width == 0);
    before = codec->bit == 0 ? 0u : *codec->at;
    *codec->at = (uint8_t)(before | value << codec->bit);
    codec_skip_bits(codec, width);
}

/* Those of the next `size` bytes; the codec itself goes on behind them. */
CODEC_INLINE struct codec
codec_part(struct codec *codec, size_t size)
{
    struct codec part = *codec;

    if (codec->ranks)
        return part;
    HF_CHECK(size <= (size_t)(codec->end - codec->at) && codec->bit == 0);
    codec->at += size;
    part.end = codec->at;
    return part;
}

/* The rest of the bytes is 0. */
CODEC_INLINE void
codec_end(struct codec *codec)
{
    if (codec->ranks)
        return;
    codec_byte_ends(codec);
    if (!codec->reads)
        memset(codec->at, 0, (size_t)(codec->end - codec->at));
    codec->at = codec->end;
}

/* ---- Times --------------------------------------------------------------- */

/* So many ticks. */
static inline struct hf_duration
codec_length(unsigned ticks)
{
    return (struct hf_duration){(int64_t)ticks * CODEC_TICK_MS};
}

/* Rounded up. */
CODEC_INLINE uint64_t
codec_ticks_of(struct hf_duration length)
{
    uint64_t ticks =
        (uint64_t)((length.ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS);

    HF_CHECK(ticks < CODEC_NEVER);
    return ticks;
}

/* An instant that matters until it has come; or HF_NEVER.  One that has come is
 * now. */
CODEC_INLINE void
codec_ahead(struct codec *codec, struct hf_instant *at)
{
    uint64_t ticks = 0;

    if (codec->ranks)
        return;
    if (codec->reads)
        ticks = codec_get(codec);
    else if (at->ms == HF_NEVER.ms)
        ticks = CODEC_NEVER;
    else if (!hf_reached(codec->now, *at))
        ticks = codec_ticks_of(hf_between(codec->now, *at));
    if (!codec->reads)
        codec_put(codec, ticks);
    *at = ticks == CODEC_NEVER
              ? HF_NEVER
              : hf_after(codec->now, codec_length((unsigned)ticks));
}

/* An instant that has come; one that is longer ago than `most` ticks is as long
 * ago as that.  HF_NEVER stays. */
CODEC_INLINE void
codec_ago(struct codec *codec, struct hf_instant *at, unsigned most)
{
    uint64_t ticks = 0;

    if (codec->ranks)
        return;
    HF_CHECK(most < CODEC_NEVER);
    if (codec->reads)
        ticks = codec_get(codec);
    else if (at->ms == HF_NEVER.ms)
        ticks = CODEC_NEVER;
    else if (hf_reached(codec->now, *at))
        ticks = (uint64_t)(hf_between(*at, codec->now).ms / CODEC_TICK_MS);
    if (ticks != CODEC_NEVER && ticks > most)
        ticks = most;
    if (!codec->reads)
        codec_put(codec, ticks);
    *at =
        ticks == CODEC_NEVER
            ? HF_NEVER
            : hf_after(codec->now,
                       (struct hf_duration){-codec_length((unsigned)ticks).ms});
}

/* Some whole ticks; HF_FOREVER stays. */
CODEC_INLINE void
codec_ticks(struct codec *codec, struct hf_duration *length)
{
    uint64_t ticks = CODEC_NEVER;

    if (codec->ranks)
        return;
    if (codec->reads)
        ticks = codec_get(codec);
    else if (length->ms != HF_FOREVER.ms)
        ticks = codec_ticks_of(*length);
    if (!codec->reads)
        codec_put(codec, ticks);
    *length = ticks == CODEC_NEVER ? HF_FOREVER : codec_length((unsigned)ticks);
}

#endif
