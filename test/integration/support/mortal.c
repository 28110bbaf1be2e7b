#include "mortal.h"

#include <signal.h>

#include "base/alloc.h"
#include "base/check.h"

struct mortal {
    struct hf_store base;
    struct hf_store *inner; /* owned */
    struct mortal_plan plan;
    unsigned steps; /* begun */
};

static struct mortal *
mortal_of(struct hf_store *store)
{
    return (struct mortal *)(void *)store;
}

static void
begin_step(struct mortal *mortal)
{
    mortal->steps++;
    if (mortal->plan.before && mortal->steps == mortal->plan.step)
        (void)raise(SIGKILL);
}

static void
end_step(const struct mortal *mortal)
{
    if (mortal->steps == mortal->plan.step)
        (void)raise(SIGKILL);
}

static void
close_mortal(struct hf_store *store)
{
    hf_store_close(mortal_of(store)->inner);
    hf_free(store->alloc, mortal_of(store));
}

static enum hf_status
get(struct hf_store *store, struct hf_key key, struct hf_instant until,
    struct hf_record *record, struct hf_error *error)
{
    struct mortal *mortal = mortal_of(store);
    enum hf_status status;

    begin_step(mortal);
    status = hf_store_get(mortal->inner, key, until, record, error);
    end_step(mortal);
    return status;
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *what,
     hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    return hf_store_scan(mortal_of(store)->inner, what, row, ctx, error);
}

static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    struct mortal *mortal = mortal_of(store);

    begin_step(mortal);
    hf_store_commit(mortal->inner, groups, count, until, error);
    end_step(mortal);
}

static void
wait_for_change(struct hf_store *store, const struct hf_store_watch *watches,
                size_t count, struct hf_instant until, int wake_fd)
{
    hf_store_wait(mortal_of(store)->inner, watches, count, until, wake_fd);
}

static enum hf_status
purge(struct hf_store *store, struct hf_duration age, size_t limit,
      size_t *purged, struct hf_error *error)
{
    return hf_store_purge(mortal_of(store)->inner, age, limit, purged, error);
}

static const struct hf_store_methods methods = {
    .close = close_mortal,
    .get = get,
    .scan = scan,
    .commit = commit,
    .wait = wait_for_change,
    .purge = purge,
};

struct hf_store *
mortal_open(const char *place, struct mortal_plan plan)
{
    struct mortal *mortal = hf_new(&hf_alloc_libc, struct mortal);

    HF_CHECK(mortal != NULL);
    mortal->base =
        (struct hf_store){.methods = &methods, .alloc = &hf_alloc_libc};
    mortal->plan = plan;
    HF_CHECK(hf_store_open(place, &hf_alloc_libc, &mortal->inner, NULL) ==
             HF_OK);
    return &mortal->base;
}
