#include "client/table/asking.h"

#include "client/table/queue.h"

static struct hf_asker *
asker_of(struct hf_link *link)
{
    return link == NULL ? NULL : HF_CONTAINER(link, struct hf_asker, link);
}

struct hf_asker *
hf_asking_first(const struct hf_asking *asking, enum hf_urgency urgency)
{
    return asker_of(asking->by[urgency].first);
}

struct hf_asker *
hf_asking_next(const struct hf_asker *asker)
{
    return asker_of(asker->link.next);
}

void
hf_asking_add(struct hf_asking *asking, struct hf_asker *asker,
              enum hf_urgency urgency)
{
    asker->urgency = (uint8_t)urgency;
    asker->queued = true;
    hf_list_add(&asking->by[urgency], &asker->link);
}

void
hf_asking_remove(struct hf_asking *asking, struct hf_asker *asker)
{
    if (!asker->queued)
        return;
    hf_list_remove(&asking->by[asker->urgency], &asker->link);
    asker->queued = false;
}

bool
hf_asking_is_asked(const struct hf_asker *asker)
{
    uint64_t number;
    bool asks = asker->examine != NULL
                    ? hf_examiner_asking(&asker->examine->examiner, &number)
                    : hf_contender_asking(&asker->queue->contender, &number);

    return asks && number == asker->number;
}

void
hf_asking_request(const struct hf_asker *asker, struct hf_request *request)
{
    if (asker->examine != NULL)
        hf_examiner_request(&asker->examine->examiner, request);
    else
        hf_keeper_request(&asker->queue->contender.keeper, request);
}
