#include "tale/drafts/draft.h"

/* Lock, a third draft.  Bucket: allow_mult=true. */

static bool
other_or_siblings(const struct draft_sight *sight)
{
    return draft_sees_other(sight) || draft_sees_siblings(sight);
}

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
     .says = "If it is another's note, or there are siblings, leave this data "
             "set alone.",
     .when = other_or_siblings},
    {.number = 6,
     .verb = DRAFT_PROCESS,
     .says = "Work on the data set until it is done."},
    {.number = 7, .verb = DRAFT_REMOVE, .says = "Remove the lock."},
};

const struct specimen specimen_draft3 = {
    .name = "draft3",
    .about = "the same with siblings: move on if there is a conflict",
    .remark = "Each sees two notes, takes it for a conflict, and gives way. "
              "Nothing is ever done twice, but nothing need be done at all: "
              "it is safe, and it starves. The notes stay behind for all who "
              "come later.",
    .expect = SPECIMEN_NOBODY,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};
