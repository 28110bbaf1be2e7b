#ifndef HF_CLIENT_SERVER_ADDRESSES_H
#define HF_CLIENT_SERVER_ADDRESSES_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "client/server/lookup.h"

/*
 * Addresses: the nodes of a lock server, as a place names them:
 *
 *     http://host[:port][,host[:port]]…      port 7420 if none is said
 *
 * or as people write them: each with its http://, in any letters, and with a
 * slash at its end.  A host is a name, an IPv4 address, or an IPv6 address in
 * brackets.  One thread at a time.
 */

enum { HF_ADDRESSES_MAX = 16 };

struct hf_address {
    char authority[HF_HOST_MAX + 16]; /* "host:port", as a request names it */
    char host[HF_HOST_MAX + 1];       /* without brackets */
    char port[8];
    struct addrinfo *found; /* owned; NULL: not looked up, or not known */
    struct hf_instant found_at;
    struct hf_lookup *lookup; /* owned: it is looked up once more; or NULL */
    unsigned first;           /* of what was found: which is tried first */
};

struct hf_addresses {
    struct hf_address each[HF_ADDRESSES_MAX];
    unsigned count;
    char place[HF_PLACE_MAX + 1]; /* all of it as one URL */
};

/* Is it of a lock server at all? */
bool hf_addresses_are(const char *place);

/* Read them.  HF_E_INVALID, with a sentence; *addresses may hold anything. */
HF_MUST_USE enum hf_status hf_addresses_parse(const char *place,
                                              struct hf_addresses *addresses,
                                              struct hf_error *error);

/* Look up every host that is not known: blocks as long as the resolver does.
 * HF_E_UNAVAILABLE: none is known. */
HF_MUST_USE enum hf_status hf_addresses_find(struct hf_addresses *addresses,
                                             struct hf_error *error);

/* Is what is known of its addresses new enough to connect to?  False: it is
 * being looked up, or cannot be, which *error tells: HF_E_LIMIT. */
bool hf_address_is_fresh(struct hf_address *address, int wake_fd,
                         struct hf_error *error);

/* Has a lookup of it come to its end?  NULL, or why nothing was found, in *why.
 * What was known before is known still where nothing was. */
HF_MUST_USE bool hf_address_is_found(struct hf_address *address,
                                     const char **why);

/* Which of them that is, from 1; 0: none. */
unsigned hf_addresses_of(const struct hf_addresses *addresses,
                         const char *authority);

/* Give back what was found. */
void hf_addresses_fini(struct hf_addresses *addresses);

#endif
