#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/random.h"
#include "client/client.h"

/*
 * The courier: carries the machines' questions to the store and their answers
 * back.  All groups that wait go in one commit; a record stands in it once, so
 * a second question about the same record waits for the next round.
 *
 * What it cannot carry, for want of memory, surely was not done: unavailable.
 */

/* Tombstones and markers older than a day are purged, now and then, by those
 * who leave tombstones: after about one release in 64. */
#define PURGE_AGE    ((struct hf_duration){INT64_C(24) * 3600 * 1000})
#define PURGE_CHANCE 64
#define PURGE_LIMIT  1000

struct parcel {
    struct hf_errand *errand; /* carried: it stays until it is returned */
    struct hf_request request;
    struct hf_store_op ops[HF_REQUEST_OPS];
    struct hf_store_group *group;   /* in the commit; NULL: not packed */
    struct hf_diagnosis *diagnosis; /* of what a clear deletes */
};

struct courier {
    struct hf_client *client;
    struct hf_arena arena; /* of one round */
    struct parcel *parcels;
    size_t count;
    struct hf_store_group *groups;
    size_t groups_count;
    struct hf_record record;
    struct hf_error error;
};

static struct hf_duration
patience_of(const struct hf_errand *errand)
{
    if (errand->kind == HF_ERRAND_LOCK)
        return errand->contender.keeper.asker.patience;
    return errand->examiner.asker.patience;
}

/* ---- Packing ------------------------------------------------------------- */

static bool
same_record(const struct hf_errand *one, const struct hf_errand *other)
{
    return strcmp(one->space, other->space) == 0 &&
           strcmp(one->name, other->name) == 0;
}

/* Writes first, for beats are urgent; then by record. */
static int
compare_parcels(const void *a, const void *b)
{
    const struct parcel *one = a;
    const struct parcel *other = b;
    int order;

    if (one->request.read != other->request.read)
        return one->request.read ? 1 : -1;
    order = strcmp(one->errand->space, other->errand->space);
    if (order == 0)
        order = strcmp(one->errand->name, other->errand->name);
    return order;
}

/* What is cleared, for the audit; without memory the clear is not packed. */
static struct hf_diagnosis *
diagnose(struct courier *courier, const struct hf_errand *errand)
{
    struct hf_diagnosis *diagnosis;

    if (errand->kind != HF_ERRAND_EXAMINE || errand->seen == NULL)
        return NULL;
    diagnosis = hf_arena_take(&courier->arena, sizeof(*diagnosis));
    if (diagnosis != NULL)
        hf_errand_diagnose(errand, diagnosis);
    return diagnosis;
}

static size_t
count_queue(const struct hf_client *client)
{
    const struct hf_errand *errand;
    size_t count = 0;

    for (errand = client->queue; errand != NULL; errand = errand->queue_next)
        count++;
    return count;
}

/* Put it back: another question about the same record goes first. */
static void
postpone(struct hf_client *client, struct hf_errand *errand)
{
    errand->carried = false;
    errand->queued = true;
    errand->queue_next = NULL;
    *client->queue_end = errand;
    client->queue_end = &errand->queue_next;
}

/* Of the writes on one record keep the first.  Sorted, mutex held. */
static void
drop_rivals(struct courier *courier)
{
    struct parcel *parcels = courier->parcels;
    size_t kept = 0;

    for (size_t i = 0; i < courier->count; i++) {
        bool rival = kept > 0 && !parcels[i].request.read &&
                     same_record(parcels[kept - 1].errand, parcels[i].errand);

        if (rival)
            postpone(courier->client, parcels[i].errand);
        else
            parcels[kept++] = parcels[i];
    }
    courier->count = kept;
}

/* Take every question that waits.  Mutex held. */
static void
take_parcels(struct courier *courier)
{
    struct hf_client *client = courier->client;
    struct hf_errand *errand = client->queue;
    size_t waiting = count_queue(client);

    courier->count = 0;
    courier->parcels =
        hf_arena_take(&courier->arena, waiting * sizeof(struct parcel));
    courier->groups =
        hf_arena_take(&courier->arena, waiting * sizeof(struct hf_store_group));
    if (courier->parcels == NULL || courier->groups == NULL) {
        client->queue_end = &client->queue; /* overdue, they are asked again */
        for (; errand != NULL; errand = errand->queue_next)
            errand->queued = false;
        client->queue = NULL;
        return;
    }

    for (; errand != NULL; errand = errand->queue_next) {
        courier->parcels[courier->count++] = (struct parcel){
            .errand = errand,
            .request = errand->request,
            .diagnosis = diagnose(courier, errand),
        };
        errand->carried = true;
        errand->queued = false;
    }
    client->queue = NULL;
    client->queue_end = &client->queue;
    qsort(courier->parcels, courier->count, sizeof(struct parcel),
          compare_parcels);
    drop_rivals(courier);
}

/* The key of the marker or audit record that goes with a lock: its parts are
 * prefixed with their lengths, so that no two keys collide. */
static char *
companion_name(struct courier *courier, const struct hf_errand *errand,
               uint64_t subject)
{
    char text[HF_SPACE_MAX + HF_NAME_MAX + 64];

    snprintf(text, sizeof(text), "%zu:%s,%zu:%s,%llu", strlen(errand->space),
             errand->space, strlen(errand->name), errand->name,
             (unsigned long long)subject);
    return hf_arena_copy(&courier->arena, text);
}

static char *
encode_claim(struct courier *courier, struct hf_errand *errand,
             const struct hf_op *op)
{
    char text[HF_RECORD_TEXT_MAX];
    struct hf_value value = {op->heartbeat, op->terms, errand->owner};

    hf_record_encode(&value, text, sizeof(text));
    return hf_arena_copy(&courier->arena, text);
}

static char *
encode_audit(struct courier *courier, const struct parcel *parcel)
{
    char text[HF_RECORD_TEXT_MAX];
    struct hf_audit audit = {
        .by = &parcel->errand->owner,
        .force = parcel->errand->force,
    };

    if (parcel->diagnosis == NULL)
        return NULL;
    audit.cleared = &parcel->diagnosis->record;
    hf_audit_encode(&audit, text, sizeof(text));
    return hf_arena_copy(&courier->arena, text);
}

static bool
pack_op(struct courier *courier, struct parcel *parcel, size_t index)
{
    struct hf_errand *errand = parcel->errand;
    const struct hf_op *op = &parcel->request.ops[index];
    struct hf_store_op *packed = &parcel->ops[index];

    *packed = (struct hf_store_op){
        .kind = op->kind,
        .expect = op->expect,
        .new_generation = op->new_generation,
    };
    switch (op->target) {
    case HF_TARGET_LOCK:
        packed->key = (struct hf_key){errand->space, errand->name};
        break;
    case HF_TARGET_MARKER:
        packed->key.space = "!RECLAIM";
        packed->key.name = companion_name(courier, errand, op->subject);
        break;
    case HF_TARGET_AUDIT:
        packed->key.space = "!audit";
        packed->key.name = companion_name(courier, errand, op->subject);
        break;
    }
    if (op->kind == HF_PUT) {
        packed->value = op->target == HF_TARGET_AUDIT
                            ? encode_audit(courier, parcel)
                            : encode_claim(courier, errand, op);
        packed->value_len = packed->value == NULL ? 0 : strlen(packed->value);
    }
    return packed->key.name != NULL &&
           (op->kind != HF_PUT || packed->value != NULL);
}

static void
pack(struct courier *courier, struct parcel *parcel)
{
    const struct hf_request *request = &parcel->request;
    bool claims = request->ops[0].new_generation;
    bool packed = true;

    if (claims || parcel->diagnosis != NULL)
        parcel->errand->owner.since_ms = hf_wall_ms();
    for (size_t i = 0; i < request->ops_count; i++)
        packed = packed && pack_op(courier, parcel, i);
    if (!packed)
        return;
    parcel->group = &courier->groups[courier->groups_count++];
    *parcel->group = (struct hf_store_group){
        .ops = parcel->ops,
        .ops_count = request->ops_count,
    };
}

/* ---- Carrying ------------------------------------------------------------ */

/* Mutex held.  A question that came meanwhile is in the queue already. */
static void
return_parcel(struct parcel *parcel, struct hf_event event)
{
    struct hf_errand *errand = parcel->errand;

    errand->carried = false;
    if (!hf_errand_ended(errand))
        hf_errand_pump(errand, event);
    (void)hf_errand_reap(errand);
}

static void
return_answer(struct courier *courier, struct parcel *parcel)
{
    uint64_t number = parcel->request.number;
    enum hf_verdict verdict = HF_UNAVAILABLE;
    struct hf_seen *seen = parcel->errand->seen;

    if (parcel->group != NULL)
        verdict = parcel->group->verdict;
    if (seen != NULL && (verdict == HF_UNKNOWN || verdict == HF_UNAVAILABLE))
        seen->error = courier->error;
    if (verdict == HF_APPLIED && parcel->ops[0].kind == HF_DELETE)
        courier->client->released = true;
    return_parcel(parcel,
                  hf_answer(hf_now(), number, verdict, parcel->ops[0].version));
}

/* One commit for all writes, no longer than the least patient of them. */
static void
carry_writes(struct courier *courier, struct parcel *parcels, size_t count)
{
    struct hf_client *client = courier->client;
    struct hf_duration patience = HF_FOREVER;

    courier->groups_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct hf_duration own = patience_of(parcels[i].errand);

        pack(courier, &parcels[i]);
        if (own.ms < patience.ms)
            patience = own;
    }
    courier->error = (struct hf_error){
        HF_E_NOMEM, "out of memory"}; /* of those that are not packed */
    if (courier->groups_count > 0)
        hf_store_commit(client->store, courier->groups, courier->groups_count,
                        hf_after(hf_now(), patience), &courier->error);

    pthread_mutex_lock(&client->mutex);
    for (size_t i = 0; i < count; i++)
        return_answer(courier, &parcels[i]);
    pthread_mutex_unlock(&client->mutex);
}

static void
carry_read(struct courier *courier, const struct parcel *parcel)
{
    struct hf_client *client = courier->client;
    struct hf_errand *errand = parcel->errand;
    struct hf_key key = {errand->space, errand->name};
    struct hf_instant until = hf_after(hf_now(), patience_of(errand));
    enum hf_status status = hf_store_get(client->store, key, until,
                                         &courier->record, &courier->error);

    pthread_mutex_lock(&client->mutex);
    errand->carried = false;
    if (!hf_errand_ended(errand))
        hf_errand_found(errand, parcel->request.number,
                        status == HF_OK ? &courier->record : NULL,
                        &courier->error);
    (void)hf_errand_reap(errand);
    pthread_mutex_unlock(&client->mutex);
}

static void
carry(struct courier *courier)
{
    size_t writes = 0;

    while (writes < courier->count && !courier->parcels[writes].request.read)
        writes++;
    if (writes > 0)
        carry_writes(courier, courier->parcels, writes);
    for (size_t i = writes; i < courier->count; i++)
        carry_read(courier, &courier->parcels[i]);
}

/* ---- Between rounds ------------------------------------------------------ */

/* Mutex held on entry and return, not while the job runs. */
static void
run_job(struct hf_client *client)
{
    struct hf_job *job = client->jobs;

    pthread_mutex_unlock(&client->mutex);
    job->run(client->store, job->ctx);
    pthread_mutex_lock(&client->mutex);
    client->jobs = job->next;
    job->done = true;
    pthread_cond_broadcast(&client->quiet);
}

static void
purge_now_and_then(struct hf_client *client)
{
    size_t purged;
    uint64_t die;

    if (hf_random_u64(&die, NULL) != HF_OK || die % PURGE_CHANCE != 0)
        return;
    /* It failed or it did not: nobody waits for it. */
    if (hf_store_purge(client->store, PURGE_AGE, PURGE_LIMIT, &purged, NULL) !=
        HF_OK)
        return;
}

/* What the errands watch.  Names are copied: an errand may be freed while the
 * courier waits.  Mutex held. */
static size_t
collect_watches(struct courier *courier, struct hf_store_watch **watches)
{
    struct hf_client *client = courier->client;
    struct hf_errand *errand;
    size_t count = 0;
    uint64_t version;

    *watches = hf_arena_take(&courier->arena,
                             (client->errands_count + 1) * sizeof(**watches));
    if (*watches == NULL)
        return 0; /* without hints the machines look when it is time */
    for (errand = client->errands; errand != NULL; errand = errand->next) {
        struct hf_key key = {NULL, NULL};

        if (!hf_errand_watching(errand, &version))
            continue;
        key.space = hf_arena_copy(&courier->arena, errand->space);
        key.name = hf_arena_copy(&courier->arena, errand->name);
        if (key.space != NULL && key.name != NULL)
            (*watches)[count++] = (struct hf_store_watch){key, version};
    }
    return count;
}

static bool
drain(int fd)
{
    eventfd_t count;

    return eventfd_read(fd, &count) == 0;
}

static void
hint(struct hf_client *client)
{
    struct hf_errand *errand;
    uint64_t version;

    for (errand = client->errands; errand != NULL; errand = errand->next)
        if (hf_errand_watching(errand, &version))
            hf_errand_pump(errand, hf_event(HF_ON_HINT, hf_now()));
}

/* Nothing to carry: wait for a question, or for a watched record to change.
 * Mutex held on entry and return, not while waiting. */
static void
rest(struct courier *courier)
{
    struct hf_client *client = courier->client;
    struct hf_store_watch *watches;
    size_t count = collect_watches(courier, &watches);
    bool woken;

    pthread_mutex_unlock(&client->mutex);
    hf_store_wait(client->store, watches, count, HF_NEVER,
                  client->courier_wake_fd);
    woken = drain(client->courier_wake_fd);
    pthread_mutex_lock(&client->mutex);
    if (!woken)
        hint(client);
}

static void
carry_queue(struct courier *courier)
{
    struct hf_client *client = courier->client;

    take_parcels(courier);
    pthread_mutex_unlock(&client->mutex);
    carry(courier);
    pthread_mutex_lock(&client->mutex);
}

static void
purge(struct hf_client *client)
{
    client->released = false;
    pthread_mutex_unlock(&client->mutex);
    purge_now_and_then(client);
    pthread_mutex_lock(&client->mutex);
}

/* One round: the questions that wait, and then one job; so neither a stream
 * of the ones nor of the others keeps the rest waiting. */
static void
work(struct courier *courier)
{
    struct hf_client *client = courier->client;
    bool idle = client->queue == NULL && client->jobs == NULL;

    if (client->queue != NULL)
        carry_queue(courier);
    if (client->jobs != NULL)
        run_job(client);
    if (idle && client->released)
        purge(client);
    else if (idle)
        rest(courier);
    hf_arena_reset(&courier->arena);
}

void *
hf_courier_main(void *arg)
{
    struct courier courier = {.client = arg};
    struct hf_client *client = arg;

    courier.arena.alloc = client->alloc;
    pthread_mutex_lock(&client->mutex);
    while (!client->closing)
        work(&courier);
    while (client->jobs != NULL)
        run_job(client);
    pthread_mutex_unlock(&client->mutex);
    if (client->released)
        purge_now_and_then(client);
    hf_arena_fini(&courier.arena);
    return NULL;
}
