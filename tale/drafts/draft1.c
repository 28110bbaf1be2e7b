#include "tale/drafts/draft.h"

#include "tale/specimen/specimens.h"

/* Lock, a first draft.  Bucket: allow_mult=false. */

static const struct draft_line lines[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock. */
    {.number = 3, .verb = DRAFT_WRITE},
    /* Process data set to completion. */
    {.number = 4, .verb = DRAFT_PROCESS},
    /* Remove the lock. */
    {.number = 5, .verb = DRAFT_REMOVE},
};

const struct specimen specimen_draft1 = {
    .name = "draft1",
    .about = "read whether there is a lock, create it, process",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    DRAFT_SPECIMEN,
};
