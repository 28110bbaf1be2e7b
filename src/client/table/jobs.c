#include <stdio.h>

#include "base/fail.h"
#include "client/table/state.h"

/* Jobs: those that wait for a worker, and what becomes of them. */

struct hf_view *
hf_job_row(struct hf_job *job, enum hf_view_kind kind)
{
    struct hf_view *row = hf_view_new(job->alloc, kind);

    if (row == NULL)
        return NULL;
    *job->last = row;
    job->last = &row->next;
    return row;
}

static void
free_job(struct hf_job *job)
{
    while (job->rows != NULL) {
        struct hf_view *row = job->rows;

        job->rows = row->next;
        hf_view_free(row);
    }
    hf_free(job->alloc, job);
}

void
hf_jobs_end(struct hf_job *job, enum hf_status status,
            const struct hf_error *error)
{
    struct hf_query *query = job->query;
    struct hf_view *rows = NULL;
    struct hf_error no_memory = {0};

    if (query != NULL) {
        query->handle.behind = NULL;
        if (status == HF_OK && job->cursor[0] != '\0') {
            error = &no_memory;
            status = hf_settings_keep(&query->cursor, job->alloc, job->cursor,
                                      &no_memory);
        }
        if (status == HF_OK) {
            rows = job->rows;
            job->rows = NULL;
        }
        hf_query_ended(query, status, error, rows);
    }
    free_job(job);
}

enum hf_status
hf_jobs_start(struct hf_table *table, struct hf_query *query, hf_job_fn *run,
              struct hf_error *error)
{
    const struct hf_settings *settings = &query->settings;
    const char *name = query->kind == HF_LIST ? query->prefix : settings->name;
    struct hf_job *job = hf_new(table->client->alloc, struct hf_job);

    if (job == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    job->run = run;
    job->alloc = table->client->alloc;
    job->query = query;
    job->last = &job->rows;
    job->limit = query->limit;
    job->since_ms = query->since_ms;
    job->table = table;
    snprintf(job->space, sizeof(job->space), "%s",
             settings->space == NULL ? "" : settings->space);
    snprintf(job->name, sizeof(job->name), "%s", name == NULL ? "" : name);
    if (snprintf(job->cursor, sizeof(job->cursor), "%s",
                 query->cursor == NULL ? "" : query->cursor) >=
        (int)sizeof(job->cursor)) {
        free_job(job);
        return hf_fail(error, HF_E_INVALID, "the cursor is no listing's");
    }
    hf_list_add(&table->jobs, &job->link);
    query->handle.behind = job;
    hf_table_flush(table);
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

/* One that has begun goes on, and nobody hears of it. */
void
hf_jobs_cancel(struct hf_table *table, struct hf_query *query)
{
    static const struct hf_error cancelled = {HF_E_CANCELLED,
                                              "the query was cancelled"};
    struct hf_job *job = query->handle.behind;

    job->query = NULL;
    if (!job->begun) {
        hf_list_remove(&table->jobs, &job->link);
        free_job(job);
    }
    query->handle.behind = NULL;
    hf_query_ended(query, HF_E_CANCELLED, &cancelled, NULL);
}
