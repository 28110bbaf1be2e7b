#include "client/courier.h"

#include <sys/eventfd.h>

#include "base/random.h"
#include "client/client.h"
#include "client/errand.h"
#include "client/round.h"

/* Tombstones and markers older than a day are purged, now and then, by those
 * who leave tombstones: after about one release in 64. */
#define PURGE_AGE    ((struct hf_duration){INT64_C(24) * 3600 * 1000})
#define PURGE_CHANCE 64
#define PURGE_LIMIT  1000

struct courier {
    struct hf_client *client;
    uint64_t generation;   /* of the place, as the machines know it */
    struct hf_arena arena; /* of one turn */
};

/* Mutex held on entry and return, not while the job runs. */
static void
run_job(struct hf_client *client)
{
    struct hf_job *job = client->jobs;

    pthread_mutex_unlock(&client->mutex);
    job->status = job->run(client->store, job->ctx, &job->error);
    pthread_mutex_lock(&client->mutex);
    client->jobs = job->next;
    job->done = true;
    pthread_cond_broadcast(&client->quiet);
}

/* ---- Purging ------------------------------------------------------------- */

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

/* Mutex held on entry and return, not while the store purges. */
static void
purge(struct hf_client *client)
{
    client->released = false;
    pthread_mutex_unlock(&client->mutex);
    purge_now_and_then(client);
    pthread_mutex_lock(&client->mutex);
}

/* ---- Resting ------------------------------------------------------------- */

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

/* Nothing to do: wait for a question, or for a watched record to change.
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

/* The store found another place under its name: what the machines know is of
 * the former.  Mutex held. */
static void
tell_went_back(struct courier *courier)
{
    struct hf_client *client = courier->client;
    struct hf_errand *errand = client->errands;
    uint64_t generation = hf_store_generation(client->store);

    if (courier->generation == generation)
        return;
    courier->generation = generation;
    while (errand != NULL) {
        struct hf_errand *after = errand->next;

        if (!hf_errand_ended(errand))
            hf_errand_pump(errand, hf_event(HF_ON_WENT_BACK, hf_now()));
        (void)hf_errand_reap(errand);
        errand = after;
    }
}

/* ---- Working ------------------------------------------------------------- */

/* One turn: the questions that wait, and then one job; so neither a stream of
 * the ones nor of the others keeps the rest waiting. */
static void
work(struct courier *courier)
{
    struct hf_client *client = courier->client;
    bool idle = client->queue == NULL && client->jobs == NULL;

    if (client->queue != NULL)
        hf_round_carry(client, &courier->arena);
    if (client->jobs != NULL)
        run_job(client);
    if (idle && client->released)
        purge(client);
    else if (idle)
        rest(courier);
    tell_went_back(courier);
    hf_arena_reset(&courier->arena);
}

void *
hf_courier_main(void *arg)
{
    struct hf_client *client = arg;
    struct courier courier = {
        .client = client,
        .generation = hf_store_generation(client->store),
    };

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
