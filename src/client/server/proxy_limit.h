#ifndef HF_CLIENT_SERVER_PROXY_LIMIT_H
#define HF_CLIENT_SERVER_PROXY_LIMIT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/clock.h"

/*
 * Cuts: something between us and a lock server, a proxy, has a limit on how
 * long a request takes, which is below the server's own: it answers 502, 504 or
 * 408 in its place.  Two that took as long show what the limit is; from then on
 * we wait in pieces that are shorter.
 *
 * Zero is: none was seen.
 */
struct hf_proxy_limit {
    struct hf_duration after; /* of the last */
    struct hf_instant at;     /* when that was */
    unsigned alike;           /* in a row, that took as long as that */
};

/* Is that of something between, and not of a lock server? */
bool hf_proxy_limit_is_answer(int status, struct hf_bytes body);

/* A request was answered so.  False: it took so little time that it was not
 * cut, but could not be passed on. */
bool hf_proxy_limit_note(struct hf_proxy_limit *limit, struct hf_instant now,
                         struct hf_duration took);

/* Was one seen so lately that its reader has not heard of it yet? */
bool hf_proxy_limit_is_fresh(const struct hf_proxy_limit *limit,
                             struct hf_instant now);

/* For how long to wait at once; 0: as long as the server likes. */
struct hf_duration hf_proxy_limit_piece(const struct hf_proxy_limit *limit);

#endif
