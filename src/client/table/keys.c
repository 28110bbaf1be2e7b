#include "client/table/parts.h"

#include <string.h>

#include "base/check.h"

/* Keys: the queues of a manager, and the lists that they are in. */

/* ---- Lists --------------------------------------------------------------- */

void
hf_keys_touch(struct hf_manager *m, struct hf_queue *queue)
{
    if (queue->dirty)
        return;
    queue->dirty = true;
    queue->dirty_next = m->dirty;
    m->dirty = queue;
}

void
hf_keys_tell(struct hf_manager *m, struct hf_driver *driver, enum hf_news news)
{
    driver->news |= (unsigned)news;
    if (driver->telling)
        return;
    driver->telling = true;
    driver->next_told = NULL;
    if (m->told_last != NULL)
        m->told_last->next_told = driver;
    else
        m->told_first = driver;
    m->told_last = driver;
}

struct hf_driver *
hf_manager_take_told(struct hf_manager *m)
{
    struct hf_driver *driver = m->told_first;

    if (driver == NULL)
        return NULL;
    m->told_first = driver->next_told;
    if (m->told_first == NULL)
        m->told_last = NULL;
    driver->telling = false;
    return driver;
}

void
hf_keys_untell(struct hf_manager *m, struct hf_driver *driver)
{
    struct hf_driver *before = NULL;
    struct hf_driver *at = m->told_first;

    if (!driver->telling)
        return;
    while (at != driver) {
        before = at;
        at = at->next_told;
    }
    if (before == NULL)
        m->told_first = driver->next_told;
    else
        before->next_told = driver->next_told;
    if (m->told_last == driver)
        m->told_last = before;
    driver->telling = false;
}

void
hf_keys_set_watched(struct hf_manager *m, struct hf_queue *queue, bool watched)
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
hf_keys_set_held(struct hf_manager *m, struct hf_queue *queue, bool held)
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
hf_keys_want_observed(struct hf_manager *m, struct hf_queue *queue)
{
    if (queue->observe_told)
        return;
    queue->observe_told = true;
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
hf_manager_find(const struct hf_manager *m, struct hf_key key)
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

/* Room for one alarm more, so that setting it cannot fail. */
bool
hf_keys_reserve_alarm(struct hf_manager *m)
{
    if (!hf_heap_reserve(&m->alarms, m->alarms_needed + 1))
        return false;
    m->alarms_needed++;
    return true;
}

struct hf_queue *
hf_keys_make(struct hf_manager *m, const char *space, const char *name)
{
    const struct hf_alloc *alloc = m->config.alloc;
    struct hf_queue *queue = hf_new(alloc, struct hf_queue);

    if (queue == NULL)
        return NULL;
    queue->asker.queue = queue;
    queue->alarm.kind = HF_ALARM_QUEUE;
    queue->space = hf_copy(alloc, space);
    queue->name = hf_copy(alloc, name);
    if (queue->space == NULL || queue->name == NULL ||
        !hf_keys_reserve_alarm(m)) {
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

/* Nobody wants it: it goes as soon as nobody is observed for it. */
void
hf_keys_drop(struct hf_manager *m, struct hf_queue *queue)
{
    HF_CHECK(!queue->asker.queued);
    hf_keys_set_watched(m, queue, false);
    hf_keys_set_held(m, queue, false);
    hf_heap_set(&m->alarms, &queue->alarm, HF_NEVER);
    if (queue->observed != NULL || queue->observe_told) {
        hf_keys_want_observed(m, queue);
        return;
    }
    m->alarms_needed--;
    hf_hash_remove(&m->keys, &queue->node);
    if (m->names_lent) {
        queue->dirty_next = m->graves;
        m->graves = queue;
    } else {
        free_queue(m, queue);
    }
}

void
hf_keys_bury(struct hf_manager *m)
{
    m->names_lent = false;
    while (m->graves != NULL) {
        struct hf_queue *queue = m->graves;

        m->graves = queue->dirty_next;
        free_queue(m, queue);
    }
}
