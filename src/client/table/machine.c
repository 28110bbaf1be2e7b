#include "client/table/parts.h"

#include "base/check.h"
#include "base/text.h"
#include "core/trace.h"

/* Stepping the machines of a manager: every event of one enters here. */

/* ---- Questions ----------------------------------------------------------- */

static enum hf_urgency
urgency_of(const struct hf_asker *asker, const struct hf_request *request)
{
    if (request->read)
        return HF_URGENT_READ;
    if (asker->examine != NULL || request->ops[0].new_generation)
        return HF_URGENT_CLAIM;
    return request->ops[0].kind == HF_PUT ? HF_URGENT_BEAT : HF_URGENT_RELEASE;
}

/* One step gives up two questions at most: it supersedes the one, and ends. */
static void
note_unsent(struct hf_asker *asker)
{
    if (asker->urgency == HF_URGENT_READ)
        return;
    HF_CHECK(asker->unsent_count < 2);
    asker->unsent[asker->unsent_count++] = asker->number;
}

/* Queue the question; one still queued is superseded in its place. */
static void
post(struct hf_manager *m, struct hf_asker *asker,
     const struct hf_request *request)
{
    enum hf_urgency urgency = urgency_of(asker, request);

    if (asker->queued)
        note_unsent(asker);
    asker->number = request->number;
    if (!asker->queued || asker->urgency != urgency) {
        hf_asking_remove(&m->asking, asker);
        hf_asking_add(&m->asking, asker, urgency);
    }
    m->beats_asked = m->beats_asked || urgency == HF_URGENT_BEAT;
}

/* ---- Stepping ------------------------------------------------------------ */

static void
trace_line(struct hf_manager *m, const struct hf_asker *asker, const char *text)
{
    char line[HF_TRACE_MAX + HF_SPACE_MAX + HF_NAME_MAX + 32];
    struct hf_text out;

    hf_text_init(&out, line, sizeof(line));
    hf_text_addf(&out, "%s%s/%s %s", asker->examine != NULL ? "examine " : "",
                 asker->queue->space, asker->queue->name, text);
    m->config.trace(m->config.trace_ctx, line);
}

static void
trace_event(struct hf_manager *m, const struct hf_asker *asker,
            const struct hf_event *event)
{
    char text[HF_TRACE_MAX];

    if (m->config.trace == NULL || event->kind == HF_ON_CLOCK)
        return;
    hf_trace_event(event, text, sizeof(text));
    trace_line(m, asker, text);
}

static void
trace_effect(struct hf_manager *m, const struct hf_asker *asker,
             struct hf_instant at, const struct hf_effect *effect)
{
    char text[HF_TRACE_MAX];

    if (m->config.trace == NULL)
        return;
    hf_trace_effect(at, effect, text, sizeof(text));
    trace_line(m, asker, text);
}

static void
on_granted(struct hf_manager *m, struct hf_queue *queue, struct hf_instant now)
{
    struct hf_driver *driver = queue->first;

    driver->granted = true;
    driver->granted_at = now;
    driver->fence = queue->contender.keeper.token;
    queue->seen.changed_at = now; /* whoever held it before */
    if (queue->shared_at.ms == 0)
        queue->shared_at = now;
    hf_keys_set_held(m, queue, true);
    hf_keys_tell(m, driver, HF_NEWS_GRANTED);
    driver->shown = true;
    for (struct hf_driver *d = queue->last; !d->shown; d = d->previous) {
        hf_keys_tell(m, d, HF_NEWS_HOLDER); /* the older ones know of one */
        d->shown = true;
    }
}

static void
tell_suspected(struct hf_manager *m, struct hf_queue *queue)
{
    for (struct hf_driver *d = queue->first; d != NULL; d = d->next)
        hf_keys_tell(m, d, HF_NEWS_SUSPECTED);
}

static void
on_notice(struct hf_manager *m, struct hf_asker *asker,
          enum hf_notice_kind notice, struct hf_instant now)
{
    struct hf_queue *queue = asker->queue;

    if (asker->examine != NULL) /* its end is found in put_in_order */
        return;
    switch (notice) {
    case HF_NOTICE_GRANTED:
        on_granted(m, queue, now);
        break;
    case HF_NOTICE_SUSPECTED:
        tell_suspected(m, queue);
        break;
    case HF_NOTICE_IN_DOUBT:
        hf_keys_tell(m, queue->first, HF_NEWS_IN_DOUBT);
        break;
    case HF_NOTICE_CERTAIN:
        hf_keys_tell(m, queue->first, HF_NEWS_CERTAIN);
        break;
    case HF_NOTICE_LOST:
        hf_keys_tell(m, queue->first, HF_NEWS_LOST);
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
perform(struct hf_manager *m, struct hf_asker *asker, struct hf_event event)
{
    struct hf_queue *queue = asker->queue;
    struct hf_effect effect;

    trace_event(m, asker, &event);
    if (asker->examine != NULL)
        hf_examiner_step(&asker->examine->examiner, event);
    else
        hf_contender_step(&queue->contender, event);
    while (asker->examine != NULL
               ? hf_examiner_next(&asker->examine->examiner, &effect)
               : hf_contender_next(&queue->contender, &effect)) {
        trace_effect(m, asker, event.at, &effect);
        if (effect.kind == HF_DO_ASK)
            post(m, asker, &effect.request);
        else
            on_notice(m, asker, effect.notice, event.at);
    }
}

/* What is not asked any more is not sent. */
static void
drop_unasked(struct hf_manager *m, struct hf_asker *asker)
{
    if (!asker->queued || hf_asking_is_asked(asker))
        return;
    note_unsent(asker);
    hf_asking_remove(&m->asking, asker);
}

/* Of a write that was never sent it is certain that nothing was done. */
static void
tell_unsent(struct hf_manager *m, struct hf_asker *asker, struct hf_instant now)
{
    drop_unasked(m, asker);
    while (asker->unsent_count > 0) {
        uint64_t number = asker->unsent[--asker->unsent_count];

        perform(m, asker, hf_answer(now, number, HF_UNAVAILABLE, 0));
        drop_unasked(m, asker);
    }
}

/* Every event of a machine enters here. */
void
hf_machine_pump(struct hf_manager *m, struct hf_asker *asker,
                struct hf_event event)
{
    perform(m, asker, event);
    tell_unsent(m, asker, event.at);
    hf_keys_touch(m, asker->queue);
}

/* Of every machine that is at work on the key. */
void
hf_machine_pump_all(struct hf_manager *m, struct hf_queue *queue,
                    struct hf_event event)
{
    if (queue->at_work)
        hf_machine_pump(m, &queue->asker, event);
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_machine_pump(m, &hf_examine_of(d)->asker, event);
}

/* To those who wait for a change; a keeper at work takes it for another. */
void
hf_machine_hint(struct hf_manager *m, struct hf_queue *queue,
                struct hf_instant now)
{
    if (queue->at_work && !hf_queue_is_working(queue))
        hf_machine_pump(m, &queue->asker, hf_event(HF_ON_HINT, now));
    for (struct hf_driver *d = queue->examines; d != NULL; d = d->next)
        hf_machine_pump(m, &hf_examine_of(d)->asker, hf_event(HF_ON_HINT, now));
}
