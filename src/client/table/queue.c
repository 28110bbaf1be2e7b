#include "client/table/queue.h"

#include <string.h>

#include "base/check.h"

/* The queues of a manager, and the lists that they are in. */

/* ---- Its drivers --------------------------------------------------------- */

bool
hf_queue_is_try(const struct hf_driver *driver)
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
    queue->tries += hf_queue_is_try(driver);
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
    queue->tries -= hf_queue_is_try(driver);
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

/* ---- Lists --------------------------------------------------------------- */

void
hf_queue_touch(struct hf_manager *m, struct hf_queue *queue)
{
    if (queue->dirty)
        return;
    queue->dirty = true;
    queue->dirty_next = m->dirty;
    m->dirty = queue;
}

void
hf_queue_notify(struct hf_manager *m, struct hf_driver *driver,
                enum hf_news news)
{
    driver->news |= (unsigned)news;
    if (driver->has_news)
        return;
    driver->has_news = true;
    driver->next_with_news = NULL;
    if (m->news_last != NULL)
        m->news_last->next_with_news = driver;
    else
        m->news_first = driver;
    m->news_last = driver;
}

void
hf_queue_forget_news(struct hf_manager *m, struct hf_driver *driver)
{
    struct hf_driver *before = NULL;
    struct hf_driver *at = m->news_first;

    if (!driver->has_news)
        return;
    while (at != driver) {
        before = at;
        at = at->next_with_news;
    }
    if (before == NULL)
        m->news_first = driver->next_with_news;
    else
        before->next_with_news = driver->next_with_news;
    if (m->news_last == driver)
        m->news_last = before;
    driver->has_news = false;
}

void
hf_queue_set_watched(struct hf_manager *m, struct hf_queue *queue, bool watched)
{
    if (queue->watched == watched)
        return;
    queue->watched = watched;
    if (watched) {
        m->watching_count++;
        m->watches_added++;
        hf_list_add(&m->watching, &queue->watch);
    } else {
        m->watching_count--;
        hf_list_remove(&m->watching, &queue->watch);
    }
}

void
hf_queue_set_held(struct hf_manager *m, struct hf_queue *queue, bool held)
{
    if (queue->held == held)
        return;
    queue->held = held;
    if (held)
        hf_list_add(&m->holding, &queue->hold);
    else
        hf_list_remove(&m->holding, &queue->hold);
}

void
hf_queue_want_observed(struct hf_manager *m, struct hf_queue *queue)
{
    if (queue->observe_queued)
        return;
    queue->observe_queued = true;
    queue->observe_next = m->to_observe;
    m->to_observe = queue;
}

/* ---- Keys ---------------------------------------------------------------- */

static uint64_t
hash_of(const char *space, const char *name)
{
    uint64_t hash = hf_hash_bytes(HF_HASH_SEED, space, strlen(space) + 1);

    return hf_hash_bytes(hash, name, strlen(name));
}

struct hf_queue *
hf_queue_find(const struct hf_manager *m, struct hf_key key)
{
    struct hf_hash_node *node =
        hf_hash_find(&m->keys, hash_of(key.space, key.name));

    for (; node != NULL; node = hf_hash_next(node)) {
        struct hf_queue *queue = (struct hf_queue *)node;

        if (strcmp(queue->space, key.space) == 0 &&
            strcmp(queue->name, key.name) == 0)
            return queue;
    }
    return NULL;
}

static void
free_queue(struct hf_manager *m, struct hf_queue *queue)
{
    const struct hf_alloc *alloc = m->config.alloc;

    hf_seen_forget(&queue->seen, alloc);
    hf_free(alloc, queue->space);
    hf_free(alloc, queue->name);
    hf_free(alloc, queue);
}

bool
hf_queue_reserve_alarm(struct hf_manager *m)
{
    if (!hf_heap_reserve(&m->alarms, m->alarms_needed + 1))
        return false;
    m->alarms_needed++;
    return true;
}

struct hf_queue *
hf_queue_make(struct hf_manager *m, const char *space, const char *name)
{
    const struct hf_alloc *alloc = m->config.alloc;
    struct hf_queue *queue = hf_new(alloc, struct hf_queue);

    if (queue == NULL)
        return NULL;
    queue->requester.queue = queue;
    queue->alarm.kind = HF_ALARM_QUEUE;
    queue->space = hf_copy(alloc, space);
    queue->name = hf_copy(alloc, name);
    if (queue->space == NULL || queue->name == NULL ||
        !hf_queue_reserve_alarm(m)) {
        free_queue(m, queue);
        return NULL;
    }
    if (!hf_hash_add(&m->keys, &queue->node, hash_of(space, name))) {
        m->alarms_needed--;
        free_queue(m, queue);
        return NULL;
    }
    return queue;
}

void
hf_queue_drop(struct hf_manager *m, struct hf_queue *queue)
{
    HF_CHECK(!queue->requester.queued);
    hf_queue_set_watched(m, queue, false);
    hf_queue_set_held(m, queue, false);
    hf_heap_set(&m->alarms, &queue->alarm, HF_NEVER);
    if (queue->observed != NULL || queue->observe_queued) {
        hf_queue_want_observed(m, queue);
        return;
    }
    m->alarms_needed--;
    hf_hash_remove(&m->keys, &queue->node);
    if (m->names_lent) {
        queue->dirty_next = m->dropped;
        m->dropped = queue;
    } else {
        free_queue(m, queue);
    }
}

void
hf_queue_free_dropped(struct hf_manager *m)
{
    m->names_lent = false;
    while (m->dropped != NULL) {
        struct hf_queue *queue = m->dropped;

        m->dropped = queue->dirty_next;
        free_queue(m, queue);
    }
}
