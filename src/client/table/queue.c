#include "client/table/queue.h"

bool
hf_queue_is_quick(const struct hf_driver *driver)
{
    return driver->settings->try_only || driver->settings->fail_suspected;
}

void
hf_queue_join(struct hf_queue *queue, struct hf_driver *driver)
{
    driver->queue = queue;
    driver->next = NULL;
    driver->previous = queue->last;
    if (queue->last != NULL)
        queue->last->next = driver;
    else
        queue->first = driver;
    queue->last = driver;
    queue->quick += hf_queue_is_quick(driver);
}

static void
unlink_driver(struct hf_driver **first, struct hf_driver **last,
              struct hf_driver *driver)
{
    if (driver->next != NULL)
        driver->next->previous = driver->previous;
    else if (last != NULL)
        *last = driver->previous;
    if (driver->previous != NULL)
        driver->previous->next = driver->next;
    else
        *first = driver->next;
    driver->next = driver->previous = NULL;
    driver->queue = NULL;
}

void
hf_queue_leave(struct hf_queue *queue, struct hf_driver *driver)
{
    queue->quick -= hf_queue_is_quick(driver);
    unlink_driver(&queue->first, &queue->last, driver);
}

void
hf_queue_attend(struct hf_queue *queue, struct hf_driver *driver)
{
    driver->queue = queue;
    driver->previous = NULL;
    driver->next = queue->examines;
    if (driver->next != NULL)
        driver->next->previous = driver;
    queue->examines = driver;
}

void
hf_queue_depart(struct hf_queue *queue, struct hf_driver *driver)
{
    unlink_driver(&queue->examines, NULL, driver);
}

bool
hf_queue_is_idle(const struct hf_queue *queue)
{
    return queue->first == NULL && queue->examines == NULL &&
           queue->calls == 0 && !queue->at_work;
}

bool
hf_queue_is_working(const struct hf_queue *queue)
{
    return queue->at_work && queue->contender.keeper.state != HF_KEEPER_IDLE;
}

bool
hf_queue_is_ours(const struct hf_queue *queue)
{
    return queue->at_work && queue->first->granted;
}

bool
hf_queue_is_held(const struct hf_queue *queue)
{
    return queue->at_work && queue->contender.state == HF_CONTENDER_HOLDING;
}
