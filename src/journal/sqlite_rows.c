#include "journal/sqlite_rows.h"

#include <string.h>

#include "journal/kinds.h"

/* ---- Rows ---------------------------------------------------------------- */

/* A column as it is kept; SQLITE_NOMEM.  No text of ours has more than `most`
 * bytes: of a longer one so much is kept that its reader refuses it. */
static int
keep_text(sqlite3_stmt *row, int column, size_t most, struct hf_arena *arena,
          struct hf_bytes *kept)
{
    const void *text = sqlite3_column_text(row, column);
    size_t len = (size_t)sqlite3_column_bytes(row, column);

    if (len > most)
        len = most + 1;
    return text != NULL && hf_arena_keep(arena, text, len, kept) ? SQLITE_OK
                                                                 : SQLITE_NOMEM;
}

static int
take_session(sqlite3_stmt *row, struct hf_journal_chunk *chunk)
{
    struct hf_loaded_session *session = &chunk->sessions[chunk->count];
    int64_t id = sqlite3_column_int64(row, 0);
    struct hf_bytes secret = {(const char *)sqlite3_column_text(row, 1),
                              (size_t)sqlite3_column_bytes(row, 1)};

    *session = (struct hf_loaded_session){
        .id = (uint64_t)id,
        .ttl = {sqlite3_column_int64(row, 2)},
        .silent_from = {sqlite3_column_int64(row, 5)},
    };
    if (secret.at == NULL)
        return SQLITE_NOMEM;
    hf_kinds_read_session(session, secret,
                          (const char *)sqlite3_column_text(row, 3));
    chunk->count++;
    chunk->next = hf_kinds_order(id) + 1;
    return keep_text(row, 4, HF_SERVED_WHO_MAX, &chunk->arena, &session->who);
}

static int
take_grant(sqlite3_stmt *row, struct hf_journal_chunk *chunk)
{
    struct hf_served_row *grant = &chunk->grants[chunk->count];
    struct hf_loaded_grant *loaded = &grant->grant.loaded;
    int code;

    *grant = (struct hf_served_row){
        .grant = {.loaded = {.fence = (uint64_t)sqlite3_column_int64(row, 0),
                             .session = (uint64_t)sqlite3_column_int64(row, 1),
                             .lane = (uint64_t)sqlite3_column_int64(row, 2),
                             .n = (uint64_t)sqlite3_column_int64(row, 3)},
                  .since_ms = sqlite3_column_int64(row, 4)},
    };
    chunk->count++;
    chunk->next = hf_kinds_order((int64_t)loaded->fence) + 1;
    code = keep_text(row, 5, HF_RECORD_TEXT_MAX, &chunk->arena, &grant->locks);
    return code == SQLITE_OK ? keep_text(row, 6, HF_SERVED_NOTE_MAX,
                                         &chunk->arena, &loaded->note)
                             : code;
}

static int
take_rows(sqlite3_stmt *statement, struct hf_journal_chunk *chunk)
{
    int code;

    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        code = chunk->rows == HF_JOURNAL_SESSIONS
                   ? take_session(statement, chunk)
                   : take_grant(statement, chunk);
        if (code != SQLITE_OK)
            return code;
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int
hf_sqlite_rows_load(struct hf_sqlite_sql *sql, struct hf_journal_chunk *chunk)
{
    enum hf_sql which =
        chunk->rows == HF_JOURNAL_SESSIONS ? HF_SQL_SESSIONS : HF_SQL_GRANTS;
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare(sql, which, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(
            statement, 1, (int64_t)hf_kinds_order((int64_t)chunk->next));
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 2, HF_JOURNAL_CHUNK);
    if (code == SQLITE_OK)
        code = take_rows(statement, chunk);
    sqlite3_reset(statement);
    chunk->more = chunk->count == HF_JOURNAL_CHUNK && chunk->next != 0;
    return code;
}

/* ---- The audit ----------------------------------------------------------- */

static int
take_records(sqlite3_stmt *statement, struct hf_journal_page *page)
{
    const struct hf_store_scan scan = {.prefix = page->prefix};
    int code = SQLITE_ROW;

    while (page->count < page->limit && page->count < HF_JOURNAL_CHUNK) {
        struct hf_journal_record *record = &page->records[page->count];

        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        code = keep_text(statement, 0, HF_NAME_COMPANION_SIZE, &page->arena,
                         &record->name);
        if (code == SQLITE_OK)
            code = keep_text(statement, 4, HF_RECORD_TEXT_MAX, &page->arena,
                             &record->value);
        if (code != SQLITE_OK)
            return code;
        if (!hf_rule_has_prefix(&scan, record->name.at, record->name.len))
            break;
        if (strcmp(record->name.at, page->after) > 0)
            page->count++;
    }
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int
hf_sqlite_rows_audit(struct hf_sqlite_sql *sql, struct hf_journal_page *page)
{
    const struct hf_key from = {
        "!audit",
        strcmp(page->after, page->prefix) > 0 ? page->after : page->prefix,
    };
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare_keyed(sql, HF_SQL_SCAN, from, &statement);

    if (code == SQLITE_OK)
        code = take_records(statement, page);
    sqlite3_reset(statement);
    return code;
}
