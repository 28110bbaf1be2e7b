#ifndef HF_POSTGRESQL_JOURNAL_H
#define HF_POSTGRESQL_JOURNAL_H

#include "journal/methods.h"

/*
 * A journal in PostgreSQL: journal.h, as calls of the functions of schema.sql.
 * A batch is one transaction in one trip; that the head has the version which
 * the batch expects is looked at in it.  A promotion, or a place that was put
 * back, is a head that names another place.  Errors as hf_journal_open and
 * hf_journal_find.
 */
HF_MUST_USE enum hf_status hf_pg_journal_open(const struct hf_place *place,
                                              const struct hf_alloc *alloc,
                                              struct hf_journal **journal,
                                              struct hf_error *error);
HF_MUST_USE enum hf_status hf_pg_journal_find(const struct hf_place *place,
                                              struct hf_instant until,
                                              struct hf_error *error);

#endif
