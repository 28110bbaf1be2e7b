#include "client/table/asking.h"

#include "client/table/queue.h"

void
hf_asking_add(struct hf_asking *asking, struct hf_asker *asker,
              enum hf_urgency urgency)
{
    asker->urgency = urgency;
    asker->queued = true;
    asker->next = NULL;
    asker->previous = asking->by[urgency].last;
    if (asker->previous != NULL)
        asker->previous->next = asker;
    else
        asking->by[urgency].first = asker;
    asking->by[urgency].last = asker;
}

void
hf_asking_remove(struct hf_asking *asking, struct hf_asker *asker)
{
    if (!asker->queued)
        return;
    if (asker->previous != NULL)
        asker->previous->next = asker->next;
    else
        asking->by[asker->urgency].first = asker->next;
    if (asker->next != NULL)
        asker->next->previous = asker->previous;
    else
        asking->by[asker->urgency].last = asker->previous;
    asker->queued = false;
}

bool
hf_asking_is_asked(const struct hf_asker *asker)
{
    uint64_t number;
    bool asks = asker->examine != NULL
                    ? hf_examiner_asking(asker->examine->examiner, &number)
                    : hf_contender_asking(&asker->queue->contender, &number);

    return asks && number == asker->number;
}

void
hf_asking_request(const struct hf_asker *asker, struct hf_request *request)
{
    if (asker->examine != NULL)
        hf_examiner_request(asker->examine->examiner, request);
    else
        hf_keeper_request(&asker->queue->contender.keeper, request);
}
