#include "store/sqlite_wait.h"

#include <stdatomic.h>
#include <stdio.h>

#include "store/bucket.h"
#include "store/pause.h"

enum {
    /* How often it looks of itself: if commits are told, for the sake of other
     * programs', which are not; if they are not, or the last look failed. */
    LOOK_MS = 5000,
    LOOK_UNTOLD_MS = 50,

    /* Keys compared in one read: about 1 ms, for which nobody can begin the log
     * anew. */
    PIECE = 1000,
};

/*
 * Leave to look, for all stores of the process.  A look that names a key is
 * what the wait is for; but a lock may change hands a thousand times a second
 * inside another process, and so these are bounded too.
 */
static struct hf_bucket bucket;

enum sight {
    SIGHT_NOTHING,
    SIGHT_CHANGE,
    SIGHT_FAILED, /* what is there is not known */
};

bool
hf_sqlite_wait_listen(const struct hf_sqlite_sql *sql,
                      struct hf_file_watch *files)
{
    const char *database = sql->db.identity.database;
    char log[HF_PLACE_MAX + 8];
    char index[HF_PLACE_MAX + 8];
    const char *const paths[] = {log, index, database};

    snprintf(log, sizeof(log), "%s-wal", database);
    snprintf(index, sizeof(index), "%s-shm", database);
    return hf_file_watch_start(files, paths, 3);
}

/* ---- Look ---------------------------------------------------------------- */

static bool
all_stand(const struct hf_store_watch *watches, size_t count, uint64_t stamp)
{
    for (size_t i = 0; i < count; i++)
        if (watches[i].stood != stamp)
            return false;
    return true;
}

static int
compare_one(const struct hf_sqlite_wait *wait, struct hf_store_watch *watch,
            uint64_t floor, uint64_t stamp)
{
    struct hf_rule_found found = {.present = false};
    int code = wait->find(wait->sql, watch->key, floor, &found);

    watch->changed = code == SQLITE_OK && found.version != watch->version;
    watch->stood = code == SQLITE_OK && !watch->changed ? stamp : 0;
    return code;
}

/* In one read, as all of them were at one instant; but for those that stood at
 * the last look, since which nobody else has committed. */
static int
compare_piece(const struct hf_sqlite_wait *wait, struct hf_store_watch *watches,
              size_t count, uint64_t stamp, bool *changed)
{
    struct hf_sqlite_sql *sql = wait->sql;
    int64_t floor = 0;
    int code;

    if (all_stand(watches, count, stamp))
        return SQLITE_OK;
    code = hf_sqlite_sql_run(sql, HF_SQL_BEGIN_READ);
    if (code == SQLITE_OK)
        code = hf_sqlite_sql_number(sql, HF_SQL_FLOOR, &floor);
    for (size_t i = 0; code == SQLITE_OK && i < count; i++) {
        if (watches[i].stood != stamp)
            code = compare_one(wait, &watches[i], (uint64_t)floor, stamp);
        *changed |= watches[i].changed;
    }
    hf_sqlite_sql_roll_back(sql);
    return code;
}

/* All of them, or as many as there is time for: something has changed, and
 * wake_fd calls. */
static enum sight
compare(const struct hf_sqlite_wait *wait, uint64_t stamp)
{
    bool changed = false;

    for (size_t i = 0; i < wait->watches_count; i += PIECE) {
        size_t left = wait->watches_count - i;

        if (i > 0 && changed && hf_pause(hf_now(), 0, wait->wake_fd))
            break;
        if (compare_piece(wait, wait->watches + i, left < PIECE ? left : PIECE,
                          stamp, &changed) != SQLITE_OK)
            return changed ? SIGHT_CHANGE : SIGHT_FAILED;
    }
    return changed ? SIGHT_CHANGE : SIGHT_NOTHING;
}

/*
 * data_version moves with every commit of another connection, and with none of
 * our own: a key that we have written does not stand (store.h), and is compared
 * by the first look.  It is read before the versions are.  An error is no news:
 * another look follows soon, and the caller's next read will tell.
 */
static enum sight
look(const struct hf_sqlite_wait *wait, int64_t *seen)
{
    enum sight sight;
    int64_t now = 0;

    atomic_fetch_add(wait->looks, 1);
    if (hf_sqlite_sql_number(wait->sql, HF_SQL_LOOK, &now) != SQLITE_OK)
        return SIGHT_FAILED;
    if (now == *seen)
        return SIGHT_NOTHING;
    /* A connection's data_version has 32 bits, and begins anew with it. */
    sight = compare(wait, wait->opening << 32 | (uint32_t)now);
    if (sight == SIGHT_NOTHING)
        *seen = now;
    return sight;
}

/* ---- Sleep --------------------------------------------------------------- */

/*
 * Sleep until there is reason to look again, and leave to.  Commits are told or
 * are not; what is told while it must not look yet is seen by the look that
 * follows.  False: wake_fd calls, or `until` is reached.
 */
static bool
rest(const struct hf_sqlite_wait *wait, bool told)
{
    struct hf_duration most = {told ? LOOK_MS : LOOK_UNTOLD_MS};
    struct hf_instant until = hf_earlier(wait->until, hf_after(hf_now(), most));
    struct hf_instant next = {0};
    bool woken;

    if (!told)
        return !hf_pause(until, -1, wait->wake_fd) &&
               !hf_reached(hf_now(), wait->until);

    woken = hf_file_watch_sleep(wait->files, until, wait->wake_fd);
    while (!woken && !hf_reached(hf_now(), wait->until) &&
           !hf_bucket_take(&bucket, hf_now(), &next))
        woken = hf_pause(hf_earlier(wait->until, next), -1, wait->wake_fd);
    return !woken && !hf_reached(hf_now(), wait->until);
}

void
hf_sqlite_wait_for_change(const struct hf_sqlite_wait *wait)
{
    bool told = hf_sqlite_wait_listen(wait->sql, wait->files);
    int64_t seen = INT64_MIN; /* no data_version */
    enum sight sight;
    bool taken = false; /* leave for the look, from the bucket */

    do {
        if (told)
            hf_file_watch_forget(wait->files);
        if (hf_sqlite_db_check(&wait->sql->db, NULL) != HF_OK)
            return;
        sight = look(wait, &seen);
        if (sight == SIGHT_CHANGE) {
            if (taken)
                hf_bucket_give_back(&bucket);
            return;
        }
        taken = told && sight == SIGHT_NOTHING;
    } while (rest(wait, taken));
}
