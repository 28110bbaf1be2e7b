#include "tale/drafts/draft.h"

/* The fourth draft, where no clock is asked: an ID stands in for the time. */

static bool
other_or_siblings_and_not_lowest(const struct draft_sight *sight)
{
    return draft_sees_other(sight) ||
           (draft_sees_siblings(sight) && !draft_is_earliest(sight));
}

static const struct draft_line lines[] = {
    {.number = 1, .verb = DRAFT_READ, .says = "Read the lock."},
    {.number = 2,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If a note is there, leave this data set alone.",
     .when = draft_sees_lock},
    {.number = 3,
     .verb = DRAFT_WRITE,
     .says = "If none is, write a note with your ID, which counts as its time.",
     .stamp = DRAFT_ID_TIME},
    {.number = 4, .verb = DRAFT_READ, .says = "Read the lock once more."},
    {.number = 5,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If it is another's note, or there are siblings of which yours "
             "has not the lowest ID, leave this data set alone.",
     .when = other_or_siblings_and_not_lowest},
    {.number = 6,
     .verb = DRAFT_PROCESS,
     .says = "Work on the data set until it is done."},
    {.number = 7, .verb = DRAFT_REMOVE, .says = "Remove the lock."},
};

const struct specimen specimen_draft4_ids = {
    .name = "draft4-ids",
    .about = "the same, where the lowest ID wins",
    .remark = "So it was not about clocks. Everybody can compare IDs, and "
              "nobody gets them wrong; a worker still can read its own note, "
              "alone, before another's has arrived. Any rule that picks a "
              "winner among notes has this hole.",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};
