#ifndef HF_STORE_SQLITE_DB_H
#define HF_STORE_SQLITE_DB_H

#include <sqlite3.h>

#include "base/clock.h"
#include "store/methods.h"
#include "store/sqlite_identity.h"

/* A log of so many pages is long: it is folded back into the file. */
enum { HF_SQLITE_LOG_PAGES = 100, HF_SQLITE_PAGE_BYTES = 4096 };

/* How a file is opened. */
enum hf_sqlite_mode {
    HF_SQLITE_WRITE,  /* to read and write */
    HF_SQLITE_READ,   /* to read, while others may write */
    HF_SQLITE_STILL,  /* to read it while nobody has it open: without a lock,
                        and with nothing beside it */
    HF_SQLITE_GLANCE, /* the same, and to close it at once: others of this
                         process, who open it meanwhile, wait for that */
};

/* One connection to a SQLite file.  It gives up in time, describes failures in
 * one clause, and notices when its files were removed or replaced.  Not thread-
 * safe. */
struct hf_sqlite_db {
    sqlite3 *handle;            /* owned; NULL: closed */
    const char *path;           /* borrowed */
    struct hf_instant until;    /* what runs longer ends with an error; writable
                                at any time, HF_NEVER at the start */
    bool brief;                 /* what runs now is short: until ends only the
                                waits for locks */
    bool gone;                  /* it was found that a file is no longer the one
                                   that was opened: close it */
    bool counted;               /* among those open in this process */
    bool log_noted;             /* see sqlite_log.h */
    bool keep_log;              /* do not fold it into the file now */
    bool quiet;                 /* commits ring at no file_watch */
    uint64_t log_pages;         /* in the log, after the last commit */
    uint64_t dice;              /* state of the pauses' random numbers */
    _Atomic int64_t *locked_ms; /* borrowed, may be NULL: when a lock of
                                   another process was last met */
    enum hf_sqlite_mode mode;
    struct hf_sqlite_identity identity;
};

/*
 * Open the file at `path`, which is there.  *db must not move while it is
 * open.  On failure *db is closed.  HF_E_DENIED, HF_E_UNAVAILABLE,
 * HF_E_CORRUPT, HF_E_LIMIT, HF_E_NOMEM; HF_E_INVALID in a process that was
 * forked while another such connection was open.
 */
HF_MUST_USE enum hf_status hf_sqlite_db_open(struct hf_sqlite_db *db,
                                             const char *path,
                                             enum hf_sqlite_mode mode,
                                             struct hf_error *error);

/* All statements must have been finalized.  May be called twice.  Cannot fail.
 */
void hf_sqlite_db_close(struct hf_sqlite_db *db);

/* Run statements without results: SQLite's result code. */
int hf_sqlite_db_run(struct hf_sqlite_db *db, const char *sql);

/* Run a statement that returns one number: SQLite's result code. */
int hf_sqlite_db_number(struct hf_sqlite_db *db, const char *sql,
                        int64_t *number);

/* Describe the call that just failed with `code`; if the files are gone, as
 * hf_sqlite_db_check. */
enum hf_status hf_sqlite_db_fail(struct hf_sqlite_db *db, int code,
                                 struct hf_error *error);

/* Note which files are open, after the first read, which opens them all.
 * HF_E_UNAVAILABLE: one was removed, now or while others had it open, so the
 * files do not belong together; or one cannot be read. */
HF_MUST_USE enum hf_status hf_sqlite_db_note(struct hf_sqlite_db *db,
                                             struct hf_error *error);

/* Are the noted files still those of their names?  If not, writes since some
 * unknown time are invisible to all that open the place from now on:
 * HF_E_UNAVAILABLE, and db->gone is set.  HF_E_UNAVAILABLE without it: they
 * cannot be looked at. */
HF_MUST_USE enum hf_status hf_sqlite_db_check(struct hf_sqlite_db *db,
                                              struct hf_error *error);

/* How many pages of the log are not in the file yet; 0 where that cannot be
 * looked at. */
uint64_t hf_sqlite_db_unfolded(struct hf_sqlite_db *db);

/* Sleep 0.5 to 2 ms, at random.  False, without sleeping: db->until is reached.
 */
bool hf_sqlite_db_pause(struct hf_sqlite_db *db);

#endif
