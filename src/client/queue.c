#include "client/queue.h"

#include "client/client.h"

void
hf_queue_add(struct hf_errand *errand)
{
    struct hf_client *client = errand->client;

    errand->queued = true;
    errand->queue_next = NULL;
    *client->queue_end = errand;
    client->queue_end = &errand->queue_next;
}

void
hf_queue_remove(struct hf_errand *errand)
{
    struct hf_client *client = errand->client;
    struct hf_errand **link = &client->queue;

    while (*link != errand)
        link = &(*link)->queue_next;
    *link = errand->queue_next;
    if (*link == NULL)
        client->queue_end = link;
    errand->queued = false;
}

struct hf_errand *
hf_queue_take(struct hf_client *client, size_t *count)
{
    struct hf_errand *first = client->queue;
    struct hf_errand *errand;

    *count = 0;
    for (errand = first; errand != NULL; errand = errand->queue_next) {
        errand->queued = false;
        ++*count;
    }
    client->queue = NULL;
    client->queue_end = &client->queue;
    return first;
}
