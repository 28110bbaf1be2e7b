#include "client/table/line.h"

#include "base/check.h"
#include "base/text.h"
#include "client/table/batch.h"
#include "core/trace.h"

/* How long a client may hand a key over inside itself, and how long it then
 * leaves it alone at least. */
#define SHARED_MS         1000
#define BACK_OFF_LEAST_MS 20

/* A holder that changes is told this often at most. */
#define NOTIFY_EVERY_MS 1000

/* ---- What a machine asks ------------------------------------------------- */

static enum hf_urgency
urgency_of(const struct hf_requester *requester,
           const struct hf_request *request)
{
    if (request->read)
        return HF_URGENT_READ;
    if (requester->examine != NULL || request->ops[0].new_generation)
        return HF_URGENT_CLAIM;
    return request->ops[0].kind == HF_PUT ? HF_URGENT_BEAT : HF_URGENT_RELEASE;
}

/* One step gives up two questions at most: it supersedes the one, and ends. */
static void
note_unsent(struct hf_requester *requester)
{
    if (requester->urgency == HF_URGENT_READ)
        return;
    HF_CHECK(requester->unsent_count < 2);
    requester->unsent[requester->unsent_count++] = requester->number;
}

/* Queue the question; one still queued is superseded in its place. */
static void
post(struct hf_manager *m, struct hf_requester *requester,
     const struct hf_request *request)
{
    enum hf_urgency urgency = urgency_of(requester, request);

    if (requester->queued)
        note_unsent(requester);
    requester->number = request->number;
    if (!requester->queued || requester->urgency != urgency) {
        hf_batch_remove(m, requester);
        hf_batch_add(m, requester, urgency);
    }
    m->beats_asked = m->beats_asked || urgency == HF_URGENT_BEAT;
}

/* ---- Stepping ------------------------------------------------------------ */

static void
trace_line(struct hf_manager *m, const struct hf_requester *requester,
           const char *text)
{
    char line[HF_TRACE_MAX + HF_SPACE_MAX + HF_NAME_MAX + 32];
    struct hf_text out;

    hf_text_init(&out, line, sizeof(line));
    hf_text_addf(&out, "%s%s/%s %s",
                 requester->examine != NULL ? "examine " : "",
                 requester->queue->space, requester->queue->name, text);
    m->config.trace(m->config.trace_ctx, line);
}

static void
trace_event(struct hf_manager *m, const struct hf_requester *requester,
            const struct hf_event *event)
{
    char text[HF_TRACE_MAX];

    if (m->config.trace == NULL || event->kind == HF_ON_CLOCK)
        return;
    hf_trace_event(event, text, sizeof(text));
    trace_line(m, requester, text);
}

static void
trace_effect(struct hf_manager *m, const struct hf_requester *requester,
             struct hf_instant at, const struct hf_effect *effect)
{
    char text[HF_TRACE_MAX];

    if (m->config.trace == NULL)
        return;
    hf_trace_effect(at, effect, text, sizeof(text));
    trace_line(m, requester, text);
}

static void
on_granted(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *driver = queue->first;

    driver->granted = true;
    driver->granted_at = now;
    driver->fence = queue->contender.keeper.token;
    queue->seen.changed_at = now; /* from another holder, if there was one */
    if (queue->shared_at.ms == 0)
        queue->shared_at = now;
    hf_queue_set_held(m, queue, true);
    hf_queue_notify(m, driver, HF_NEWS_GRANTED);
    driver->shown = true;
    for (struct hf_driver *d = queue->last; !d->shown; d = d->previous) {
        hf_queue_notify(m, d, HF_NEWS_HOLDER); /* the older ones know of one */
        d->shown = true;
    }
}

static void
notify_suspected(struct hf_manager *m, struct hf_queue *queue)
{
    for (struct hf_driver *d = queue->first; d != NULL; d = d->next)
        hf_queue_notify(m, d, HF_NEWS_SUSPECTED);
}

static void
on_notice(struct hf_manager *m, struct hf_requester *requester,
          enum hf_notice_kind notice, struct hf_instant now)
{
    struct hf_queue *queue = requester->queue;

    if (requester->examine != NULL) /* its end is found in update */
        return;
    switch (notice) {
    case HF_NOTICE_GRANTED:
        on_granted(m, queue, now);
        break;
    case HF_NOTICE_SUSPECTED:
        notify_suspected(m, queue);
        break;
    case HF_NOTICE_IN_DOUBT:
        hf_queue_notify(m, queue->first, HF_NEWS_IN_DOUBT);
        break;
    case HF_NOTICE_CERTAIN:
        hf_queue_notify(m, queue->first, HF_NEWS_CERTAIN);
        break;
    case HF_NOTICE_LOST:
        hf_queue_notify(m, queue->first, HF_NEWS_LOST);
        break;
    case HF_NOTICE_WAITING: /* told by what was seen */
    case HF_NOTICE_ENDED:
        break;
    case HF_NOTICE_NOT_MINE:
    case HF_NOTICE_SETTLED:
        HF_CHECK(!"between keeper and contender only");
    }
}

static void
perform(struct hf_manager *m, struct hf_requester *requester,
        struct hf_event event)
{
    struct hf_queue *queue = requester->queue;
    struct hf_effect effect;

    trace_event(m, requester, &event);
    if (requester->examine != NULL)
        hf_examiner_step(&requester->examine->examiner, event);
    else
        hf_contender_step(&queue->contender, event);
    while (requester->examine != NULL
               ? hf_examiner_next(&requester->examine->examiner, &effect)
               : hf_contender_next(&queue->contender, &effect)) {
        trace_effect(m, requester, event.at, &effect);
        if (effect.kind == HF_DO_ASK)
            post(m, requester, &effect.request);
        else
            on_notice(m, requester, effect.notice, event.at);
    }
}

/* A question that its machine no longer asks is not sent. */
static void
drop_unwanted(struct hf_manager *m, struct hf_requester *requester)
{
    if (!requester->queued || hf_batch_is_wanted(requester))
        return;
    note_unsent(requester);
    hf_batch_remove(m, requester);
}

/* Of a write that was never sent it is certain that nothing was done. */
static void
answer_unsent(struct hf_manager *m, struct hf_requester *requester,
              struct hf_instant now)
{
    drop_unwanted(m, requester);
    while (requester->unsent_count > 0) {
        uint64_t number = requester->unsent[--requester->unsent_count];

        perform(m, requester, hf_answer(now, number, HF_UNAVAILABLE, 0));
        drop_unwanted(m, requester);
    }
}

void
hf_line_step(struct hf_manager *m, struct hf_requester *requester,
             struct hf_event event)
{
    perform(m, requester, event);
    answer_unsent(m, requester, event.at);
    hf_queue_touch(m, requester->queue);
}

void
hf_line_step_all(struct hf_manager *m, struct hf_queue *queue,
                 struct hf_event event)
{
    if (queue->at_work)
        hf_line_step(m, &queue->requester, event);
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_line_step(m, &hf_examine_of(d)->requester, event);
}

void
hf_line_hint(struct hf_manager *m, struct hf_queue *queue,
             struct hf_instant now)
{
    if (queue->at_work && !hf_queue_is_working(queue))
        hf_line_step(m, &queue->requester, hf_event(HF_ON_HINT, now));
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_line_step(m, &hf_examine_of(d)->requester,
                     hf_event(HF_ON_HINT, now));
}

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
hf_line_end_driver(struct hf_manager *m, struct hf_queue *queue,
                   struct hf_driver *driver, const struct hf_end *end,
                   struct hf_instant now)
{
    hf_diagnose_end(m, queue, driver, end, now);
    hf_heap_set(&m->alarms, &driver->alarm, HF_NEVER);
    m->alarms_needed--;
    m->drivers_count--;
    hf_queue_notify(m, driver, HF_NEWS_ENDED);
}

void
hf_line_end_waiter(struct hf_manager *m, struct hf_queue *queue,
                   struct hf_driver *driver, const struct hf_end *end,
                   struct hf_instant now)
{
    hf_queue_leave(queue, driver);
    hf_line_end_driver(m, queue, driver, end, now);
    hf_queue_touch(m, queue);
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

/* The contender's blocker, as far as it is true for those behind it. */
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
    config.waits_for_place = m->config.comes_back;
    config.silent = m->silent;
    if (first->alarm.at.ms != HF_NEVER.ms)
        config.limit = hf_between(now, first->alarm.at);
    hf_heap_set(&m->alarms, &first->alarm, HF_NEVER);
    hf_contender_init(&queue->contender, &config);
    if (answered)
        hf_contender_inherit(&queue->contender, &evidence);
    if (m->config.remembers)
        hf_contender_return(
            &queue->contender,
            hf_tombstones_take(&m->tombstones, queue->node.hash, now));
    queue->incarnation++;
    queue->at_work = true;
    hf_line_step(m, &queue->requester, hf_event(HF_ON_ACQUIRE, now));
}

/* Does the result of the first apply to those behind it, too? */
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

/* A suspected holder ends only the tries, not those that wait on. */
static void
end_others(struct hf_manager *m, struct hf_queue *queue,
           const struct hf_end *end, struct hf_instant now)
{
    bool suspected = end->status == HF_OK && end->outcome == HF_SUSPECTED_DEAD;
    struct hf_driver *next;

    for (struct hf_driver *d = queue->first; d != NULL; d = next) {
        next = d->next;
        if (!suspected || hf_queue_is_try(d))
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
    if (queue->own) { /* it is gone: it has to be seen anew */
        hf_seen_forget(&queue->seen, m->config.alloc);
        hf_queue_want_observed(m, queue);
        queue->own = false;
    }
    if (first->granted) { /* it was ours till now */
        queue->seen.changed_at = now;
        c->evidence = (struct hf_evidence){.token = first->fence};
    }
    of_first.too_slow = c->too_slow;
    first->right_until = c->keeper.right_until;
    hf_batch_remove(m, &queue->requester);
    queue->at_work = false;
    hf_queue_set_held(m, queue, false);
    hf_queue_leave(queue, first);
    hf_line_end_driver(m, queue, first, &of_first, now);
    if (!first->granted && !is_of_another && ends_others(c))
        end_others(m, queue, &end, now);
    if (queue->first == NULL || !first->granted) {
        queue->shared_at = (struct hf_instant){0};
    } else if (hf_between(queue->shared_at, now).ms >= SHARED_MS) {
        int64_t back_off_ms = 2 * m->config.wake.ms;

        if (back_off_ms < BACK_OFF_LEAST_MS)
            back_off_ms = BACK_OFF_LEAST_MS;
        queue->back_off_until =
            hf_after(now, (struct hf_duration){back_off_ms});
        queue->shared_at = (struct hf_instant){0};
    }
}

/* Did the first look after this one asked?  An older look proves nothing. */
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

    hf_batch_remove(m, &examine->requester);
    for (struct hf_table_batch *b = m->batches; b != NULL; b = b->next)
        for (size_t i = 0; i < b->items_count; i++)
            if (b->items[i].examine == examine)
                b->items[i].examine = NULL;
    hf_queue_depart(queue, &examine->driver);
    hf_line_end_driver(m, queue, &examine->driver, &end, now);
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

/* ---- Updating a key ------------------------------------------------------ */

/* A holder is told when its right comes to its last grace, and when it is
 * beyond that again. */
static struct hf_instant
risk_at(const struct hf_queue *queue)
{
    return hf_after(
        queue->contender.keeper.right_until,
        (struct hf_duration){-queue->contender.keeper.config.grace.ms});
}

/* It is held for the first of the line. */
static struct hf_driver *
holder_of(const struct hf_queue *queue)
{
    HF_CHECK(queue->first != NULL);
    return queue->first;
}

static void
notify_risk(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *holder;
    bool risk;

    if (!queue->held || queue->contender.keeper.state != HF_KEEPER_HELD)
        return;
    holder = holder_of(queue);
    risk = hf_reached(now, risk_at(queue));
    if (risk && !holder->at_risk)
        hf_queue_notify(m, holder, HF_NEWS_AT_RISK);
    else if (!risk && holder->at_risk)
        hf_queue_notify(m, holder, HF_NEWS_CERTAIN);
    holder->at_risk = risk;
}

/* What changed of the holder, once a second at most. */
static void
notify_change(struct hf_manager *m, struct hf_queue *queue,
              struct hf_instant now)
{
    bool foreign = queue->seen.exists && !queue->own;

    if (!queue->news_due ||
        (queue->notified_at.ms != 0 &&
         hf_between(queue->notified_at, now).ms < NOTIFY_EVERY_MS))
        return;
    queue->news_due = false;
    queue->notified_at = now;
    for (struct hf_driver *d = queue->first; d != NULL; d = d->next) {
        if (d->granted)
            continue;
        hf_queue_notify(m, d, HF_NEWS_CHANGED);
        if (foreign && !d->shown)
            hf_queue_notify(m, d, HF_NEWS_HOLDER);
        d->shown = d->shown || foreign;
    }
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_queue_notify(m, d, HF_NEWS_CHANGED);
}

static bool
is_watching(const struct hf_queue *queue)
{
    uint64_t version;

    if (queue->changed)
        return false;
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
        at = queue->back_off_until;
    if (queue->held && !holder_of(queue)->at_risk &&
        queue->contender.keeper.state == HF_KEEPER_HELD)
        at = hf_earlier(at, risk_at(queue));
    if (queue->news_due)
        at = hf_earlier(at, hf_after(queue->notified_at,
                                     (struct hf_duration){NOTIFY_EVERY_MS}));
    hf_heap_set(&m->alarms, &queue->alarm, at);
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_heap_set(&m->alarms, &d->alarm,
                    hf_examiner_deadline(&hf_examine_of(d)->examiner));
}

static void
update(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    for (;;) {
        if (queue->at_work && queue->contender.state == HF_CONTENDER_ENDED)
            finish(m, queue, now);
        else if (!queue->at_work && queue->first != NULL &&
                 hf_reached(now, queue->back_off_until))
            begin(m, queue, now);
        else
            break;
    }
    end_examines(m, queue, now);
    if (queue->tries > 0)
        end_tries(m, queue, now);
    notify_risk(m, queue, now);
    notify_change(m, queue, now);
    hf_queue_set_watched(m, queue, is_watching(queue));
    set_alarms(m, queue);
}

void
hf_line_update(struct hf_manager *m, struct hf_instant now)
{
    while (m->dirty != NULL) {
        struct hf_queue *queue = m->dirty;

        m->dirty = queue->dirty_next;
        queue->dirty = false;
        update(m, queue, now);
        if (!queue->dirty && hf_queue_is_idle(queue))
            hf_queue_drop(m, queue);
    }
}
