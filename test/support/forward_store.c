#include "support/forward_store.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/check.h"

static struct forward_store *
forward_of(struct hf_store *store)
{
    return (struct forward_store *)(void *)store;
}

/* After each call: what is asked of a store without one is the real one's. */
static void
follow(struct hf_store *store)
{
    struct hf_store *inner = forward_of(store)->inner;

    store->generation = inner->generation;
    atomic_store(&store->looks, atomic_load(&inner->looks));
    atomic_store(&store->locked_ms, atomic_load(&inner->locked_ms));
}

static void
close_forward(struct hf_store *store)
{
    hf_store_close(forward_of(store)->inner);
    hf_free(store->alloc, store);
}

enum hf_status
forward_store_get(struct hf_store *store, const struct hf_key *keys,
                  size_t keys_count, struct hf_instant until,
                  hf_store_found_fn *found, void *ctx, struct hf_error *error)
{
    enum hf_status status = hf_store_get(forward_of(store)->inner, keys,
                                         keys_count, until, found, ctx, error);

    follow(store);
    return status;
}

enum hf_status
forward_store_scan(struct hf_store *store, const struct hf_store_scan *what,
                   struct hf_instant until, hf_store_row_fn *row, void *ctx,
                   struct hf_error *error)
{
    enum hf_status status =
        hf_store_scan(forward_of(store)->inner, what, until, row, ctx, error);

    follow(store);
    return status;
}

void
forward_store_commit(struct hf_store *store, struct hf_store_group *groups,
                     size_t groups_count, struct hf_instant until,
                     struct hf_error *error)
{
    hf_store_commit(forward_of(store)->inner, groups, groups_count, until,
                    error);
    follow(store);
}

void
forward_store_wait(struct hf_store *store, struct hf_store_watch *watches,
                   size_t watches_count, struct hf_instant until, int wake_fd)
{
    hf_store_wait(forward_of(store)->inner, watches, watches_count, until,
                  wake_fd);
    follow(store);
}

static bool
is_woken(struct hf_store *store, struct hf_instant until)
{
    bool woken = hf_store_is_woken(forward_of(store)->inner, until);

    follow(store);
    return woken;
}

static enum hf_status
purge(struct hf_store *store, struct hf_duration age, size_t limit,
      struct hf_instant until, size_t *purged, struct hf_error *error)
{
    enum hf_status status = hf_store_purge(forward_of(store)->inner, age, limit,
                                           until, purged, error);

    follow(store);
    return status;
}

static void
inspect(struct hf_store *store, struct hf_instant until,
        hf_store_checkup_fn *tell, void *ctx)
{
    hf_store_inspect(forward_of(store)->inner, until, tell, ctx);
    follow(store);
}

static struct hf_store_methods
methods_with(const struct hf_store_methods *changed)
{
    struct hf_store_methods all = {
        .close = close_forward,
        .get = forward_store_get,
        .scan = forward_store_scan,
        .commit = forward_store_commit,
        .wait = forward_store_wait,
        .is_woken = is_woken,
        .purge = purge,
        .inspect = inspect,
    };

    if (changed->close != NULL)
        all.close = changed->close;
    if (changed->get != NULL)
        all.get = changed->get;
    if (changed->scan != NULL)
        all.scan = changed->scan;
    if (changed->commit != NULL)
        all.commit = changed->commit;
    if (changed->wait != NULL)
        all.wait = changed->wait;
    if (changed->is_woken != NULL)
        all.is_woken = changed->is_woken;
    if (changed->close_idle != NULL)
        all.close_idle = changed->close_idle;
    if (changed->purge != NULL)
        all.purge = changed->purge;
    if (changed->inspect != NULL)
        all.inspect = changed->inspect;
    return all;
}

void *
forward_store_open(const char *place, size_t size,
                   const struct hf_store_methods *changed)
{
    struct forward_store *made = hf_calloc(&hf_alloc_libc, 1, size);

    HF_CHECK(made != NULL);
    if (hf_store_open(place, &hf_alloc_libc, &made->inner, NULL) != HF_OK) {
        hf_free(&hf_alloc_libc, made);
        return NULL;
    }
    made->methods = methods_with(changed);
    made->base = (struct hf_store){
        .methods = &made->methods,
        .alloc = &hf_alloc_libc,
        .place = made->inner->place,
        .limits = hf_store_limits(made->inner),
    };
    return made;
}
