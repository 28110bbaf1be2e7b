#ifndef HF_STORE_SQLITE_WAIT_H
#define HF_STORE_SQLITE_WAIT_H

#include "store/file_watch.h"
#include "store/sqlite_sql.h"

/*
 * The waiting half of a SQLite store.
 *
 *   look --> nothing --> sleep until a commit rings --> may it look again? -->
 *
 * Whether anything has changed is known from the database alone (PRAGMA
 * data_version, then the versions of the keys).  The file watch only says when
 * to look: whoever has committed rings at the log (sqlite_db.c).
 */

/* One wait, in a call that hf_sqlite_sql_enter has started. */
struct hf_sqlite_wait {
    struct hf_sqlite_sql *sql;
    /* What is under a watched key now; as hf_sqlite_commit_find. */
    int (*find)(struct hf_sqlite_sql *sql, struct hf_key key, uint64_t floor,
                struct hf_rule_found *found);
    struct hf_file_watch *files; /* started here, if it is not */
    _Atomic uint64_t *looks;     /* counts them */
    uint64_t opening;            /* of the database, counted from 1 */
    struct hf_store_watch *watches;
    size_t watches_count;
    struct hf_instant until;
    int wake_fd;
};

/* As hf_store_wait promises; nothing is named so far. */
void hf_sqlite_wait_for_change(const struct hf_sqlite_wait *wait);

/* Have the commits to what is open told; false: they cannot be.  The watch is
 * to be stopped when the database is closed. */
bool hf_sqlite_wait_listen(const struct hf_sqlite_sql *sql,
                           struct hf_file_watch *files);

#endif
