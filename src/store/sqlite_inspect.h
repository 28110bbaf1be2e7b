#ifndef HF_STORE_SQLITE_INSPECT_H
#define HF_STORE_SQLITE_INSPECT_H

#include "store/file_watch.h"
#include "store/sqlite_sql.h"

/*
 * The checks of a SQLite place, for hf_store_inspect.  Reads only.  Cannot
 * fail.
 */
struct hf_sqlite_inspect {
    const struct hf_place *place;
    bool look_only;
    hf_store_checkup_fn *tell;
    void *ctx;
};

/* Call it between hf_sqlite_sql_enter and its end, with the place open.  It
 * starts `files` if that is not started. */
void hf_sqlite_inspect(const struct hf_sqlite_inspect *inspect,
                       struct hf_sqlite_sql *sql, struct hf_file_watch *files);

/* No place is open: `error` says why the call could not be started; HF_OK: the
 * place does not exist yet. */
void hf_sqlite_inspect_closed(const struct hf_sqlite_inspect *inspect,
                              const struct hf_error *error);

/* Say what `error` was, and what to do about it.  As hf_store_blame. */
void hf_sqlite_inspect_blame(const struct hf_place *place,
                             const struct hf_error *error,
                             struct hf_checkup *checkup);

/* Judge a database on a file system of that statfs type.  `network`: the user
 * has allowed one on a network (?network=1). */
void hf_sqlite_inspect_filesystem(uint32_t type, bool network,
                                  struct hf_checkup *checkup);

/* Quote a path as one word of a shell, and return buffer.  A word that does not
 * fit is cut. */
const char *hf_sqlite_inspect_quote(const char *path, char *buffer,
                                    size_t size);

#endif
