#include "core/contender_look.h"

#include "core/contender_move.h"

/*
 * Failed looks after which a place that never answered is unavailable.  If it
 * says so itself, they take a third of a second.  If it is silent, each takes
 * as long as a lock of these terms could bear; where that is short there must
 * be more of them, for a busy machine may be silent that long.
 */
#define LOOKS_MAX  5
#define SILENCE_MS 2000

/* Without a hint a waiter looks about as often as the holder beats. */
#define LOOK_EVERY_MIN_MS 100
#define LOOK_EVERY_MAX_MS 5000

void
hf_contender_look(struct hf_contender *c, struct hf_instant now)
{
    c->asked_with = hf_sighting_proof(&c->sighting, now);
    hf_asker_ask(&c->keeper.asker, HF_ASK_READ, now);
    hf_outbox_add(&c->outbox, HF_OUTBOX_ASK);
}

void
hf_contender_look_later(struct hf_contender *c, struct hf_instant now)
{
    int64_t every_ms = c->sighting.terms.beat.ms;
    struct hf_instant stale_at = hf_sighting_stale_at(&c->sighting);
    struct hf_instant when;

    if (every_ms < LOOK_EVERY_MIN_MS)
        every_ms = LOOK_EVERY_MIN_MS;
    if (every_ms > LOOK_EVERY_MAX_MS)
        every_ms = LOOK_EVERY_MAX_MS;
    when = hf_after(now, (struct hf_duration){every_ms});
    if (!hf_reached(now, stale_at))
        when = hf_earlier(when, stale_at);
    hf_asker_rest(&c->keeper.asker, when);
}

void
hf_contender_look_sooner(struct hf_contender *c, struct hf_instant now)
{
    if (c->state == HF_CONTENDER_WATCHING && !c->keeper.asker.waiting &&
        !c->failing)
        hf_contender_look(c, now);
}

static int64_t
silent_looks_max(const struct hf_contender *c)
{
    int64_t looks = 1 + SILENCE_MS / c->keeper.asker.config.call.ms;

    return looks > UINT8_MAX ? UINT8_MAX : looks; /* counted no further */
}

static void
on_failed(struct hf_contender *c, struct hf_instant now, int64_t most)
{
    c->failing = true;
    hf_asker_pause(&c->keeper.asker, now);
    if (!c->answered && c->keeper.asker.failures >= most)
        hf_contender_move_to_end(c, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

void
hf_contender_look_failed(struct hf_contender *c, struct hf_instant now)
{
    on_failed(c, now, LOOKS_MAX);
}

void
hf_contender_look_clock(struct hf_contender *c, struct hf_instant now)
{
    switch (hf_asker_silence(&c->keeper.asker, now)) {
    case HF_SILENCE_LATE:
        if (!c->answered)
            c->failing = true; /* so far as anybody knows */
        break;
    case HF_SILENCE_OVER:
        on_failed(c, now, silent_looks_max(c));
        break;
    case HF_SILENCE_NONE:
        break;
    }
    if (!c->keeper.asker.waiting && hf_reached(now, c->keeper.asker.again_at))
        hf_contender_look(c, now);
}
