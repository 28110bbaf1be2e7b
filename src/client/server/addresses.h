#ifndef HF_CLIENT_SERVER_ADDRESSES_H
#define HF_CLIENT_SERVER_ADDRESSES_H

#include <netdb.h>

#include "base/alloc.h"
#include "base/limits.h"

/*
 * Addresses: the nodes of a lock server, as a place names them:
 *
 *     http://host[:port][,host[:port]]…      port 7420 if none is said
 *
 * A host is a name, an IPv4 address, or an IPv6 address in brackets.  One
 * thread at a time.
 */

enum { HF_ADDRESSES_MAX = 16 };

struct hf_address {
    char authority[HF_HOST_MAX + 16]; /* "host:port", as a request names it */
    char host[HF_HOST_MAX + 1];       /* without brackets */
    char port[8];
    struct addrinfo *found; /* owned; NULL: not looked up, or not known */
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

/* Which of them that is, from 1; 0: none. */
unsigned hf_addresses_of(const struct hf_addresses *addresses,
                         const char *authority);

/* Give back what was found. */
void hf_addresses_fini(struct hf_addresses *addresses);

#endif
