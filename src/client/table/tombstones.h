#ifndef HF_CLIENT_TABLE_TOMBSTONES_H
#define HF_CLIENT_TABLE_TOMBSTONES_H

#include <stdint.h>

#include "base/clock.h"

/*
 * Tombstones that a client has left a moment ago, so that who comes back for
 * the lock need not look first (hf_contender_return): where a read is a trip.
 *
 * A claim at a version that is not there any more is refused, and costs a trip
 * for nothing: so a key whose claim was refused is looked at for a while.  And
 * whoever comes back again and again looks now and then, so that a client that
 * looks has a chance against it.
 *
 * A key is known by its hash.  A key that has the hash of another costs a
 * refusal, and no more.  Plain data; zero is empty.
 */

enum { HF_TOMBSTONES_MAX = 256 };

struct hf_tombstones {
    struct hf_tombstone {
        uint64_t key;     /* the hash of it */
        uint64_t version; /* 0: there is none */
        struct hf_instant left_at;
        int turns; /* so often it may be taken; <= 0: so many looks and one
                      come first */
    } all[HF_TOMBSTONES_MAX];
};

/* A delete of ours was applied, with this version. */
void hf_tombstones_keep(struct hf_tombstones *t, uint64_t key, uint64_t version,
                        struct hf_instant now);

/* Take the version of its tombstone; 0: look. */
uint64_t hf_tombstones_take(struct hf_tombstones *t, uint64_t key,
                            struct hf_instant now);

/* A claim of ours was refused. */
void hf_tombstones_refused(struct hf_tombstones *t, uint64_t key);

#endif
