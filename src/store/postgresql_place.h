#ifndef HF_STORE_POSTGRESQL_PLACE_H
#define HF_STORE_POSTGRESQL_PLACE_H

#include "store/kind.h"
#include "store/server_url.h"

/*
 * The URL of a place in PostgreSQL (server_url.h):
 *
 *   postgresql://[user@]host[:port][,host2[:port2]...]/database[?option&...]
 *
 * or postgres://.
 *
 * Plain calls, any thread.
 */

enum { HF_POSTGRESQL_NAME_MAX = 63 }; /* bytes; PostgreSQL cuts longer names */

/* What the URL says; its path is the database.  It is not to be copied. */
struct hf_postgresql_place {
    struct hf_server_url url;
    const char *schema; /* letters, digits and _; "holdfast" if not named */
    struct hf_server_address listen; /* host NULL: LISTEN to its hosts */
    bool synchronous; /* promotion=synchronous: a promotion loses no commit */
    struct hf_duration trust_clock; /* the greatest error of the database's
                                       clock; 0: its clock proves nothing */
    const char *sslmode;            /* NULL: not named, as the next three */
    const char *sslrootcert;        /* absolute paths */
    const char *sslcert;
    const char *sslkey;
};

/* Read a URL without its scheme: from "//" on.  HF_E_INVALID, with *out
 * changed: it is none. */
HF_MUST_USE enum hf_status
hf_postgresql_place_read(const char *rest, struct hf_postgresql_place *out,
                         struct hf_error *error);

/* As struct hf_store_kind has it. */
HF_MUST_USE enum hf_status hf_postgresql_place_parse(const char *rest,
                                                     struct hf_place *place,
                                                     struct hf_error *error);

/* What the place, which was parsed, says. */
void hf_postgresql_place_of(const struct hf_place *place,
                            struct hf_postgresql_place *out);

#endif
