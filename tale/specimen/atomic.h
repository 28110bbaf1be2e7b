#ifndef TALE_SPECIMEN_ATOMIC_H
#define TALE_SPECIMEN_ATOMIC_H

#include "tale/specimen/key.h"

/*
 * Atomic: a key without replicas, on which each operation is one step.
 *
 * A read is answered at once.  A write or remove is issued, and arrives in a
 * later step; whoever wants it atomic lets it arrive before anything else.
 * With siblings, a write without a context is added beside what is there, as
 * Riak does with allow_mult=true; without, the last one to arrive stays.
 *
 * Plain bytes without padding: equal keys are equal bytes.
 */

struct atomic_request {
    uint8_t flags; /* of atomic.c; 0: none is under way */
    struct key_value value;
};

struct atomic {
    uint8_t siblings; /* 1: it keeps them */
    uint8_t count;    /* of values: 0 or 1, or more siblings */
    struct key_value values[KEY_SIBLINGS_MAX]; /* in the order of arrival */
    struct atomic_request issued[KEY_WORKERS_MAX];
    uint8_t answer[KEY_WORKERS_MAX]; /* of atomic.c; 0: none waits */
    uint8_t seen[KEY_WORKERS_MAX];   /* IDs the last read showed: 1 << id */
};

/* What may happen to a write or remove that was issued. */
enum atomic_code {
    ATOMIC_ARRIVES,
    ATOMIC_ERRS_DONE,   /* a fault: it arrives, and answers an error */
    ATOMIC_ERRS_UNDONE, /* a fault: an error, and it never arrives */
};

void atomic_init(struct atomic *key, bool siblings);

/* One request at a time for each worker. */
void atomic_issue(struct atomic *key, unsigned worker,
                  struct key_request request);
void atomic_step(struct atomic *key, struct key_step step);
bool atomic_answer(struct atomic *key, unsigned worker,
                   struct key_answer *answer);

/* Is a request of this worker's on its way? */
bool atomic_is_under_way(const struct atomic *key, unsigned worker);

#endif
