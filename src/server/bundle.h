#ifndef HF_SERVER_BUNDLE_H
#define HF_SERVER_BUNDLE_H

#include "base/arena.h"
#include "base/limits.h"
#include "core/node.h"
#include "store/store.h"

/*
 * Bundle: a batch of a leader as the operations of one group.
 *
 * It is filled once, from what the machine says when the batch is begun, and is
 * the same for every sending of the batch [J4].  The head, and the marker of
 * who was leader before, go first, and are each sending's own: there is room
 * for them.
 *
 * One thread at a time.
 */

/* How many operations a batch may have beside the head and its marker. */
enum { HF_BUNDLE_MAX = HF_GROUP_OPERATIONS_MAX - HF_REQUEST_OPS };

struct hf_bundle {
    struct hf_arena arena;   /* of names and values */
    struct hf_store_op *all; /* owned; HF_REQUEST_OPS are left for the head */
    uint64_t number;         /* of the batch; 0: no ask has named it yet */
    size_t count;
    bool failed; /* there was no memory: it can never be sent */
};

/* HF_E_NOMEM.  A zeroed bundle may be given to fini. */
HF_MUST_USE enum hf_status hf_bundle_init(struct hf_bundle *bundle,
                                          const struct hf_alloc *alloc);
void hf_bundle_fini(struct hf_bundle *bundle);

/* After HF_NODE_COLLECT: take all its changes.  `wall_ms`: Unix time now. */
void hf_bundle_collect(struct hf_bundle *bundle, struct hf_node *node,
                       int64_t wall_ms);

/* The group that begins with these operations, of which there are
 * HF_REQUEST_OPS at most.  Good until the next call. */
struct hf_store_group hf_bundle_group(struct hf_bundle *bundle,
                                      const struct hf_store_op *first,
                                      size_t first_count);

#endif
