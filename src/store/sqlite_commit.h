#ifndef HF_STORE_SQLITE_COMMIT_H
#define HF_STORE_SQLITE_COMMIT_H

#include "store/rule.h"
#include "store/sqlite_sql.h"

/* The writing half of a SQLite store: each function is one transaction, in a
 * call begun by hf_sqlite_sql_enter. */

/* As hf_store_commit; every group is HF_UNAVAILABLE so far. */
void hf_sqlite_commit_groups(struct hf_sqlite_sql *sql,
                             struct hf_store_group *groups, size_t groups_count,
                             struct hf_error *error);

struct hf_sqlite_purge {
    int64_t before_ms; /* rows with a stamp up to this */
    size_t limit;
};

/* As hf_store_purge promises. */
HF_MUST_USE enum hf_status
hf_sqlite_commit_purge(struct hf_sqlite_sql *sql,
                       const struct hf_sqlite_purge *purge, size_t *purged,
                       struct hf_error *error);

/* What a lock server's head says of table locks, as hf_rule_unserved does:
 * SQLite's result code. */
int hf_sqlite_commit_served(struct hf_sqlite_sql *sql, struct hf_error *served);

/* What is under a key, given the floor: SQLite's result code. */
int hf_sqlite_commit_find(struct hf_sqlite_sql *sql, struct hf_key key,
                          uint64_t floor, struct hf_rule_found *found);

#endif
