#include <sys/eventfd.h>

#include "base/thread.h"
#include "client/table/state.h"

/*
 * A worker: a thread that makes the store's blocking calls.  It carries batches
 * there and answers back, runs jobs, purges now and then, and with nothing to
 * do waits for a watched record to change.
 *
 * A caller that waits alone carries a batch itself, rather than wake a worker
 * and be woken by it.  While callers do so, and no worker, an idle worker naps:
 * it looks again soon, so that a caller that starts something need not wake it,
 * whether it comes back to wait or not.  All functions below are entered, and
 * return so.
 */

/* Tombstones and markers older than a day are purged, now and then, by clients
 * that leave tombstones: after one release in 64.  Which, is chance, for most
 * processes release once. */
#define PURGE_AGE   ((struct hf_duration){INT64_C(24) * 3600 * 1000})
#define PURGE_EVERY 64
#define PURGE_LIMIT 1000
#define PURGE_UNTIL hf_after(hf_now(), (struct hf_duration){3000})

/* An idle worker naps once callers have made so many calls in a row, those of
 * two locks.  A nap is about as long as a commit takes.  After so many naps
 * without a call of a caller's it sleeps until it is woken. */
#define TURNS_MIN 6
#define NAP_US    200
#define NAPS_MAX  4

/* A call to the store, without the mutex: from here... */
static void
begin_call(struct hf_table *table)
{
    table->calls++;
    hf_monitor_leave(&table->client->monitor);
}

/* ... to here. */
static void
end_call(struct hf_table *table)
{
    hf_monitor_enter(&table->client->monitor);
    table->calls--;
}

/* The same of one that is trouble, for people, while it takes long. */
static void
begin_timed(struct hf_table *table, struct hf_trouble_call *timed)
{
    hf_trouble_begin(&table->manager.trouble, timed, hf_now());
    begin_call(table);
}

static void
end_timed(struct hf_table *table, struct hf_trouble_call *timed)
{
    end_call(table);
    hf_trouble_end(&table->manager.trouble, timed);
}

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

/* ---- Batches ------------------------------------------------------------- */

struct batch_read {
    struct hf_worker *worker;
    struct hf_table_batch *batch;
};

/* Called by the store for each key: keep what it shows until it is told. */
static void
take_record(void *ctx, size_t index, const struct hf_record *record)
{
    const struct batch_read *reading = ctx;
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
    out->sight.stood = record->stood;
    out->stamp_ms = record->stamp_ms;
    if (!hf_reading_take(out, &stored, &reading->worker->arena))
        batch->status = HF_E_NOMEM;
}

static void
read_keys(struct hf_worker *worker, struct hf_table_batch *batch)
{
    struct batch_read reading = {worker, batch};
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

/* Is it sure that nothing was done? */
static bool
none_done(const struct hf_table_batch *batch)
{
    for (size_t i = 0; i < batch->groups_count; i++)
        if (batch->groups[i].verdict != HF_UNAVAILABLE)
            return false;
    return batch->groups_count > 0 || batch->status == HF_E_UNAVAILABLE;
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

/* A client that leaves tombstones purges, now and then. */
static void
plan_purge(struct hf_table *table)
{
    if (!table->manager.released)
        return;
    hf_manager_purged(&table->manager);
    if (++table->releases % PURGE_EVERY == 0)
        table->purge_due = true;
}

static void
call(struct hf_worker *worker, struct hf_table_batch *batch)
{
    struct hf_table *table = worker->table;
    struct hf_trouble_call timed;

    begin_timed(table, &timed);
    if (batch->groups_count > 0)
        hf_store_commit(table->store, batch->groups, batch->groups_count,
                        batch->until, &batch->error);
    else
        read_keys(worker, batch);
    end_timed(table, &timed);
}

/* The call has returned. */
static void
answer(struct hf_table *table, struct hf_table_batch *batch)
{
    bool writes = batch->groups_count > 0;

    hf_trouble_answer(&table->manager.trouble, writes,
                      all_answered(batch) ? NULL : &batch->error);
    if (!writes)
        look_at_holders(table, batch);
    hf_manager_answer(&table->manager, batch, hf_now());
    look_whether_it_went_back(table);
    plan_purge(table);
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
run_job(struct hf_table *table)
{
    struct hf_job *job = hf_jobs_take(table);
    struct hf_error error = {0};
    struct hf_trouble_call timed;
    enum hf_status status;

    begin_timed(table, &timed);
    status = hf_jobs_run(job, table->store, &error);
    end_timed(table, &timed);
    hf_trouble_answer(&table->manager.trouble, false,
                      is_of_place(status) ? &error : NULL);
    hf_jobs_end(job, status, &error);
    look_whether_it_went_back(table);
}

static void
purge(struct hf_table *table)
{
    size_t purged;

    table->purge_due = false;
    begin_call(table);
    /* Nothing depends on whether it failed. */
    if (hf_store_purge(table->store, PURGE_AGE, PURGE_LIMIT, PURGE_UNTIL,
                       &purged, NULL) != HF_OK)
        purged = 0;
    end_call(table);
    look_whether_it_went_back(table);
}

/* ---- With nothing to do -------------------------------------------------- */

/* In the store, until a watched record changes, or until there is work. */
static void
watch(struct hf_table *table, struct hf_watching *watching)
{
    eventfd_t drained;

    table->watching = true;
    table->watches_known = table->manager.watches_added;
    begin_call(table);
    hf_store_wait(table->store, watching->watches, watching->count, HF_NEVER,
                  table->work_fd);
    (void)eventfd_read(table->work_fd, &drained);
    end_call(table);
    table->watching = false;
    hf_manager_waited(&table->manager, watching, hf_now());
    look_whether_it_went_back(table);
}

static void
wait_for_work(struct hf_worker *worker)
{
    struct hf_table *table = worker->table;
    struct hf_monitor *monitor = &table->client->monitor;

    if (worker->turns_known != table->turns && table->turns >= TURNS_MIN)
        worker->naps = 0;
    worker->turns_known = table->turns;
    table->idle++;
    if (worker->naps < NAPS_MAX) {
        worker->naps++;
        table->napping++;
        hf_monitor_nap(monitor, &table->work, NAP_US);
        table->napping--;
    } else {
        hf_monitor_wait(monitor, &table->work,
                        hf_store_close_idle(table->store));
    }
    table->idle--;
}

static void
idle(struct hf_worker *worker)
{
    struct hf_table *table = worker->table;
    struct hf_watching watching;

    if (!table->watching &&
        hf_manager_watches(&table->manager, &worker->arena, &watching)) {
        watch(table, &watching);
        return;
    }
    wait_for_work(worker);
}

/* ---- Working ------------------------------------------------------------- */

/* One turn: a batch and a job; so neither a stream of the ones nor of the
 * others keeps the rest waiting. */
static void
work(struct hf_worker *worker)
{
    struct hf_table *table = worker->table;
    struct hf_table_batch *batch = NULL;
    bool may_call = hf_table_may_call(table);
    bool is_idle = !may_call || table->jobs.first == NULL;

    if (may_call && hf_batch_take(&table->manager, &worker->arena, hf_now(),
                                  hf_wall_ms(), &batch)) {
        table->turns = 0;
        worker->naps = NAPS_MAX;
        call(worker, batch);
        answer(table, batch);
        hf_table_flush(table); /* before a job gives up the mutex */
        is_idle = false;
    }
    if (table->jobs.first != NULL && hf_table_may_call(table))
        run_job(table);
    if (is_idle && may_call && table->purge_due)
        purge(table);
    else if (is_idle)
        idle(worker);
    hf_table_flush(table);
    hf_arena_reset(&worker->arena);
}

void *
hf_worker_main(void *arg)
{
    struct hf_table *table = arg;
    struct hf_monitor *monitor = &table->client->monitor;
    struct hf_worker worker = {
        .table = table,
        .arena.alloc = table->client->alloc,
        .naps = NAPS_MAX,
    };

    hf_monitor_enter(monitor);
    while (!table->stopping)
        if (table->calls < table->calls_max)
            work(&worker);
        else
            wait_for_work(&worker);
    hf_monitor_leave(monitor);
    hf_arena_fini(&worker.arena);
    return NULL;
}

/* ---- A caller in its place ----------------------------------------------- */

/* Nothing can be said to a caller that is in a call, so it makes none where it
 * is likely to be kept: a place that bears several calls is a network away. */
static bool
may_turn(const struct hf_table *table, struct hf_instant now)
{
    return !table->stopping && table->calls_max == 1 && table->calls == 0 &&
           !hf_store_is_locked(table->store, now);
}

/* The place is locked, or slow: a worker that has more time is to find out. */
static void
leave_to_worker(struct hf_table *table, struct hf_table_batch *batch)
{
    hf_manager_requeue(&table->manager, batch, hf_now());
    look_whether_it_went_back(table);
}

bool
hf_worker_turn(struct hf_backend *backend, bool alone)
{
    struct hf_table *table = hf_table_of(backend);
    struct hf_worker *caller = &table->caller;
    struct hf_instant now = hf_now();
    struct hf_table_batch *batch = NULL;
    struct hf_thread_mask mask;
    struct hf_instant worth;

    if (!alone || !may_turn(table, now) ||
        !hf_batch_take(&table->manager, &caller->arena, now, hf_wall_ms(),
                       &batch)) {
        hf_table_wake(table);
        return false;
    }
    worth = batch->until;
    batch->until = hf_earlier(batch->until,
                              hf_after(now, (struct hf_duration){HF_TURN_MS}));
    table->turns++;
    hf_thread_block_file_limit(&mask);
    call(caller, batch);
    hf_thread_unblock_file_limit(&mask);
    if (batch->until.ms < worth.ms && hf_reached(hf_now(), batch->until) &&
        none_done(batch))
        leave_to_worker(table, batch);
    else
        answer(table, batch);
    hf_table_flush(table);
    hf_arena_reset(&caller->arena);
    if (table->stopping)
        hf_monitor_notify_all(&table->work);
    return true;
}
