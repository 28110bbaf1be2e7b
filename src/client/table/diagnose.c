#include "client/table/diagnose.h"

#include "base/fail.h"

/* ---- While it goes on ---------------------------------------------------- */

/* When the last write of it that was applied was sent. */
static struct hf_instant
last_beat(const struct hf_keeper *keeper)
{
    const struct hf_keeper_config *config = &keeper->config;

    return hf_after(
        keeper->right_until,
        (struct hf_duration){config->margin.ms - config->terms.ttl.ms});
}

/* What a look would show of the driver that holds it here; the caller's. */
static struct hf_seen
see_own(const struct hf_manager *m, const struct hf_queue *queue)
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

    hf_settings_owner(holder->settings, m->config.self, holder->since_ms,
                      &value.owner);
    hf_seen_keep(&seen, m->config.alloc, &value);
    return seen;
}

static void
describe_own(const struct hf_manager *m, const struct hf_queue *queue,
             struct hf_instant now, struct hf_diagnosis *diagnosis)
{
    struct hf_seen own = see_own(m, queue);

    hf_seen_describe(&own, queue->space, queue->name, m->config.self->host.boot,
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

/* The life of the holder that was seen last, as far as it is proved. */
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

/* What is known of the life of the holder that this driver looks at. */
static enum hf_life
life_of(const struct hf_queue *queue, const struct hf_driver *driver)
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
        describe_own(m, queue, now, diagnosis);
        return;
    }
    hf_seen_describe(
        queue->own && driver->kind == HF_DRIVER_LOCK ? &nothing : &queue->seen,
        queue->space, queue->name, m->config.self->host.boot, now, diagnosis);
    diagnosis->life = life_of(queue, driver);
}

/* ---- Once it has ended --------------------------------------------------- */

/* What an examine concluded, in the words of view.h. */
static enum hf_life
final_life(const struct hf_driver *driver, enum hf_life now)
{
    if (driver->kind != HF_DRIVER_EXAMINE)
        return now;
    switch (hf_examine_at(driver)->examiner.finding) {
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

/* ---- Why there is no outcome --------------------------------------------- */

static void
explain_too_slow(const struct hf_driver *driver, struct hf_duration took,
                 struct hf_error *error)
{
    const struct hf_contender_config config =
        hf_settings_config(driver->settings);
    const struct hf_keeper_config keeper = {
        .terms = config.terms,
        .grace = config.grace,
        .margin = hf_margin(config.terms.ttl),
    };
    char taken[32];
    char ttl[32];
    char most[32];

    hf_fail(error, HF_E_UNAVAILABLE,
            "lock %s: a write takes %s there, and a ttl of %s allows %s; ask "
            "for a longer ttl",
            driver->settings->name, hf_duration_text(took, taken, 32),
            hf_duration_text(keeper.terms.ttl, ttl, 32),
            hf_duration_text(hf_keeper_slowest(&keeper), most, 32));
}

static void
explain_corrupt(const struct hf_queue *queue, const char *name,
                struct hf_error *error)
{
    struct hf_diagnosis diagnosis;
    const char *why;

    hf_seen_describe(&queue->seen, queue->space, queue->name, "", HF_NEVER,
                     &diagnosis);
    why = diagnosis.error.text;
    hf_fail(error, HF_E_CORRUPT, "lock %s: its record is not Holdfast's%s%s",
            name, why[0] == '\0' ? "" : ": ", why);
}

static void
explain(const struct hf_manager *m, const struct hf_queue *queue,
        const struct hf_driver *driver, struct hf_error *error)
{
    const char *name = driver->settings->name;
    const char *why = m->trouble.error.text;

    switch (driver->status) {
    case HF_E_CANCELLED:
        hf_fail(error, driver->status, "lock %s: cancelled", name);
        return;
    case HF_E_UNKNOWN:
        hf_fail(error, driver->status, "lock %s: %s", name,
                driver->kind == HF_DRIVER_LOCK
                    ? "abandoned before it was settled; a record may be left "
                      "behind"
                    : "whether it was cleared is not known; the audit "
                      "shows it, if it was");
        return;
    case HF_E_CORRUPT:
        if (!queue->seen.corrupt)
            break; /* the place itself is: it says how */
        explain_corrupt(queue, name, error);
        return;
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_DENIED:
    case HF_E_LIMIT:
    case HF_E_NOMEM:
        break;
    }
    hf_fail(error, driver->status, "lock %s: %s", name,
            why[0] == '\0' ? "the place does not answer" : why);
}

/* ---- Keeping it ---------------------------------------------------------- */

/* Of a lock that was held and given back there is nothing to ask. */
static bool
is_worth_keeping(const struct hf_driver *driver)
{
    return !driver->granted || driver->status != HF_OK ||
           driver->outcome != HF_NOT_HELD;
}

/* Whose record it is, if not its own. */
static void
keep_seen(const struct hf_manager *m, const struct hf_queue *queue,
          const struct hf_driver *driver, struct hf_result *result)
{
    bool lock = driver->kind == HF_DRIVER_LOCK;

    if (lock && hf_queue_is_held(queue)) {
        result->seen = see_own(m, queue);
        result->life = HF_LIFE_BEATING;
    } else if (lock && hf_queue_is_ours(queue)) {
        result->life = HF_LIFE_UNKNOWN; /* what was seen came before ours */
    } else if (!lock || !queue->own || !driver->granted) {
        result->seen = hf_seen_copy(&queue->seen, m->config.alloc);
    }
}

void
hf_diagnose_end(struct hf_manager *m, const struct hf_queue *queue,
                struct hf_driver *driver, const struct hf_end *end,
                struct hf_instant now)
{
    enum hf_life life = life_of(queue, driver);
    struct hf_result *result;

    driver->ended = true;
    driver->outcome = end->outcome;
    driver->status = end->status;
    if (end->status == HF_E_UNAVAILABLE &&
        m->trouble.error.status == HF_E_CORRUPT)
        driver->status = HF_E_CORRUPT; /* the place itself is */
    if (!is_worth_keeping(driver))
        return;
    result = hf_new(m->config.alloc, struct hf_result);
    driver->result = result;
    if (result == NULL)
        return;
    result->at = now;
    result->life = final_life(driver, life);
    keep_seen(m, queue, driver, result);
    if (driver->status != HF_OK && end->too_slow.ms > 0)
        explain_too_slow(driver, end->too_slow, &result->error);
    else if (driver->status != HF_OK)
        explain(m, queue, driver, &result->error);
}

enum hf_status
hf_diagnose_error(const struct hf_driver *driver, struct hf_error *error)
{
    if (driver->status == HF_OK)
        return HF_OK;
    return hf_fail(error, driver->status, "%s",
                   driver->result == NULL ? hf_status_sentence(driver->status)
                                          : driver->result->error.text);
}

bool
hf_diagnose_ended(const struct hf_manager *m, const struct hf_driver *driver,
                  struct hf_diagnosis *diagnosis)
{
    static const struct hf_result nothing;
    const struct hf_result *result = driver->result;

    if (result == NULL && is_worth_keeping(driver))
        return false;
    if (result == NULL)
        result = &nothing;
    hf_seen_describe(&result->seen, hf_settings_space(driver->settings),
                     driver->settings->name, m->config.self->host.boot,
                     result->at, diagnosis);
    diagnosis->life = result->life;
    if (diagnosis->error.status == HF_OK)
        (void)!hf_diagnose_error(driver, &diagnosis->error);
    return true;
}
