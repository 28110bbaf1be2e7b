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
    char text[HF_RECORD_TEXT_MAX];
    struct hf_seen seen = {.exists = false};
    struct hf_value value = {
        .heartbeat = keeper->heartbeat,
        .terms = holder->config.terms,
    };
    struct hf_reading reading = {
        .sight = {.kind = HF_SIGHT_LOCK,
                  .version = keeper->version,
                  .token = keeper->token},
        .stamp_ms = holder->since_ms,
        .text = text,
    };

    hf_owner_fill(m->config.self, holder->settings, holder->since_ms,
                  &value.owner);
    reading.text_len = hf_record_encode(&value, text, sizeof(text));
    (void)hf_seen_take(&seen, m->config.alloc, &reading, last_beat(keeper));
    seen.first_at = holder->granted_at;
    seen.here = true;
    seen.presence = HF_PRESENCE_THERE;
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

bool
hf_manager_is_unanswered(const struct hf_driver *driver)
{
    const struct hf_question *question =
        driver->kind == HF_DRIVER_EXAMINE
            ? &driver->examiner->question
            : &driver->queue->contender.keeper.question;

    return question->waiting || question->failures > 0;
}

static void
diagnose_ended(const struct hf_manager *m, const struct hf_driver *driver,
               struct hf_diagnosis *diagnosis)
{
    hf_seen_tell(&driver->seen, hf_settings_space(driver->settings),
                 driver->settings->name, m->config.self->host.boot,
                 driver->ended_at, diagnosis);
    diagnosis->life = driver->life;
    if (driver->error != NULL && diagnosis->error.status == HF_OK)
        diagnosis->error = *driver->error;
}

void
hf_manager_diagnose(const struct hf_manager *m, const struct hf_driver *driver,
                    struct hf_instant now, struct hf_diagnosis *diagnosis)
{
    const struct hf_queue *queue = driver->queue;
    static const struct hf_seen nothing;
    bool first;

    if (queue == NULL) {
        diagnose_ended(m, driver, diagnosis);
        return;
    }
    first = driver == queue->first;
    if (driver->kind == HF_DRIVER_LOCK && !first && hf_queue_is_ours(queue)) {
        tell_own(m, queue, now, diagnosis);
        return;
    }
    hf_seen_tell(
        queue->own && driver->kind == HF_DRIVER_LOCK ? &nothing : &queue->seen,
        queue->space, queue->name, m->config.self->host.boot, now, diagnosis);
    diagnosis->life = hf_line_judge_life(queue, driver, now);
}
