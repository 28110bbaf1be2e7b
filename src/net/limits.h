#ifndef HF_NET_LIMITS_H
#define HF_NET_LIMITS_H

#include <stdint.h>

#include "base/clock.h"

/*
 * How much one peer may cost.  Each limit stops an attack, and is so large that
 * no honest peer meets it: limits.c, with the defaults, tells both.  A server
 * may set others; none is 0.
 */
struct hf_http_limits {
    uint32_t peers;     /* connections at once */
    uint32_t exchanges; /* requests of all peers that are not over */
    uint32_t streams;   /* of one connection; HTTP/1.1 has one */

    uint32_t target_len;  /* of a request, in bytes: the path and the query */
    uint32_t headers_len; /* names and values of all its headers */
    uint32_t headers;     /* how many */
    uint32_t body_len;
    uint32_t coming_len; /* of all requests that are not whole: beyond it a peer
                            has one such */

    struct hf_duration head_time;   /* from the first byte of a request to the
                                       end of its headers */
    struct hf_duration body_time;   /* from there to the end of its body */
    struct hf_duration idle_time;   /* with no exchange and none coming */
    struct hf_duration unread_time; /* for what was written to be taken */
    uint32_t unread_len;            /* of answers for which HTTP/2's windows
                                       have no room */
    uint32_t unread_all_len;        /* of those of all peers: the server's loop
                                       ends the peer that has had more than its
                                       part for longest */

    uint32_t resets;       /* of streams, at once */
    uint32_t resets_per_s; /* and in the long run */
    uint32_t extras;       /* frames that bring no request, at once; each
                              request allows two more */
    uint32_t extras_per_s; /* and in the long run */
};

extern const struct hf_http_limits hf_http_limits_default;

#endif
