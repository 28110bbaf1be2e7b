#ifndef HF_CLIENT_SERVER_ADDRESSES_H
#define HF_CLIENT_SERVER_ADDRESSES_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lookup.h"

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
    char authority[HF_HOST_MAX + 16]; /* "host:port", as in a Host header */
    char host[HF_HOST_MAX + 1];       /* without brackets */
    char port[8];
    struct addrinfo *found; /* owned; NULL: not looked up, or unknown */
    struct hf_instant found_at;
    struct hf_lookup *lookup;     /* owned; the lookup under way, or NULL */
    unsigned first;               /* index in `found` that is tried first */
    struct hf_instant lines_from; /* when requests may go to it as lines, after
                                     some did not get through */
    uint32_t streams; /* of a connection, as it said last; 0: never */
};

struct hf_addresses {
    struct hf_address each[HF_ADDRESSES_MAX];
    unsigned count;
    char place[HF_PLACE_MAX + 1]; /* the whole list as one URL */
};

/* Does this place name a lock server? */
bool hf_addresses_are(const char *place);

/* Parse a place.  HF_E_INVALID, with a sentence: then *addresses is
 * undefined. */
HF_MUST_USE enum hf_status hf_addresses_parse(const char *place,
                                              struct hf_addresses *addresses,
                                              struct hf_error *error);

/* Look up every host that is not known yet.  Blocks as long as the resolver
 * does.  HF_E_UNAVAILABLE: no host is known. */
HF_MUST_USE enum hf_status hf_addresses_find(struct hf_addresses *addresses,
                                             struct hf_error *error);

/* Are its known addresses new enough to connect to?  False: a lookup is under
 * way; or none could be started, and *error says so with HF_E_LIMIT. */
bool hf_address_is_fresh(struct hf_address *address, int wake_fd,
                         struct hf_error *error);

/* Has a lookup of it ended?  Then *why is NULL, or says why nothing was found.
 * If nothing was found, the addresses known before are kept. */
HF_MUST_USE bool hf_address_is_found(struct hf_address *address,
                                     const char **why);

/* The number of the node with that authority, from 1; 0: there is none. */
unsigned hf_addresses_of(const struct hf_addresses *addresses,
                         const char *authority);

/* Free the addresses that were found, and drop lookups. */
void hf_addresses_fini(struct hf_addresses *addresses);

#endif
