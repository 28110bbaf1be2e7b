#ifndef HF_NET_ALLOWANCE_H
#define HF_NET_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * So many at once, and so many a second in the long run: a bucket of tokens.
 *
 * Plain; cannot fail.  One thread at a time.
 */
struct hf_allowance {
    int64_t thousandths; /* of tokens that are left */
    int64_t most;        /* tokens that it can hold */
    int64_t per_s;
    struct hf_instant at; /* when it was last looked at */
};

/* Full. */
void hf_allowance_init(struct hf_allowance *allowance, uint32_t most,
                       uint32_t per_s, struct hf_instant now);

/* Take one; false: there is none left.  A clock that goes back adds nothing. */
bool hf_allowance_take(struct hf_allowance *allowance, struct hf_instant now);

/* Add some. */
void hf_allowance_add(struct hf_allowance *allowance, uint32_t tokens);

#endif
