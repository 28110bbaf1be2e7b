#include "journal/sqlite_fold.h"

#include <stdio.h>

#include "base/thread.h"

enum {
    /* A pass costs a sync of the file: so many pages are worth one at once. */
    PAGES_MANY = 1000,

    /* Fewer wait so long for others. */
    GATHER_MS = 100,
};

/* ---- The thread ---------------------------------------------------------- */

/* A first read opens all files.  The last to close a file would fold the log,
 * and remove it. */
static bool
open_file(struct hf_fold *fold)
{
    struct hf_sqlite_db *db = &fold->db;
    int64_t ours = 0;

    if (db->handle != NULL)
        return true;
    if (hf_sqlite_db_open(db, fold->path, HF_SQLITE_WRITE, NULL) != HF_OK)
        return false;
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (hf_sqlite_db_run(db, "PRAGMA synchronous=FULL") == SQLITE_OK &&
        hf_sqlite_db_number(db, "SELECT count(*) FROM holdfast_head", &ours) ==
            SQLITE_OK &&
        hf_sqlite_db_note(db, NULL) == HF_OK)
        return true;
    hf_sqlite_db_close(db);
    return false;
}

/* A log that is no longer the place's is not folded into a file that is.  What
 * fails here is tried again, and met by the batches. */
static void
pass(struct hf_fold *fold)
{
    if (!open_file(fold))
        return;
    if (hf_sqlite_db_check(&fold->db, NULL) == HF_OK)
        (void)sqlite3_wal_checkpoint_v2(fold->db.handle, "main",
                                        SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* Entered: wait until there is something to fold, and others have gathered. */
static void
await_pages(struct hf_fold *fold)
{
    const struct hf_duration gather = {GATHER_MS};
    struct hf_instant until;

    while (!fold->stopping && fold->pages == 0)
        hf_monitor_wait(&fold->monitor, &fold->changed, HF_NEVER);
    until = hf_after(hf_now(), gather);
    while (!fold->stopping && fold->pages < PAGES_MANY &&
           !hf_reached(hf_now(), until))
        hf_monitor_wait(&fold->monitor, &fold->changed, until);
}

static void *
run(void *arg)
{
    struct hf_fold *fold = arg;

    hf_monitor_enter(&fold->monitor);
    while (!fold->stopping) {
        await_pages(fold);
        if (fold->stopping || fold->pages == 0)
            continue;
        fold->pages = 0;
        fold->folds = true;
        hf_monitor_leave(&fold->monitor);
        pass(fold);
        hf_monitor_enter(&fold->monitor);
        fold->folds = false;
        hf_monitor_notify_all(&fold->changed);
    }
    hf_monitor_leave(&fold->monitor);
    hf_sqlite_db_close(&fold->db);
    return NULL;
}

/* ---- Its owner ----------------------------------------------------------- */

bool
hf_fold_start(struct hf_fold *fold, const char *path)
{
    if (fold->started)
        return true;
    *fold = (struct hf_fold){.started = true};
    (void)snprintf(fold->path, sizeof(fold->path), "%s", path);
    hf_monitor_init(&fold->monitor);
    if (hf_thread_start(&fold->thread, run, fold))
        return true;
    hf_monitor_fini(&fold->monitor);
    fold->started = false;
    return false;
}

void
hf_fold_stop(struct hf_fold *fold)
{
    if (!fold->started)
        return;
    hf_monitor_enter(&fold->monitor);
    fold->stopping = true;
    hf_monitor_notify_all(&fold->changed);
    hf_monitor_leave(&fold->monitor);
    pthread_join(fold->thread, NULL);
    hf_monitor_fini(&fold->monitor);
    fold->started = false;
}

void
hf_fold_ask(struct hf_fold *fold, uint64_t pages)
{
    bool news;

    hf_monitor_enter(&fold->monitor);
    /* It need not be woken for each. */
    news =
        fold->pages == 0 || (fold->pages < PAGES_MANY && pages >= PAGES_MANY);
    fold->pages = pages;
    if (news)
        hf_monitor_notify_all(&fold->changed);
    hf_monitor_leave(&fold->monitor);
}

void
hf_fold_hold(struct hf_fold *fold)
{
    if (!fold->started)
        return;
    hf_monitor_enter(&fold->monitor);
    fold->pages = 0;
    while (fold->folds)
        hf_monitor_wait(&fold->monitor, &fold->changed, HF_NEVER);
    hf_monitor_leave(&fold->monitor);
}
