#ifndef HF_STORE_SQLITE_FILE_H
#define HF_STORE_SQLITE_FILE_H

#include "store/place.h"

/*
 * The file under a SQLite store, as far as it is the operating system's: its
 * folder, its file system, its permissions.  Plain calls, any thread.
 *
 * Nothing here ever opens an existing database file: closing any descriptor
 * of it would drop the POSIX locks that SQLite holds on it in this process.
 */

/*
 * Make ready for SQLite to open: refuse what is no file, what lies on a
 * network file system without ?network=1, and what has two names, create the
 * folder (and those above it) and an empty file where there is none.  Symbolic
 * links are followed.
 *
 * The folder of the default place is the user's alone (0700); others follow
 * the umask.  The file is the user's alone (0600), except in a folder that its
 * group may write: there the group may read and write the file, whatever the
 * umask.
 *
 * HF_E_INVALID, HF_E_DENIED, HF_E_UNAVAILABLE, HF_E_CORRUPT.  Nothing is
 * created where the place is refused.
 */
HF_MUST_USE enum hf_status hf_sqlite_file_prepare(const struct hf_place *place,
                                                  struct hf_error *error);

/*
 * Give the files that SQLite put beside the database (-wal, -shm) the group of
 * the database, whose path is without links, where they are ours to give.  Cannot fail: where it does not
 * succeed, the others of the group are denied, and told so.
 */
void hf_sqlite_file_share(const char *path);

#endif
