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

/* Say what `error` was, and what to do about it.  As hf_store_blame. */
void hf_sqlite_inspect_blame(const struct hf_place *place,
                             const struct hf_error *error,
                             struct hf_checkup *checkup);

/* A database file on the file system of that statfs type; `network`: its user
 * vouches for one of the network. */
void hf_sqlite_inspect_filesystem(uint32_t type, bool network,
                                  struct hf_checkup *checkup);

/* Write it as one word of a shell's; returns buffer.  A word that does not fit
 * is cut. */
const char *hf_sqlite_inspect_quote(const char *path, char *buffer,
                                    size_t size);

#endif
