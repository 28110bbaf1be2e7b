#ifndef HF_SERVER_MEANT_H
#define HF_SERVER_MEANT_H

#include "core/lockspace/look.h"

/*
 * Meant: of which of its lane's requests a message is that names a lock.
 *
 * Plain; cannot fail.  One thread.
 */

/* A release without a number: the request that holds the lock, the one of which
 * it was cleared, or else the lane's last. */
uint64_t hf_meant_release(struct hf_lockspace *table,
                          const struct hf_message *m,
                          const struct hf_want *lock);

/* Why the request `m->n` is not of that lock; NULL: it is, or nothing is known
 * of its locks any more. */
const char *hf_meant_another(struct hf_lockspace *table,
                             const struct hf_message *m,
                             const struct hf_want *lock);

#endif
