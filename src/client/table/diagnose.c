#include "client/table/parts.h"

/* What a manager knows of a holder, for people. */

/* When the last write of it that was applied was sent. */
static struct hf_instant
last_beat(const struct hf_keeper *keeper)
{
    const struct hf_keeper_config *config = &keeper->config;

    return hf_after(
        keeper->right_until,
        (struct hf_duration){config->margin.ms - config->terms.ttl.ms});
}

struct hf_seen
hf_diagnose_own(const struct hf_manager *m, const struct hf_queue *queue)
{
    const struct hf_driver *holder = queue->first;
    const struct hf_keeper *keeper = &queue->contender.keeper;
    struct hf_seen seen = {
        .version = keeper->version,
        .token = keeper->token,
        .stamp_ms = holder->since_ms,
        .first_at = holder->granted_at,
        .shown_at = last_beat(keeper),
        .presence = HF_PRESENCE_THERE,
        .here = true,
        .exists = true,
    };
    struct hf_value value = {
        .heartbeat = keeper->heartbeat,
        .terms = keeper->config.terms,
    };

    hf_owner_fill(m->config.self, holder->settings, holder->since_ms,
                  &value.owner);
    hf_seen_keep(&seen, m->config.alloc, &value);
    return seen;
}

static void
tell_own(const struct hf_manager *m, const struct hf_queue *queue,
         struct hf_instant now, struct hf_diagnosis *diagnosis)
{
    struct hf_seen own = hf_diagnose_own(m, queue);

    hf_seen_tell(&own, queue->space, queue->name, m->config.self->host.boot,
                 now, diagnosis);
    diagnosis->life = HF_LIFE_BEATING;
    hf_seen_forget(&own, m->config.alloc);
}

/* Did a look that was sent after its ttl still show this version?  That a place
 * shows nothing is no sign of death. */
static bool
is_suspected(const struct hf_queue *queue, const struct hf_driver *driver)
{
    if (driver->kind == HF_DRIVER_EXAMINE)
        return hf_examine_at(driver)->examiner.finding == HF_FINDING_UNCHANGED;
    return hf_reached(queue->looked_at,
                      hf_evidence_stale_at(&queue->contender.evidence));
}

/* What was proved of the holder that was seen last. */
static enum hf_life
proven_life(const struct hf_queue *queue, const struct hf_driver *driver,
            const struct hf_evidence *e)
{
    if (e->token != queue->seen.token)
        return HF_LIFE_UNKNOWN; /* it is of another one */
    if (e->gone)
        return HF_LIFE_GONE;
    if (e->version != queue->seen.version)
        return HF_LIFE_BEATING;
    if (is_suspected(queue, driver))
        return HF_LIFE_SUSPECTED;
    if (e->beat_seen || !e->same_holder)
        return HF_LIFE_BEATING;
    return HF_LIFE_UNKNOWN;
}

enum hf_life
hf_diagnose_life(const struct hf_queue *queue, const struct hf_driver *driver)
{
    const struct hf_seen *seen = &queue->seen;
    const struct hf_evidence *e =
        driver->kind == HF_DRIVER_EXAMINE
            ? &hf_examine_at(driver)->examiner.evidence
            : &queue->contender.evidence;
    enum hf_life life;

    if (!seen->exists || seen->corrupt || !e->present)
        return HF_LIFE_UNKNOWN;
    life = proven_life(queue, driver, e);
    if (life == HF_LIFE_UNKNOWN && seen->presence == HF_PRESENCE_THERE)
        return HF_LIFE_RUNNING;
    return life;
}

void
hf_diagnose_driver(const struct hf_manager *m, const struct hf_driver *driver,
                   struct hf_instant now, struct hf_diagnosis *diagnosis)
{
    const struct hf_queue *queue = driver->queue;
    static const struct hf_seen nothing;
    bool behind = driver->kind == HF_DRIVER_LOCK && driver != queue->first;

    if (behind && hf_queue_is_ours(queue)) {
        tell_own(m, queue, now, diagnosis);
        return;
    }
    hf_seen_tell(
        queue->own && driver->kind == HF_DRIVER_LOCK ? &nothing : &queue->seen,
        queue->space, queue->name, m->config.self->host.boot, now, diagnosis);
    diagnosis->life = hf_diagnose_life(queue, driver);
}
