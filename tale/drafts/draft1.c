#include "tale/drafts/draft.h"

/* Lock, a first draft.  Bucket: allow_mult=false. */

static const struct draft_line lines[] = {
    {.number = 1, .verb = DRAFT_READ, .says = "Read the lock."},
    {.number = 2,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If a note is there, leave this data set alone.",
     .when = draft_sees_lock},
    {.number = 3,
     .verb = DRAFT_WRITE,
     .says = "If none is, write a note with your ID."},
    {.number = 4,
     .verb = DRAFT_PROCESS,
     .says = "Work on the data set until it is done."},
    {.number = 5, .verb = DRAFT_REMOVE, .says = "Remove the lock."},
};

const struct specimen specimen_draft1 = {
    .name = "draft1",
    .about = "read whether there is a lock, create it, process",
    .remark = "Both look before either has written, and both are told the "
              "truth: there is no lock. What a worker has read is the past; "
              "between its reading and its writing the world goes on, and the "
              "store does not ask whether it has.",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    DRAFT_SPECIMEN,
};
