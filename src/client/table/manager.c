#include "client/table/manager.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/limits.h"
#include "client/table/diagnose.h"
#include "client/table/line.h"

/* The manager's events; what they do is in the parts. */

/* ---- What users want ----------------------------------------------------- */

void
hf_manager_init(struct hf_manager *m, const struct hf_manager_config *config)
{
    *m = (struct hf_manager){.config = *config};
    m->keys.alloc = config->alloc;
    m->alarms.alloc = config->alloc;
}

void
hf_manager_fini(struct hf_manager *m)
{
    HF_CHECK(m->drivers_count == 0 && m->keys.count == 0 && m->dropped == NULL);
    hf_hash_fini(&m->keys);
    hf_heap_fini(&m->alarms);
}

/* Is this lane's, of those who want the key, waiting or holding?  For one that
 * is given back a lane may wait. */
static const struct hf_driver *
find_lane(const struct hf_queue *queue, const char *lane)
{
    for (const struct hf_driver *d = queue->first; d != NULL; d = d->next)
        if (!d->releasing && d->settings->lane != NULL &&
            strcmp(d->settings->lane, lane) == 0)
            return d;
    return NULL;
}

/* A try is answered by a look that was sent after the try began. */
static void
look_for_tries(struct hf_manager *m, struct hf_queue *queue,
               struct hf_instant now)
{
    if (queue->tries > 0 && queue->tried_at.ms > queue->looked_at.ms)
        hf_line_hint(m, queue, now);
}

/* Begin a lock: the first is at work at once, unless the key rests. */
static void
join(struct hf_manager *m, struct hf_queue *queue, struct hf_driver *driver,
     struct hf_instant now)
{
    struct hf_duration limit = hf_settings_config(driver->settings).limit;
    bool holder =
        hf_queue_is_ours(queue) || (queue->seen.exists && !queue->own);

    driver->joined_at = now;
    hf_queue_join(queue, driver);
    hf_heap_set(&m->alarms, &driver->alarm, hf_after(now, limit));
    if (hf_queue_is_try(driver))
        queue->tried_at = now;
    if (driver == queue->first)
        return;
    if (queue->tries > 0)
        look_for_tries(m, queue, now);
    if (holder)
        hf_queue_notify(m, driver, HF_NEWS_HOLDER);
    if (queue->at_work && queue->contender.suspected)
        hf_queue_notify(m, driver, HF_NEWS_SUSPECTED);
    driver->shown = holder;
}

enum hf_status
hf_manager_start(struct hf_manager *m, struct hf_driver *driver,
                 struct hf_instant now, struct hf_error *error)
{
    static const struct hf_end already_held = {.outcome = HF_ALREADY_HELD};
    const struct hf_settings *settings = driver->settings;
    const char *space = hf_settings_space(settings);
    struct hf_queue *queue =
        hf_queue_find(m, (struct hf_key){space, settings->name});
    const struct hf_driver *same = NULL;
    struct hf_examine *examine;

    if (m->drivers_count >= HF_CLIENT_LOCKS_MAX)
        return hf_fail(error, HF_E_LIMIT, "more than %d locks in one client",
                       HF_CLIENT_LOCKS_MAX);
    if (queue == NULL)
        queue = hf_queue_make(m, space, settings->name);
    if (queue == NULL || !hf_queue_reserve_alarm(m)) {
        if (queue != NULL)
            hf_queue_touch(m, queue);
        hf_line_update(m, now);
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       settings->name);
    }
    m->drivers_count++;
    driver->alarm.kind = HF_ALARM_DRIVER;
    driver->right_until = (struct hf_instant){INT64_MIN};
    hf_queue_touch(m, queue);
    if (settings->lane != NULL && driver->kind == HF_DRIVER_LOCK)
        same = find_lane(queue, settings->lane);
    if (driver->kind == HF_DRIVER_EXAMINE) {
        examine = hf_examine_of(driver);
        examine->requester =
            (struct hf_requester){.queue = queue, .examine = examine};
        hf_queue_attend(queue, driver);
        hf_line_step(m, &examine->requester, hf_event(HF_ON_EXAMINE, now));
    } else if (same != NULL) {
        hf_line_end_driver(m, queue, driver, &already_held, now);
    } else {
        join(m, queue, driver, now);
    }
    hf_line_update(m, now);
    return HF_OK;
}

/* One behind the first, or the first of a key that rests, has nothing to
 * settle. */
static bool
has_machine(const struct hf_driver *driver)
{
    return driver->kind == HF_DRIVER_EXAMINE ||
           (driver->queue->at_work && driver->queue->first == driver);
}

static void
stop(struct hf_manager *m, struct hf_driver *driver, enum hf_event_kind kind,
     struct hf_instant now)
{
    static const struct hf_end cancelled = {
        .status = HF_E_CANCELLED,
        .outcome = HF_NOT_HELD,
    };
    struct hf_queue *queue = driver->queue;

    if (queue == NULL)
        return;
    driver->releasing = true;
    if (!has_machine(driver))
        hf_line_end_waiter(m, queue, driver, &cancelled, now);
    else if (driver->kind == HF_DRIVER_EXAMINE)
        hf_line_step(
            m, &hf_examine_of(driver)->requester,
            hf_event(kind == HF_ON_RELEASE ? HF_ON_CANCEL : kind, now));
    else
        hf_line_step(m, &queue->requester, hf_event(kind, now));
    hf_line_update(m, now);
}

void
hf_manager_release(struct hf_manager *m, struct hf_driver *driver,
                   struct hf_instant now)
{
    stop(m, driver, HF_ON_RELEASE, now);
}

void
hf_manager_cancel(struct hf_manager *m, struct hf_driver *driver,
                  struct hf_instant now)
{
    stop(m, driver, HF_ON_CANCEL, now);
}

void
hf_manager_abandon(struct hf_manager *m, struct hf_driver *driver,
                   struct hf_instant now)
{
    stop(m, driver, HF_ON_ABANDON, now);
}

void
hf_manager_forget(struct hf_manager *m, struct hf_driver *driver)
{
    HF_CHECK(driver->queue == NULL);
    hf_queue_forget_news(m, driver);
    if (driver->result == NULL)
        return;
    hf_seen_forget(&driver->result->seen, m->config.alloc);
    hf_free(m->config.alloc, driver->result);
    driver->result = NULL;
}

static enum hf_outcome
check_contender(const struct hf_driver *driver, struct hf_instant now)
{
    return hf_contender_check(&driver->queue->contender, now);
}

enum hf_state
hf_manager_state(const struct hf_driver *driver, struct hf_instant now)
{
    if (driver->ended)
        return HF_STATE_ENDED;
    if (driver->queue == NULL)
        return HF_STATE_NEW;
    if (driver->releasing)
        return HF_STATE_RELEASING;
    if (!driver->granted)
        return HF_STATE_WAITING;
    switch (check_contender(driver, now)) {
    case HF_GRANTED:
        return HF_STATE_HELD;
    case HF_IN_DOUBT:
        return HF_STATE_IN_DOUBT;
    case HF_LOST:
        return HF_STATE_LOST;
    case HF_NOT_HELD:
    case HF_TIMED_OUT:
    case HF_HELD_TOO_LONG:
    case HF_SUSPECTED_DEAD:
    case HF_GONE:
    case HF_ALREADY_HELD:
    case HF_DEADLOCK:
    case HF_AT_LIMIT:
        break;
    }
    return HF_STATE_RELEASING;
}

enum hf_outcome
hf_manager_check(const struct hf_driver *driver, struct hf_instant now)
{
    if (driver->ended)
        return driver->status == HF_OK ? driver->outcome : HF_NOT_HELD;
    if (driver->queue == NULL || !driver->granted)
        return HF_NOT_HELD;
    return check_contender(driver, now);
}

struct hf_instant
hf_manager_right(const struct hf_driver *driver)
{
    if (driver->queue != NULL && driver->granted)
        return driver->queue->contender.keeper.right_until;
    return driver->right_until;
}

bool
hf_manager_is_unanswered(const struct hf_driver *driver)
{
    const struct hf_question *question =
        driver->kind == HF_DRIVER_EXAMINE
            ? &hf_examine_at(driver)->examiner.question
            : &driver->queue->contender.keeper.question;

    return question->waiting || question->failures > 0;
}

enum hf_status
hf_manager_error(const struct hf_driver *driver, struct hf_error *error)
{
    return driver->ended ? hf_diagnose_error(driver, error) : HF_OK;
}

bool
hf_manager_diagnose(const struct hf_manager *m, const struct hf_driver *driver,
                    struct hf_instant now, struct hf_diagnosis *diagnosis)
{
    if (driver->queue == NULL)
        return hf_diagnose_ended(m, driver, diagnosis);
    hf_diagnose_driver(m, driver, now, diagnosis);
    return true;
}

struct hf_driver *
hf_manager_take_news(struct hf_manager *m)
{
    struct hf_driver *driver = m->news_first;

    if (driver == NULL)
        return NULL;
    m->news_first = driver->next_with_news;
    if (m->news_first == NULL)
        m->news_last = NULL;
    driver->has_news = false;
    return driver;
}

/* ---- Time ---------------------------------------------------------------- */

struct hf_instant
hf_manager_deadline(const struct hf_manager *m)
{
    const struct hf_heap_node *first = hf_heap_first(&m->alarms);

    return first == NULL ? HF_NEVER : first->at;
}

/* One is beating: those that soon would share its commit. */
static void
beat_together(struct hf_manager *m, struct hf_instant now)
{
    m->beats_asked = false;
    HF_EACH(struct hf_queue, queue, &m->holding, hold)
        hf_line_step(m, &queue->requester, hf_event(HF_ON_HINT, now));
    m->beats_asked = false;
}

static void
ring(struct hf_manager *m, struct hf_heap_node *alarm, struct hf_instant now)
{
    if (alarm->kind == HF_ALARM_DRIVER) {
        struct hf_driver *driver = HF_CONTAINER(alarm, struct hf_driver, alarm);

        if (driver->kind == HF_DRIVER_LOCK)
            hf_line_end_at_limit(m, driver->queue, driver, now);
        else
            hf_line_step(m, &hf_examine_of(driver)->requester,
                         hf_event(HF_ON_CLOCK, now));
    } else {
        struct hf_queue *queue = HF_CONTAINER(alarm, struct hf_queue, alarm);

        if (queue->at_work)
            hf_line_step(m, &queue->requester, hf_event(HF_ON_CLOCK, now));
        hf_queue_touch(m, queue);
    }
}

void
hf_manager_tick(struct hf_manager *m, struct hf_instant now)
{
    struct hf_instant soon = hf_after(now, (struct hf_duration){1});
    struct hf_heap_node *alarm = hf_heap_first(&m->alarms);

    m->beats_asked = false;
    while (alarm != NULL && hf_reached(now, alarm->at)) {
        hf_heap_set(&m->alarms, alarm, soon); /* until it is set anew */
        ring(m, alarm, now);
        alarm = hf_heap_first(&m->alarms);
    }
    hf_line_update(m, now);
    if (m->beats_asked)
        beat_together(m, now);
    hf_line_update(m, now);
}

/* ---- The store: what comes back ------------------------------------------ */

static bool
is_current(const struct hf_table_batch_item *item)
{
    return item->of_contender
               ? item->queue->at_work &&
                     item->queue->incarnation == item->incarnation
               : item->examine != NULL;
}

static struct hf_requester *
requester_of(const struct hf_table_batch_item *item)
{
    return item->of_contender ? &item->queue->requester
                              : &item->examine->requester;
}

/* Is it the record of the first's own claim? */
static bool
is_own(const struct hf_queue *queue, const struct hf_sight *sight)
{
    return queue->at_work && sight->kind == HF_SIGHT_LOCK &&
           queue->contender.keeper.heartbeat.id != 0 &&
           sight->heartbeat.id == queue->contender.keeper.heartbeat.id;
}

static void
take_in(struct hf_manager *m, struct hf_queue *queue,
        const struct hf_reading *reading, struct hf_instant now)
{
    uint64_t token = queue->seen.token;
    bool existed = queue->seen.exists;

    if (!hf_seen_take(&queue->seen, m->config.alloc, reading, now))
        return;
    queue->stood = 0;
    hf_line_hint(m, queue, now); /* who did not ask watches what was */
    queue->own = is_own(queue, &reading->sight);
    if (existed || queue->seen.exists) /* an absent record is no news */
        queue->news_due = true;
    if (queue->seen.exists != existed || queue->seen.token != token)
        hf_queue_want_observed(m, queue);
}

/* The holder's processes are the same at this version. */
static void
step_presence(struct hf_manager *m, struct hf_queue *queue,
              struct hf_instant now)
{
    if (!queue->seen.exists || queue->seen.corrupt ||
        queue->seen.presence == HF_PRESENCE_UNKNOWN)
        return;
    hf_line_step_all(m, queue,
                     hf_processes(now, queue->seen.version,
                                  queue->seen.presence == HF_PRESENCE_GONE));
}

/* Is it what the contender looks for now?  An answer to one that it has given
 * up shows an older time. */
static bool
is_looked_for(const struct hf_table_batch_item *item)
{
    uint64_t number;

    return item->of_contender && is_current(item) &&
           hf_contender_asking(&item->queue->contender, &number) &&
           number == item->number;
}

static void
answer_read(struct hf_manager *m, struct hf_table_batch *batch,
            struct hf_table_batch_item *item, struct hf_instant now)
{
    struct hf_sight sight = {.kind = HF_SIGHT_NONE};

    item->queue->failed = batch->status != HF_OK;
    if (batch->status == HF_OK) {
        item->queue->changed = false;
        take_in(m, item->queue, &batch->readings[item->index], now);
        sight = batch->readings[item->index].sight;
    }
    if (batch->status == HF_OK && is_looked_for(item))
        item->queue->looked_at =
            item->queue->contender.keeper.question.asked_at;
    if (is_current(item))
        hf_line_step(m, requester_of(item), hf_found(now, item->number, sight));
    if (batch->status != HF_OK)
        return;
    step_presence(m, item->queue, now);
    if (item->of_contender)
        look_for_tries(m, item->queue, now);
}

/* What the contender's own write tells of the tombstone of its key. */
static void
note_tombstone(struct hf_manager *m, const struct hf_table_batch_item *item,
               enum hf_verdict verdict, struct hf_instant now)
{
    const struct hf_store_op *op = &item->ops[0];

    if (!item->of_contender)
        return;
    if (item->deletes && verdict == HF_APPLIED)
        hf_tombstones_keep(&m->tombstones, item->queue->node.hash, op->version,
                           now);
    else if (op->new_generation && verdict == HF_REFUSED)
        hf_tombstones_refused(&m->tombstones, item->queue->node.hash);
}

static void
answer_write(struct hf_manager *m, struct hf_table_batch *batch,
             struct hf_table_batch_item *item, struct hf_instant now)
{
    enum hf_verdict verdict = HF_UNAVAILABLE;

    if (batch->groups_count > 0)
        verdict = batch->groups[item->index].verdict;
    item->queue->writing = false;
    item->queue->written = true;
    item->queue->stood = 0;
    item->queue->failed = verdict == HF_UNAVAILABLE || verdict == HF_UNKNOWN;
    m->released = m->released || (item->deletes && verdict == HF_APPLIED);
    note_tombstone(m, item, verdict, now);
    if (is_current(item))
        hf_line_step(
            m, requester_of(item),
            hf_answer(now, item->number, verdict, item->ops[0].version));
}

static void
forget_batch(struct hf_manager *m, const struct hf_table_batch *batch)
{
    struct hf_table_batch **link = &m->batches;

    while (*link != batch)
        link = &(*link)->next;
    *link = batch->next;
}

void
hf_manager_answer(struct hf_manager *m, struct hf_table_batch *batch,
                  struct hf_instant now)
{
    if (batch->keys_count > 0 && batch->status == HF_OK)
        m->silent.ms = 0;
    for (size_t i = 0; i < batch->items_count; i++) {
        struct hf_table_batch_item *item = &batch->items[i];

        item->queue->calls--;
        if (batch->keys_count > 0)
            answer_read(m, batch, item, now);
        else
            answer_write(m, batch, item, now);
        hf_queue_touch(m, item->queue);
        hf_line_update(m, now);
    }
    forget_batch(m, batch);
}

/* A write that its machine has replaced was not done: that is its answer. */
static void
requeue(struct hf_manager *m, const struct hf_table_batch_item *item, bool read,
        struct hf_instant now)
{
    struct hf_requester *requester;

    if (!is_current(item))
        return;
    requester = requester_of(item);
    if (!requester->queued && requester->number == item->number &&
        hf_batch_is_wanted(requester))
        hf_batch_add(m, requester, (enum hf_urgency)requester->urgency);
    else if (!read)
        hf_line_step(m, requester,
                     hf_answer(now, item->number, HF_UNAVAILABLE, 0));
}

void
hf_manager_requeue(struct hf_manager *m, struct hf_table_batch *batch,
                   struct hf_instant now)
{
    bool read = batch->keys_count > 0;

    for (size_t i = 0; i < batch->items_count; i++) {
        const struct hf_table_batch_item *item = &batch->items[i];

        item->queue->calls--;
        if (!read)
            item->queue->writing = false;
        requeue(m, item, read, now);
        hf_queue_touch(m, item->queue);
        hf_line_update(m, now);
    }
    forget_batch(m, batch);
}

bool
hf_manager_watches(struct hf_manager *m, struct hf_arena *arena,
                   struct hf_watching *watching)
{
    size_t most = m->watching_count;
    struct hf_watching made = {.count = 0};

    if (most == 0)
        return false;
    made.watches = hf_arena_take(arena, most * sizeof(*made.watches));
    made.queues = hf_arena_take(arena, most * sizeof(struct hf_queue *));
    if (made.watches == NULL || made.queues == NULL)
        return false;
    HF_EACH(struct hf_queue, queue, &m->watching, watch) {
        queue->written = false;
        made.queues[made.count] = queue;
        made.watches[made.count++] = (struct hf_store_watch){
            .key = {queue->space, queue->name},
            .version = queue->seen.version,
            .stood = queue->stood,
        };
    }
    m->names_lent = true;
    *watching = made;
    return true;
}

void
hf_manager_changed(struct hf_manager *m, struct hf_key key,
                   struct hf_instant now)
{
    struct hf_queue *queue = hf_queue_find(m, key);

    if (queue == NULL)
        return;
    queue->changed = queue->changed || queue->watched;
    hf_queue_touch(m, queue);
    hf_line_hint(m, queue, now);
    hf_line_update(m, now);
}

void
hf_manager_waited(struct hf_manager *m, struct hf_watching *watching,
                  struct hf_instant now)
{
    for (size_t i = 0; i < watching->count; i++) {
        const struct hf_store_watch *watch = &watching->watches[i];
        struct hf_queue *queue = watching->queues[i];

        if (!queue->written && queue->seen.version == watch->version)
            queue->stood = watch->stood;
        if (watch->changed)
            hf_manager_changed(m, watch->key, now);
    }
    hf_queue_free_dropped(m);
}

void
hf_manager_purged(struct hf_manager *m)
{
    m->released = false;
}

static struct hf_queue *
next_queue(const struct hf_manager *m, size_t *chain, struct hf_queue *queue)
{
    struct hf_hash_node *node = queue == NULL ? NULL : queue->node.next;

    while (node == NULL && *chain < m->keys.chains_count)
        node = m->keys.chains[(*chain)++];
    return (struct hf_queue *)node;
}

void
hf_manager_went_back(struct hf_manager *m, struct hf_instant now)
{
    size_t chain = 0;
    struct hf_queue *queue = next_queue(m, &chain, NULL);

    m->tombstones = (struct hf_tombstones){.all = {{.key = 0}}};
    for (; queue != NULL; queue = next_queue(m, &chain, queue)) {
        if (!queue->at_work) { /* what it knew is of the former place */
            queue->contender = (struct hf_contender){0};
            hf_seen_forget(&queue->seen, m->config.alloc);
        }
        hf_line_step_all(m, queue, hf_event(HF_ON_WENT_BACK, now));
    }
    hf_line_update(m, now);
}

/* ---- Processes ----------------------------------------------------------- */

struct hf_queue *
hf_manager_take_observe(struct hf_manager *m, bool *wanted)
{
    struct hf_queue *queue = m->to_observe;

    if (queue == NULL)
        return NULL;
    m->to_observe = queue->observe_next;
    *wanted =
        queue->seen.exists && !queue->seen.corrupt && !hf_queue_is_idle(queue);
    return queue;
}

void
hf_manager_observed(struct hf_manager *m, struct hf_queue *queue)
{
    queue->observe_queued = false;
    if (hf_queue_is_idle(queue))
        hf_queue_drop(m, queue);
}

void
hf_manager_presence(struct hf_manager *m, struct hf_queue *queue, bool here,
                    enum hf_presence presence, struct hf_instant now)
{
    if (queue->seen.here != here || queue->seen.presence != presence)
        queue->news_due = true;
    queue->seen.here = here;
    queue->seen.presence = presence;
    hf_queue_touch(m, queue);
    step_presence(m, queue, now);
    hf_line_update(m, now);
}
