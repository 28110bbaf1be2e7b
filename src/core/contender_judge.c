#include "core/contender_judge.h"

#include "core/contender_claim.h"
#include "core/contender_look.h"
#include "core/contender_move.h"

static void
on_alive(struct hf_contender *c, struct hf_instant now)
{
    const struct hf_sighting *s = &c->sighting;

    /* Who came after our first look, or won against our claim, lives. */
    bool lives = s->beat_seen || s->running || !s->same_holder || c->claims > 0;

    if (c->try_only && lives)
        hf_contender_move_to_end(c, HF_OK, HF_TIMED_OUT);
    else if (hf_sighting_proof(s, now) != HF_PROOF_NONE)
        /* It came while a read was out, and needs a read of its own. */
        hf_contender_look(c, now);
    else
        hf_contender_look_later(c, now);
}

static void
on_dead(struct hf_contender *c, enum hf_proof proof, struct hf_instant now)
{
    /* Refused at this version: somebody's marker is in the way. */
    bool blocked = c->sighting.version == c->claimed_version;

    if (c->sighting.terms.if_dead == HF_TAKEOVER && blocked && c->try_only) {
        hf_contender_move_to_end(c, HF_OK, HF_TIMED_OUT);
    } else if (c->sighting.terms.if_dead == HF_TAKEOVER && blocked) {
        hf_contender_look_later(c, now);
    } else if (c->sighting.terms.if_dead == HF_TAKEOVER) {
        hf_contender_claim(c, now, c->sighting.version, c->sighting.token);
    } else if (proof == HF_PROOF_GONE) {
        hf_contender_move_to_end(c, HF_OK, HF_GONE);
    } else if (c->try_only || c->fail_suspected) {
        hf_contender_move_to_end(c, HF_OK, HF_SUSPECTED_DEAD);
    } else {
        if (!c->suspected)
            hf_outbox_tell(&c->outbox, HF_TOLD_SUSPECTED);
        c->suspected = true;
        hf_contender_look_later(c, now);
    }
}

static void
on_absent(struct hf_contender *c, uint64_t version, struct hf_instant now)
{
    hf_sighting_absent(&c->sighting);
    if (version == c->claimed_version)
        hf_asker_pause(&c->keeper.asker, now);
    else
        hf_contender_claim(c, now, version, 0);
}

static void
on_lock_seen(struct hf_contender *c, const struct hf_sight *sight,
             struct hf_instant now)
{
    bool first = c->sighting.token == 0;
    bool unchanged = hf_sighting_note(&c->sighting, sight, now);

    if (c->state != HF_CONTENDER_WATCHING)
        hf_contender_move_to(c, HF_CONTENDER_WATCHING);
    if (first)
        hf_outbox_tell(&c->outbox, HF_TOLD_WAITING);
    if (!unchanged)
        c->suspected = false;

    if (unchanged && c->asked_with != HF_PROOF_NONE)
        on_dead(c, c->asked_with, now);
    else
        on_alive(c, now);
}

void
hf_contender_judge_found(struct hf_contender *c, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_asker_answered(&c->keeper.asker, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        hf_contender_look_failed(c, event->at);
        return;
    }

    c->failing = false;
    c->answered = true;
    switch (sight->kind) {
    case HF_SIGHT_LOCK:
        on_lock_seen(c, sight, event->at);
        break;
    case HF_SIGHT_ABSENT:
        on_absent(c, sight->version, event->at);
        break;
    case HF_SIGHT_CORRUPT:
        hf_contender_move_to_end(c, HF_E_CORRUPT, HF_NOT_HELD);
        break;
    case HF_SIGHT_NONE:
        break;
    }
}

void
hf_contender_judge_evidence(struct hf_contender *c,
                            const struct hf_event *event)
{
    bool known = c->sighting.gone;

    if (c->state != HF_CONTENDER_WATCHING)
        return;
    hf_sighting_evidence(&c->sighting, event->evidence.version,
                         event->evidence.gone);
    if (c->sighting.gone && !known) /* once: a shell may say it again */
        hf_contender_look_sooner(c, event->at);
    else if (c->try_only && c->sighting.running)
        hf_contender_move_to_end(c, HF_OK, HF_TIMED_OUT);
}
