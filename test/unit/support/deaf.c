#include "unit/support/deaf.h"

#include "base/fail.h"
#include "support/forward_store.h"
#include "support/locks.h"

struct deaf_store {
    struct forward_store forward;
    atomic_bool *deaf; /* borrowed */
};

static void
commit(struct hf_store *store, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    const struct deaf_store *deaf = (const struct deaf_store *)store;

    if (!atomic_load(deaf->deaf)) {
        forward_store_commit(store, groups, groups_count, until, error);
        return;
    }
    for (size_t i = 0; i < groups_count; i++)
        groups[i].verdict = HF_UNAVAILABLE;
    (void)hf_fail(error, HF_E_UNAVAILABLE, "it is deaf");
}

struct hf_client *
open_deaf_client(const char *place, atomic_bool *deaf)
{
    static const struct hf_store_methods changed = {.commit = commit};
    struct deaf_store *store =
        forward_store_open(place, sizeof(*store), &changed);

    store->deaf = deaf;
    return open_client_on(&store->forward.base, place);
}
