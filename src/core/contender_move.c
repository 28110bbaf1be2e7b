#include "core/contender_move.h"

#include "base/check.h"

#define BIT(state) (1u << (state))

/* Which states may follow which: the diagram in contender.h, in code. */
static const unsigned allowed[] = {
    [HF_CONTENDER_IDLE] = BIT(HF_CONTENDER_LOOKING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_LOOKING] = BIT(HF_CONTENDER_WATCHING) |
                             BIT(HF_CONTENDER_CLAIMING) |
                             BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_WATCHING] =
        BIT(HF_CONTENDER_CLAIMING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_CLAIMING] =
        BIT(HF_CONTENDER_LOOKING) | BIT(HF_CONTENDER_HOLDING) |
        BIT(HF_CONTENDER_LEAVING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_HOLDING] =
        BIT(HF_CONTENDER_LEAVING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_LEAVING] = BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_ENDED] = 0,
};

void
hf_contender_move_to(struct hf_contender *c, enum hf_contender_state next)
{
    HF_CHECK(allowed[c->state] & BIT(next));
    c->state = next;
}

void
hf_contender_move_to_end(struct hf_contender *c, enum hf_status status,
                         enum hf_outcome outcome)
{
    hf_asker_stop(&c->keeper.asker);
    c->status = status;
    c->outcome = outcome;
    hf_contender_move_to(c, HF_CONTENDER_ENDED);
    hf_outbox_tell(&c->outbox, HF_TOLD_ENDED);
}

void
hf_contender_move_check(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_ENDED:
        HF_CHECK(c->keeper.state == HF_KEEPER_IDLE);
        HF_CHECK(!c->keeper.asker.waiting);
        break;
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
        HF_CHECK(c->keeper.state == HF_KEEPER_IDLE);
        HF_CHECK(hf_asker_deadline(&c->keeper.asker).ms != HF_NEVER.ms);
        break;
    case HF_CONTENDER_CLAIMING:
        HF_CHECK(c->keeper.state == HF_KEEPER_CLAIMING ||
                 c->keeper.state == HF_KEEPER_CONFIRMING);
        break;
    case HF_CONTENDER_HOLDING:
        HF_CHECK(c->keeper.state == HF_KEEPER_HELD ||
                 c->keeper.state == HF_KEEPER_IN_DOUBT);
        break;
    case HF_CONTENDER_LEAVING:
        HF_CHECK(c->keeper.state == HF_KEEPER_SETTLING);
        break;
    }
}
