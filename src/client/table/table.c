#include "client/table/table.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alarm.h"
#include "base/cond.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/random.h"
#include "client/table/driver.h"

/* A table of records behind the seam: place.h in terms of the manager. */

/* Longest a person waits for one answer of the place. */
#define PATIENCE_MS 2000

/* How soon a place tells others of a change: if the kernel wakes them, and if
 * they look by themselves. */
#define WOKEN_MS 10
#define POLL_MS  50

/* What an examine needs beside its driver. */
struct examine {
    struct hf_driver driver;
    struct hf_examiner examiner;
};

static struct hf_table *
table_of(struct hf_backend *backend)
{
    return (struct hf_table *)backend;
}

static struct hf_driver *
driver_of(const struct hf_handle *handle)
{
    return handle->behind;
}

/* ---- What comes out of the manager --------------------------------------- */

/* Those of the holder that is seen now, or nobody's. */
static void
observe(struct hf_table *table, struct hf_queue *queue, bool wanted)
{
    struct hf_value value;
    bool here = false;

    hf_observer_leave(&table->observer, queue);
    if (wanted && hf_seen_value(&queue->seen, &value))
        here = hf_process_is_here(&table->self.host, value.owner.boot,
                                  value.owner.pidns);
    if (here)
        hf_observer_follow(&table->observer, queue, value.owner.processes,
                           value.owner.processes_count);
    hf_manager_observed(&table->manager, queue);
    if (wanted) /* else it may be gone */
        hf_manager_presence(&table->manager, queue, here,
                            queue->observed == NULL ? HF_PRESENCE_UNKNOWN
                                                    : queue->observed->presence,
                            hf_now());
}

/* A clear leaves what is not ours alone, unless it is told not to. */
static enum hf_status
status_of(const struct hf_driver *driver)
{
    bool spared = driver->seen.corrupt && !driver->force &&
                  ((const struct hf_query *)driver->owner)->kind == HF_CLEAR &&
                  !driver->examiner->cleared;

    return driver->status == HF_OK && spared ? HF_E_CORRUPT : driver->status;
}

static void
end_query(struct hf_query *query, const struct hf_driver *driver)
{
    enum hf_status status = status_of(driver);
    struct hf_error error = {0};

    if (driver->error != NULL)
        error = *driver->error;
    else if (status == HF_E_CORRUPT)
        (void)hf_fail(&error, status,
                      "lock %s: its record is not Holdfast's; only a forced "
                      "clear deletes it",
                      driver->settings->name);
    else if (status != HF_OK)
        (void)hf_fail(&error, status, "lock %s: %s", driver->settings->name,
                      hf_status_sentence(status));
    hf_query_ended(query, status, &error, NULL);
}

/* Nobody was observed for one that ended with its first look: look now.  That
 * they have ended proves no death, for the record may be past by now: no read
 * was sent after this. */
static void
look_at_processes(const struct hf_table *table, struct hf_driver *driver)
{
    struct hf_seen *seen = &driver->seen;
    struct hf_observation observation = {.count = 0};
    struct hf_value value;

    if (seen->presence != HF_PRESENCE_UNKNOWN || !hf_seen_value(seen, &value))
        return;
    seen->here = hf_process_is_here(&table->self.host, value.owner.boot,
                                    value.owner.pidns);
    if (!seen->here)
        return;
    hf_process_observe(&observation, value.owner.processes,
                       value.owner.processes_count);
    seen->presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    if (driver->life == HF_LIFE_UNKNOWN && seen->presence == HF_PRESENCE_THERE)
        driver->life = HF_LIFE_RUNNING;
}

static void
tell_news(const struct hf_table *table, struct hf_driver *driver)
{
    struct hf_handle *handle = driver->owner;
    unsigned news = driver->news;

    driver->news = 0;
    hf_handle_tell(handle, news & ~(unsigned)HF_NEWS_ENDED);
    if ((news & HF_NEWS_ENDED) == 0)
        return;
    look_at_processes(table, driver);
    if (handle->kind == HF_HANDLE_LOCK)
        hf_client_ended(handle->client, handle);
    else
        end_query((struct hf_query *)handle, driver);
}

static void
wake_worker(struct hf_table *table)
{
    bool news = table->manager.watches_added != table->watches_known;
    bool busy = table->jobs != NULL || hf_manager_has_batch(&table->manager) ||
                table->manager.released;

    if (busy && table->resting > 0)
        pthread_cond_signal(&table->work);
    else if (table->watching && (busy || news))
        (void)eventfd_write(table->work_fd, 1);
}

void
hf_table_flush(struct hf_table *table)
{
    struct hf_manager *manager = &table->manager;
    struct hf_queue *queue;
    struct hf_driver *driver;
    bool wanted;

    while ((queue = hf_manager_take_observe(manager, &wanted)) != NULL)
        observe(table, queue, wanted);
    while ((driver = hf_manager_take_told(manager)) != NULL)
        tell_news(table, driver);
    if (hf_manager_deadline(manager).ms < table->armed.ms) {
        table->armed = hf_manager_deadline(manager);
        hf_alarm_set(table->alarm_fd, table->armed);
    }
    wake_worker(table);
}

/* ---- Locks --------------------------------------------------------------- */

static enum hf_status
start(struct hf_backend *backend, struct hf_lock *lock, struct hf_error *error)
{
    struct hf_table *table = table_of(backend);
    const struct hf_alloc *alloc = table->client->alloc;
    struct hf_driver *driver = hf_new(alloc, struct hf_driver);
    enum hf_status status;

    if (driver == NULL)
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       lock->settings.name);
    driver->kind = HF_DRIVER_LOCK;
    driver->settings = &lock->settings;
    driver->owner = &lock->handle;
    status = hf_owner_find(&lock->settings, error);
    if (status == HF_OK)
        status = hf_settings_terms(&lock->settings, &driver->config, error);
    if (status == HF_OK)
        status = hf_random_u64(&driver->config.seed, error);
    lock->handle.behind = driver;
    if (status == HF_OK)
        status = hf_manager_start(&table->manager, driver, hf_now(), error);
    if (status != HF_OK) {
        lock->handle.behind = NULL;
        hf_free(alloc, driver);
        return status;
    }
    lock->handle.started = true;
    hf_table_flush(table);
    return HF_OK;
}

static void
release(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = table_of(backend);

    hf_manager_release(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
cancel(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = table_of(backend);

    hf_manager_cancel(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
abandon(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = table_of(backend);

    hf_manager_abandon(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
forget(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = table_of(backend);
    struct hf_driver *driver = driver_of(&lock->handle);

    hf_manager_forget(&table->manager, driver);
    hf_free(table->client->alloc, driver);
    lock->handle.behind = NULL;
}

static enum hf_state
state(const struct hf_lock *lock)
{
    return hf_manager_state(driver_of(&lock->handle), hf_now());
}

static enum hf_outcome
check(const struct hf_lock *lock)
{
    return hf_manager_check(driver_of(&lock->handle), hf_now());
}

static uint64_t
fence(const struct hf_lock *lock)
{
    return driver_of(&lock->handle)->fence;
}

static int64_t
right_ms(const struct hf_lock *lock)
{
    int64_t ms = hf_manager_right(driver_of(&lock->handle)).ms;

    return ms == INT64_MIN ? 0 : ms;
}

static enum hf_status
error_of(const struct hf_lock *lock, struct hf_error *error)
{
    const struct hf_driver *driver = driver_of(&lock->handle);

    if (!driver->ended || driver->status == HF_OK)
        return HF_OK;
    return hf_fail(error, driver->status, "%s",
                   driver->error == NULL ? hf_status_sentence(driver->status)
                                         : driver->error->text);
}

/* What is known of a holder; why nothing is, the place itself says. */
static struct hf_view *
watch_driver(struct hf_table *table, const struct hf_driver *driver)
{
    struct hf_view *view = hf_view_new(table->client->alloc, HF_VIEW_DIAGNOSIS);
    struct hf_diagnosis *diagnosis;

    if (view == NULL)
        return NULL;
    diagnosis = &view->diagnosis;
    hf_manager_diagnose(&table->manager, driver, hf_now(), diagnosis);
    if (driver->examiner != NULL)
        view->cleared = driver->examiner->cleared;
    if (!driver->ended && table->store != NULL && !diagnosis->record.corrupt &&
        hf_manager_is_unanswered(driver))
        hf_trouble_tell(&table->manager.trouble, table->store,
                        table->client->place, &diagnosis->error);
    return view;
}

static struct hf_view *
watch(struct hf_backend *backend, const struct hf_lock *lock)
{
    return watch_driver(table_of(backend), driver_of(&lock->handle));
}

/* ---- Examining and clearing ---------------------------------------------- */

static enum hf_status
start_examine(struct hf_table *table, struct hf_query *query,
              const struct hf_examiner_config *config, struct hf_error *error)
{
    const struct hf_alloc *alloc = table->client->alloc;
    struct examine *examine = hf_new(alloc, struct examine);
    enum hf_status status;

    if (examine == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    hf_examiner_init(&examine->examiner, config);
    examine->driver.kind = HF_DRIVER_EXAMINE;
    examine->driver.settings = &query->settings;
    examine->driver.owner = &query->handle;
    examine->driver.examiner = &examine->examiner;
    examine->driver.force = config->force;
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

static enum hf_status
examine(struct hf_backend *backend, struct hf_query *query,
        struct hf_error *error)
{
    struct hf_examiner_config config = {
        .watch = query->watch,
        .patience = {PATIENCE_MS},
    };

    return start_examine(table_of(backend), query, &config, error);
}

static enum hf_status
clear(struct hf_backend *backend, struct hf_query *query,
      struct hf_error *error)
{
    struct hf_examiner_config config = {
        .watch = HF_FOREVER,
        .patience = {PATIENCE_MS},
        .clear = true,
        .force = query->force,
        .token = query->fence,
    };

    return start_examine(table_of(backend), query, &config, error);
}

/* ---- Jobs ---------------------------------------------------------------- */

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
hf_table_end_job(struct hf_table *table, struct hf_job *job,
                 enum hf_status status, const struct hf_error *error)
{
    struct hf_query *query = job->query;
    struct hf_view *rows = job->rows;

    (void)table;
    if (query != NULL) {
        query->handle.behind = NULL;
        if (status == HF_OK && job->cursor[0] != '\0')
            status =
                hf_settings_keep(&query->cursor, job->alloc, job->cursor, NULL);
        if (status == HF_OK)
            job->rows = NULL;
        hf_query_ended(query, status, error, status == HF_OK ? rows : NULL);
    }
    free_job(job);
}

static enum hf_status
start_job(struct hf_table *table, struct hf_query *query,
          enum hf_status (*run)(struct hf_job *job, struct hf_store *store,
                                struct hf_error *error),
          struct hf_error *error)
{
    const struct hf_settings *settings = &query->settings;
    const char *name = query->kind == HF_LIST ? query->prefix : settings->name;
    struct hf_job *job = hf_new(table->client->alloc, struct hf_job);
    struct hf_job **link = &table->jobs;

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
    while (*link != NULL)
        link = &(*link)->next;
    *link = job;
    query->handle.behind = job;
    hf_table_flush(table);
    return HF_OK;
}

static enum hf_status
list(struct hf_backend *backend, struct hf_query *query, struct hf_error *error)
{
    return start_job(table_of(backend), query, hf_job_list, error);
}

static enum hf_status
audit(struct hf_backend *backend, struct hf_query *query,
      struct hf_error *error)
{
    return start_job(table_of(backend), query, hf_job_audit, error);
}

static enum hf_status
check_place(struct hf_backend *backend, struct hf_query *query,
            struct hf_error *error)
{
    return start_job(table_of(backend), query, hf_job_doctor, error);
}

/* One that has begun goes on, and nobody hears of it. */
static void
cancel_job(struct hf_table *table, struct hf_query *query)
{
    static const struct hf_error cancelled = {HF_E_CANCELLED,
                                              "the query was cancelled"};
    struct hf_job *job = query->handle.behind;
    struct hf_job **link = &table->jobs;

    while (*link != NULL && *link != job)
        link = &(*link)->next;
    job->query = NULL;
    if (*link == job) {
        *link = job->next;
        free_job(job);
    }
    query->handle.behind = NULL;
    hf_query_ended(query, HF_E_CANCELLED, &cancelled, NULL);
}

/* ---- Queries ------------------------------------------------------------- */

static bool
has_driver(const struct hf_query *query)
{
    return query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
}

static void
cancel_query(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = table_of(backend);

    if (!has_driver(query)) {
        cancel_job(table, query);
        return;
    }
    hf_manager_cancel(&table->manager, driver_of(&query->handle), hf_now());
    hf_table_flush(table);
}

static void
forget_query(struct hf_backend *backend, struct hf_query *query)
{
    struct hf_table *table = table_of(backend);

    hf_manager_forget(&table->manager, driver_of(&query->handle));
    hf_free(table->client->alloc, query->handle.behind);
    query->handle.behind = NULL;
}

static struct hf_view *
watch_query(struct hf_backend *backend, const struct hf_query *query)
{
    if (!has_driver(query))
        return NULL;
    return watch_driver(table_of(backend), driver_of(&query->handle));
}

static enum hf_status
trouble(struct hf_backend *backend, struct hf_error *error)
{
    struct hf_table *table = table_of(backend);

    if (table->store == NULL)
        return HF_OK;
    return hf_trouble_tell(&table->manager.trouble, table->store,
                           table->client->place, error);
}

/* ---- Its life ------------------------------------------------------------ */

static void
free_table(struct hf_backend *backend)
{
    struct hf_table *table = table_of(backend);
    const struct hf_alloc *alloc = table->client->alloc;

    hf_manager_fini(&table->manager);
    hf_observer_fini(&table->observer);
    hf_fd_close(&table->alarm_fd);
    hf_fd_close(&table->epoll_fd);
    hf_fd_close(&table->work_fd);
    pthread_cond_destroy(&table->work);
    hf_free(alloc, table->workers);
    hf_free(alloc, table);
}

static void
stop(struct hf_table *table, bool loop)
{
    pthread_mutex_lock(&table->client->mutex);
    table->stopping = true;
    pthread_cond_broadcast(&table->work);
    (void)eventfd_write(table->work_fd, 1);
    (void)eventfd_write(table->client->wake_fd, 1);
    pthread_mutex_unlock(&table->client->mutex);
    if (loop)
        pthread_join(table->loop, NULL);
    for (size_t i = 0; i < table->workers_count; i++)
        pthread_join(table->workers[i], NULL);
}

static void
close_table(struct hf_backend *backend)
{
    struct hf_table *table = table_of(backend);
    struct hf_store *store = table->store;

    stop(table, true);
    pthread_mutex_lock(&table->client->mutex);
    while (table->jobs != NULL) { /* cancelled before they were begun */
        struct hf_job *job = table->jobs;

        table->jobs = job->next;
        free_job(job);
    }
    hf_table_flush(table);
    table->store = NULL;
    pthread_mutex_unlock(&table->client->mutex);
    hf_store_close(store);
}

static const struct hf_place_methods methods = {
    .start = start,
    .release = release,
    .cancel = cancel,
    .abandon = abandon,
    .forget = forget,
    .state = state,
    .check = check,
    .fence = fence,
    .right_ms = right_ms,
    .error = error_of,
    .watch = watch,
    .list = list,
    .examine = examine,
    .clear = clear,
    .audit = audit,
    .check_place = check_place,
    .cancel_query = cancel_query,
    .forget_query = forget_query,
    .watch_query = watch_query,
    .trouble = trouble,
    .close = close_table,
    .free = free_table,
};

/* The caller's signals are the caller's: our threads take none. */
static enum hf_status
start_threads(struct hf_table *table, size_t workers, struct hf_error *error)
{
    sigset_t all;
    sigset_t before;
    bool loop;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    loop = pthread_create(&table->loop, NULL, hf_loop_main, table) == 0;
    while (loop && table->workers_count < workers &&
           pthread_create(&table->workers[table->workers_count], NULL,
                          hf_worker_main, table) == 0)
        table->workers_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
        .wake = {hf_store_is_woken(store) ? WOKEN_MS : POLL_MS},
        .operations_max = limits.max_operations,
        .bytes_max = limits.max_bytes,
        .trace = client->trace,
        .trace_ctx = client->trace_ctx,
    };
    enum hf_status status;

    if (table == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    table->backend = (struct hf_backend){&methods, client};
    table->client = client;
    table->store = store;
    table->generation = hf_store_generation(store);
    table->armed = HF_NEVER;
    hf_self_learn(&table->self);
    config.self = &table->self;
    hf_manager_init(&table->manager, &config);
    hf_cond_init(&table->work);
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
