#include <sys/eventfd.h>

#include "base/random.h"
#include "client/table/state.h"

/*
 * A worker: a thread that makes the store's blocking calls.  It carries batches
 * there and answers back, runs jobs, purges now and then, and with nothing to
 * do waits for a watched record to change.
 */

/* Tombstones and markers older than a day are purged, now and then, by those
 * who leave tombstones: after about one release in 64. */
#define PURGE_AGE    ((struct hf_duration){INT64_C(24) * 3600 * 1000})
#define PURGE_CHANCE 64
#define PURGE_LIMIT  1000

/* A worker's own; all functions below are entered, and return so. */
struct worker {
    struct hf_table *table;
    struct hf_arena arena; /* of one turn */
};

static void
enter(const struct worker *worker)
{
    hf_monitor_enter(&worker->table->client->monitor);
}

static void
leave(const struct worker *worker)
{
    hf_monitor_leave(&worker->table->client->monitor);
}

/* ---- Batches ------------------------------------------------------------- */

struct reading {
    struct worker *worker;
    struct hf_table_batch *batch;
};

/* Called by the store for each key: keep what it shows until it is told. */
static void
take_record(void *ctx, size_t index, const struct hf_record *record)
{
    const struct reading *reading = ctx;
    struct hf_table_batch *batch = reading->batch;
    struct hf_reading *out = &batch->readings[index];
    const struct hf_stored stored = {
        .text = record->value,
        .len = record->value_len,
        .room = sizeof(record->value),
    };

    *out = (struct hf_reading){
        .sight = {.kind = HF_SIGHT_ABSENT, .version = record->version},
    };
    if (!record->exists)
        return;
    out->sight.token = record->token;
    out->stamp_ms = record->stamp_ms;
    if (!hf_reading_take(out, &stored, &reading->worker->arena))
        batch->status = HF_E_NOMEM;
}

static void
read_keys(struct worker *worker, struct hf_table_batch *batch)
{
    struct reading reading = {worker, batch};
    enum hf_status status =
        hf_store_get(worker->table->store, batch->keys, batch->keys_count,
                     batch->until, take_record, &reading, &batch->error);

    if (status == HF_OK && batch->status == HF_E_NOMEM) {
        batch->error = (struct hf_error){HF_E_NOMEM, "out of memory"};
        status = HF_E_UNAVAILABLE;
    }
    batch->status = status;
}

/* Has every write its answer, be it a refusal? */
static bool
all_answered(const struct hf_table_batch *batch)
{
    for (size_t i = 0; i < batch->groups_count; i++)
        if (batch->groups[i].verdict == HF_UNAVAILABLE ||
            batch->groups[i].verdict == HF_UNKNOWN)
            return false;
    return batch->status == HF_OK;
}

/* Holders without a descriptor to wake us by are looked at now and then: when
 * their records are. */
static void
look_at_holders(struct hf_table *table, const struct hf_table_batch *batch)
{
    for (size_t i = 0; i < batch->items_count; i++)
        if (batch->items[i].queue->observed != NULL)
            hf_table_look_at(table, batch->items[i].queue->observed);
}

static void
carry(struct worker *worker, struct hf_table_batch *batch)
{
    struct hf_table *table = worker->table;
    struct hf_trouble *trouble = &table->manager.trouble;
    bool writes = batch->groups_count > 0;

    hf_trouble_call(trouble, hf_now());
    leave(worker);
    if (writes)
        hf_store_commit(table->store, batch->groups, batch->groups_count,
                        batch->until, &batch->error);
    else
        read_keys(worker, batch);
    enter(worker);
    hf_trouble_answer(trouble, writes,
                      all_answered(batch) ? NULL : &batch->error);
    if (!writes)
        look_at_holders(table, batch);
    hf_manager_answer(&table->manager, batch, hf_now());
}

/* ---- Jobs ---------------------------------------------------------------- */

/* Did the place fail, rather than who asked? */
static bool
is_of_place(enum hf_status status)
{
    return status == HF_E_UNAVAILABLE || status == HF_E_CORRUPT ||
           status == HF_E_DENIED;
}

static void
run_job(struct worker *worker)
{
    struct hf_trouble *trouble = &worker->table->manager.trouble;
    struct hf_job *job = hf_jobs_take(worker->table);
    struct hf_error error = {0};
    enum hf_status status;

    hf_trouble_call(trouble, hf_now());
    leave(worker);
    status = hf_jobs_run(job, worker->table->store, &error);
    enter(worker);
    hf_trouble_answer(trouble, false, is_of_place(status) ? &error : NULL);
    hf_jobs_end(job, status, &error);
}

static void
purge(struct worker *worker)
{
    size_t purged;
    uint64_t die;

    hf_manager_purged(&worker->table->manager);
    if (hf_random_u64(&die, NULL) != HF_OK || die % PURGE_CHANCE != 0)
        return;
    leave(worker);
    /* It failed or it did not: nobody waits for it. */
    if (hf_store_purge(worker->table->store, PURGE_AGE, PURGE_LIMIT, &purged,
                       NULL) != HF_OK)
        purged = 0;
    enter(worker);
}

/* ---- Resting ------------------------------------------------------------- */

/* In the store, until a watched record changes, or until there is work. */
static void
watch(struct worker *worker, struct hf_watching *watching)
{
    struct hf_table *table = worker->table;
    eventfd_t drained;

    table->watching = true;
    table->watches_known = table->manager.watches_added;
    leave(worker);
    hf_store_wait(table->store, watching->watches, watching->count, HF_NEVER,
                  table->work_fd);
    (void)eventfd_read(table->work_fd, &drained);
    enter(worker);
    table->watching = false;
    hf_manager_waited(&table->manager, watching, hf_now());
}

static void
rest(struct worker *worker)
{
    struct hf_table *table = worker->table;
    struct hf_watching watching;

    if (!table->watching &&
        hf_manager_watches(&table->manager, &worker->arena, &watching)) {
        watch(worker, &watching);
        return;
    }
    table->resting++;
    hf_monitor_wait(&table->client->monitor, &table->work, HF_NEVER);
    table->resting--;
}

/* ---- Working ------------------------------------------------------------- */

/* The store found another place under its name. */
static void
look_whether_it_went_back(struct hf_table *table)
{
    uint64_t generation = hf_store_generation(table->store);

    if (table->generation == generation)
        return;
    table->generation = generation;
    hf_manager_went_back(&table->manager, hf_now());
}

/* One turn: a batch and a job; so neither a stream of the ones nor of the
 * others keeps the rest waiting. */
static void
work(struct worker *worker)
{
    struct hf_table *table = worker->table;
    struct hf_table_batch *batch = NULL;
    bool idle = table->jobs.first == NULL;

    if (hf_batch_take(&table->manager, &worker->arena, hf_now(), hf_wall_ms(),
                      &batch)) {
        carry(worker, batch);
        hf_table_flush(table); /* before a job gives up the mutex */
        idle = false;
    }
    if (table->jobs.first != NULL)
        run_job(worker);
    if (idle && table->manager.released)
        purge(worker);
    else if (idle)
        rest(worker);
    look_whether_it_went_back(table);
    hf_table_flush(table);
    hf_arena_reset(&worker->arena);
}

void *
hf_worker_main(void *arg)
{
    struct worker worker = {.table = arg};

    worker.arena.alloc = worker.table->client->alloc;
    enter(&worker);
    while (!worker.table->stopping)
        work(&worker);
    leave(&worker);
    hf_arena_fini(&worker.arena);
    return NULL;
}
