#include "store/store.h"

#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "store/place.h"
#include "store/rule.h"

enum hf_status
hf_store_open(const char *place, const struct hf_alloc *alloc,
              struct hf_store **store, struct hf_error *error)
{
    struct hf_place where;
    enum hf_status status = hf_place_parse(place, &where, error);

    return status == HF_OK
               ? hf_store_open_at(&where, HF_STORE_TO_LOCK, alloc, store, error)
               : status;
}

enum hf_status
hf_store_open_at(const struct hf_place *place, enum hf_store_use use,
                 const struct hf_alloc *alloc, struct hf_store **store,
                 struct hf_error *error)
{
    return place->kind->open(place, use, alloc, store, error);
}

enum hf_status
hf_store_away(const struct hf_store *store, struct hf_error *error)
{
    return store->away.status == HF_OK
               ? HF_OK
               : hf_fail(error, store->away.status, "%s", store->away.text);
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
    return atomic_load(&store->generation);
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
                   "the time limit of this call was over before it began");
}

static enum hf_status
looks_only(struct hf_error *error)
{
    return hf_fail(error, HF_E_DENIED, "the place was opened to look only");
}

struct hf_store_limits
hf_store_limits(const struct hf_store *store)
{
    return store->limits;
}

enum hf_status
hf_store_get(struct hf_store *store, const struct hf_key *keys,
             size_t keys_count, struct hf_instant until,
             hf_store_found_fn *found, void *ctx, struct hf_error *error)
{
    if (keys_count == 0)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return store->methods->get(store, keys, keys_count, until, found, ctx,
                               error);
}

enum hf_status
hf_store_unserved(struct hf_store *store, struct hf_instant until,
                  struct hf_error *error)
{
    if (store->methods->unserved == NULL)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return store->methods->unserved(store, until, error);
}

enum hf_status
hf_store_scan(struct hf_store *store, const struct hf_store_scan *scan,
              struct hf_instant until, hf_store_row_fn *row, void *ctx,
              struct hf_error *error)
{
    if (scan->limit == 0)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return store->methods->scan(store, scan, until, row, ctx, error);
}

size_t
hf_store_group_bytes(const struct hf_store_group *group)
{
    size_t bytes = 0;

    for (size_t i = 0; i < group->ops_count; i++) {
        const struct hf_store_op *op = &group->ops[i];

        bytes += strlen(op->key.space) + strlen(op->key.name);
        if (op->kind == HF_PUT)
            bytes += op->value_len;
    }
    return bytes;
}

static bool
is_within(const struct hf_store_limits *limits,
          const struct hf_store_group *groups, size_t groups_count)
{
    size_t operations = 0;
    size_t bytes = 0;

    for (size_t i = 0; i < groups_count; i++) {
        operations += groups[i].ops_count;
        bytes += hf_store_group_bytes(&groups[i]);
    }
    return operations <= limits->max_operations && bytes <= limits->max_bytes;
}

void
hf_store_commit(struct hf_store *store, struct hf_store_group *groups,
                size_t groups_count, struct hf_instant until,
                struct hf_error *error)
{
    HF_CHECK(is_within(&store->limits, groups, groups_count));
    hf_rule_judge(groups, groups_count, HF_UNAVAILABLE);
    if (groups_count == 0)
        return;
    if (store->use == HF_STORE_TO_LOOK)
        looks_only(error);
    else if (hf_reached(hf_now(), until))
        late(error);
    else
        store->methods->commit(store, groups, groups_count, until, error);
}

void
hf_store_wait(struct hf_store *store, struct hf_store_watch *watches,
              size_t watches_count, struct hf_instant until, int wake_fd)
{
    for (size_t i = 0; i < watches_count; i++)
        watches[i].changed = false;
    store->methods->wait(store, watches, watches_count, until, wake_fd);
}

bool
hf_store_is_woken(struct hf_store *store, struct hf_instant until)
{
    return !hf_reached(hf_now(), until) &&
           store->methods->is_woken(store, until);
}

struct hf_instant
hf_store_close_idle(struct hf_store *store)
{
    return store->methods->close_idle == NULL
               ? HF_NEVER
               : store->methods->close_idle(store);
}

uint64_t
hf_store_looks(const struct hf_store *store)
{
    return atomic_load(&store->looks);
}

enum hf_status
hf_store_purge(struct hf_store *store, struct hf_duration age, size_t limit,
               struct hf_instant until, size_t *purged, struct hf_error *error)
{
    if (limit == 0) {
        *purged = 0;
        return HF_OK;
    }
    if (store->use == HF_STORE_TO_LOOK)
        return looks_only(error);
    if (hf_reached(hf_now(), until))
        return late(error);
    return store->methods->purge(store, age, limit, until, purged, error);
}

void
hf_store_inspect(struct hf_store *store, struct hf_instant until,
                 hf_store_checkup_fn *tell, void *ctx)
{
    store->methods->inspect(store, until, tell, ctx);
}

void
hf_store_blame(const struct hf_store *store, const struct hf_error *error,
               struct hf_checkup *checkup)
{
    store->place.kind->blame(&store->place, error, checkup);
}

void
hf_store_neighbours(const struct hf_store *store, struct hf_checkup *checkup)
{
    store->place.kind->neighbours(&store->place, checkup);
}
