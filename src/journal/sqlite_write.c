#include "journal/sqlite_write.h"

#include <string.h>

#include "base/fail.h"
#include "base/hex.h"

enum {
    /* While other processes lock the file nothing is done.  So a write that
     * waits for them is told after this time. */
    LOCK_WAIT_MS = 1000,
};

/* One write under way; from its first failure on, `code` says why. */
struct writing {
    struct hf_sqlite_sql *sql;
    const char *path;
    uint64_t store;
    const struct hf_journal_write *write;
    int64_t now_us; /* read under the write lock */
    uint64_t version;
    int code;
    bool refused;
    sqlite3_stmt *statement; /* that is being filled */
};

static bool
prepare(struct writing *w, enum hf_sql which)
{
    if (w->code == SQLITE_OK)
        w->code = hf_sqlite_sql_prepare(w->sql, which, &w->statement);
    return w->code == SQLITE_OK;
}

static void
set_number(struct writing *w, int at, int64_t number)
{
    if (w->code == SQLITE_OK)
        w->code = sqlite3_bind_int64(w->statement, at, number);
}

static void
set_text(struct writing *w, int at, const char *text, size_t len)
{
    if (w->code == SQLITE_OK)
        w->code =
            sqlite3_bind_text(w->statement, at, text, (int)len, SQLITE_STATIC);
}

static void
run(struct writing *w)
{
    if (w->code == SQLITE_OK)
        w->code = hf_sqlite_sql_finish(w->statement);
}

/* Put it in the place of the version that is expected.  True: it was. */
static bool
put_head(struct writing *w, enum hf_sql which, const char *value, size_t len)
{
    const struct hf_journal_write *write = w->write;

    if (!prepare(w, which))
        return false;
    set_number(w, 1, (int64_t)w->version);
    if (write->new_term)
        set_number(w, 2, (int64_t)w->version);
    else
        w->code =
            w->code == SQLITE_OK ? sqlite3_bind_null(w->statement, 2) : w->code;
    set_text(w, 3, value, len);
    set_number(w, 4, (int64_t)write->expect);
    run(w);
    return w->code == SQLITE_OK && sqlite3_changes(w->sql->db.handle) > 0;
}

/* Only a new term begins where there was no head. */
static void
write_head(struct writing *w)
{
    const struct hf_rule_found found = {.version = w->write->expect};
    struct hf_head head = *w->write->head;
    char value[HF_RECORD_TEXT_MAX];
    size_t len;

    head.store = w->store;
    len = hf_head_encode(&head, value, sizeof(value));
    w->version = hf_rule_next(&found, w->now_us);
    if (put_head(w, HF_SQL_HEAD_MOVE, value, len))
        return;
    w->refused =
        w->code == SQLITE_OK &&
        !(w->write->new_term && put_head(w, HF_SQL_HEAD_MAKE, value, len)) &&
        w->code == SQLITE_OK;
}

static void
put_session(struct writing *w, const struct hf_loaded_session *session)
{
    char secret[2 * sizeof(session->secret.bytes) + 1];
    const char *if_dead = hf_if_dead_word(session->if_dead);

    if (!prepare(w, HF_SQL_SESSION_PUT))
        return;
    hf_hex_write((const char *)session->secret.bytes,
                 sizeof(session->secret.bytes), secret, sizeof(secret));
    set_number(w, 1, (int64_t)session->id);
    set_text(w, 2, secret, sizeof(secret) - 1);
    set_number(w, 3, session->ttl.ms);
    set_text(w, 4, if_dead, strlen(if_dead));
    set_text(w, 5, session->who.at, session->who.len);
    set_number(w, 6, session->silent_from.ms);
    run(w);
}

static void
put_grant(struct writing *w, const struct hf_served_row *row)
{
    const struct hf_loaded_grant *grant = &row->grant.loaded;

    if (!prepare(w, HF_SQL_GRANT_PUT))
        return;
    set_number(w, 1, (int64_t)grant->fence);
    set_number(w, 2, (int64_t)grant->session);
    set_number(w, 3, (int64_t)grant->lane);
    set_number(w, 4, (int64_t)grant->n);
    set_number(w, 5, row->grant.since_ms);
    set_text(w, 6, row->locks.at, row->locks.len);
    set_text(w, 7, grant->note.at, grant->note.len);
    run(w);
}

static void
drop(struct writing *w, enum hf_sql which, uint64_t key)
{
    if (!prepare(w, which))
        return;
    set_number(w, 1, (int64_t)key);
    run(w);
}

/* Its version is the head's: a lock and a fence are cleared once. */
static void
put_audit(struct writing *w, const struct hf_journal_audit *audit)
{
    if (!prepare(w, HF_SQL_WRITE))
        return;
    set_text(w, 1, "!audit", 6);
    set_text(w, 2, audit->name, strlen(audit->name));
    set_number(w, 3, (int64_t)w->version);
    set_number(w, 4, (int64_t)w->version);
    set_number(w, 5, w->now_us / 1000);
    set_text(w, 6, audit->record.at, audit->record.len);
    run(w);
}

static void
make_change(struct writing *w, const struct hf_journal_change *change)
{
    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        put_session(w, &change->session);
        return;
    case HF_CHANGE_DELETE_SESSION:
        drop(w, HF_SQL_SESSION_DROP, change->key);
        return;
    case HF_CHANGE_PUT_GRANT:
        put_grant(w, &change->grant);
        return;
    case HF_CHANGE_DELETE_GRANT:
        drop(w, HF_SQL_GRANT_DROP, change->key);
        return;
    case HF_CHANGE_PUT_AUDIT:
        put_audit(w, &change->audit);
        return;
    }
}

static enum hf_status
write_all(struct writing *w, struct hf_error *error)
{
    const struct hf_journal_write *write = w->write;
    enum hf_status status = hf_rule_clock(&w->now_us, error);

    if (status == HF_OK && write->expect >= HF_RULE_VERSION_MAX)
        status = hf_fail(error, HF_E_CORRUPT,
                         "%s: its head, or the number 'floor' in "
                         "holdfast_meta where it has none, is a version that "
                         "no Holdfast gives",
                         w->path);
    if (status != HF_OK)
        return status;
    write_head(w);
    for (size_t i = 0; !w->refused && i < write->changes_count; i++)
        make_change(w, &write->changes[i]);
    return HF_OK;
}

/*
 * After an error the frames may be in the log: we roll back, and nobody sees
 * them, until a later crash makes the next process recover the log by reading
 * it; or another commit overwrites them first.  A full disk is the exception,
 * as store/sqlite_commit.c explains.  And if the files were removed while we
 * wrote, whoever opens the place may find the transaction, or not.
 */
static enum hf_verdict
commit(struct writing *w, struct hf_error *error)
{
    struct hf_sqlite_db *db = &w->sql->db;

    /* The clock must not interrupt it: the result would be unknown. */
    db->until = HF_NEVER;
    w->code = hf_sqlite_sql_run(w->sql, HF_SQL_COMMIT);
    if (w->code == SQLITE_OK)
        return hf_sqlite_db_check(db, error) == HF_OK ? HF_APPLIED : HF_UNKNOWN;
    (void)hf_sqlite_db_fail(&w->sql->db, w->code, error);
    return (w->code & 0xff) == SQLITE_FULL ? HF_UNAVAILABLE : HF_UNKNOWN;
}

/* A refusal was read under the write lock, and stands. */
static enum hf_verdict
write_in_transaction(struct writing *w, struct hf_error *error)
{
    struct hf_sqlite_db *db = &w->sql->db;
    const struct hf_duration lock_wait = {LOCK_WAIT_MS};
    struct hf_instant until = db->until;

    db->until = hf_earlier(until, hf_after(hf_now(), lock_wait));
    w->code = hf_sqlite_sql_run(w->sql, HF_SQL_BEGIN);
    db->until = until;
    if (w->code == SQLITE_OK && write_all(w, error) != HF_OK)
        return HF_UNAVAILABLE;
    if (w->code != SQLITE_OK) {
        (void)hf_sqlite_db_fail(&w->sql->db, w->code, error);
        return HF_UNAVAILABLE;
    }
    return w->refused ? HF_REFUSED : commit(w, error);
}

enum hf_verdict
hf_sqlite_write(struct hf_sqlite_sql *sql, const struct hf_place *place,
                uint64_t store, const struct hf_journal_write *write,
                uint64_t *version, struct hf_error *error)
{
    struct writing work = {
        .sql = sql,
        .path = place->path,
        .store = store,
        .write = write,
    };
    enum hf_verdict verdict = write_in_transaction(&work, error);

    hf_sqlite_sql_roll_back(sql);
    *version = work.version;
    return verdict;
}
