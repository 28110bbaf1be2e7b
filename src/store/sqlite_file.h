#ifndef HF_STORE_SQLITE_FILE_H
#define HF_STORE_SQLITE_FILE_H

#include <sys/stat.h>

#include "store/kind.h"

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
 * umask.  *is_new: this call made it.
 *
 * HF_E_INVALID, HF_E_DENIED, HF_E_UNAVAILABLE, HF_E_CORRUPT, HF_E_LIMIT: no
 * descriptor is left.  Nothing is created where the place is refused.
 */
HF_MUST_USE enum hf_status hf_sqlite_file_prepare(const struct hf_place *place,
                                                  bool *is_new,
                                                  struct hf_error *error);

/* The path without symbolic links at its end; it must not lead to another
 * machine.  Statuses as above. */
HF_MUST_USE enum hf_status hf_sqlite_file_path(const struct hf_place *place,
                                               char path[HF_PLACE_MAX + 1],
                                               struct hf_error *error);

/* Give a file made in `folder` the permissions that the database would have;
 * errno tells why not. */
bool hf_sqlite_file_permit(const char *path, const char *folder);

/* What a look at the file shows. */
struct hf_sqlite_file_seen {
    bool exists;      /* exists, with at least two bytes */
    bool has_log;     /* a process has it open, or left its log (-wal) */
    struct stat file; /* if it exists */
};

/* The same to look only: nothing is made. */
HF_MUST_USE enum hf_status hf_sqlite_file_look(const struct hf_place *place,
                                               struct hf_sqlite_file_seen *seen,
                                               struct hf_error *error);

/* Which of the place's files can its user not read?  Described in *error;
 * returns that status, or `status` if there is none. */
enum hf_status hf_sqlite_file_explain(const struct hf_place *place,
                                      enum hf_status status,
                                      struct hf_error *error);

/* Give the files beside the database (-wal, -shm) its group, if they are ours
 * to give; `path` has no symbolic links.  Cannot fail: if it does not succeed,
 * the others of the group are denied access, and told so. */
void hf_sqlite_file_share(const char *path);

/*
 * The name of the file system whose statfs type this is, if it is or may be
 * one of the network, where SQLite's locks and shared memory are not safe;
 * NULL for all others.  A static string.
 */
const char *hf_sqlite_file_network(uint32_t filesystem_type);

/* What other file systems keep. */
enum hf_sqlite_file_keeps {
    HF_SQLITE_FILE_KEEPS,         /* all, as far as is known */
    HF_SQLITE_FILE_UNTIL_RESTART, /* until a restart: it is in memory */
    HF_SQLITE_FILE_IN_CONTAINER,  /* until the container is removed, perhaps */
};

/* The file system's name for people, and what it keeps; NULL: unknown, or a
 * network file system.  A static string. */
const char *hf_sqlite_file_system(uint32_t filesystem_type,
                                  enum hf_sqlite_file_keeps *keeps);

#endif
