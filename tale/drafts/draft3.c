#include "tale/drafts/draft.h"

#include "tale/specimen/specimens.h"

/* Lock, a third draft.  Bucket: allow_mult=true. */

static bool
other_or_siblings(const struct draft_sight *sight)
{
    return draft_sees_other(sight) || draft_sees_siblings(sight);
}

static const struct draft_line lines[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock. */
    {.number = 3, .verb = DRAFT_WRITE},
    /* Read lock again. */
    {.number = 4, .verb = DRAFT_READ},
    /* If the lock exists with another worker's ID or the lock contains
     * siblings, move on to another data set. */
    {.number = 5, .verb = DRAFT_MOVE_ON_IF, .when = other_or_siblings},
    /* Process data set to completion. */
    {.number = 6, .verb = DRAFT_PROCESS},
    /* Remove the lock. */
    {.number = 7, .verb = DRAFT_REMOVE},
};

const struct specimen specimen_draft3 = {
    .name = "draft3",
    .about = "the same with siblings: move on if there is a conflict",
    .expect = SPECIMEN_NOBODY,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};
