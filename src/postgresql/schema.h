#ifndef HF_POSTGRESQL_SCHEMA_H
#define HF_POSTGRESQL_SCHEMA_H

#include "postgresql/link.h"

/* Schema: is the server, the database and what is in it fit for a place?  One
 * thread at a time on one link. */

enum { HF_PG_SCHEMA_VERSION = 2, HF_PG_SERVER_MIN = 130000 };

enum hf_pg_use {
    HF_PG_TO_LOCK,
    HF_PG_TO_SERVE,
    HF_PG_TO_LOOK, /* nothing is made, and reading is enough */
};

/*
 * Look at the server of an open link, and for the schema; make it, unless the
 * place is only to be looked at.  Sets link->is_there, and where it fails,
 * link->lasts.  HF_E_UNAVAILABLE: the server is too old, or a standby, or its
 * database is not of UTF-8, or another version of Holdfast made the schema;
 * HF_E_CORRUPT: it is none of ours, or others could act through it with our
 * rights; HF_E_DENIED, also of a table that `use` must write; others as
 * hf_pg_pipeline_ask.
 */
HF_MUST_USE enum hf_status hf_pg_schema_ready(struct hf_pg_link *link,
                                              enum hf_pg_use use,
                                              struct hf_instant until,
                                              struct hf_error *error);

#endif
