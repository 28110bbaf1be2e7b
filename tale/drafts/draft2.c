#include "tale/drafts/draft.h"

/* Lock, a second draft.  Bucket: allow_mult=false. */

static const struct draft_line lines[] = {
    {.number = 1, .verb = DRAFT_READ, .says = "Read the lock."},
    {.number = 2,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If a note is there, leave this data set alone.",
     .when = draft_sees_lock},
    {.number = 3,
     .verb = DRAFT_WRITE,
     .says = "If none is, write a note with your ID."},
    {.number = 4, .verb = DRAFT_READ, .says = "Read the lock once more."},
    {.number = 5,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If it is another's note, leave this data set alone.",
     .when = draft_sees_other},
    /* The document's last event says that both do, and none says when they
     * start. */
    {.number = 6,
     .verb = DRAFT_PROCESS,
     .says = "Work on the data set until it is done.",
     .untold = true},
    {.number = 7, .verb = DRAFT_REMOVE, .says = "Remove the lock."},
};

const struct specimen specimen_draft2 = {
    .name = "draft2",
    .about = "the same, and read the lock again before processing",
    .remark = "Whoever has written a program with threads has met this: to "
              "look and to write are two operations, and those of others come "
              "between them. To look once more makes them three, not one. "
              "That a worker finds its own note tells only that nobody has "
              "written over it yet.",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    DRAFT_SPECIMEN,
};
