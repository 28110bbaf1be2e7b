#ifndef HF_STORE_SQLITE_INSPECT_H
#define HF_STORE_SQLITE_INSPECT_H

#include "store/file_watch.h"
#include "store/sqlite_sql.h"

/*
 * What a SQLite store knows of its place, as hf_store_inspect tells it.  Reads
 * only.  Cannot fail.
 */
struct hf_sqlite_inspect {
    const struct hf_place *place;
    bool look_only;
    hf_store_checkup_fn *tell;
    void *ctx;
};

/* In a call that hf_sqlite_sql_enter has started, with the place open.  Starts
 * `files`, if it is not. */
void hf_sqlite_inspect(const struct hf_sqlite_inspect *inspect,
                       struct hf_sqlite_sql *sql, struct hf_file_watch *files);

/* Nothing is open: the call could not be started, for `error`, or, if that is
 * HF_OK, nothing is there yet. */
void hf_sqlite_inspect_closed(const struct hf_sqlite_inspect *inspect,
                              const struct hf_error *error);

#endif
