#include "client/table/methods.h"

#include "base/fail.h"
#include "client/table/state.h"

/* Queries of a table: those that look at one lock have a driver, and the others
 * are jobs. */

/* Longest a person waits for one answer of the place. */
#define PATIENCE_MS 2000

static struct hf_driver *
driver_of(const struct hf_handle *handle)
{
    return handle->behind;
}

static enum hf_status
start_examine(struct hf_table *table, struct hf_query *query,
              const struct hf_examiner_config *config, struct hf_error *error)
{
    const struct hf_alloc *alloc = table->client->alloc;
    struct hf_examine *examine = hf_new(alloc, struct hf_examine);
    enum hf_status status;

    if (examine == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    hf_examiner_init(&examine->examiner, config);
    examine->driver.kind = HF_DRIVER_EXAMINE;
    examine->driver.settings = &query->settings;
    examine->driver.owner = &query->handle;
    query->handle.behind = examine;
    status =
        hf_manager_start(&table->manager, &examine->driver, hf_now(), error);
    if (status != HF_OK) {
        query->handle.behind = NULL;
        hf_free(alloc, examine);
        return status;
    }
    hf_table_flush(table);
    return HF_OK;
}

enum hf_status
hf_queries_examine(struct hf_backend *backend, struct hf_query *query,
                   struct hf_error *error)
{
    struct hf_examiner_config config = {
        .watch = query->watch,
        .patience = {PATIENCE_MS},
    };

    return start_examine(hf_table_of(backend), query, &config, error);
}

enum hf_status
hf_queries_clear(struct hf_backend *backend, struct hf_query *query,
                 struct hf_error *error)
{
    struct hf_examiner_config config = {
        .watch = HF_FOREVER,
        .patience = {PATIENCE_MS},
        .clear = true,
        .force = query->force,
        .token = query->fence,
    };

    return start_examine(hf_table_of(backend), query, &config, error);
}

static bool
has_driver(const struct hf_query *query)
{
    return query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
}

void
hf_queries_cancel(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = hf_table_of(backend);

    if (!has_driver(query)) {
        hf_jobs_cancel(table, query);
        return;
    }
    hf_manager_cancel(&table->manager, driver_of(&query->handle), hf_now());
    hf_table_flush(table);
}

void
hf_queries_forget(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_forget(&table->manager, driver_of(&query->handle));
    hf_free(table->client->alloc, query->handle.behind);
    query->handle.behind = NULL;
}

struct hf_view *
hf_queries_watch(struct hf_backend *backend, const struct hf_query *query)
{
    if (!has_driver(query))
        return NULL;
    return hf_table_watch(hf_table_of(backend), driver_of(&query->handle));
}
