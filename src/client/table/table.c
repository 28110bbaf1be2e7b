#include "client/table/table.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/alarm.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/random.h"
#include "base/thread.h"
#include "client/table/state.h"

/* The life of a table: opened, its threads, closed. */

/* How soon a place tells others of a change: if the kernel wakes them, and if
 * they look by themselves. */
#define WOKEN_MS 10
#define POLL_MS  50

static enum hf_status
trouble(struct hf_backend *backend, struct hf_error *error)
{
    struct hf_table *table = hf_table_of(backend);

    if (table->store == NULL)
        return HF_OK;
    return hf_trouble_tell(&table->manager.trouble, table->store,
                           table->client->place, error);
}

/* ---- Its life ------------------------------------------------------------ */

static void
free_table(struct hf_backend *backend)
{
    struct hf_table *table = hf_table_of(backend);
    const struct hf_alloc *alloc = table->client->alloc;

    hf_manager_fini(&table->manager);
    hf_observer_fini(&table->observer);
    hf_arena_fini(&table->caller.arena);
    hf_fd_close(&table->alarm_fd);
    hf_fd_close(&table->epoll_fd);
    hf_fd_close(&table->work_fd);
    hf_free(alloc, table->workers);
    hf_free(alloc, table);
}

static void
stop(struct hf_table *table, bool loop)
{
    hf_monitor_enter(&table->client->monitor);
    table->stopping = true;
    hf_monitor_notify_all(&table->work);
    (void)eventfd_write(table->work_fd, 1);
    (void)eventfd_write(table->client->wake_fd, 1);
    hf_monitor_leave(&table->client->monitor);
    if (loop)
        pthread_join(table->loop, NULL);
    for (size_t i = 0; i < table->workers_count; i++)
        pthread_join(table->workers[i], NULL);
    hf_monitor_enter(&table->client->monitor);
    while (table->calls > 0) /* a caller's */
        hf_monitor_wait(&table->client->monitor, &table->work, HF_NEVER);
    hf_monitor_leave(&table->client->monitor);
}

static void
close_table(struct hf_backend *backend)
{
    struct hf_table *table = hf_table_of(backend);
    struct hf_store *store = table->store;

    stop(table, true);
    hf_monitor_enter(&table->client->monitor);
    HF_CHECK(table->jobs.first == NULL); /* their queries were cancelled */
    hf_table_flush(table);
    table->store = NULL;
    hf_monitor_leave(&table->client->monitor);
    hf_store_close(store);
}

static const struct hf_place_methods methods = {
    .locks = &hf_table_locks,
    .queries = &hf_table_queries,
    .turn = hf_worker_turn,
    .trouble = trouble,
    .close = close_table,
    .free = free_table,
};

static enum hf_status
start_threads(struct hf_table *table, size_t workers, struct hf_error *error)
{
    bool loop = hf_thread_start(&table->loop, hf_loop_main, table);

    while (loop && table->workers_count < workers &&
           hf_thread_start(&table->workers[table->workers_count],
                           hf_worker_main, table))
        table->workers_count++;
    if (table->workers_count > 0)
        return HF_OK; /* fewer than the store bears will do */
    stop(table, loop);
    return hf_fail(error, HF_E_LIMIT, "cannot start a thread");
}

static enum hf_status
open_descriptors(struct hf_table *table, struct hf_error *error)
{
    table->alarm_fd = hf_alarm_open();
    table->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    table->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (table->alarm_fd < 0 || table->epoll_fd < 0 || table->work_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "too many open files");
    return HF_OK;
}

enum hf_status
hf_table_open(struct hf_client *client, struct hf_store *store,
              struct hf_backend **backend, struct hf_error *error)
{
    const struct hf_alloc *alloc = client->alloc;
    const struct hf_store_limits limits = hf_store_limits(store);
    struct hf_table *table = hf_new(alloc, struct hf_table);
    struct hf_manager_config config = {
        .alloc = alloc,
        .wake = {hf_store_is_woken(store, hf_after(hf_now(), HF_OPEN_PATIENCE))
                     ? WOKEN_MS
                     : POLL_MS},
        .operations_max = limits.max_operations,
        .bytes_max = limits.max_bytes,
        .remembers = limits.max_calls > 1, /* a network away */
        .comes_back = limits.comes_back,
        .trace = client->trace,
        .trace_ctx = client->trace_ctx,
    };
    enum hf_status status;

    if (table == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    table->backend = (struct hf_backend){&methods, client};
    table->client = client;
    table->calls_max = limits.max_calls;
    (void)!hf_random_u64(&table->releases, NULL); /* zero would do */
    table->caller = (struct hf_worker){.table = table, .arena.alloc = alloc};
    table->store = store;
    table->generation = hf_store_generation(store);
    table->armed = HF_NEVER;
    hf_self_learn(&table->self);
    config.self = &table->self;
    hf_manager_init(&table->manager, &config);
    if (hf_store_away(store, &table->manager.trouble.error) != HF_OK)
        table->manager.silent = client->opening;
    status = open_descriptors(table, error);
    hf_observer_init(&table->observer, alloc, table->epoll_fd);
    table->workers = hf_calloc(alloc, limits.max_calls, sizeof(pthread_t));
    if (status == HF_OK && table->workers == NULL)
        status = hf_fail(error, HF_E_NOMEM, "out of memory");
    if (status == HF_OK)
        status = start_threads(table, limits.max_calls, error);
    if (status != HF_OK) {
        table->store = NULL;
        free_table(&table->backend);
        return status;
    }
    *backend = &table->backend;
    return HF_OK;
}
