#ifndef HF_STORE_SQLITE_OPEN_H
#define HF_STORE_SQLITE_OPEN_H

#include "store/sqlite_sql.h"

/*
 * Open a file of Holdfast's to write in it: for table locks, or to serve.
 * Plain calls, any thread.
 */

struct hf_sqlite_opening {
    const struct hf_place *place; /* borrowed, while it is open */
    bool serves;
    struct hf_instant until;
    _Atomic int64_t *locked_ms; /* borrowed; may be NULL: see sqlite_db.h */
    /* What was found, as far as this call has come: */
    bool is_new; /* the file was made */
    enum hf_store_loss loss;
    struct hf_duration promised; /* as the mark says, see sqlite_served.h */
    uint64_t identity;           /* the same */
};

/*
 * The file, made if there was none, with the schema of today.  On failure
 * nothing is open.  If a lock server lost something there it is
 * HF_E_UNAVAILABLE, unless `serves`; other errors as hf_store_open says.
 */
HF_MUST_USE enum hf_status hf_sqlite_open(struct hf_sqlite_sql *sql,
                                          struct hf_sqlite_opening *opening,
                                          struct hf_error *error);

/* The head's columns as HF_SQL_HEAD has them: SQLITE_ROW or SQLITE_DONE, or
 * why it cannot be read.  To be reset. */
int hf_sqlite_open_head(struct hf_sqlite_sql *sql, sqlite3_stmt **statement);

#endif
