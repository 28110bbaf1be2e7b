#include "tale/place/locks_sql.h"

const char *
locks_sql_name(enum locks_name name)
{
    static const char *const names[LOCKS_NAMES] = {
        [LOCKS_LOCK] = "lock",
        [LOCKS_RECLAIM] = "reclaim",
    };

    return names[name];
}

/* ---- Statements ---------------------------------------------------------- */

static void
add_insert(struct hf_text *text, const struct locks_statement *statement,
           unsigned now)
{
    unsigned set = statement->set;

    hf_text_addf(text, "INSERT INTO locks (name%s%s%s) VALUES ('%s'",
                 (set & LOCKS_TOKEN) != 0 ? ", token" : "",
                 (set & LOCKS_OWNER) != 0 ? ", owner" : "",
                 (set & LOCKS_BEAT) != 0 ? ", beat" : "",
                 locks_sql_name(statement->name));
    if ((set & LOCKS_TOKEN) != 0)
        hf_text_addf(text, ", %u", statement->row.token);
    if ((set & LOCKS_OWNER) != 0)
        hf_text_addf(text, ", %u", statement->row.owner);
    if ((set & LOCKS_BEAT) != 0)
        hf_text_addf(text, ", %u", now);
    hf_text_add(text, ") ON CONFLICT DO NOTHING");
}

static void
add_set(struct hf_text *text, const struct locks_statement *statement,
        unsigned now)
{
    const char *between = " SET ";

    hf_text_add(text, "UPDATE locks");
    if ((statement->set & LOCKS_TOKEN) != 0) {
        hf_text_addf(text, "%stoken = %u", between, statement->row.token);
        between = ", ";
    }
    if ((statement->set & LOCKS_OWNER) != 0) {
        hf_text_addf(text, "%sowner = %u", between, statement->row.owner);
        between = ", ";
    }
    if ((statement->set & LOCKS_BEAT) != 0)
        hf_text_addf(text, "%sbeat = %u", between, now);
}

static void
add_where(struct hf_text *text, const struct locks_statement *statement,
          unsigned now)
{
    const struct locks_row *match = &statement->match;

    hf_text_addf(text, " WHERE name = '%s'", locks_sql_name(statement->name));
    if ((statement->where & LOCKS_TOKEN) != 0)
        hf_text_addf(text, " AND token = %u", match->token);
    if ((statement->where & LOCKS_OWNER) != 0)
        hf_text_addf(text, " AND owner = %u", match->owner);
    if ((statement->where & LOCKS_BEAT) != 0)
        hf_text_addf(text, " AND beat %s %u", match->stale != 0 ? "<" : "=",
                     now);
}

void
locks_sql_add(struct hf_text *text, const struct locks_statement *statement,
              unsigned now)
{
    switch (statement->verb) {
    case LOCKS_SELECT:
        hf_text_add(text, "SELECT token, owner, beat FROM locks");
        break;
    case LOCKS_INSERT:
        add_insert(text, statement, now);
        return;
    case LOCKS_UPDATE:
        add_set(text, statement, now);
        break;
    case LOCKS_DELETE:
        hf_text_add(text, "DELETE FROM locks");
        break;
    case LOCKS_DELETE_ALL:
        hf_text_add(text, "DELETE FROM locks");
        return;
    }
    add_where(text, statement, now);
}

void
locks_sql_add_first(struct hf_text *text, enum locks_name name,
                    const struct locks_row *row, unsigned now)
{
    struct locks_statement statement = {
        .verb = LOCKS_INSERT,
        .name = name,
        .set = LOCKS_TOKEN | LOCKS_OWNER | LOCKS_BEAT,
        .row = *row,
    };

    add_insert(text, &statement, row->stale != 0 ? now - 1 : now);
}

/* ---- What came of them --------------------------------------------------- */

static void
add_row(struct hf_text *text, const struct locks_row *row)
{
    const char *between = "";

    if (row->token != 0) {
        hf_text_addf(text, "token %u", row->token);
        between = ", ";
    }
    if (row->owner != 0)
        hf_text_addf(text, "%sowner %u", between, row->owner);
    if (row->stale != 0)
        hf_text_add(text, ", stale");
}

void
locks_sql_add_answer(struct hf_text *text,
                     const struct locks_statement *statement,
                     const struct locks_answer *answer)
{
    if (answer->rows == 0)
        hf_text_add(text, "no row");
    else if (statement->verb == LOCKS_SELECT)
        add_row(text, &answer->row);
    else
        hf_text_addf(text, "%u row%s", answer->rows,
                     answer->rows == 1 ? "" : "s");
}

void
locks_sql_add_rows(struct hf_text *text, const struct locks *locks)
{
    const char *between = "";

    for (unsigned i = 0; i < LOCKS_NAMES; i++) {
        if (locks->rows[i].there == 0)
            continue;
        hf_text_addf(text, "%s%s (", between,
                     locks_sql_name((enum locks_name)i));
        add_row(text, &locks->rows[i]);
        hf_text_add(text, ")");
        between = ", ";
    }
    if (between[0] == '\0')
        hf_text_add(text, "nothing");
}
