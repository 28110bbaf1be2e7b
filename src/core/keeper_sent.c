#include "core/keeper_sent.h"

static bool
may_claim(const struct hf_sent *sent)
{
    return sent->number != 0 && sent->question == HF_ASK_CLAIM;
}

void
hf_keeper_sent_add(struct hf_keeper *k)
{
    struct hf_sent *oldest = &k->sent[0];

    for (unsigned i = 1; i < HF_KEEPER_SENT_MAX; i++)
        if (k->sent[i].number < oldest->number)
            oldest = &k->sent[i];
    k->unsettled = k->unsettled || may_claim(oldest);
    *oldest = (struct hf_sent){
        .number = k->asker.number,
        .question = k->asker.question,
        .at = k->asker.asked_at,
        .count = k->heartbeat.count + (k->asker.question == HF_ASK_BEAT),
        .version = k->version,
    };
}

const struct hf_sent *
hf_keeper_sent_find(const struct hf_keeper *k, uint64_t number)
{
    for (unsigned i = 0; i < HF_KEEPER_SENT_MAX; i++)
        if (k->sent[i].number == number && number != 0)
            return &k->sent[i];
    return NULL;
}

void
hf_keeper_sent_remove(struct hf_keeper *k, uint64_t number)
{
    for (unsigned i = 0; i < HF_KEEPER_SENT_MAX; i++)
        if (k->sent[i].number == number)
            k->sent[i] = (struct hf_sent){.number = 0};
}

bool
hf_keeper_sent_claims(const struct hf_keeper *k)
{
    bool claims = k->unsettled;

    for (unsigned i = 0; i < HF_KEEPER_SENT_MAX; i++)
        claims = claims || may_claim(&k->sent[i]);
    return claims;
}

void
hf_keeper_sent_forget(struct hf_keeper *k)
{
    for (unsigned i = 0; i < HF_KEEPER_SENT_MAX; i++)
        k->sent[i] = (struct hf_sent){.number = 0};
    k->unsettled = false;
}

bool
hf_keeper_unsettled(const struct hf_keeper *k)
{
    uint64_t waited_for = k->asker.waiting ? k->asker.number : 0;
    bool claims = k->unsettled;

    for (unsigned i = 0; i < HF_KEEPER_SENT_MAX; i++)
        claims = claims ||
                 (may_claim(&k->sent[i]) && k->sent[i].number != waited_for);
    return claims;
}
