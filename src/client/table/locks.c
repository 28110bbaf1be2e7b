#include "base/fail.h"
#include "base/random.h"
#include "client/table/state.h"

/* Locks of a table: place.h in terms of the manager. */

static struct hf_driver *
driver_of(const struct hf_handle *handle)
{
    return handle->behind;
}

static enum hf_status
start(struct hf_backend *backend, struct hf_lock *lock, struct hf_error *error)
{
    struct hf_table *table = hf_table_of(backend);
    const struct hf_alloc *alloc = table->client->alloc;
    struct hf_driver *driver = hf_new(alloc, struct hf_driver);
    enum hf_status status;

    if (driver == NULL)
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       lock->settings.name);
    driver->kind = HF_DRIVER_LOCK;
    driver->settings = &lock->settings;
    driver->owner = &lock->handle;
    status = hf_settings_find_processes(&lock->settings, error);
    if (status == HF_OK)
        status = hf_random_u64(&driver->seed, error);
    lock->handle.behind = driver;
    if (status == HF_OK)
        status = hf_manager_start(&table->manager, driver, hf_now(), error);
    if (status != HF_OK) {
        lock->handle.behind = NULL;
        hf_free(alloc, driver);
        return status;
    }
    lock->handle.started = true; /* before it may end */
    hf_table_flush(table);
    return HF_OK;
}

static void
release(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_release(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
cancel(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_cancel(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
abandon(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_abandon(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

static void
forget(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);
    struct hf_driver *driver = driver_of(&lock->handle);

    hf_manager_forget(&table->manager, driver);
    hf_free(table->client->alloc, driver);
    lock->handle.behind = NULL;
}

static enum hf_state
state_of(const struct hf_lock *lock)
{
    return hf_manager_state(driver_of(&lock->handle), hf_now());
}

static enum hf_outcome
check(const struct hf_lock *lock)
{
    return hf_manager_check(driver_of(&lock->handle), hf_now());
}

static uint64_t
fence_of(const struct hf_lock *lock)
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
    return hf_manager_error(driver_of(&lock->handle), error);
}

static struct hf_view *
watch(struct hf_backend *backend, const struct hf_lock *lock)
{
    return hf_table_watch(hf_table_of(backend), driver_of(&lock->handle));
}

const struct hf_lock_methods hf_table_locks = {
    .start = start,
    .release = release,
    .cancel = cancel,
    .abandon = abandon,
    .forget = forget,
    .state = state_of,
    .check = check,
    .fence = fence_of,
    .right_ms = right_ms,
    .error = error_of,
    .watch = watch,
};
