#include "client/errand.h"

#include <string.h>
#include <sys/eventfd.h>

#include "base/check.h"
#include "client/client.h"
#include "client/describe.h"
#include "client/queue.h"

static void
step(struct hf_errand *errand, struct hf_event event)
{
    if (errand->kind == HF_ERRAND_LOCK)
        hf_contender_step(&errand->contender, event);
    else
        hf_examiner_step(&errand->examiner, event);
}

static bool
next(struct hf_errand *errand, struct hf_effect *effect)
{
    if (errand->kind == HF_ERRAND_LOCK)
        return hf_contender_next(&errand->contender, effect);
    return hf_examiner_next(&errand->examiner, effect);
}

bool
hf_errand_ended(const struct hf_errand *errand)
{
    if (errand->kind == HF_ERRAND_LOCK)
        return errand->contender.state == HF_CONTENDER_ENDED;
    return errand->examiner.state == HF_EXAMINER_ENDED;
}

bool
hf_errand_watching(const struct hf_errand *errand, uint64_t *version)
{
    if (errand->kind == HF_ERRAND_LOCK)
        return hf_contender_watching(&errand->contender, version);
    return hf_examiner_watching(&errand->examiner, version);
}

struct hf_instant
hf_errand_deadline(const struct hf_errand *errand)
{
    if (errand->kind == HF_ERRAND_LOCK)
        return hf_contender_deadline(&errand->contender);
    return hf_examiner_deadline(&errand->examiner);
}

static void
progress(struct hf_errand *errand)
{
    if (errand->seen != NULL)
        errand->seen->changes++;
    if (errand->progress_fd >= 0)
        (void)eventfd_write(errand->progress_fd, 1);
}

/* Queue the question; one still queued is superseded in its place. */
static void
post(struct hf_errand *errand, const struct hf_request *request)
{
    struct hf_client *client = errand->client;

    if (errand->queued && !errand->request.read)
        errand->unsent = errand->request.number;
    errand->request = *request;
    if (request->ops_count > 0 && request->ops[0].kind == HF_PUT &&
        !request->ops[0].new_generation)
        client->beats_asked = true;
    if (errand->queued)
        return;
    hf_queue_add(errand);
    hf_client_wake_courier(client);
}

/* A doubt and its end cancel each other out while nobody has heard of the
 * first; so at most one of them waits, and a loss behind it. */
static void
add_news(struct hf_errand *errand, enum hf_news news)
{
    if (errand->on_news == NULL)
        return;
    if (errand->news_count > 0 && news != HF_NEWS_LOST) {
        HF_CHECK(errand->news[0] != news);
        errand->news_count--;
        return;
    }
    HF_CHECK(errand->news_count < 2);
    errand->news[errand->news_count++] = news;
    hf_client_wake_beater(errand->client);
}

static void
on_notice(struct hf_errand *errand, enum hf_notice_kind notice)
{
    switch (notice) {
    case HF_NOTICE_GRANTED:
        errand->granted = true;
        break;
    case HF_NOTICE_IN_DOUBT:
        add_news(errand, HF_NEWS_IN_DOUBT);
        break;
    case HF_NOTICE_CERTAIN:
        add_news(errand, HF_NEWS_CERTAIN);
        break;
    case HF_NOTICE_LOST:
        add_news(errand, HF_NEWS_LOST);
        break;
    case HF_NOTICE_WAITING:
    case HF_NOTICE_SUSPECTED:
    case HF_NOTICE_ENDED:
        break;
    case HF_NOTICE_NOT_MINE:
    case HF_NOTICE_SETTLED:
        HF_CHECK(!"between keeper and contender only");
    }
    progress(errand);
}

static void
perform(struct hf_errand *errand, struct hf_event event)
{
    struct hf_effect effect;

    step(errand, event);
    while (next(errand, &effect)) {
        if (effect.kind == HF_DO_ASK)
            post(errand, &effect.request);
        else
            on_notice(errand, effect.notice);
    }
}

/* Of a write that was never sent it is certain that nothing was done. */
static void
tell_unsent(struct hf_errand *errand, struct hf_instant now)
{
    while (errand->unsent != 0) {
        uint64_t number = errand->unsent;

        errand->unsent = 0;
        perform(errand, hf_answer(now, number, HF_UNAVAILABLE, 0));
    }
}

void
hf_errand_pump(struct hf_errand *errand, struct hf_event event)
{
    struct hf_client *client = errand->client;
    struct hf_instant deadline;

    perform(errand, event);
    tell_unsent(errand, event.at);

    deadline = hf_errand_deadline(errand);
    if (deadline.ms < client->armed.ms) {
        client->armed = deadline;
        hf_client_wake_beater(client);
    }
}

bool
hf_errand_send(struct hf_errand *errand)
{
    uint64_t number;
    bool asks = errand->kind == HF_ERRAND_LOCK
                    ? hf_contender_asking(&errand->contender, &number)
                    : hf_examiner_asking(&errand->examiner, &number);

    if (asks && number == errand->request.number)
        return true;
    if (!errand->request.read)
        errand->unsent = errand->request.number;
    tell_unsent(errand, hf_now());
    return false;
}

/* Open the processes that a new holder's record lists, when they are here. */
static void
observe_holder(struct hf_errand *errand)
{
    struct hf_seen *seen = errand->seen;
    const struct hf_owner *owner = &seen->value.owner;

    if (seen->observed_token == seen->token)
        return;
    hf_process_forget(&seen->observation);
    seen->observed_token = seen->token;
    seen->presence = HF_PRESENCE_UNKNOWN;
    seen->here =
        hf_process_is_here(&errand->client->host, owner->boot, owner->pidns);
    if (!seen->here)
        return;
    hf_process_observe(&seen->observation, owner->processes,
                       owner->processes_count);
    hf_client_wake_beater(errand->client); /* it polls them from now on */
}

static void
forget_holder(struct hf_seen *seen)
{
    hf_process_forget(&seen->observation);
    seen->observed_token = 0;
    seen->presence = HF_PRESENCE_UNKNOWN;
    seen->here = false;
}

void
hf_errand_observe(struct hf_errand *errand)
{
    struct hf_seen *seen = errand->seen;
    uint64_t version;

    if (seen == NULL || !seen->exists || seen->corrupt ||
        !hf_errand_watching(errand, &version))
        return;
    seen->presence = hf_process_look(&seen->observation);
    if (seen->presence != HF_PRESENCE_UNKNOWN)
        hf_errand_pump(errand,
                       hf_processes(hf_now(), seen->version,
                                    seen->presence == HF_PRESENCE_GONE));
}

/* Is it the record of this errand's own claim? */
static bool
is_own(const struct hf_errand *errand, const struct hf_sight *sight)
{
    return errand->kind == HF_ERRAND_LOCK && sight->kind == HF_SIGHT_LOCK &&
           errand->contender.claims > 0 &&
           sight->heartbeat.id == errand->contender.keeper.heartbeat.id;
}

/* Remember for people what the courier read, and say it in core's words. */
static struct hf_sight
take_in(struct hf_errand *errand, const struct hf_record *record)
{
    struct hf_sight sight = {
        .kind = HF_SIGHT_ABSENT,
        .version = record->version,
        .token = record->token,
    };
    struct hf_value value = {0};
    struct hf_error error = {0};
    struct hf_seen *seen = errand->seen;
    bool ours = false;

    if (record->exists) {
        ours = record->value_len < sizeof(record->value) &&
               hf_record_decode(record->value, record->value_len, &value,
                                &error) == HF_OK;
        sight.kind = ours ? HF_SIGHT_LOCK : HF_SIGHT_CORRUPT;
    }
    if (ours) {
        sight.heartbeat = value.heartbeat;
        sight.terms = value.terms;
    }
    if (seen == NULL)
        return sight;
    if (is_own(errand, &sight)) {
        seen->exists = false; /* there is no other holder */
        forget_holder(seen);
        return sight;
    }

    if (!seen->exists || seen->version != record->version ||
        seen->token != record->token) {
        seen->shown_at = hf_now();
        progress(errand);
    }
    if (!seen->exists)
        seen->first_at = seen->shown_at;
    seen->exists = record->exists;
    seen->corrupt = record->exists && !ours;
    seen->version = record->version;
    seen->token = record->token;
    seen->stamp_ms = record->stamp_ms;
    seen->error = error;
    if (ours) {
        seen->value = value;
        observe_holder(errand);
    } else {
        forget_holder(seen);
    }
    return sight;
}

void
hf_errand_found(struct hf_errand *errand, uint64_t number,
                const struct hf_record *record, const struct hf_error *error)
{
    struct hf_sight sight = {.kind = HF_SIGHT_NONE};

    if (record != NULL)
        sight = take_in(errand, record);
    else if (errand->seen != NULL)
        errand->seen->error = *error;
    hf_errand_pump(errand, hf_found(hf_now(), number, sight));
    hf_errand_observe(errand);
}

void
hf_errand_add(struct hf_errand *errand)
{
    struct hf_client *client = errand->client;

    client->references++;
    errand->next = client->errands;
    if (errand->next != NULL)
        errand->next->previous = errand;
    client->errands = errand;
    client->errands_count++;
}

bool
hf_errand_reap(struct hf_errand *errand)
{
    struct hf_client *client = errand->client;

    if (!errand->detached || errand->carried || errand->calling ||
        !hf_errand_ended(errand))
        return false;

    if (errand->queued)
        hf_queue_remove(errand);
    if (errand->next != NULL)
        errand->next->previous = errand->previous;
    if (errand->previous != NULL)
        errand->previous->next = errand->next;
    else
        client->errands = errand->next;
    client->errands_count--;
    client->references--;
    hf_free(client->alloc, errand);
    return true;
}

void
hf_errand_detach(struct hf_errand *errand)
{
    errand->detached = true;
    errand->on_news = NULL;
    errand->news_count = 0;
    (void)hf_errand_reap(errand);
}

static enum hf_life
judge_life(const struct hf_errand *errand, struct hf_instant now)
{
    const struct hf_seen *seen = errand->seen;
    const struct hf_evidence *evidence = errand->kind == HF_ERRAND_LOCK
                                             ? &errand->contender.evidence
                                             : &errand->examiner.evidence;

    if (!seen->exists || seen->corrupt || !evidence->present)
        return HF_LIFE_UNKNOWN;
    if (evidence->gone)
        return HF_LIFE_GONE;
    if (hf_reached(now, hf_evidence_stale_at(evidence)))
        return HF_LIFE_SUSPECTED;
    if (evidence->beat_seen || !evidence->same_holder)
        return HF_LIFE_BEATING;
    if (seen->presence == HF_PRESENCE_THERE)
        return HF_LIFE_RUNNING;
    return HF_LIFE_UNKNOWN;
}

/* Is a question out, or has the last one failed? */
static bool
is_unanswered(const struct hf_errand *errand)
{
    const struct hf_question *question =
        errand->kind == HF_ERRAND_LOCK ? &errand->contender.keeper.question
                                       : &errand->examiner.question;

    return question->waiting || question->failures > 0;
}

void
hf_errand_diagnose(const struct hf_errand *errand,
                   struct hf_diagnosis *diagnosis)
{
    const struct hf_seen *seen = errand->seen;
    const char *boot = errand->client->host.boot;
    struct hf_instant now = hf_now();
    struct hf_record_meta meta = {
        .space = errand->space,
        .name = errand->name,
        .name_len = strlen(errand->name),
        .exists = seen->exists,
        .corrupt = seen->corrupt,
        .version = seen->version,
        .token = seen->token,
        .stamp_ms = seen->stamp_ms,
    };

    *diagnosis = (struct hf_diagnosis){
        .life = judge_life(errand, now),
        .here = seen->here,
        .running = seen->presence == HF_PRESENCE_THERE,
    };
    hf_describe(&meta, &seen->value, &diagnosis->record);
    if (seen->exists) {
        diagnosis->same_boot = !seen->corrupt && boot[0] != '\0' &&
                               strcmp(boot, seen->value.owner.boot) == 0;
        diagnosis->unchanged = hf_between(seen->shown_at, now);
        diagnosis->watched = hf_between(seen->first_at, now);
    }
    if (seen->corrupt)
        diagnosis->error = seen->error;
    else if (is_unanswered(errand))
        hf_trouble_tell(&errand->client->trouble, errand->client->store,
                        errand->client->place, &diagnosis->error);
}
