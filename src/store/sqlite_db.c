#include "store/sqlite_db.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "store/file_watch.h"
#include "store/sqlite_log.h"

enum {
    /* Opcodes of SQLite's machine between two looks at the clock: about 0.1 ms
     * of a long statement. */
    STEPS_BETWEEN_LOOKS = 10000,

    /* Offsets in the header of a log and in its index:
     * sqlite.org/walformat.html. */
    LOG_SALT = 16,
    INDEX_FRAMES = 16,
    INDEX_SALT = 32,
    INDEX_HEADER_LEN = 48,
    INDEX_BACKFILL = 96,
    INDEX_PART_LEN = 32768, /* size of the mapped part */
    SALT_LEN = 8,

    PAUSE_MIN_US = 500,
    PAUSE_MAX_US = 2000,
};

/* ---- Forks --------------------------------------------------------------- */

/* SQLite keeps, for all connections of a process, tables of open files and of
 * the locks on them.  The kernel keeps these locks for each process.  A fork
 * copies the tables but not the locks: a connection of the child would trust
 * locks that it does not hold, or wait for ever for one that was held at that
 * moment. */
static _Atomic unsigned open_count;
static _Atomic bool copied_by_fork;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void
on_fork(void)
{
    if (atomic_load(&open_count) > 0)
        atomic_store(&copied_by_fork, true);
}

static void
watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, on_fork);
}

/* ---- Pauses -------------------------------------------------------------- */

bool
hf_sqlite_db_pause(struct hf_sqlite_db *db)
{
    struct timespec pause = {0};
    uint64_t dice = db->dice;

    if (hf_reached(hf_now(), db->until))
        return false;

    /* xorshift64: enough to keep contenders out of step. */
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    db->dice = dice;
    pause.tv_nsec =
        1000 * (long)(PAUSE_MIN_US + dice % (PAUSE_MAX_US - PAUSE_MIN_US + 1));
    nanosleep(&pause, NULL);
    return true;
}

/* SQLite's own handler sleeps longer with each try, up to 100 ms: the longest
 * waiter would look least often. */
static int
on_busy(void *ctx, int tries)
{
    struct hf_sqlite_db *db = ctx;

    (void)tries;
    if (db->locked_ms != NULL)
        atomic_store(db->locked_ms, hf_now().ms);
    return hf_sqlite_db_pause(db);
}

static int
on_progress(void *ctx)
{
    const struct hf_sqlite_db *db = ctx;

    return !db->brief && hf_reached(hf_now(), db->until);
}

/* ---- The log ------------------------------------------------------------- */

static void
ring(const struct hf_sqlite_db *db)
{
    char log[HF_PLACE_MAX + 8];

    snprintf(log, sizeof(log), "%s-wal", db->identity.database);
    hf_file_watch_ring(log);
}

/*
 * After a commit has been synced, and can be seen: those who wait are told
 * first.  The writes to the log would tell them too, but before there is
 * anything to see, for the sync lies between, and six times in place of one: a
 * hundred waiters made a commit 130 µs longer, and now 20.
 *
 * The rest is as SQLite's own wal_autocheckpoint, but that a log which is no
 * longer the place's is not folded into a file that is.
 */
static int
on_commit(void *ctx, sqlite3 *handle, const char *name, int pages)
{
    struct hf_sqlite_db *db = ctx;

    if (!db->quiet)
        ring(db);
    if (db->identity.noted && !db->log_noted) {
        hf_sqlite_log_note(db->identity.database, db->identity.files[1].number);
        db->log_noted = true;
    }
    db->log_pages = (uint64_t)pages;
    if (pages >= HF_SQLITE_LOG_PAGES && !db->keep_log &&
        hf_sqlite_db_check(db, NULL) == HF_OK)
        sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                  NULL);
    return SQLITE_OK;
}

static void
read_index(const volatile unsigned char *from,
           unsigned char header[INDEX_HEADER_LEN])
{
    for (size_t i = 0; i < INDEX_HEADER_LEN; i++)
        header[i] = from[i];
}

/*
 * Does the index tell of this very log?  The index outlives a log that was
 * removed for as long as anybody has it open; a new log would then be written
 * from its middle on, and be worth nothing at the next recovery.
 *
 * A log that begins anew has its salt in the index first, with no frames; so
 * the index must be the same before and after the look at the log.
 */
static int
read_log(struct hf_sqlite_db *db, bool *fits)
{
    unsigned char before[INDEX_HEADER_LEN];
    unsigned char after[INDEX_HEADER_LEN];
    unsigned char salt[SALT_LEN] = {0};
    volatile void *index = NULL;
    sqlite3_file *file = NULL;
    sqlite3_file *log = NULL;
    uint32_t frames;
    int code = sqlite3_file_control(db->handle, "main",
                                    SQLITE_FCNTL_FILE_POINTER, &file);

    if (code == SQLITE_OK)
        code = sqlite3_file_control(db->handle, "main",
                                    SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK)
        code = file->pMethods->xShmMap(file, 0, INDEX_PART_LEN, 0, &index);
    if (code != SQLITE_OK || index == NULL)
        return code;

    read_index(index, before);
    code = log->pMethods->xRead(log, salt, SALT_LEN, LOG_SALT);
    read_index(index, after);
    memcpy(&frames, before + INDEX_FRAMES, sizeof(frames));
    *fits = frames == 0 || memcmp(before, after, sizeof(before)) != 0 ||
            memcmp(salt, before + INDEX_SALT, SALT_LEN) == 0;
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/* The writer's own numbers, which others only raise. */
uint64_t
hf_sqlite_db_unfolded(struct hf_sqlite_db *db)
{
    volatile void *index = NULL;
    sqlite3_file *file = NULL;
    uint32_t frames;
    uint32_t folded;

    if (sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER,
                             &file) != SQLITE_OK ||
        file->pMethods->xShmMap(file, 0, INDEX_PART_LEN, 0, &index) !=
            SQLITE_OK ||
        index == NULL)
        return 0;
    frames = *(volatile uint32_t *)((volatile char *)index + INDEX_FRAMES);
    folded = *(volatile uint32_t *)((volatile char *)index + INDEX_BACKFILL);
    return frames > folded ? frames - folded : 0;
}

enum hf_status
hf_sqlite_db_note(struct hf_sqlite_db *db, struct hf_error *error)
{
    enum hf_status status = hf_sqlite_identity_note(&db->identity, error);
    bool fits = true;
    int code;

    if (status != HF_OK || db->mode != HF_SQLITE_WRITE)
        return status;
    code = read_log(db, &fits);
    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(db, code, error);
    if (!fits)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: its log (-wal) was removed or replaced while "
                       "others have it open; they will notice, so try again",
                       db->path);
    return HF_OK;
}

enum hf_status
hf_sqlite_db_check(struct hf_sqlite_db *db, struct hf_error *error)
{
    if (!db->identity.noted)
        return HF_OK;
    return hf_sqlite_identity_check(&db->identity, &db->gone, error);
}

/* ---- Open and close ------------------------------------------------------ */

/* The URI of a file that does not change: "file:/a%3fb?immutable=1". */
static void
write_still(struct hf_text *text, const char *path)
{
    hf_text_add(text, "file:");
    for (; *path != '\0'; path++) {
        if (strchr("%?#", *path) != NULL)
            hf_text_addf(text, "%%%02x", (unsigned)(unsigned char)*path);
        else
            hf_text_add_bytes(text, path, 1);
    }
    hf_text_add(text, "?immutable=1");
}

static int
open_handle(struct hf_sqlite_db *db)
{
    int flags =
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
    char name[3 * HF_PLACE_MAX + 32];
    struct hf_text text;

    hf_text_init(&text, name, sizeof(name));
    switch (db->mode) {
    case HF_SQLITE_WRITE:
        hf_text_add(&text, db->path);
        flags |= SQLITE_OPEN_READWRITE;
        break;
    case HF_SQLITE_READ:
        hf_text_add(&text, db->path);
        flags |= SQLITE_OPEN_READONLY;
        break;
    case HF_SQLITE_STILL:
    case HF_SQLITE_GLANCE:
        write_still(&text, db->path);
        flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
        break;
    }
    return sqlite3_open_v2(name, &db->handle, flags, hf_sqlite_log_vfs());
}

enum hf_status
hf_sqlite_db_open(struct hf_sqlite_db *db, const char *path,
                  enum hf_sqlite_mode mode, struct hf_error *error)
{
    enum hf_status status;
    int code;

    *db = (struct hf_sqlite_db){
        .path = path,
        .mode = mode,
        .until = HF_NEVER,
        .dice = ((uint64_t)getpid() << 32 | (uint64_t)hf_wall_us()) | 1,
        .identity = {.path = path,
                     .still =
                         mode == HF_SQLITE_STILL || mode == HF_SQLITE_GLANCE,
                     .glances = mode == HF_SQLITE_GLANCE},
    };
    pthread_once(&watch_once, watch_forks);
    if (atomic_load(&copied_by_fork))
        return hf_fail(error, HF_E_INVALID,
                       "%s: forked while its parent had a SQLite place open: "
                       "let the parent close its clients before the fork, or "
                       "the child call exec after it; a lock server as the "
                       "place has no such limit",
                       path);
    atomic_fetch_add(&open_count, 1);
    db->counted = true;
    status = hf_sqlite_identity_admit(&db->identity, error);
    if (status != HF_OK)
        goto fail;
    code = open_handle(db);
    if (code != SQLITE_OK) {
        status = hf_sqlite_db_fail(db, code, error);
        goto fail;
    }
    if (mode == HF_SQLITE_WRITE &&
        sqlite3_db_readonly(db->handle, "main") == 1) {
        status = hf_fail(error, HF_E_DENIED, "%s: it may only be read", path);
        goto fail;
    }
    db->identity.database = sqlite3_db_filename(db->handle, "main");
    sqlite3_wal_hook(db->handle, on_commit, db);
    sqlite3_busy_handler(db->handle, on_busy, db);
    sqlite3_progress_handler(db->handle, STEPS_BETWEEN_LOOKS, on_progress, db);
    return HF_OK;

fail:
    hf_sqlite_db_close(db);
    return status;
}

void
hf_sqlite_db_close(struct hf_sqlite_db *db)
{
    hf_sqlite_identity_unnote(&db->identity);
    sqlite3_close(db->handle);
    db->handle = NULL;
    hf_sqlite_identity_forget(&db->identity);
    if (db->counted)
        atomic_fetch_sub(&open_count, 1);
    db->counted = false;
}

int
hf_sqlite_db_run(struct hf_sqlite_db *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
}

int
hf_sqlite_db_number(struct hf_sqlite_db *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *number = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    } else if (code == SQLITE_DONE) {
        code = SQLITE_NOTFOUND;
    }
    sqlite3_finalize(statement);
    return code;
}

static enum hf_status
status_of_open(int reason)
{
    switch (reason) {
    case EACCES:
    case EPERM:
    case EROFS:
        return HF_E_DENIED;
    case EMFILE:
    case ENFILE:
        return HF_E_LIMIT;
    default: /* an errno, no enum */
        return HF_E_UNAVAILABLE;
    }
}

/* What the caller may do next, by the family of SQLite's result code. */
static enum hf_status
status_of(int code, int reason)
{
    if (code == SQLITE_IOERR_NOMEM)
        return HF_E_NOMEM;
    if (code == SQLITE_READONLY_DBMOVED)
        return HF_E_UNAVAILABLE;

    switch (code & 0xff) {
    case SQLITE_CANTOPEN:
        return status_of_open(reason);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return HF_E_DENIED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:    /* our statements fit our tables, not others' */
    case SQLITE_NOTFOUND: /* our rows are not in it */
        return HF_E_CORRUPT;
    case SQLITE_NOMEM:
        return HF_E_NOMEM;
    default: /* BUSY, LOCKED, INTERRUPT, PROTOCOL, FULL, IOERR, ... */
        return HF_E_UNAVAILABLE;
    }
}

static const char *
plain_reason(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return "other processes kept it locked";
    case SQLITE_INTERRUPT:
        return "it did not answer in time";
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_CANTOPEN:
        return "it, or a file beside it, cannot be opened";
    case SQLITE_NOTADB:
        return "it is not a SQLite database";
    case SQLITE_READONLY:
        return "it, or its folder, may only be read";
    case SQLITE_NOTFOUND:
        return "its tables lack rows of Holdfast's";
    default:
        return NULL;
    }
}

enum hf_status
hf_sqlite_db_fail(struct hf_sqlite_db *db, int code, struct hf_error *error)
{
    int reason = db->handle != NULL ? sqlite3_system_errno(db->handle) : 0;
    int family = code & 0xff;
    const char *text = plain_reason(code);
    char space[128];
    const char *system = "";

    if (db->handle != NULL && hf_sqlite_db_check(db, error) != HF_OK)
        return HF_E_UNAVAILABLE;
    if (text == NULL)
        text = db->handle != NULL ? sqlite3_errmsg(db->handle)
                                  : sqlite3_errstr(code);
    if ((family == SQLITE_CANTOPEN || family == SQLITE_IOERR) && reason != 0)
        system = strerror_r(reason, space, sizeof(space));
    return hf_fail(error, status_of(code, reason), "%s: %s%s%s", db->path, text,
                   system[0] != '\0' ? ": " : "", system);
}
