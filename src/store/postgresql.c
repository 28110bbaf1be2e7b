#include "store/postgresql.h"

#include "base/module.h"
#include "store/module.h"
#include "store/postgresql_place.h"

/* The kind of place that is in PostgreSQL: all but its URL is in the module. */

static void
neighbours(const struct hf_place *place, struct hf_checkup *checkup)
{
    (void)place;
    hf_checkup_add(checkup, "not looked for: other databases, and other "
                            "schemas of this one, are other places");
}

static const struct hf_module_name module = {
    .place = "postgresql",
    .needs = "the package holdfast-postgresql",
    .file = "place-postgresql.so",
    .symbol = HF_PLACE_MODULE_SYMBOL,
};

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
    .module = &module,
    .parse = hf_postgresql_place_parse,
    .open = hf_module_open_store,
    .blame = hf_module_blame,
    .neighbours = neighbours,
};
