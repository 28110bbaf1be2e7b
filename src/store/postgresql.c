#include "store/postgresql.h"

#include "store/module.h"
#include "store/postgresql_place.h"

/* The kind of place that is in PostgreSQL: all but its URL is in the module. */

static enum hf_status
open_postgresql(const struct hf_place *place, enum hf_store_use use,
                const struct hf_alloc *alloc, struct hf_store **store,
                struct hf_error *error)
{
    const struct hf_place_module *module;
    enum hf_status status = hf_module_postgresql(&module, error);

    return status == HF_OK ? module->open(place, use, alloc, store, error)
                           : status;
}

static void
blame(const struct hf_place *place, const struct hf_error *error,
      struct hf_checkup *checkup)
{
    const struct hf_place_module *module;

    if (hf_module_postgresql(&module, NULL) == HF_OK)
        module->blame(place, error, checkup);
}

static void
neighbours(const struct hf_place *place, struct hf_checkup *checkup)
{
    (void)place;
    hf_checkup_add(checkup, "not looked for: other databases, and other "
                            "schemas of this one, are other places");
}

const struct hf_store_kind hf_postgresql_kind = {
    .scheme = "postgresql:",
    .also = "postgres:",
    .quicker = "have a database that is nearer, or on a quicker disk",
    .busy = "see what the database waits for: psql -c 'SELECT state, "
            "wait_event_type, wait_event, query FROM pg_stat_activity'",
    .was_lost = "its tables were removed, and made anew",
    .was_copied = "its database was restored, or is a standby that was "
                  "promoted",
    .was_replaced = "its database was restored or replaced, or a standby was "
                    "promoted, while it was served",
    .module = hf_module_postgresql,
    .parse = hf_postgresql_place_parse,
    .open = open_postgresql,
    .blame = blame,
    .neighbours = neighbours,
};
