#ifndef HF_JOURNAL_SQLITE_WRITE_H
#define HF_JOURNAL_SQLITE_WRITE_H

#include "journal/methods.h"
#include "store/sqlite_sql.h"

/* hf_journal_write in a SQLite file, in one transaction, whose head names the
 * place by `store`.  In a call of hf_sqlite_sql_enter's; *version is the head's
 * if it was applied. */
enum hf_verdict hf_sqlite_write(struct hf_sqlite_sql *sql,
                                const struct hf_place *place, uint64_t store,
                                const struct hf_journal_write *write,
                                uint64_t *version, struct hf_error *error);

#endif
