#ifndef HF_CLIENT_SERVER_PROXY_LIMIT_H
#define HF_CLIENT_SERVER_PROXY_LIMIT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/clock.h"

/*
 * Proxy limit: a proxy before a lock server may allow a request less time than
 * the server does.  When that time is over, it answers 502, 504 or 408 in place
 * of the server.  Two such answers after the same time show the limit.  From
 * then on we wait in shorter pieces.
 *
 * Zero: no limit was seen.
 */
struct hf_proxy_limit {
    struct hf_duration after; /* time that the last request was given */
    struct hf_instant at;     /* when it ended so */
    unsigned alike;           /* requests in a row that took as long */
};

/* Was it a proxy that answered so, and not a lock server? */
bool hf_proxy_limit_is_answer(int status, struct hf_bytes body);

/* A proxy answered a request after `took`.  False: that was too soon for a time
 * limit; the proxy did not reach the server. */
bool hf_proxy_limit_note(struct hf_proxy_limit *limit, struct hf_instant now,
                         struct hf_duration took);

/* Did it happen so lately that the user may not have seen it yet? */
bool hf_proxy_limit_is_fresh(const struct hf_proxy_limit *limit,
                             struct hf_instant now);

/* For how long one request should wait; 0: as long as the server allows. */
struct hf_duration hf_proxy_limit_piece(const struct hf_proxy_limit *limit);

#endif
