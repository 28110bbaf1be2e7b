#ifndef HF_SERVER_SCRATCH_H
#define HF_SERVER_SCRATCH_H

#include "core/leader.h"

/*
 * Scratch: the head of a lock server that keeps nothing.  There is no store and
 * no other node; what is written is applied at once, and ends with the process.
 *
 * Zero is a place in which nothing was ever written.  Plain; cannot fail.  One
 * thread.
 */
struct hf_scratch {
    struct hf_sight sight;
    struct hf_head_state head;
};

/* As a store's read of the head, and a write of it, are answered; `wall_us`:
 * Unix time now. */
void hf_scratch_read(struct hf_scratch *scratch, int64_t wall_us,
                     struct hf_sight *sight, struct hf_head_state *head);
enum hf_verdict hf_scratch_write(struct hf_scratch *scratch, int64_t wall_us,
                                 const struct hf_leader_effect *ask,
                                 uint64_t *version);

#endif
