#ifndef HF_POSTGRESQL_WAIT_H
#define HF_POSTGRESQL_WAIT_H

#include "postgresql/state.h"

/*
 * As hf_store_wait and hf_store_is_woken.  The truth is one statement for all
 * watched keys: each second where releases are told, each 250 ms where not.
 */
void hf_pg_wait(struct hf_store *store, struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd);
bool hf_pg_wait_is_woken(struct hf_store *store, struct hf_instant until);

/* Try whether releases are told: *why stays HF_OK, or says why not. */
void hf_pg_wait_try(struct hf_pg_store *store, struct hf_instant until,
                    struct hf_error *why);

#endif
