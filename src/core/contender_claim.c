#include "core/contender_claim.h"

#include "base/check.h"
#include "core/contender_look.h"
#include "core/contender_move.h"

/* splitmix64 (Steele, Lea, Flood 2014): a bijection, so that no two claims of
 * one contender share an id before the top bit is dropped. */
static uint64_t
next_id(struct hf_contender *c)
{
    uint64_t z = c->seed + ++c->claims * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) & INT64_MAX;
}

void
hf_contender_claim(struct hf_contender *c, struct hf_instant now,
                   uint64_t version, uint64_t over)
{
    c->suspected = false;
    c->claimed_version = version;
    hf_asker_stop(&c->keeper.asker);
    hf_contender_move_to(c, HF_CONTENDER_CLAIMING);
    hf_contender_claim_step(
        c, hf_claim(now, (struct hf_claim){next_id(c), version, over}));
}

static void
on_told(struct hf_contender *c, enum hf_told told, struct hf_instant now)
{
    switch (told) {
    case HF_TOLD_NOT_MINE:
        hf_contender_move_to(c, HF_CONTENDER_LOOKING);
        hf_contender_look(c, now);
        break;
    case HF_TOLD_GRANTED:
        hf_contender_move_to(c, HF_CONTENDER_HOLDING);
        hf_outbox_tell(&c->outbox, told);
        break;
    case HF_TOLD_IN_DOUBT:
    case HF_TOLD_CERTAIN:
        hf_outbox_tell(&c->outbox, told);
        break;
    case HF_TOLD_LOST:
        c->outcome = HF_LOST;
        hf_outbox_tell(&c->outbox, told);
        if (c->keeper.state == HF_KEEPER_SETTLING)
            hf_contender_move_to(c, HF_CONTENDER_LEAVING);
        break;
    case HF_TOLD_SETTLED:
        hf_contender_move_to_end(c, c->status, c->outcome);
        break;
    case HF_TOLD_WAITING:
    case HF_TOLD_SUSPECTED:
    case HF_TOLD_ENDED:
        HF_CHECK(!"a keeper never tells this");
    }
}

void
hf_contender_claim_step(struct hf_contender *c, struct hf_event event)
{
    uint8_t entry;

    hf_keeper_step(&c->keeper, event);
    while (hf_outbox_take(&c->keeper.outbox, &entry)) {
        if (entry == HF_OUTBOX_ASK)
            hf_outbox_add(&c->outbox, entry);
        else
            on_told(c, (enum hf_told)entry, event.at);
    }
}

void
hf_contender_claim_leave(struct hf_contender *c, struct hf_instant now,
                         enum hf_status status, enum hf_outcome outcome)
{
    c->status = status;
    c->outcome = outcome;
    hf_contender_claim_step(c, hf_event(HF_ON_RELEASE, now));
    if (c->keeper.state == HF_KEEPER_SETTLING &&
        c->state != HF_CONTENDER_LEAVING)
        hf_contender_move_to(c, HF_CONTENDER_LEAVING);
}

/* The limit bounds the wait for a lock, not that for an answer that may say
 * that it was had. */
bool
hf_contender_claim_may_go_on(const struct hf_contender *c)
{
    return c->keeper.state == HF_KEEPER_CLAIMING &&
           !hf_keeper_unsettled(&c->keeper) && c->keeper.asker.waiting;
}

/* It was free, or became so: only the place has kept us from it. */
void
hf_contender_claim_give_up(struct hf_contender *c, struct hf_instant now)
{
    struct hf_duration took = c->keeper.asker.took;

    if (c->keeper.state == HF_KEEPER_CONFIRMING &&
        took.ms >= hf_keeper_slowest(&c->keeper.config).ms)
        c->too_slow = took;
    hf_contender_claim_leave(c, now, HF_E_UNAVAILABLE, HF_NOT_HELD);
}
