#include "killable_store.h"

#include <signal.h>

#include "base/check.h"
#include "support/forward_store.h"

struct killable {
    struct forward_store forward;
    struct killable_plan plan;
};

static struct killable *
begin_step(struct hf_store *store)
{
    struct killable *killable = (struct killable *)(void *)store;

    if (killable->plan.before &&
        *killable->plan.taken + 1 == killable->plan.step)
        (void)raise(SIGKILL);
    return killable;
}

static void
end_step(const struct killable *killable)
{
    if (++*killable->plan.taken == killable->plan.step)
        (void)raise(SIGKILL);
}

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    const struct killable *killable = begin_step(store);
    enum hf_status status =
        forward_store_get(store, keys, keys_count, until, found, ctx, error);

    end_step(killable);
    return status;
}

static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    const struct killable *killable = begin_step(store);

    forward_store_commit(store, groups, count, until, error);
    end_step(killable);
}

struct hf_store *
killable_store_open(const char *place, struct killable_plan plan)
{
    static const struct hf_store_methods changed = {
        .get = get,
        .commit = commit,
    };
    struct killable *killable =
        forward_store_open(place, sizeof(*killable), &changed);

    HF_CHECK(killable != NULL);
    killable->plan = plan;
    return &killable->forward.base;
}
