#ifndef HF_POSTGRESQL_STATE_H
#define HF_POSTGRESQL_STATE_H

#include <stdatomic.h>

#include "postgresql/listener.h"
#include "postgresql/pool.h"
#include "postgresql/value.h"
#include "store/methods.h"

/*
 * A store in PostgreSQL: store.h, as calls of the functions of schema.sql.
 *
 *   store.c     its life, and reads
 *     commit.c    groups as one transaction, and what became of them
 *     wait.c      changes of watched keys
 *     inspect.c   what doctor looks at
 *       listener.c  a connection that is told of releases
 *       pool.c      connections for calls
 *         schema.c    is the place there, and ours?
 *         link.c      one connection
 */
struct hf_pg_store {
    struct hf_store base;
    struct hf_pg_pool pool;
    struct hf_pg_listener listener;
};

/* A call has ended: what it has found of the place is the store's. */
void hf_pg_state_leave(struct hf_pg_store *store, struct hf_pg_link *link);

/* The parallel arrays of the keys' spaces and names.  False: no memory. */
HF_MUST_USE bool hf_pg_state_keys(struct hf_arena *arena,
                                  const struct hf_key *keys, size_t count,
                                  struct hf_pg_value values[2]);

/* As hf_rule_unserved, of the head that this value is. */
HF_MUST_USE enum hf_status hf_pg_state_unserved(const struct hf_pg_store *store,
                                                const char *value, size_t len,
                                                struct hf_error *error);

#endif
