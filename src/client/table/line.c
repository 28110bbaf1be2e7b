#include "base/check.h"
#include "client/table/parts.h"

/* The line of a key: who is at work, who ends by what, who is told. */

/* How long a client may hand a key over inside itself, and how long it then
 * leaves it alone at least. */
#define SHARED_MS     1000
#define REST_LEAST_MS 20

/* A holder that changes is told this often at most. */
#define TELL_EVERY_MS 1000

/* ---- What was seen ------------------------------------------------------- */

/* The evidence of the key, as far as it is true for one who waits since
 * `joined_at`. */
static struct hf_evidence
evidence_since(const struct hf_queue *queue, struct hf_instant joined_at)
{
    struct hf_evidence evidence = queue->contender.evidence;

    evidence.beat_seen = queue->seen.beat_at.ms > joined_at.ms;
    evidence.same_holder = queue->seen.changed_at.ms <= joined_at.ms;
    return evidence;
}

/* ---- The end of a driver ------------------------------------------------- */

void
hf_line_end(struct hf_manager *m, struct hf_queue *queue,
            struct hf_driver *driver, const struct hf_end *end,
            struct hf_instant now)
{
    hf_ending_make(m, queue, driver, end, now);
    hf_heap_set(&m->alarms, &driver->alarm, HF_NEVER);
    m->alarms_needed--;
    m->drivers_count--;
    hf_keys_tell(m, driver, HF_NEWS_ENDED);
}

void
hf_line_end_waiter(struct hf_manager *m, struct hf_queue *queue,
                   struct hf_driver *driver, const struct hf_end *end,
                   struct hf_instant now)
{
    hf_queue_leave(queue, driver);
    hf_line_end(m, queue, driver, end, now);
    hf_keys_touch(m, queue);
}

/* Has the place failed us, or is it slow?  Then nothing is known. */
static bool
is_kept_by_place(const struct hf_queue *queue, struct hf_instant now)
{
    return queue->failed ||
           (queue->calls > 0 &&
            hf_between(queue->called_at, now).ms >= HF_TROUBLE_SLOW_MS);
}

/* Has another look shown a later holder than the contender's own did? */
static bool
is_past(const struct hf_queue *queue)
{
    return queue->seen.token != queue->contender.evidence.token;
}

/* One of us holds it, who lives. */
static struct hf_blocker
one_of_us(const struct hf_queue *queue)
{
    return (struct hf_blocker){
        .kind = HF_BLOCKER_HOLDER,
        .life = HF_LIFE_BEATING,
        .since = queue->first->granted_at,
    };
}

/* What the contender sees, and what those behind it may go by. */
static struct hf_blocker
blocker_of(const struct hf_queue *queue, const struct hf_evidence *evidence)
{
    struct hf_blocker blocker =
        hf_contender_blocker(&queue->contender, evidence);

    if (blocker.life == HF_LIFE_SUSPECTED && is_past(queue))
        return (struct hf_blocker){
            .kind = HF_BLOCKER_UNKNOWN}; /* another holds it */
    return blocker;
}

/* Does the wait of one that has no contender at work end by this, or by its
 * limit? */
static bool
ends_by(const struct hf_driver *driver, const struct hf_blocker *blocker,
        bool is_over, struct hf_end *end)
{
    const struct hf_wait wait = {
        .try_only = driver->settings->try_only,
        .fail_suspected = driver->settings->fail_suspected,
        .is_over = is_over,
        .began_at = driver->joined_at,
    };

    *end = (struct hf_end){.status = HF_OK};
    return hf_outcome_of_wait(&wait, blocker, &end->status, &end->outcome);
}

void
hf_line_end_at_limit(struct hf_manager *m, struct hf_queue *queue,
                     struct hf_driver *driver, struct hf_instant now)
{
    struct hf_evidence evidence = evidence_since(queue, driver->joined_at);
    struct hf_blocker blocker = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_end end;

    if (hf_queue_is_held(queue))
        blocker = one_of_us(queue);
    else if (is_kept_by_place(queue, now))
        blocker.kind = HF_BLOCKER_PLACE;
    else if (queue->at_work && !hf_queue_is_working(queue))
        blocker = blocker_of(queue, &evidence);
    if (ends_by(driver, &blocker, true, &end))
        hf_line_end_waiter(m, queue, driver, &end, now);
}

/* ---- From one to the next ------------------------------------------------ */

/* Set the contender up for the first of the line. */
static void
begin(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *first = queue->first;
    struct hf_contender_config config = hf_settings_config(first->settings);
    bool answered = queue->contender.answered;
    struct hf_evidence evidence = evidence_since(queue, first->joined_at);

    config.seed = first->seed;
    if (first->alarm.at.ms != HF_NEVER.ms)
        config.limit = hf_between(now, first->alarm.at);
    hf_heap_set(&m->alarms, &first->alarm, HF_NEVER);
    hf_contender_init(&queue->contender, &config);
    if (answered)
        hf_contender_inherit(&queue->contender, &evidence);
    queue->incarnation++;
    queue->at_work = true;
    hf_machine_pump(m, &queue->asker, hf_event(HF_ON_ACQUIRE, now));
}

/* Is what the first learnt of the place or the holder true for others, too? */
static bool
ends_others(const struct hf_contender *c)
{
    switch (c->status) {
    case HF_E_UNAVAILABLE:
        return !c->answered;
    case HF_E_CORRUPT:
    case HF_E_DENIED:
        return true;
    case HF_OK:
        return c->outcome == HF_GONE ||
               (c->outcome == HF_SUSPECTED_DEAD && c->evidence.present);
    case HF_E_INVALID:
    case HF_E_UNKNOWN:
    case HF_E_LIMIT:
    case HF_E_CANCELLED:
    case HF_E_NOMEM:
        break;
    }
    return false;
}

/* Those who wait on though one is suspected do not end by that. */
static void
end_others(struct hf_manager *m, struct hf_queue *queue,
           const struct hf_end *end, struct hf_instant now)
{
    bool suspected = end->status == HF_OK && end->outcome == HF_SUSPECTED_DEAD;
    struct hf_driver *next;

    for (struct hf_driver *d = queue->first; d != NULL; d = next) {
        next = d->next;
        if (!suspected || hf_queue_is_quick(d))
            hf_line_end_waiter(m, queue, d, end, now);
    }
}

/* The first's contender has ended: so has the first, and who ends with it. */
static void
finish(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_contender *c = &queue->contender;
    struct hf_driver *first = queue->first;
    struct hf_end end = {.status = c->status, .outcome = c->outcome};
    bool is_of_another = c->outcome == HF_SUSPECTED_DEAD && is_past(queue);
    struct hf_end of_first = end;

    if (is_of_another) /* who is suspected holds it no more */
        of_first.outcome = HF_TIMED_OUT;
    if (queue->own) { /* of nobody's any more, and to be seen anew */
        hf_seen_forget(&queue->seen, m->config.alloc);
        hf_keys_want_observed(m, queue);
        queue->own = false;
    }
    if (first->granted) { /* it was ours till now */
        queue->seen.changed_at = now;
        c->evidence = (struct hf_evidence){.token = first->fence};
    }
    of_first.too_slow = c->too_slow;
    first->right_until = c->keeper.right_until;
    hf_asking_remove(&m->asking, &queue->asker);
    queue->at_work = false;
    hf_keys_set_held(m, queue, false);
    hf_queue_leave(queue, first);
    hf_line_end(m, queue, first, &of_first, now);
    if (!first->granted && !is_of_another && ends_others(c))
        end_others(m, queue, &end, now);
    if (queue->first == NULL || !first->granted) {
        queue->shared_at = (struct hf_instant){0};
    } else if (hf_between(queue->shared_at, now).ms >= SHARED_MS) {
        int64_t rest_ms = 2 * m->config.wake.ms;

        if (rest_ms < REST_LEAST_MS)
            rest_ms = REST_LEAST_MS;
        queue->rest_until = hf_after(now, (struct hf_duration){rest_ms});
        queue->shared_at = (struct hf_instant){0};
    }
}

/* Has the first looked since this one asked?  What was seen may be over. */
static bool
is_looked_for(const struct hf_queue *queue, const struct hf_driver *driver)
{
    return queue->looked_at.ms >= driver->joined_at.ms;
}

/* Those behind the first that do not wait for such a holder. */
static void
end_tries(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    const struct hf_contender *c = &queue->contender;
    struct hf_blocker blocker = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_driver *next;
    struct hf_end end;

    if (!queue->at_work)
        return;
    if (hf_queue_is_held(queue))
        blocker = one_of_us(queue);
    else if (c->state == HF_CONTENDER_WATCHING)
        blocker = blocker_of(queue, &c->evidence);
    for (struct hf_driver *d = queue->first->next; d != NULL; d = next) {
        next = d->next;
        if ((hf_queue_is_held(queue) || is_looked_for(queue, d)) &&
            ends_by(d, &blocker, false, &end))
            hf_line_end_waiter(m, queue, d, &end, now);
    }
}

/* It has ended: no answer is for it any more. */
static void
end_examine(struct hf_manager *m, struct hf_queue *queue,
            struct hf_examine *examine, struct hf_instant now)
{
    struct hf_end end = {
        .status = examine->examiner.status,
        .outcome = HF_NOT_HELD,
    };

    hf_asking_remove(&m->asking, &examine->asker);
    for (struct hf_batch *b = m->batches; b != NULL; b = b->next)
        for (size_t i = 0; i < b->items_count; i++)
            if (b->items[i].examine == examine)
                b->items[i].examine = NULL;
    hf_queue_depart(queue, &examine->driver);
    hf_line_end(m, queue, &examine->driver, &end, now);
}

static void
end_examines(struct hf_manager *m, struct hf_queue *queue,
             struct hf_instant now)
{
    struct hf_driver *next;

    for (struct hf_driver *d = queue->examines; d != NULL; d = next) {
        next = d->next;
        if (hf_examine_of(d)->examiner.state == HF_EXAMINER_ENDED)
            end_examine(m, queue, hf_examine_of(d), now);
    }
}

/* ---- Putting a key in order ---------------------------------------------- */

/* A holder is told when its right comes to its last grace, and when it is
 * beyond that again. */
static struct hf_instant
risk_at(const struct hf_queue *queue)
{
    return hf_after(
        queue->contender.keeper.right_until,
        (struct hf_duration){-queue->contender.keeper.config.grace.ms});
}

/* Whoever it is held for is the first in line. */
static struct hf_driver *
holder_of(const struct hf_queue *queue)
{
    HF_CHECK(queue->first != NULL);
    return queue->first;
}

static void
tell_risk(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *holder;
    bool risk;

    if (!queue->held || queue->contender.keeper.state != HF_KEEPER_HELD)
        return;
    holder = holder_of(queue);
    risk = hf_reached(now, risk_at(queue));
    if (risk && !holder->at_risk)
        hf_keys_tell(m, holder, HF_NEWS_AT_RISK);
    else if (!risk && holder->at_risk)
        hf_keys_tell(m, holder, HF_NEWS_CERTAIN);
    holder->at_risk = risk;
}

/* What changed of the holder, once a second at most. */
static void
tell_change(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    bool foreign = queue->seen.exists && !queue->own;

    if (!queue->news_due ||
        (queue->told_at.ms != 0 &&
         hf_between(queue->told_at, now).ms < TELL_EVERY_MS))
        return;
    queue->news_due = false;
    queue->told_at = now;
    for (struct hf_driver *d = queue->first; d != NULL; d = d->next) {
        if (d->granted)
            continue;
        hf_keys_tell(m, d, HF_NEWS_CHANGED);
        if (foreign && !d->shown)
            hf_keys_tell(m, d, HF_NEWS_HOLDER);
        d->shown = d->shown || foreign;
    }
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_keys_tell(m, d, HF_NEWS_CHANGED);
}

static bool
is_watching(const struct hf_queue *queue)
{
    uint64_t version;

    if (queue->at_work && hf_contender_watching(&queue->contender, &version))
        return true;
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        if (hf_examiner_watching(&hf_examine_of(d)->examiner, &version))
            return true;
    return false;
}

static void
set_alarms(struct hf_manager *m, struct hf_queue *queue)
{
    struct hf_instant at = HF_NEVER;

    if (queue->at_work)
        at = hf_contender_deadline(&queue->contender);
    else if (queue->first != NULL)
        at = queue->rest_until;
    if (queue->held && !holder_of(queue)->at_risk &&
        queue->contender.keeper.state == HF_KEEPER_HELD)
        at = hf_earlier(at, risk_at(queue));
    if (queue->news_due)
        at = hf_earlier(
            at, hf_after(queue->told_at, (struct hf_duration){TELL_EVERY_MS}));
    hf_heap_set(&m->alarms, &queue->alarm, at);
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_heap_set(&m->alarms, &d->alarm,
                    hf_examiner_deadline(&hf_examine_of(d)->examiner));
}

static void
put_in_order(struct hf_manager *m, struct hf_queue *queue,
             struct hf_instant now)
{
    for (;;) {
        if (queue->at_work && queue->contender.state == HF_CONTENDER_ENDED)
            finish(m, queue, now);
        else if (!queue->at_work && queue->first != NULL &&
                 hf_reached(now, queue->rest_until))
            begin(m, queue, now);
        else
            break;
    }
    end_examines(m, queue, now);
    if (queue->quick > 0)
        end_tries(m, queue, now);
    tell_risk(m, queue, now);
    tell_change(m, queue, now);
    hf_keys_set_watched(m, queue, is_watching(queue));
    set_alarms(m, queue);
}

void
hf_line_settle(struct hf_manager *m, struct hf_instant now)
{
    while (m->dirty != NULL) {
        struct hf_queue *queue = m->dirty;

        m->dirty = queue->dirty_next;
        queue->dirty = false;
        put_in_order(m, queue, now);
        if (!queue->dirty && hf_queue_is_idle(queue))
            hf_keys_drop(m, queue);
    }
}
