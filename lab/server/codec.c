#include "lab/server/codec.h"

#include <string.h>

#include "base/check.h"

enum { NEVER = 0xff };

struct codec
codec_writer(uint8_t *bytes, size_t size, struct hf_instant now)
{
    return (struct codec){.at = bytes, .end = bytes + size, .now = now};
}

/* It only reads them. */
struct codec
codec_reader(const uint8_t *bytes, size_t size)
{
    struct codec codec = {.reads = true, .now = CODEC_NOW};

    memcpy(&codec.at, &bytes, sizeof(bytes));
    codec.end = codec.at + size;
    return codec;
}

void
codec_end(struct codec *codec)
{
    if (!codec->reads)
        memset(codec->at, 0, (size_t)(codec->end - codec->at));
    codec->at = codec->end;
}

uint8_t
codec_small(struct codec *codec, uint64_t value)
{
    HF_CHECK(codec->at < codec->end);
    if (!codec->reads) {
        HF_CHECK(value <= UINT8_MAX);
        *codec->at = (uint8_t)value;
    }
    return *codec->at++;
}

static uint64_t
ticks_of(int64_t ms)
{
    return (uint64_t)((ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS);
}

struct hf_instant
codec_ahead(struct codec *codec, struct hf_instant at)
{
    uint64_t ticks = 0;

    if (!codec->reads && at.ms == HF_NEVER.ms)
        ticks = NEVER;
    else if (!codec->reads && !hf_reached(codec->now, at))
        ticks = ticks_of(hf_between(codec->now, at).ms);
    HF_CHECK(codec->reads || at.ms == HF_NEVER.ms || ticks < NEVER);
    ticks = codec_small(codec, ticks);
    return ticks == NEVER ? HF_NEVER
                          : hf_after(codec->now, codec_length((unsigned)ticks));
}

struct hf_instant
codec_ago(struct codec *codec, struct hf_instant at, unsigned most)
{
    uint64_t ticks = 0;

    HF_CHECK(most < NEVER);
    if (!codec->reads && at.ms == HF_NEVER.ms)
        ticks = NEVER;
    else if (!codec->reads && hf_reached(codec->now, at))
        ticks = (uint64_t)(hf_between(at, codec->now).ms / CODEC_TICK_MS);
    if (ticks != NEVER && ticks > most)
        ticks = most;
    ticks = codec_small(codec, ticks);
    if (ticks == NEVER)
        return HF_NEVER;
    return (struct hf_instant){codec->now.ms -
                               codec_length((unsigned)ticks).ms};
}

struct hf_duration
codec_ticks(struct codec *codec, struct hf_duration length)
{
    uint64_t ticks = length.ms == HF_FOREVER.ms ? NEVER : ticks_of(length.ms);

    HF_CHECK(codec->reads || length.ms == HF_FOREVER.ms || ticks < NEVER);
    ticks = codec_small(codec, codec->reads ? 0 : ticks);
    return ticks == NEVER ? HF_FOREVER : codec_length((unsigned)ticks);
}
