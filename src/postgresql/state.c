#include "postgresql/state.h"

#include <stdatomic.h>
#include <string.h>

#include "store/rule.h"

void
hf_pg_state_leave(struct hf_pg_store *store, struct hf_pg_link *link)
{
    uint64_t found;
    uint64_t known;

    hf_pg_pool_give(&store->pool, link);
    (void)hf_pg_listener_close_idle(&store->listener);
    found = atomic_load(&store->pool.generation);
    known = atomic_load(&store->base.generation);
    while (known < found && !atomic_compare_exchange_weak(
                                &store->base.generation, &known, found))
        continue;
}

enum hf_status
hf_pg_state_unserved(const struct hf_pg_store *store, const char *value,
                     size_t len, struct hf_error *error)
{
    const char *text = store->base.place.text;

    return hf_rule_unserved("postgresql", text + strlen("postgresql:"), value,
                            len, error);
}

/* ---- Values -------------------------------------------------------------- */

bool
hf_pg_state_keys(struct hf_arena *arena, const struct hf_key *keys,
                 size_t count, struct hf_pg_value values[2])
{
    struct hf_pg_array spaces;
    struct hf_pg_array names;
    size_t spaces_bytes = 0;
    size_t names_bytes = 0;

    for (size_t i = 0; i < count; i++) {
        spaces_bytes += strlen(keys[i].space);
        names_bytes += strlen(keys[i].name);
    }
    if (!hf_pg_array_init(&spaces, arena, HF_PG_TEXT_ARRAY, count,
                          spaces_bytes) ||
        !hf_pg_array_init(&names, arena, HF_PG_TEXT_ARRAY, count, names_bytes))
        return false;
    for (size_t i = 0; i < count; i++) {
        hf_pg_array_add_text(&spaces, keys[i].space, strlen(keys[i].space));
        hf_pg_array_add_text(&names, keys[i].name, strlen(keys[i].name));
    }
    values[0] = hf_pg_array_value(&spaces);
    values[1] = hf_pg_array_value(&names);
    return true;
}
