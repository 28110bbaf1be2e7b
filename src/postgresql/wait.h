#ifndef HF_POSTGRESQL_WAIT_H
#define HF_POSTGRESQL_WAIT_H

#include "postgresql/state.h"

/* As hf_store_wait, hf_store_is_woken and hf_store_close_idle: one statement
 * looks at all watched keys. */
void hf_pg_wait(struct hf_store *store, struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd);
bool hf_pg_wait_is_woken(struct hf_store *store, struct hf_instant until);
struct hf_instant hf_pg_wait_close_idle(struct hf_store *store);

#endif
