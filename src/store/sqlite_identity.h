#ifndef HF_STORE_SQLITE_IDENTITY_H
#define HF_STORE_SQLITE_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/attrs.h"
#include "store/kind.h"

/*
 * Identity: which three files a connection has open, and whether they are
 * still those of its names.
 *
 * A place is the database, its log (-wal) and the index of the log (-shm), and
 * is one only while all who open it find the same three.  SQLite removes none
 * of them while a connection has them open; if one is gone, or is another, a
 * person or a program did it, and whoever opens the place from then on sees
 * nothing of what is written here.
 *
 * Zero is an identity of nothing.  Any thread, one at a time on each; what
 * the identities of a process share is guarded here.
 */

enum { HF_SQLITE_IDENTITY_FILES = 3 };

struct hf_sqlite_identity_file {
    dev_t device;
    ino_t number;
};

struct hf_sqlite_identity {
    struct hf_sqlite_identity *next; /* of those admitted in this process */
    const char *path;                /* borrowed: the name of the place */
    const char *database; /* borrowed: the same, without links; set once it
                             is open */
    bool admitted;
    bool rivalled; /* it was not, for others of this process have it open */
    bool noted;    /* all three files, or, if still, the first */
    bool still;   /* it is read as it stands: it has no log, and must not change
                   meanwhile */
    bool glances; /* it is still, and soon forgotten */
    struct timespec changed; /* if still: when it last had */
    struct hf_sqlite_identity_file files[HF_SQLITE_IDENTITY_FILES];
};

/*
 * May a connection to `identity->path` be opened now?  If so it is known to
 * the others of this process until it is forgotten.  Waits for one that only
 * glances.
 *
 * HF_E_UNAVAILABLE: the file is not there; or another connection of this
 * process has a log of it open that was removed (SQLite would share that log's
 * index with us); or it is, or would be, open beside one that reads it as it
 * stands (which has a descriptor of its own: to close that would drop the
 * locks of the others).
 */
HF_MUST_USE enum hf_status
hf_sqlite_identity_admit(struct hf_sqlite_identity *identity,
                         struct hf_error *error);

/* Note the files that are there now, all of which have just been opened.
 * HF_E_UNAVAILABLE: one is not there, and nothing was noted. */
HF_MUST_USE enum hf_status
hf_sqlite_identity_note(struct hf_sqlite_identity *identity,
                        struct hf_error *error);

/* HF_OK: they are still those.  HF_E_UNAVAILABLE: one of them cannot be looked
 * at, or, and then *gone is set, was removed or replaced; one that is read as
 * it stands was changed, or has a log now. */
HF_MUST_USE enum hf_status
hf_sqlite_identity_check(const struct hf_sqlite_identity *identity, bool *gone,
                         struct hf_error *error);

/* The connection is about to be closed, and its name with it. */
void hf_sqlite_identity_unnote(struct hf_sqlite_identity *identity);

/* The connection is closed.  Twice is fine. */
void hf_sqlite_identity_forget(struct hf_sqlite_identity *identity);

#endif
