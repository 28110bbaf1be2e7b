#ifndef HF_POSTGRESQL_COMMIT_H
#define HF_POSTGRESQL_COMMIT_H

#include "store/methods.h"

/* As hf_store_commit: all groups are one transaction, in one trip to the
 * server; those that meet another session's lock go again, each alone. */
void hf_pg_commit(struct hf_store *store, struct hf_store_group *groups,
                  size_t groups_count, struct hf_instant until,
                  struct hf_error *error);

#endif
