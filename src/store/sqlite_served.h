#ifndef HF_STORE_SQLITE_SERVED_H
#define HF_STORE_SQLITE_SERVED_H

#include <holdfast/words.h>

#include "base/attrs.h"
#include "store/kind.h"

/*
 * Served: what a lock server leaves in the folder of its file, so that whoever
 * opens the file next notices a loss of what was granted [L6].
 *
 * A mark, `.NAME.served`, says that the file was served, the longest ttl that
 * was promised, and in which term: a head of an earlier one is of a backup that
 * was put back.  It is hidden, so that `rm NAME*` does not take it along.
 * A file that is marked and has no head was made anew.
 *
 * The head in the database itself, without its log (-wal), says whether anybody
 * leads: it is folded into the database before anything is granted
 * (hf_journal_secure).  Then a log that is missing, or has nothing in it, was
 * removed: by a person, or by another program, which was the last to close the
 * file.  SQLite makes a log where there is none, so this is looked at before
 * SQLite opens the file.
 *
 * Plain calls, any thread.
 */

struct hf_sqlite_served {
    bool marked;
    struct hf_duration promised; /* as the mark says; 0: it does not */
    uint64_t term;               /* the same: of the head, its token */
    bool log_lost;
};

/* Look.  Opens no database that this process has open (sqlite_file.h), whose
 * opener has looked.  Statuses of a path that is none, and of a file that could
 * not be read: what nobody has seen is no proof that nothing was lost. */
HF_MUST_USE enum hf_status
hf_sqlite_served_look(const struct hf_place *place,
                      struct hf_sqlite_served *served, struct hf_error *error);

/* As hf_journal_find. */
HF_MUST_USE enum hf_status hf_sqlite_served_find(const struct hf_place *place,
                                                 struct hf_error *error);

/* Write a mark that says so, unless there is one.  Durable. */
HF_MUST_USE enum hf_status
hf_sqlite_served_mark(const struct hf_place *place,
                      const struct hf_sqlite_served *says,
                      struct hf_error *error);

/* Remove it. */
HF_MUST_USE enum hf_status hf_sqlite_served_unmark(const struct hf_place *place,
                                                   struct hf_error *error);

/* A number that the file at `path` keeps for as long as it is there, and no
 * copy of it has; 0: it cannot be looked at. */
uint64_t hf_sqlite_served_identity(const char *path);

#endif
