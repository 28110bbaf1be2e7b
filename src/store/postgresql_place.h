#ifndef HF_STORE_POSTGRESQL_PLACE_H
#define HF_STORE_POSTGRESQL_PLACE_H

#include "store/kind.h"

/*
 * The URL of a place in PostgreSQL:
 *
 *   postgresql://[user@]host[:port][,host2[:port2]...]/database[?option&...]
 *
 * or postgres://.  It has no password: who lists processes would see it.  So
 * `text` of such a place is fit for every message.
 *
 * Plain calls, any thread.
 */

enum {
    HF_POSTGRESQL_HOSTS_MAX = 8,
    HF_POSTGRESQL_NAME_MAX = 63, /* bytes; PostgreSQL cuts longer names */
};

struct hf_postgresql_address {
    const char *host; /* a name, or a number without brackets */
    const char *port; /* decimal, from 1 to 65535 */
};

/* What the URL says.  The strings are in `strings`: it is not to be copied. */
struct hf_postgresql_place {
    const char *user; /* NULL: not named */
    struct hf_postgresql_address hosts[HF_POSTGRESQL_HOSTS_MAX];
    unsigned hosts_count;
    const char *database;
    const char *schema; /* letters, digits and _; "holdfast" if not named */
    struct hf_postgresql_address listen; /* host NULL: LISTEN to `hosts` */
    bool synchronous; /* promotion=synchronous: a promotion loses no commit */
    struct hf_duration trust_clock; /* the greatest error of the database's
                                       clock; 0: its clock proves nothing */
    const char *sslmode;            /* NULL: not named, as the next three */
    const char *sslrootcert;        /* absolute paths */
    const char *sslcert;
    const char *sslkey;
    char strings[3 * HF_PLACE_MAX];
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
