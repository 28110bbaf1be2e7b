#include "tale/drafts/draft.h"

#include "tale/specimen/specimens.h"

/*
 * The tale's closing words, of "the odder edge conditions".  The lock is the
 * first draft's, with all that might help: workers come one after another, no
 * request overtakes another, and a read or remove that is answered with an
 * error is sent again.
 */

static const struct draft_line lines[] = {
    /* Worker reads to determine whether a lock exists. */
    {.number = 1, .verb = DRAFT_READ, .again = true},
    /* If it does, move on to another data set. */
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    /* If it doesn't, create a lock. */
    {.number = 3, .verb = DRAFT_WRITE},
    /* Process data set to completion. */
    {.number = 4, .verb = DRAFT_PROCESS},
    /* Remove the lock. */
    {.number = 5, .verb = DRAFT_REMOVE, .again = true},
};

/* "pw=quorum writes will return an error to the client if 2 of the primary
 * servers are not available, but the value will still be written to the 3rd
 * server and 2 fallback servers": with two faults, whose lock is that? */
const struct specimen specimen_put_failed = {
    .name = "put-failed",
    .about = "a write that answered an error is there all the same",
    .expect = SPECIMEN_NOBODY,
    .faults = 2,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_PACE] = DRAFT_CALM,
                 [DRAFT_ON] = 1,
                 [DRAFT_PRECHECK] = 1,
                 [DRAFT_DELETE_MODE] = 1},
    DRAFT_SPECIMEN,
};

/* "Deleted values reappear if servers are temporarily unavailable during the
 * deletion request": a fallback still has what all primaries have forgotten. */
const struct specimen specimen_resurrection = {
    .name = "resurrection",
    .about = "a lock that was removed comes back by a late handoff",
    .expect = SPECIMEN_RESURRECTION,
    .faults = 1,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_PACE] = DRAFT_CALM, [DRAFT_ON] = 1},
    DRAFT_SPECIMEN,
};
