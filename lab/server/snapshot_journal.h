#ifndef LAB_SERVER_SNAPSHOT_JOURNAL_H
#define LAB_SERVER_SNAPSHOT_JOURNAL_H

#include "lab/server/numbers.h"
#include "lab/server/snapshot.h"

/*
 * What a snapshot leaves out of a lockspace, for worlds in which a batch is
 * under way while other things happen: what is to be written, and who leads.
 * Where a batch takes all there is, nothing depends on the order of changes;
 * where it does not, the order is kept.
 */

/* The changes still to be written for grants that were given back, or are
 * void. */
enum snapshot_gone {
    SNAPSHOT_DELETE,
    SNAPSHOT_SWEEP, /* when there is room */
    SNAPSHOT_AUDIT, /* it was cleared before it had a record */
    SNAPSHOT_DELETE_AND_AUDIT,
    SNAPSHOT_GONE_KINDS,
};

enum { SNAPSHOT_GONE = 6 }; /* of each kind */

/* One that is to be written: of a session, or of a grant. */
struct snapshot_change {
    uint8_t session; /* its id; 0: it is of a grant */
    uint8_t fence;
    uint8_t mark;
};

enum { SNAPSHOT_CHANGES = 12 };

struct snapshot_journal {
    uint8_t state; /* an enum hf_lockspace_state */
    uint8_t term;
    uint8_t marks;
    uint8_t batch_through;             /* of the batch that was begun last, */
    uint8_t through;                   /* and of that which was applied last */
    uint8_t told_by[SNAPSHOT_CLIENTS]; /* the mark by which its place that is
                                         parked is told so; 0: it is, or none */
    uint8_t begun; /* number of the batch that was begun last */
    uint8_t settled;
    uint8_t silent_from; /* as records of silent sessions are to say: ticks */
    uint8_t cleared[SNAPSHOT_CLIENTS]; /* what its claims have yet to do for a
                                         clear: two bits each */
    uint8_t gone[SNAPSHOT_GONE_KINDS][SNAPSHOT_GONE]; /* fences, in order */
    struct snapshot_change
        changes[SNAPSHOT_CHANGES]; /* in order, if it counts */
};

/* Numbers of a lockspace that its world ranks together with others'. */
struct snapshot_numbers {
    struct numbers *terms;
    struct numbers *fences;
    struct numbers *marks;
    struct numbers *batches;
    struct numbers *n[SNAPSHOT_CLIENTS]; /* of each session */
    struct numbers *a[SNAPSHOT_CLIENTS];
    bool in_order; /* the order of changes counts */
};

void snapshot_add_numbers(struct hf_lockspace *ls,
                          const struct snapshot_numbers *to);

void snapshot_take_journal(const struct hf_lockspace *ls, bool in_order,
                           struct snapshot_journal *journal);

/* After snapshot_build. */
void snapshot_build_journal(const struct snapshot_journal *journal,
                            struct hf_lockspace *ls);

#endif
