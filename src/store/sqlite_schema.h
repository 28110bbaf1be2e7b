#ifndef HF_STORE_SQLITE_SCHEMA_H
#define HF_STORE_SQLITE_SCHEMA_H

#include "store/sqlite_db.h"

/*
 * What is in a SQLite store's file, by version.
 *
 * PRAGMA application_id says that a file is Holdfast's, and is in the file
 * itself, never only in its log, from the first commit on; PRAGMA user_version
 * is the version of the schema, 0 for a file of no bytes.
 */

#define HF_SQLITE_SCHEMA_APPLICATION 0x48464c4b /* "HFLK" */

/* One step: from the version before it to the next. */
struct hf_sqlite_schema_step {
    const char *sql;
    /* After sql: rows that depend on more than it; may be NULL. */
    enum hf_status (*fill)(struct hf_sqlite_db *db, struct hf_error *error);
};

/* Ours: step i leads from version i to i + 1. */
extern const struct hf_sqlite_schema_step hf_sqlite_schema_steps[];
extern const size_t hf_sqlite_schema_steps_count;

/*
 * Recognise an open file as ours; nothing is written.  *version is that of its
 * schema, 0 for a file that is empty or just being made.  HF_E_CORRUPT: it is
 * somebody else's, or its version is above steps_count; HF_E_UNAVAILABLE,
 * HF_E_DENIED, HF_E_NOMEM.
 */
HF_MUST_USE enum hf_status hf_sqlite_schema_read(struct hf_sqlite_db *db,
                                                 size_t steps_count,
                                                 size_t *version,
                                                 struct hf_error *error);

/*
 * Recognise an open file as ours, and bring it to version steps_count, in one
 * transaction; several processes may do so at once.  HF_E_CORRUPT: the file is
 * somebody else's, or was made by a later version; nothing is written to it
 * then.  HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_NOMEM: nothing was changed.
 */
HF_MUST_USE enum hf_status
hf_sqlite_schema_prepare(struct hf_sqlite_db *db,
                         const struct hf_sqlite_schema_step *steps,
                         size_t steps_count, struct hf_error *error);

#endif
