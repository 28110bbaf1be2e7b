#ifndef LAB_SERVER_PICTURE_JOURNAL_H
#define LAB_SERVER_PICTURE_JOURNAL_H

#include "lab/server/numbers.h"
#include "lab/server/picture.h"

/*
 * What a picture leaves out of a lockspace, for worlds in which a batch is
 * under way while other things happen: what is to be written, and who leads.
 * Where a batch takes all there is, nothing depends on the order of changes;
 * where it does not, the order is kept.
 */

/* What is still to be written of what was given back, or is void. */
enum picture_gone {
    PICTURE_DELETE,
    PICTURE_SWEEP, /* when there is room */
    PICTURE_AUDIT, /* it was cleared before it had a record */
    PICTURE_DELETE_AND_AUDIT,
    PICTURE_GONE_KINDS,
};

enum { PICTURE_GONE = 6 }; /* of each kind */

/* One that is to be written: of a session, or of a grant. */
struct picture_change {
    uint8_t session; /* its id; 0: it is of a grant */
    uint8_t fence;
    uint8_t mark;
};

enum { PICTURE_CHANGES = 12 };

struct picture_journal {
    uint8_t state; /* an enum hf_lockspace_state */
    uint8_t term;
    uint8_t marks;
    uint8_t batch_through;            /* of the batch that was begun last, */
    uint8_t through;                  /* and of that which was applied last */
    uint8_t told_by[PICTURE_CLIENTS]; /* the mark by which its place that is
                                         parked is told so; 0: it is, or none */
    uint8_t begun; /* number of the batch that was begun last */
    uint8_t settled;
    uint8_t cleared[PICTURE_CLIENTS]; /* what its claims have yet to do for a
                                         clear: two bits each */
    uint8_t gone[PICTURE_GONE_KINDS][PICTURE_GONE]; /* fences, in order */
    struct picture_change changes[PICTURE_CHANGES]; /* in order, if it counts */
};

/* Numbers of a lockspace that its world ranks together with others'. */
struct picture_numbers {
    struct numbers *terms;
    struct numbers *fences;
    struct numbers *marks;
    struct numbers *batches;
    struct numbers *n[PICTURE_CLIENTS]; /* of each session */
    struct numbers *a[PICTURE_CLIENTS];
    bool in_order; /* the order of changes counts */
};

void picture_add_numbers(struct hf_lockspace *ls,
                         const struct picture_numbers *to);

void picture_take_journal(const struct hf_lockspace *ls, bool in_order,
                          struct picture_journal *journal);

/* After picture_build. */
void picture_build_journal(const struct picture_journal *journal,
                           struct hf_lockspace *ls);

#endif
