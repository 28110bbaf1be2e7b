#include "postgresql/sql.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"

const char hf_pg_notify[] =
    "SELECT set_config('synchronous_commit', 'off', true)"
    " UNION ALL SELECT pg_notify(@schema_literal@, x)::text"
    " FROM unnest($1) x";

enum hf_status
hf_pg_sql_strange(struct hf_error *error)
{
    return hf_fail(error, HF_E_CORRUPT,
                   "the schema's functions do not answer as Holdfast's do");
}

static bool
begins_with(struct hf_bytes text, const char *word)
{
    size_t len = strlen(word);

    return text.len >= len && memcmp(text.at, word, len) == 0;
}

static void
skip(struct hf_bytes *text, size_t len)
{
    text->at += len;
    text->len -= len;
}

/* Letters, digits and _ are all that a schema's name has. */
void
hf_pg_sql_add(struct hf_text *to, struct hf_bytes sql, const char *schema)
{
    static const char mark[] = "@schema@";
    static const char literal[] = "@schema_literal@";

    while (sql.len > 0) {
        const char *at = memchr(sql.at, '@', sql.len);
        size_t len = at == NULL ? sql.len : (size_t)(at - sql.at);

        hf_text_add_bytes(to, sql.at, len);
        skip(&sql, len);
        if (begins_with(sql, mark)) {
            hf_text_addf(to, "\"%s\"", schema);
            skip(&sql, strlen(mark));
        } else if (begins_with(sql, literal)) {
            hf_text_addf(to, "'%s'", schema);
            skip(&sql, strlen(literal));
        } else if (sql.len > 0) {
            hf_text_add_bytes(to, sql.at, 1);
            skip(&sql, 1);
        }
    }
}

const char *
hf_pg_sql(char buffer[HF_PG_SQL_SIZE], const char *sql, const char *schema)
{
    struct hf_text text;

    hf_text_init(&text, buffer, HF_PG_SQL_SIZE);
    hf_pg_sql_add(&text, (struct hf_bytes){sql, strlen(sql)}, schema);
    HF_CHECK(!hf_text_cut(&text));
    return buffer;
}
