#include "client/table/parts.h"

#include "base/fail.h"

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

/* What is known of the life of the holder that this driver looks at. */
enum hf_life
hf_line_judge_life(const struct hf_queue *queue, const struct hf_driver *driver,
                   struct hf_instant now)
{
    const struct hf_seen *seen = &queue->seen;
    const struct hf_evidence *e = driver->kind == HF_DRIVER_EXAMINE
                                      ? &driver->examiner->evidence
                                      : &queue->contender.evidence;

    if (!seen->exists || seen->corrupt || !e->present)
        return HF_LIFE_UNKNOWN;
    if (e->gone)
        return HF_LIFE_GONE;
    if (hf_reached(now, hf_evidence_stale_at(e)))
        return HF_LIFE_SUSPECTED;
    if (e->beat_seen || !e->same_holder)
        return HF_LIFE_BEATING;
    if (seen->presence == HF_PRESENCE_THERE)
        return HF_LIFE_RUNNING;
    return HF_LIFE_UNKNOWN;
}

/* What an examine concluded, in the words of view.h. */
static enum hf_life
final_life(const struct hf_examiner *examiner, enum hf_life now)
{
    switch (examiner->finding) {
    case HF_FINDING_ALIVE:
        return HF_LIFE_BEATING;
    case HF_FINDING_UNCHANGED:
        return HF_LIFE_SUSPECTED;
    case HF_FINDING_GONE:
        return HF_LIFE_GONE;
    case HF_FINDING_NONE:
        break;
    }
    return now;
}

/* ---- The end of a driver ------------------------------------------------- */

static void
fail_too_slow(struct hf_driver *driver, struct hf_duration took)
{
    struct hf_keeper_config config = {
        .terms = driver->config.terms,
        .grace = driver->config.grace,
        .margin = hf_margin(driver->config.terms.ttl),
    };
    char taken[32];
    char ttl[32];
    char most[32];

    hf_fail(driver->error, HF_E_UNAVAILABLE,
            "lock %s: a write takes %s there, and a ttl of %s allows %s; ask "
            "for a longer ttl",
            driver->settings->name, hf_duration_text(took, taken, 32),
            hf_duration_text(config.terms.ttl, ttl, 32),
            hf_duration_text(hf_keeper_slowest(&config), most, 32));
}

/* Why a corrupt record is: a clause, or "". */
static void
say_corrupt(const struct hf_queue *queue, struct hf_error *error)
{
    struct hf_diagnosis diagnosis;

    hf_seen_tell(&queue->seen, queue->space, queue->name, "", HF_NEVER,
                 &diagnosis);
    *error = diagnosis.error;
}

static void
explain(struct hf_manager *m, struct hf_queue *queue, struct hf_driver *driver)
{
    const char *name = driver->settings->name;
    const char *why = m->trouble.error.text;
    struct hf_error corrupt;

    switch (driver->status) {
    case HF_E_CANCELLED:
        hf_fail(driver->error, driver->status, "lock %s: cancelled", name);
        return;
    case HF_E_UNKNOWN:
        hf_fail(driver->error, driver->status,
                "lock %s: abandoned before it was settled; a record may be "
                "left behind",
                name);
        return;
    case HF_E_CORRUPT:
        if (!queue->seen.corrupt)
            break; /* the place itself is: it says how */
        say_corrupt(queue, &corrupt);
        hf_fail(driver->error, driver->status,
                "lock %s: its record is not Holdfast's%s%s", name,
                corrupt.text[0] == '\0' ? "" : ": ", corrupt.text);
        return;
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_DENIED:
    case HF_E_LIMIT:
    case HF_E_NOMEM:
        break;
    }
    hf_fail(driver->error, driver->status, "lock %s: %s", name,
            why[0] == '\0' ? "the place does not answer" : why);
}

/* It has left its queue: keep what it may be asked for, and say so. */
void
hf_line_end(struct hf_manager *m, struct hf_queue *queue,
            struct hf_driver *driver, enum hf_status status,
            enum hf_outcome outcome, struct hf_instant now)
{
    enum hf_life life = hf_line_judge_life(queue, driver, now);

    if (status == HF_E_UNAVAILABLE && m->trouble.error.status == HF_E_CORRUPT)
        status = HF_E_CORRUPT; /* the place itself is */
    driver->ended = true;
    driver->status = status;
    driver->outcome = outcome;
    driver->life = driver->kind == HF_DRIVER_EXAMINE
                       ? final_life(driver->examiner, life)
                       : life;
    driver->ended_at = now;
    if (driver->kind == HF_DRIVER_LOCK && hf_queue_is_held(queue)) {
        driver->seen = hf_diagnose_own(m, queue);
        driver->life = HF_LIFE_BEATING;
    } else {
        driver->seen = hf_seen_copy(&queue->seen, m->config.alloc);
    }
    if (queue->own && driver->kind == HF_DRIVER_LOCK && driver->granted)
        hf_seen_forget(&driver->seen, m->config.alloc);
    if (status != HF_OK) {
        driver->error = hf_new(m->config.alloc, struct hf_error);
        if (driver->error != NULL && driver->too_slow.ms > 0)
            fail_too_slow(driver, driver->too_slow);
        else if (driver->error != NULL)
            explain(m, queue, driver);
    }
    hf_heap_set(&m->alarms, &driver->alarm, HF_NEVER);
    m->alarms_needed--;
    m->drivers_count--;
    hf_keys_tell(m, driver, HF_NEWS_ENDED);
}

void
hf_line_end_waiter(struct hf_manager *m, struct hf_queue *queue,
                   struct hf_driver *driver, enum hf_status status,
                   enum hf_outcome outcome, struct hf_instant now)
{
    hf_queue_leave(queue, driver);
    hf_line_end(m, queue, driver, status, outcome, now);
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

/* A wait that is over its limit, of one that has no contender at work. */
void
hf_line_end_at_limit(struct hf_manager *m, struct hf_queue *queue,
                     struct hf_driver *driver, struct hf_instant now)
{
    struct hf_evidence evidence = evidence_since(queue, driver->joined_at);
    enum hf_outcome outcome = HF_TIMED_OUT;
    enum hf_status status = HF_OK;

    if (hf_queue_is_held(queue)) {
        if (queue->first->granted_at.ms <= driver->joined_at.ms)
            outcome = HF_HELD_TOO_LONG; /* by one of us, who lives */
    } else if (is_kept_by_place(queue, now)) {
        status = HF_E_UNAVAILABLE;
    } else if (queue->at_work && !hf_queue_is_working(queue)) {
        status = hf_contender_at_limit(&queue->contender, &evidence, &outcome);
    }
    if (status != HF_OK)
        outcome = HF_NOT_HELD;
    hf_line_end_waiter(m, queue, driver, status, outcome, now);
}

/* ---- From one to the next ------------------------------------------------ */

/* Set the contender up for the first of the line. */
static void
begin(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *first = queue->first;
    struct hf_contender_config config = first->config;
    bool answered = queue->contender.answered;
    struct hf_evidence evidence = evidence_since(queue, first->joined_at);

    config.limit = hf_between(now, first->limit_at);
    hf_heap_set(&m->alarms, &first->alarm, HF_NEVER);
    hf_contender_init(&queue->contender, &config);
    if (answered)
        hf_contender_inherit(&queue->contender, &evidence);
    queue->incarnation++;
    queue->at_work = true;
    hf_machine_pump(m, &queue->asker, hf_event(HF_ON_ACQUIRE, now));
}

/* What the first learnt of the place or the holder is true for others, too. */
static bool
ends_by_it(const struct hf_driver *driver, const struct hf_contender *c)
{
    switch (c->status) {
    case HF_E_UNAVAILABLE:
        return !c->answered;
    case HF_E_CORRUPT:
    case HF_E_DENIED:
        return true;
    case HF_OK:
        break;
    case HF_E_INVALID:
    case HF_E_UNKNOWN:
    case HF_E_LIMIT:
    case HF_E_CANCELLED:
    case HF_E_NOMEM:
        return false;
    }
    if (c->outcome == HF_SUSPECTED_DEAD)
        return c->evidence.present &&
               (driver->config.try_only || driver->config.fail_suspected);
    return c->outcome == HF_GONE;
}

/* The first's contender has ended: so has the first, and who ends with it. */
static void
finish(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_contender *c = &queue->contender;
    struct hf_driver *first = queue->first;
    struct hf_driver *next;

    if (queue->own) { /* of nobody's any more, and to be seen anew */
        hf_seen_forget(&queue->seen, m->config.alloc);
        hf_keys_want_observed(m, queue);
        queue->own = false;
    }
    if (first->granted) { /* it was ours till now */
        queue->seen.changed_at = now;
        c->evidence = (struct hf_evidence){.token = first->fence};
    }
    first->too_slow = c->too_slow;
    first->right_until = c->keeper.right_until;
    hf_asking_remove(&m->asking, &queue->asker);
    queue->at_work = false;
    hf_keys_set_held(m, queue, false);
    hf_queue_leave(queue, first);
    hf_line_end(m, queue, first, c->status, c->outcome, now);
    for (struct hf_driver *d = first->granted ? NULL : queue->first; d != NULL;
         d = next) {
        next = d->next;
        if (ends_by_it(d, c))
            hf_line_end_waiter(m, queue, d, c->status, c->outcome, now);
    }
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

/* Those behind the first that do not wait for one who lives, or for one who is
 * suspected. */
static void
end_tries(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    const struct hf_contender *c = &queue->contender;
    const struct hf_evidence *e = &c->evidence;
    bool lives =
        hf_queue_is_held(queue) ||
        (c->state == HF_CONTENDER_WATCHING &&
         (e->beat_seen || e->running || !e->same_holder || c->claims > 0));
    struct hf_driver *next;

    if (!queue->at_work || (!lives && !c->suspected))
        return;
    for (struct hf_driver *d = queue->first->next; d != NULL; d = next) {
        bool fails = d->config.try_only || d->config.fail_suspected;

        next = d->next;
        if (!hf_queue_is_held(queue) && !is_looked_for(queue, d))
            continue;
        if (c->suspected && fails)
            hf_line_end_waiter(m, queue, d, HF_OK, HF_SUSPECTED_DEAD, now);
        else if (lives && d->config.try_only)
            hf_line_end_waiter(m, queue, d, HF_OK, HF_TIMED_OUT, now);
    }
}

static void
end_examines(struct hf_manager *m, struct hf_queue *queue,
             struct hf_instant now)
{
    struct hf_driver *next;

    for (struct hf_driver *d = queue->examines; d != NULL; d = next) {
        next = d->next;
        if (d->examiner->state != HF_EXAMINER_ENDED)
            continue;
        hf_asking_remove(&m->asking, &d->asker);
        for (struct hf_batch *b = m->batches; b != NULL; b = b->next)
            for (size_t i = 0; i < b->items_count; i++)
                if (b->items[i].examine == d)
                    b->items[i].examine = NULL;
        hf_queue_depart(queue, d);
        hf_line_end(m, queue, d, d->examiner->status, HF_NOT_HELD, now);
    }
}

/* ---- Putting a key in order ---------------------------------------------- */

/* A holder is told when its right comes to its last grace, and when it is
 * beyond that again. */
static struct hf_instant
risk_at(const struct hf_queue *queue)
{
    return hf_after(queue->contender.keeper.right_until,
                    (struct hf_duration){-queue->first->config.grace.ms});
}

static void
tell_risk(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *first = queue->first;
    bool risk;

    if (!queue->held || queue->contender.keeper.state != HF_KEEPER_HELD)
        return;
    risk = hf_reached(now, risk_at(queue));
    if (risk && !first->at_risk)
        hf_keys_tell(m, first, HF_NEWS_AT_RISK);
    else if (!risk && first->at_risk)
        hf_keys_tell(m, first, HF_NEWS_CERTAIN);
    first->at_risk = risk;
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
        if (hf_examiner_watching(d->examiner, &version))
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
    if (queue->held && !queue->first->at_risk &&
        queue->contender.keeper.state == HF_KEEPER_HELD)
        at = hf_earlier(at, risk_at(queue));
    if (queue->news_due)
        at = hf_earlier(
            at, hf_after(queue->told_at, (struct hf_duration){TELL_EVERY_MS}));
    hf_heap_set(&m->alarms, &queue->alarm, at);
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_heap_set(&m->alarms, &d->alarm, hf_examiner_deadline(d->examiner));
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
