#include "tale/drafts/draft.h"

#include "tale/specimen/specimens.h"

/* Lock, a second draft.  Bucket: allow_mult=false. */

static const struct draft_line lines[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock. */
    {.number = 3, .verb = DRAFT_WRITE},
    /* Read lock again. */
    {.number = 4, .verb = DRAFT_READ},
    /* If the lock exists with another worker's ID, move on. */
    {.number = 5, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_other},
    /* Process data set to completion: the document's last event says that both
     * do, and none says when they start. */
    {.number = 6, .verb = DRAFT_PROCESS, .untold = true},
    /* Remove the lock. */
    {.number = 7, .verb = DRAFT_REMOVE},
};

const struct specimen specimen_draft2 = {
    .name = "draft2",
    .about = "the same, and read the lock again before processing",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    DRAFT_SPECIMEN,
};
