#ifndef HF_SERVER_RETIRE_H
#define HF_SERVER_RETIRE_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "store/kind.h"

/* Why it waits: the first, or else the longest of these. */
enum hf_retire_why {
    HF_RETIRE_ALIVE,     /* the leader may be alive, and its grants */
    HF_RETIRE_GRANTED,   /* holders believe in their grants for so long */
    HF_RETIRE_FORGOTTEN, /* so do those whose grants were lost [L6] */
};

/* What is told of it: that it waits, and then what it freed. */
struct hf_retired {
    void (*waits)(void *ctx, const struct hf_retired *retired);
    void *ctx;
    struct hf_duration wait; /* for so long, unless somebody is alive; perhaps
                                0, and then waits() is not called */
    enum hf_retire_why why;
    char address[HF_HOST_MAX + 1]; /* of the server; "": it has left well */
    size_t grants;                 /* that it had given */
    bool freed;                    /* else there was nothing to free */
};

/*
 * Retire: free a store whose lock server died and will not come back, so that
 * it can keep table locks again.
 *
 * A head with a node is watched for the leader's ttl, as any lock of a dead
 * holder is; and any head for the ttl of whoever was granted anything, since
 * they may believe in it for so long, and for the grace that it says, or that a
 * loss asks for [L6].
 * If it stands, the node is taken out of it at the very version that was
 * watched: a leader that was only slow finds its next batch refused, and leads
 * no more.  Sessions and grants are deleted before, for others may have the
 * locks from then on; the audit stays.
 *
 * Blocks for that time.  Errors as hf_journal_open, and HF_E_UNAVAILABLE: a
 * node leads, and is alive; the place does not answer; something is granted
 * that no time makes free (HF_REFUSE); HF_E_CORRUPT: what is there is not ours.
 */
HF_MUST_USE enum hf_status hf_retire(const struct hf_place *place,
                                     const struct hf_alloc *alloc,
                                     struct hf_retired *retired,
                                     struct hf_error *error);

/* Does nobody lead there, as far as the leader's ttl tells?  Blocks likewise.
 * HF_E_UNAVAILABLE: a node that is alive does. */
HF_MUST_USE enum hf_status hf_unled(const struct hf_place *place,
                                    const struct hf_alloc *alloc,
                                    struct hf_error *error);

#endif
