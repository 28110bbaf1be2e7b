#ifndef TALE_PLACE_LOCKS_SQL_H
#define TALE_PLACE_LOCKS_SQL_H

#include "tale/specimen/locks.h"

/*
 * Locks in SQL: the statements of a table specimen, as a database takes them,
 * and as people read them.  Pure text.
 *
 * A heartbeat is an instant there, on a clock of the schedule's own: what was
 * updated now is fresh, and what was updated earlier is stale.
 */

#define LOCKS_SQL_CREATE                                                       \
    "CREATE TABLE locks (name TEXT PRIMARY KEY, token INTEGER,"                \
    " owner INTEGER, beat INTEGER)"

/* All that the table holds: name, token, owner, beat. */
#define LOCKS_SQL_ALL "SELECT name, token, owner, beat FROM locks ORDER BY name"

/* "lock", "reclaim": a row's key. */
const char *locks_sql_name(enum locks_name name);

void locks_sql_add(struct hf_text *text,
                   const struct locks_statement *statement, unsigned now);

/* The insert of a row that is there before the first step. */
void locks_sql_add_first(struct hf_text *text, enum locks_name name,
                         const struct locks_row *row, unsigned now);

/* What came of it: "token 1, owner 2, stale", "1 row", "no row". */
void locks_sql_add_answer(struct hf_text *text,
                          const struct locks_statement *statement,
                          const struct locks_answer *answer);

/* "lock (token 1, owner 2, stale), reclaim (token 1)", or "nothing". */
void locks_sql_add_rows(struct hf_text *text, const struct locks *locks);

#endif
