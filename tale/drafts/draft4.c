#include "tale/drafts/draft.h"

#include "tale/specimen/specimens.h"

/* Lock, a fourth draft.  Bucket: allow_mult=true. */

static bool
other_or_siblings_and_not_earliest(const struct draft_sight *sight)
{
    return draft_sees_other(sight) ||
           (draft_sees_siblings(sight) && !draft_is_earliest(sight));
}

static const struct draft_line lines[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock with a timestamp. */
    {.number = 3, .verb = DRAFT_WRITE, .stamp = DRAFT_TIME},
    /* Read lock again. */
    {.number = 4, .verb = DRAFT_READ},
    /* If the lock exists with another worker's ID or the lock contains
     * siblings and its timestamp is not the earliest, move on. */
    {.number = 5,
     .verb = DRAFT_MOVE_ON_IF,
     .when = other_or_siblings_and_not_earliest},
    /* Process data set to completion. */
    {.number = 6, .verb = DRAFT_PROCESS},
    /* Remove the lock. */
    {.number = 7, .verb = DRAFT_REMOVE},
};

/* "Perhaps worker #1 started its write earlier": all clocks agree, but a write
 * takes time. */
const struct specimen specimen_draft4 = {
    .name = "draft4",
    .about = "the earliest timestamp wins; a write takes time to arrive",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1, [DRAFT_SPLIT] = 1},
    DRAFT_SPECIMEN,
};

/* "Clearly worker #2 would have the lower timestamp because it attempted its
 * write first": so it is, when nothing comes between attempt and arrival. */
const struct specimen specimen_draft4_perfect = {
    .name = "draft4-perfect",
    .about = "the same, where a write arrives as it is issued",
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};

/* "Clocks are inherently untrustworthy." */
const struct specimen specimen_draft4_skew = {
    .name = "draft4-skew",
    .about = "the same, where each clock is 3 behind the next worker's",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1, [DRAFT_SKEW] = 3},
    DRAFT_SPECIMEN,
};

/* "The same failure could occur if, instead of using timestamps for comparison
 * purposes, the ID of each worker was used." */
static const struct draft_line lines_of_ids[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock with the ID as timestamp. */
    {.number = 3, .verb = DRAFT_WRITE, .stamp = DRAFT_ID_TIME},
    /* Read lock again. */
    {.number = 4, .verb = DRAFT_READ},
    /* If the lock exists with another worker's ID or the lock contains
     * siblings and its timestamp is not the earliest, move on. */
    {.number = 5,
     .verb = DRAFT_MOVE_ON_IF,
     .when = other_or_siblings_and_not_earliest},
    /* Process data set to completion. */
    {.number = 6, .verb = DRAFT_PROCESS},
    /* Remove the lock. */
    {.number = 7, .verb = DRAFT_REMOVE},
};

const struct specimen specimen_draft4_ids = {
    .name = "draft4-ids",
    .about = "the same, where the lowest ID wins",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines_of_ids),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};
