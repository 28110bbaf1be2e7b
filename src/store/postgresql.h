#ifndef HF_STORE_POSTGRESQL_H
#define HF_STORE_POSTGRESQL_H

#include "store/kind.h"

/* A place in a PostgreSQL database, shared by any hosts.  The module that
 * speaks to it is opened when such a place is (module.h). */
extern const struct hf_store_kind hf_postgresql_kind;

#endif
