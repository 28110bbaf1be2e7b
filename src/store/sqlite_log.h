#ifndef HF_STORE_SQLITE_LOG_H
#define HF_STORE_SQLITE_LOG_H

#include <sys/types.h>

/*
 * The log (-wal) that SQLite keeps beside a database, and its name.
 *
 * What is committed is durable when the log's bytes are, and the folder holds
 * the log's name.  So SQLite syncs the folder too, with the first commit of
 * each connection, since that may have made the log; and it cannot know of
 * another one that has done so before.  `holdfast run` would wait for the disk
 * three times in place of two.  So we note it on the log, as an extended
 * attribute, when a commit has synced the folder; and open a log that has the
 * note as one that was there before.
 *
 * The note holds the number of the file, since a copy takes attributes along.
 * Where the file system has no such attributes, all is as it was.
 */

/* What to open databases with: the default VFS of the process but for that;
 * NULL, which is that one itself, where it cannot be had.  Any thread. */
const char *hf_sqlite_log_vfs(void);

/* A commit to the log of that number, which is open, has been synced, by a
 * connection that was opened so. */
void hf_sqlite_log_note(const char *database, ino_t number);

#endif
