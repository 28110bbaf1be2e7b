#include "store/store.h"

#include <stdatomic.h>

#include "base/check.h"
#include "base/fail.h"
#include "store/memory.h"
#include "store/place.h"
#include "store/rule.h"
#include "store/sqlite.h"

static enum hf_status
open_place(const struct hf_place *place, bool look_only,
           const struct hf_alloc *alloc, struct hf_store **store,
           struct hf_error *error)
{
    enum hf_status status = HF_E_INVALID;

    switch (place->kind) {
    case HF_PLACE_MEMORY:
        status = hf_memory_open(place->path, alloc, store, error);
        if (status == HF_OK)
            (*store)->look_only = look_only;
        break;
    case HF_PLACE_SQLITE:
        status = hf_sqlite_open(place, look_only, alloc, store, error);
        break;
    }
    return status;
}

enum hf_status
hf_store_open(const char *place, const struct hf_alloc *alloc,
              struct hf_store **store, struct hf_error *error)
{
    struct hf_place where;
    enum hf_status status = hf_place_parse(place, &where, error);

    return status == HF_OK ? hf_store_open_at(&where, alloc, store, error)
                           : status;
}

enum hf_status
hf_store_open_at(const struct hf_place *place, const struct hf_alloc *alloc,
                 struct hf_store **store, struct hf_error *error)
{
    return open_place(place, false, alloc, store, error);
}

enum hf_status
hf_store_look_at(const struct hf_place *place, const struct hf_alloc *alloc,
                 struct hf_store **store, struct hf_error *error)
{
    return open_place(place, true, alloc, store, error);
}

void
hf_store_close(struct hf_store *store)
{
    if (store != NULL)
        store->methods->close(store);
}

uint64_t
hf_store_generation(const struct hf_store *store)
{
    return store->generation;
}

/* A call that waits for a lock tries it every few milliseconds, on a machine
 * that has time for it. */
#define LOCKED_FOR_MS 250

bool
hf_store_is_locked(const struct hf_store *store, struct hf_instant now)
{
    int64_t locked_ms = atomic_load(&store->locked_ms);

    return locked_ms != 0 && now.ms - locked_ms < LOCKED_FOR_MS;
}

static enum hf_status
late(struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "the time for this call was over before it began");
}

static enum hf_status
looks_only(struct hf_error *error)
{
    return hf_fail(error, HF_E_DENIED, "the place was opened to look only");
}

enum hf_status
hf_store_get(struct hf_store *store, struct hf_key key, struct hf_instant until,
             struct hf_record *record, struct hf_error *error)
{
    if (hf_reached(hf_now(), until))
        return late(error);
    return store->methods->get(store, key, until, record, error);
}

enum hf_status
hf_store_scan(struct hf_store *store, const struct hf_store_scan *scan,
              hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    if (scan->limit == 0)
        return HF_OK;
    return store->methods->scan(store, scan, row, ctx, error);
}

void
hf_store_commit(struct hf_store *store, struct hf_store_group *groups,
                size_t groups_count, struct hf_instant until,
                struct hf_error *error)
{
    hf_rule_judge(groups, groups_count, HF_UNAVAILABLE);
    if (groups_count == 0)
        return;
    if (store->look_only)
        looks_only(error);
    else if (hf_reached(hf_now(), until))
        late(error);
    else
        store->methods->commit(store, groups, groups_count, until, error);
}

void
hf_store_wait(struct hf_store *store, const struct hf_store_watch *watches,
              size_t watches_count, struct hf_instant until, int wake_fd)
{
    store->methods->wait(store, watches, watches_count, until, wake_fd);
}

enum hf_status
hf_store_purge(struct hf_store *store, struct hf_duration age, size_t limit,
               size_t *purged, struct hf_error *error)
{
    if (limit == 0) {
        *purged = 0;
        return HF_OK;
    }
    if (store->look_only)
        return looks_only(error);
    return store->methods->purge(store, age, limit, purged, error);
}
