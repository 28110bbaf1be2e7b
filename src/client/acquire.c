#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/random.h"
#include "client/client.h"
#include "client/errand.h"
#include "client/owner.h"
#include "client/wait.h"

/* hf_acquire, and what one does with a lock: check, release, abandon. */

#define TTL_MS        30000
#define TTL_REFUSE_MS 60000
#define BEAT_MS       2000
#define GRACE_MS      10000
#define LIMIT_MS      600000

static int64_t
at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

static enum hf_status
check_durations(const struct hf_acquire_options *o, struct hf_error *error)
{
    if (o->ttl.ms < 0 || o->beat.ms < 0 || o->grace.ms < 0 || o->limit.ms < 0)
        return hf_fail(error, HF_E_INVALID, "a duration is negative");
    if (o->if_dead != HF_TAKEOVER && o->if_dead != HF_REFUSE)
        return hf_fail(error, HF_E_INVALID,
                       "if_dead is neither refuse nor "
                       "takeover");
    if (o->wait != HF_WAIT_LIMIT && o->wait != HF_WAIT_TRY)
        return hf_fail(error, HF_E_INVALID, "wait is neither limit nor try");
    if (o->if_suspected != HF_IF_SUSPECTED_WAIT &&
        o->if_suspected != HF_IF_SUSPECTED_FAIL)
        return hf_fail(error, HF_E_INVALID,
                       "if_suspected is neither wait nor fail");
    return HF_OK;
}

static enum hf_status
check_terms(const struct hf_contender_config *config, struct hf_error *error)
{
    char ttl[32];
    char least[32];
    int64_t beat_ms = config->terms.beat.ms;
    int64_t grace_ms = config->grace.ms;
    int64_t ttl_ms = config->terms.ttl.ms;
    struct hf_duration needed = {0};

    if (hf_terms_valid(&config->terms, config->grace))
        return HF_OK;

    hf_duration_text(config->terms.ttl, ttl, sizeof(ttl));
    if (ttl_ms > HF_TTL_MAX_MS || beat_ms > HF_TTL_MAX_MS ||
        grace_ms > HF_TTL_MAX_MS)
        return hf_fail(error, HF_E_INVALID,
                       "ttl, beat and grace can be a week at most");
    if (ttl_ms < HF_TTL_MIN_MS)
        return hf_fail(error, HF_E_INVALID,
                       "a ttl of %s is too short: at least %d ms", ttl,
                       HF_TTL_MIN_MS);
    needed.ms = 3 * beat_ms + grace_ms + hf_margin(config->terms.ttl).ms;
    hf_duration_text(needed, least, sizeof(least));
    return hf_fail(error, HF_E_INVALID,
                   "a ttl of %s is too short: three beats, the grace and the "
                   "margin need %s",
                   ttl, least);
}

/* The documented defaults; a ttl too short for beats of 2 s gets more. */
static enum hf_status
configure(const struct hf_acquire_options *o,
          struct hf_contender_config *config, struct hf_error *error)
{
    enum hf_status status = check_durations(o, error);
    int64_t ttl_ms = o->ttl.ms;
    int64_t beat_ms = o->beat.ms;
    int64_t grace_ms = o->grace.ms;

    if (status != HF_OK)
        return status;
    if (ttl_ms == 0)
        ttl_ms = o->if_dead == HF_REFUSE ? TTL_REFUSE_MS : TTL_MS;
    if (grace_ms == 0)
        grace_ms = at_most(GRACE_MS, ttl_ms / 3);
    if (beat_ms == 0) {
        int64_t margin_ms = hf_margin((struct hf_duration){ttl_ms}).ms;

        beat_ms = at_most(BEAT_MS, (ttl_ms - margin_ms - grace_ms) / 3);
        if (beat_ms < 1)
            beat_ms = 1;
    }
    *config = (struct hf_contender_config){
        .terms = {o->if_dead, {ttl_ms}, {beat_ms}},
        .grace = {grace_ms},
        .limit = {o->limit.ms == 0 ? LIMIT_MS : o->limit.ms},
        .try_only = o->wait == HF_WAIT_TRY,
        .fail_suspected = o->if_suspected == HF_IF_SUSPECTED_FAIL,
    };
    status = check_terms(config, error);
    if (status == HF_OK)
        status = hf_random_u64(&config->seed, error);
    return status;
}

enum hf_status
hf_acquire_check(const char *name, const struct hf_acquire_options *options,
                 struct hf_error *error)
{
    static const struct hf_acquire_options defaults;
    const struct hf_acquire_options *o = options == NULL ? &defaults : options;
    struct hf_contender_config config;
    enum hf_status status = hf_wait_check_key(o->space, name, error);

    return status == HF_OK ? configure(o, &config, error) : status;
}

static enum hf_status
prepare(struct hf_client *client, const char *name,
        const struct hf_acquire_options *o, struct hf_errand **errand,
        struct hf_error *error)
{
    struct hf_contender_config config;
    struct hf_owner_words words = {
        .command = o->command,
        .reason = o->reason,
        .processes = o->processes,
        .processes_count = o->processes_count,
    };
    struct hf_errand *made = NULL;
    enum hf_status status = hf_wait_check_key(o->space, name, error);

    if (status == HF_OK)
        status = configure(o, &config, error);
    if (status == HF_OK)
        status = hf_wait_open(client, o->space, name, &made, error);
    if (status == HF_OK)
        status = hf_owner_fill(&client->host, &words, &made->owner, error);
    if (status != HF_OK) {
        hf_free(client->alloc, made);
        return status;
    }
    made->kind = HF_ERRAND_LOCK;
    made->on_news = o->on_news;
    made->news_ctx = o->ctx;
    hf_contender_init(&made->contender, &config);
    *errand = made;
    return HF_OK;
}

/* Mutex held, and given up: the caller gets its lock, or its answer. */
static enum hf_status
conclude(struct hf_errand *errand, struct hf_seen *seen,
         struct hf_acquired *acquired, struct hf_error *error)
{
    struct hf_client *client = errand->client;
    enum hf_status status = errand->contender.status;

    if (errand->granted) {
        *acquired = (struct hf_acquired){
            .outcome = HF_GRANTED,
            .lock = (struct hf_lock *)errand,
        };
        hf_errand_diagnose(errand, &acquired->seen);
        errand->seen = NULL;
        errand->handed = true;
        if (errand->news_count > 0)
            hf_client_wake_beater(client);
        pthread_mutex_unlock(&client->mutex);
        return HF_OK;
    }

    if (status == HF_OK) {
        *acquired = (struct hf_acquired){.outcome = errand->contender.outcome};
        hf_errand_diagnose(errand, &acquired->seen);
    } else {
        status = hf_wait_fail(errand, status, seen, error);
    }
    errand->seen = NULL;
    hf_errand_detach(errand);
    hf_client_leave(client);
    return status;
}

enum hf_status
hf_acquire(struct hf_client *client, const char *name,
           const struct hf_acquire_options *options,
           struct hf_acquired *acquired, struct hf_error *error)
{
    static const struct hf_acquire_options defaults;
    const struct hf_acquire_options *o = options == NULL ? &defaults : options;
    struct hf_wait_options wait = {o->on_waiting, o->ctx, o->cancel};
    struct hf_seen seen = {0};
    struct hf_errand *errand = NULL;
    enum hf_status status = hf_client_may_write(client, error);

    if (status == HF_OK)
        status = prepare(client, name, o, &errand, error);
    if (status == HF_OK)
        status = hf_wait_for(errand, HF_ON_ACQUIRE, &wait, &seen, error);
    if (status != HF_OK)
        return status;
    return conclude(errand, &seen, acquired, error);
}

/* ---- While it is held ---------------------------------------------------- */

static bool
is_ours(const struct hf_lock *lock)
{
    return lock != NULL && hf_client_is_ours(lock->errand.client);
}

enum hf_outcome
hf_check(const struct hf_lock *lock)
{
    struct hf_client *client;
    enum hf_outcome outcome;

    if (!is_ours(lock))
        return HF_NOT_HELD;
    client = lock->errand.client;
    pthread_mutex_lock(&client->mutex);
    outcome = hf_contender_check(&lock->errand.contender, hf_now());
    pthread_mutex_unlock(&client->mutex);
    return outcome;
}

uint64_t
hf_fence(const struct hf_lock *lock)
{
    /* Constant since the grant. */
    return is_ours(lock) ? lock->errand.contender.keeper.token : 0;
}

int64_t
hf_lock_right_ms(const struct hf_lock *lock)
{
    struct hf_client *client;
    int64_t right_ms;

    if (!is_ours(lock))
        return 0;
    client = lock->errand.client;
    pthread_mutex_lock(&client->mutex);
    right_ms = lock->errand.contender.keeper.right_until.ms;
    pthread_mutex_unlock(&client->mutex);
    return right_ms;
}

/* ---- Give it back -------------------------------------------------------- */

/* No callback runs any more, nor will one.  Mutex held. */
static void
silence(struct hf_errand *errand)
{
    errand->on_news = NULL;
    errand->news_count = 0;
    while (errand->calling)
        pthread_cond_wait(&errand->client->quiet, &errand->client->mutex);
}

enum hf_status
hf_release(struct hf_lock *lock, struct hf_cancel *cancel,
           struct hf_error *error)
{
    struct hf_errand *errand;
    struct hf_client *client;
    enum hf_status status;

    if (lock == NULL)
        return HF_OK;
    errand = &lock->errand;
    client = errand->client;
    status = hf_client_may_call(client, error);
    if (status != HF_OK)
        return status;

    pthread_mutex_lock(&client->mutex);
    silence(errand);
    if (!hf_errand_ended(errand)) {
        errand->progress_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        hf_errand_pump(errand, hf_event(HF_ON_RELEASE, hf_now()));
        if (!hf_wait_ended(errand, cancel))
            status =
                hf_fail(error, HF_E_CANCELLED,
                        "lock %s: its release is not settled", errand->name);
        if (errand->progress_fd >= 0)
            close(errand->progress_fd);
        errand->progress_fd = -1;
    }
    if (status == HF_OK && errand->contender.status != HF_OK)
        status = hf_fail(error, HF_E_UNKNOWN,
                         "lock %s: the client was closed before it was "
                         "released",
                         errand->name);
    hf_errand_detach(errand);
    hf_client_leave(client);
    return status;
}

void
hf_abandon(struct hf_lock *lock)
{
    struct hf_errand *errand;
    struct hf_client *client;

    if (lock == NULL || hf_client_may_call(lock->errand.client, NULL) != HF_OK)
        return;
    errand = &lock->errand;
    client = errand->client;
    pthread_mutex_lock(&client->mutex);
    silence(errand);
    if (!hf_errand_ended(errand))
        hf_errand_pump(errand, hf_event(HF_ON_ABANDON, hf_now()));
    hf_errand_detach(errand);
    hf_client_leave(client);
}
