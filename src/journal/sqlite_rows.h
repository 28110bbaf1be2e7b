#ifndef HF_JOURNAL_SQLITE_ROWS_H
#define HF_JOURNAL_SQLITE_ROWS_H

#include "journal/methods.h"
#include "store/sqlite_sql.h"

/* Rows of a journal in a SQLite file, as hf_journal_load and hf_journal_audit
 * read them: SQLite's result codes.  In a call of hf_sqlite_sql_enter's. */
int hf_sqlite_rows_load(struct hf_sqlite_sql *sql,
                        struct hf_journal_chunk *chunk);
int hf_sqlite_rows_audit(struct hf_sqlite_sql *sql,
                         struct hf_journal_page *page);

#endif
