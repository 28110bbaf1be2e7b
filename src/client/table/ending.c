#include "client/table/parts.h"

#include "base/fail.h"

/* What is kept of a driver that has ended, and why it has. */

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

    hf_seen_tell(&queue->seen, queue->space, queue->name, "", HF_NEVER,
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
          const struct hf_driver *driver, struct hf_ending *ending)
{
    bool lock = driver->kind == HF_DRIVER_LOCK;

    if (lock && hf_queue_is_held(queue)) {
        ending->seen = hf_diagnose_own(m, queue);
        ending->life = HF_LIFE_BEATING;
    } else if (lock && hf_queue_is_ours(queue)) {
        ending->life = HF_LIFE_UNKNOWN; /* what was seen came before ours */
    } else if (!lock || !queue->own || !driver->granted) {
        ending->seen = hf_seen_copy(&queue->seen, m->config.alloc);
    }
}

void
hf_ending_make(struct hf_manager *m, const struct hf_queue *queue,
               struct hf_driver *driver, const struct hf_end *end,
               struct hf_instant now)
{
    enum hf_life life = hf_diagnose_life(queue, driver);
    struct hf_ending *ending;

    driver->ended = true;
    driver->outcome = end->outcome;
    driver->status = end->status;
    if (end->status == HF_E_UNAVAILABLE &&
        m->trouble.error.status == HF_E_CORRUPT)
        driver->status = HF_E_CORRUPT; /* the place itself is */
    if (!is_worth_keeping(driver))
        return;
    ending = hf_new(m->config.alloc, struct hf_ending);
    driver->ending = ending;
    if (ending == NULL)
        return;
    ending->at = now;
    ending->life = final_life(driver, life);
    keep_seen(m, queue, driver, ending);
    if (driver->status != HF_OK && end->too_slow.ms > 0)
        explain_too_slow(driver, end->too_slow, &ending->error);
    else if (driver->status != HF_OK)
        explain(m, queue, driver, &ending->error);
}

enum hf_status
hf_ending_error(const struct hf_driver *driver, struct hf_error *error)
{
    if (driver->status == HF_OK)
        return HF_OK;
    return hf_fail(error, driver->status, "%s",
                   driver->ending == NULL ? hf_status_sentence(driver->status)
                                          : driver->ending->error.text);
}

bool
hf_ending_tell(const struct hf_manager *m, const struct hf_driver *driver,
               struct hf_diagnosis *diagnosis)
{
    static const struct hf_ending nothing;
    const struct hf_ending *ending = driver->ending;

    if (ending == NULL && is_worth_keeping(driver))
        return false;
    if (ending == NULL)
        ending = &nothing;
    hf_seen_tell(&ending->seen, hf_settings_space(driver->settings),
                 driver->settings->name, m->config.self->host.boot, ending->at,
                 diagnosis);
    diagnosis->life = ending->life;
    if (diagnosis->error.status == HF_OK)
        (void)!hf_ending_error(driver, &diagnosis->error);
    return true;
}
