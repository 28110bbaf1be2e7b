#include "core/keeper_move.h"

#include "base/check.h"
#include "core/keeper_sent.h"

#define BIT(state) (1u << (state))

/* Which states may follow which: the diagram in keeper.h, in code. */
static const unsigned allowed[] = {
    [HF_KEEPER_IDLE] = BIT(HF_KEEPER_CLAIMING),
    [HF_KEEPER_CLAIMING] = BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_CONFIRMING) |
                           BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_CONFIRMING] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_HELD] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_IN_DOUBT) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_IN_DOUBT] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_SETTLING] = BIT(HF_KEEPER_IDLE),
};

void
hf_keeper_move_to(struct hf_keeper *k, enum hf_keeper_state next)
{
    HF_CHECK(allowed[k->state] & BIT(next));
    k->state = next;
}

void
hf_keeper_move_to_idle(struct hf_keeper *k)
{
    hf_asker_stop(&k->asker);
    hf_keeper_sent_forget(k);
    k->must_read = false;
    hf_keeper_move_to(k, HF_KEEPER_IDLE);
}

void
hf_keeper_move_check(const struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_IDLE:
        HF_CHECK(!k->asker.waiting);
        HF_CHECK(!hf_keeper_unsettled(k));
        break;
    case HF_KEEPER_CLAIMING:
        HF_CHECK(k->token == 0);
        break;
    case HF_KEEPER_CONFIRMING:
    case HF_KEEPER_IN_DOUBT:
        HF_CHECK(k->token != 0);
        break;
    case HF_KEEPER_HELD:
        HF_CHECK(k->token != 0);
        HF_CHECK(!hf_reached(now, k->right_until));
        break;
    case HF_KEEPER_SETTLING:
        break;
    }
    if (k->state != HF_KEEPER_IDLE)
        HF_CHECK(hf_asker_deadline(&k->asker).ms != HF_NEVER.ms);
}
