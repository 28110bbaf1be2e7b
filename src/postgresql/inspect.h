#ifndef HF_POSTGRESQL_INSPECT_H
#define HF_POSTGRESQL_INSPECT_H

#include "store/methods.h"

/* As hf_store_inspect and hf_store_blame. */
void hf_pg_inspect(struct hf_store *store, struct hf_instant until,
                   hf_store_checkup_fn *tell, void *ctx);
void hf_pg_inspect_blame(const struct hf_place *place,
                         const struct hf_error *error,
                         struct hf_checkup *checkup);

#endif
