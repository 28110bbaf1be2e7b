#ifndef HF_STORE_SQLITE_SCHEMA_H
#define HF_STORE_SQLITE_SCHEMA_H

#include "store/sqlite_db.h"

/*
 * What is in a SQLite store's file.
 *
 * PRAGMA application_id says that a file is Holdfast's, and is in the file
 * itself, never only in its log, from the first commit on; PRAGMA user_version
 * is the version of the schema, 0 for a file of no bytes.  There is one: a file
 * of another version is refused.
 */

#define HF_SQLITE_SCHEMA_APPLICATION 0x48464c4b /* "HFLK" */
#define HF_SQLITE_SCHEMA_VERSION     4

/*
 * Recognise an open file as ours; nothing is written.  *empty: it has no bytes,
 * or is just being made.  HF_E_CORRUPT: it is somebody else's, or has a schema
 * of another version; HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_NOMEM.
 */
HF_MUST_USE enum hf_status hf_sqlite_schema_read(struct hf_sqlite_db *db,
                                                 bool *empty,
                                                 struct hf_error *error);

/*
 * Recognise an open file as ours, and make the schema where it is empty, in one
 * transaction; several processes may do so at once.  Errors as
 * hf_sqlite_schema_read; nothing was changed then.
 */
HF_MUST_USE enum hf_status hf_sqlite_schema_prepare(struct hf_sqlite_db *db,
                                                    struct hf_error *error);

#endif
