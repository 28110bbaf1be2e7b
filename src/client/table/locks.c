#include "client/table/methods.h"

#include "base/fail.h"
#include "base/random.h"
#include "client/table/state.h"

/* Locks of a table: place.h in terms of the manager. */

static struct hf_driver *
driver_of(const struct hf_handle *handle)
{
    return handle->behind;
}

enum hf_status
hf_locks_start(struct hf_backend *backend, struct hf_lock *lock,
               struct hf_error *error)
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
    status = hf_owner_find(&lock->settings, error);
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

void
hf_locks_release(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_release(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

void
hf_locks_cancel(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_cancel(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

void
hf_locks_abandon(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);

    hf_manager_abandon(&table->manager, driver_of(&lock->handle), hf_now());
    hf_table_flush(table);
}

void
hf_locks_forget(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_table *table = hf_table_of(backend);
    struct hf_driver *driver = driver_of(&lock->handle);

    hf_manager_forget(&table->manager, driver);
    hf_free(table->client->alloc, driver);
    lock->handle.behind = NULL;
}

enum hf_state
hf_locks_state(const struct hf_lock *lock)
{
    return hf_manager_state(driver_of(&lock->handle), hf_now());
}

enum hf_outcome
hf_locks_check(const struct hf_lock *lock)
{
    return hf_manager_check(driver_of(&lock->handle), hf_now());
}

uint64_t
hf_locks_fence(const struct hf_lock *lock)
{
    return driver_of(&lock->handle)->fence;
}

int64_t
hf_locks_right_ms(const struct hf_lock *lock)
{
    int64_t ms = hf_manager_right(driver_of(&lock->handle)).ms;

    return ms == INT64_MIN ? 0 : ms;
}

enum hf_status
hf_locks_error(const struct hf_lock *lock, struct hf_error *error)
{
    return hf_manager_error(driver_of(&lock->handle), error);
}

struct hf_view *
hf_locks_watch(struct hf_backend *backend, const struct hf_lock *lock)
{
    return hf_table_watch(hf_table_of(backend), driver_of(&lock->handle));
}
