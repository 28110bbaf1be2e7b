/*
 * A write that a lock protects, and that a fence proves.
 *
 *     cc -std=c11 -o fenced_write fenced_write.c \
 *         $(pkg-config --cflags --libs holdfast sqlite3)
 *     ./fenced_write PLACE DATABASE TEXT
 *
 * Waits for the lock "report" at PLACE, writes TEXT into the one row of
 * DATABASE, and gives the lock back.  The lock keeps writers apart as long as
 * they run; the fence keeps out the one that slept while its right ran out
 * and woke when somebody else had written already: its number is lower.
 */
#include <inttypes.h>
#include <stdio.h>

#include <sqlite3.h>

#include <holdfast/holdfast.h>

/* The row remembers the highest fence that ever wrote it. */
static const char create_table[] =
    "CREATE TABLE IF NOT EXISTS report(id INTEGER PRIMARY KEY CHECK(id = 1),"
    " fence INTEGER NOT NULL, text TEXT NOT NULL);"
    "INSERT OR IGNORE INTO report VALUES(1, 0, '');";

static const char fenced_update[] =
    "UPDATE report SET fence = ?1, text = ?2 WHERE id = 1 AND fence <= ?1";

/* 1: written.  0: refused, a higher fence was there.  -1: the database. */
static int
write_fenced(sqlite3 *db, uint64_t fence, const char *text)
{
    sqlite3_stmt *update = NULL;
    int written = -1;

    if (sqlite3_exec(db, create_table, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, fenced_update, -1, &update, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(update, 1, (sqlite3_int64)fence) == SQLITE_OK &&
        sqlite3_bind_text(update, 2, text, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(update) == SQLITE_DONE)
        written = sqlite3_changes(db);
    sqlite3_finalize(update);
    return written;
}

/* The exit code of the work. */
static int
write_report(const struct hf_lock *lock, const char *path, const char *text)
{
    sqlite3 *db = NULL;
    uint64_t fence = hf_lock_fence(lock);
    int written = -1;

    /* A courtesy, not the protection: the right can end just after this. */
    if (hf_lock_check(lock) != HF_GRANTED)
        return hf_outcome_exit(HF_LOST);

    if (sqlite3_open(path, &db) == SQLITE_OK) {
        sqlite3_busy_timeout(db, 5000);
        written = write_fenced(db, fence, text);
    }
    if (written < 0)
        fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(db));
    else if (written == 0)
        fprintf(stderr, "fence %" PRIu64 " is too old, nothing written\n",
                fence);
    else
        printf("written with fence %" PRIu64 "\n", fence);
    sqlite3_close(db);
    return written == 1 ? 0 : 1;
}

/* Why it is not held: the exit code. */
static int
say_why(const struct hf_lock *lock)
{
    struct hf_error error;

    if (hf_lock_error(lock, &error) != HF_OK) {
        fprintf(stderr, "fenced_write: %s\n", error.text);
        return hf_status_exit(error.status);
    }
    fprintf(stderr, "fenced_write: %s\n", hf_outcome_word(hf_lock_check(lock)));
    return hf_outcome_exit(hf_lock_check(lock));
}

int
main(int argc, char **argv)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock = NULL;
    struct hf_error error;
    int code;

    if (argc != 4) {
        fprintf(stderr, "usage: fenced_write PLACE DATABASE TEXT\n");
        return 64;
    }

    if (hf_client_new(NULL, &client, &error) != HF_OK ||
        hf_client_open(client, argv[1], &error) != HF_OK ||
        hf_lock_new(client, "report", &lock, &error) != HF_OK ||
        hf_lock_start(lock, &error) != HF_OK) {
        fprintf(stderr, "fenced_write: %s\n", error.text);
        code = hf_status_exit(error.status);
    } else if (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_HELD) {
        code = say_why(lock);
    } else {
        code = write_report(lock, argv[2], argv[3]);
    }
    hf_lock_free(lock); /* gives it back, which the close waits for */
    hf_client_close(client, HF_FOREVER);
    return code;
}
