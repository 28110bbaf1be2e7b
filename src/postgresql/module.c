#include "store/module.h"

#include <holdfast/version.h>

#include "base/attrs.h"
#include "postgresql/inspect.h"
#include "postgresql/journal.h"
#include "postgresql/store.h"

HF_PUBLIC extern const struct hf_place_module hf_place_module;

const struct hf_place_module hf_place_module = {
    .version = HF_VERSION,
    .open = hf_pg_store_open,
    .journal_open = hf_pg_journal_open,
    .journal_find = hf_pg_journal_find,
    .blame = hf_pg_inspect_blame,
};
