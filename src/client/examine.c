#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "client/client.h"
#include "client/describe.h"
#include "client/errand.h"
#include "client/owner.h"
#include "client/wait.h"

/* Looking at one lock, and clearing it by hand: hf_examine, hf_clear. */

/* Longest a person waits for one answer of the place. */
#define PATIENCE_MS 2000

/* The words of describe.h for what the machine concluded. */
static enum hf_life
final_life(const struct hf_errand *errand, enum hf_life now)
{
    switch (errand->examiner.finding) {
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

/* Run the examiner that is set up in `errand`.  On HF_OK *diagnosis tells what
 * was seen, and *cleared whether it was cleared. */
static enum hf_status
run(struct hf_errand *errand, const struct hf_wait_options *wait,
    struct hf_diagnosis *diagnosis, bool *cleared, struct hf_error *error)
{
    struct hf_client *client = errand->client;
    struct hf_seen seen = {0};
    enum hf_status status =
        hf_wait_for(errand, HF_ON_EXAMINE, wait, &seen, error);

    if (status != HF_OK)
        return status;
    status = errand->examiner.status;
    if (status == HF_OK) {
        hf_errand_diagnose(errand, diagnosis);
        diagnosis->life = final_life(errand, diagnosis->life);
        *cleared = errand->examiner.cleared;
    } else {
        status = hf_wait_fail(errand, status, &seen, error);
    }
    errand->seen = NULL;
    hf_errand_detach(errand);
    hf_client_leave(client);
    return status;
}

enum hf_status
hf_examine(struct hf_client *client, const char *name,
           const struct hf_examine_options *options,
           struct hf_diagnosis *diagnosis, struct hf_error *error)
{
    static const struct hf_examine_options defaults;
    const struct hf_examine_options *o = options == NULL ? &defaults : options;
    struct hf_wait_options wait = {o->on_waiting, o->ctx, o->cancel};
    struct hf_examiner_config config = {
        .watch = o->watch,
        .patience = {PATIENCE_MS},
    };
    struct hf_errand *errand = NULL;
    bool cleared;
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK)
        status = hf_wait_check_key(o->space, name, error);
    if (status == HF_OK && o->watch.ms < 0)
        status = hf_fail(error, HF_E_INVALID, "the watch is negative");
    if (status == HF_OK)
        status = hf_wait_open(client, o->space, name, &errand, error);
    if (status != HF_OK)
        return status;
    errand->kind = HF_ERRAND_EXAMINE;
    hf_examiner_init(&errand->examiner, &config);
    return run(errand, &wait, diagnosis, &cleared, error);
}

static enum hf_status
prepare_clear(struct hf_client *client, const char *name,
              const struct hf_clear_options *o, struct hf_errand **errand,
              struct hf_error *error)
{
    struct hf_examiner_config config = {
        .watch = HF_FOREVER,
        .patience = {PATIENCE_MS},
        .clear = true,
        .force = o->force,
        .token = o->fence,
    };
    struct hf_owner_words words = {.reason = o->reason};
    enum hf_status status = hf_wait_check_key(o->space, name, error);

    if (status == HF_OK && (o->reason == NULL || o->reason[0] == '\0'))
        status =
            hf_fail(error, HF_E_INVALID, "a reason is needed to clear a lock");
    if (status == HF_OK)
        status = hf_wait_open(client, o->space, name, errand, error);
    if (status != HF_OK)
        return status;
    status = hf_owner_fill(&client->host, &words, &(*errand)->owner, error);
    if (status != HF_OK) {
        hf_free(client->alloc, *errand);
        return status;
    }
    (*errand)->kind = HF_ERRAND_EXAMINE;
    (*errand)->force = o->force;
    hf_examiner_init(&(*errand)->examiner, &config);
    return HF_OK;
}

enum hf_status
hf_clear(struct hf_client *client, const char *name,
         const struct hf_clear_options *options, struct hf_cleared *cleared,
         struct hf_error *error)
{
    static const struct hf_clear_options none;
    const struct hf_clear_options *o = options == NULL ? &none : options;
    struct hf_wait_options wait = {o->on_waiting, o->ctx, o->cancel};
    struct hf_errand *errand = NULL;
    struct hf_cleared result = {0};
    enum hf_status status = hf_client_may_write(client, error);

    if (status == HF_OK)
        status = prepare_clear(client, name, o, &errand, error);
    if (status == HF_OK)
        status = run(errand, &wait, &result.seen, &result.cleared, error);
    if (status == HF_OK && result.seen.record.corrupt && !result.cleared &&
        !o->force)
        return hf_fail(error, HF_E_CORRUPT,
                       "lock %s: its record is not Holdfast's; only a forced "
                       "clear deletes it",
                       name);
    if (status == HF_OK)
        *cleared = result;
    return status;
}
