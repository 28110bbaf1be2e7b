#ifndef HF_POSTGRESQL_SQL_H
#define HF_POSTGRESQL_SQL_H

#include <holdfast/words.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/text.h"

/* The statements of the module, and the schema that they are for: schema.sql,
 * which says what each function of it does. */

enum { HF_PG_SQL_SIZE = 2048 };

/* The bytes of schema.sql. */
extern const unsigned char hf_pg_schema[];
extern const size_t hf_pg_schema_len;

/*
 * Tell who listens of the words of keys, a text array.  In a transaction of its
 * own: while it commits, one that notifies keeps all others that do from that.
 * It need not be on disk: a lost one costs a poll.
 */
extern const char hf_pg_notify[];

/* What the schema's functions answer is not what it should be. */
enum hf_status hf_pg_sql_strange(struct hf_error *error);

/* Add `sql` with the schema's name in the place of each @schema@, as an
 * identifier, and of each @schema_literal@. */
void hf_pg_sql_add(struct hf_text *to, struct hf_bytes sql, const char *schema);

/* The same into `buffer`, which has room for any statement but that.  Of what
 * goes by pipeline.h it is done there. */
const char *hf_pg_sql(char buffer[HF_PG_SQL_SIZE], const char *sql,
                      const char *schema);

#endif
