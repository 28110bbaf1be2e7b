#include <stdio.h>

#include "base/fail.h"
#include "client/table/state.h"

/* Queries of a table.  An examine and a clear have a driver in the manager, as
 * a lock has.  The others are jobs: a worker makes one call of each. */

/* A person waits no longer for one answer of the place. */
#define PATIENCE_MS 2000

/* ---- What is known of a holder ------------------------------------------- */

struct hf_view *
hf_table_watch(struct hf_table *table, const struct hf_driver *driver)
{
    struct hf_view *view = hf_view_new(table->client->alloc, HF_VIEW_DIAGNOSIS);
    struct hf_diagnosis *diagnosis;

    if (view == NULL)
        return NULL;
    diagnosis = &view->diagnosis;
    if (!hf_manager_diagnose(&table->manager, driver, hf_now(), diagnosis)) {
        hf_view_free(view);
        return NULL;
    }
    if (driver->kind == HF_DRIVER_EXAMINE)
        diagnosis->cleared = hf_examine_at(driver)->examiner.cleared;
    if (!driver->ended && table->store != NULL && !diagnosis->record.corrupt &&
        hf_manager_is_unanswered(driver))
        hf_trouble_tell(&table->manager.trouble, table->store,
                        table->client->place, &diagnosis->error);
    return view;
}

/* ---- One lock ------------------------------------------------------------ */

static bool
has_driver(const struct hf_query *query)
{
    return query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
}

static struct hf_driver *
driver_of(const struct hf_query *query)
{
    return query->handle.behind;
}

static enum hf_status
start_driver(struct hf_table *table, struct hf_query *query,
             struct hf_error *error)
{
    const struct hf_alloc *alloc = table->client->alloc;
    struct hf_examine *examine = hf_new(alloc, struct hf_examine);
    bool clear = query->kind == HF_CLEAR;
    const struct hf_examiner_config config = {
        .watch = clear ? HF_FOREVER : query->watch,
        .patience = {PATIENCE_MS},
        .clear = clear,
        .force = query->force,
        .token = (uint64_t)query->fence,
    };
    enum hf_status status;

    if (examine == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    hf_examiner_init(&examine->examiner, &config);
    examine->driver.kind = HF_DRIVER_EXAMINE;
    examine->driver.settings = &query->settings;
    examine->driver.owner = &query->handle;
    query->handle.behind = examine;
    status =
        hf_manager_start(&table->manager, &examine->driver, hf_now(), error);
    if (status != HF_OK) {
        query->handle.behind = NULL;
        hf_free(alloc, examine);
    }
    return status;
}

/* ---- Jobs ---------------------------------------------------------------- */

static enum hf_status
start_job(struct hf_table *table, struct hf_query *query,
          struct hf_error *error)
{
    const struct hf_settings *settings = &query->settings;
    const char *name = query->kind == HF_LIST ? query->prefix : settings->name;
    const struct hf_alloc *alloc = table->client->alloc;
    struct hf_job *job = hf_new(alloc, struct hf_job);
    enum hf_status status;

    if (job == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    job->kind = query->kind;
    job->limit = (size_t)query->limit;
    job->since_ms = query->since_ms;
    job->look_only = table->client->look_only;
    snprintf(job->space, sizeof(job->space), "%s",
             settings->space == NULL ? "" : settings->space);
    snprintf(job->name, sizeof(job->name), "%s", name == NULL ? "" : name);
    status = hf_query_page_begin(&job->page, query, error);
    if (status != HF_OK) {
        hf_free(alloc, job);
        return status;
    }
    hf_list_add(&table->jobs, &job->link);
    query->handle.behind = job;
    return HF_OK;
}

struct hf_job *
hf_jobs_take(struct hf_table *table)
{
    struct hf_job *job;

    if (table->jobs.first == NULL)
        return NULL;
    job = HF_CONTAINER(table->jobs.first, struct hf_job, link);
    hf_list_remove(&table->jobs, &job->link);
    job->begun = true;
    return job;
}

enum hf_status
hf_jobs_run(struct hf_job *job, struct hf_store *store, struct hf_error *error)
{
    if (job->kind == HF_LIST)
        return hf_job_list(job, store, error);
    return job->kind == HF_AUDIT ? hf_job_audit(job, store, error)
                                 : hf_job_doctor(job, store, error);
}

void
hf_jobs_end(struct hf_job *job, enum hf_status status,
            const struct hf_error *error)
{
    if (job->page.query != NULL)
        job->page.query->handle.behind = NULL;
    hf_query_page_end(&job->page, status, error);
    hf_free(job->page.alloc, job);
}

/* A job that has begun goes on, and is freed at its end. */
static void
cancel_job(struct hf_table *table, struct hf_query *query)
{
    static const struct hf_error cancelled = {HF_E_CANCELLED,
                                              "the query was cancelled"};
    struct hf_job *job = query->handle.behind;

    query->handle.behind = NULL;
    job->page.query = NULL;
    if (!job->begun) {
        hf_list_remove(&table->jobs, &job->link);
        hf_jobs_end(job, HF_OK, NULL);
    }
    hf_query_ended(query, HF_E_CANCELLED, &cancelled, NULL);
}

/* ---- place.h ------------------------------------------------------------- */

static enum hf_status
start(struct hf_backend *backend, struct hf_query *query,
      struct hf_error *error)
{
    struct hf_table *table = hf_table_of(backend);
    enum hf_status status;

    if (query->kind == HF_SESSIONS)
        return hf_fail(error, HF_E_INVALID,
                       "%s is no lock server: nobody has a session there",
                       table->client->place);
    status = has_driver(query) ? start_driver(table, query, error)
                               : start_job(table, query, error);
    if (status == HF_OK)
        hf_table_flush(table);
    return status;
}

static void
cancel(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = hf_table_of(backend);

    if (!has_driver(query)) {
        cancel_job(table, query);
        return;
    }
    hf_manager_cancel(&table->manager, driver_of(query), hf_now());
    hf_table_flush(table);
}

static void
forget(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_forget(&table->manager, driver_of(query));
    hf_free(table->client->alloc, query->handle.behind);
    query->handle.behind = NULL;
}

static struct hf_view *
watch(struct hf_backend *backend, const struct hf_query *query)
{
    return has_driver(query)
               ? hf_table_watch(hf_table_of(backend), driver_of(query))
               : NULL;
}

const struct hf_query_methods hf_table_queries = {
    .start = start,
    .cancel = cancel,
    .forget = forget,
    .watch = watch,
};
