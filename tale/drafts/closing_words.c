#include "tale/drafts/draft.h"

/*
 * The tale's closing words: what can also happen.  The lock is the
 * first draft's, with all that might help: workers come one after another, no
 * request overtakes another, and a read or remove that is answered with an
 * error is sent again.
 */

static const struct draft_line lines[] = {
    {.number = 1, .verb = DRAFT_READ, .says = "Read the lock.", .again = true},
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
    {.number = 5,
     .verb = DRAFT_REMOVE,
     .says = "Remove the lock.",
     .again = true},
};

/* Two faults, and a write at pw=quorum: whose lock is that? */
const struct specimen specimen_put_failed = {
    .name = "put-failed",
    .about = "a write that answered an error is there all the same",
    .remark = "Two of the three machines that own the lock are down, so the "
              "answer is an error, for those that count have not stored it. "
              "But one has, and two that stand in. An error is no promise "
              "that nothing happened: the worker moves on, and all who come "
              "respect the lock of one who has left.",
    .expect = SPECIMEN_NOBODY,
    .faults = 2,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_PACE] = DRAFT_CALM,
                 [DRAFT_ON] = 1,
                 [DRAFT_PRECHECK] = 1,
                 [DRAFT_DELETE_MODE] = 1},
    DRAFT_SPECIMEN,
};

/* A fallback still has what all primaries have forgotten. */
const struct specimen specimen_resurrection = {
    .name = "resurrection",
    .about = "a lock that was removed comes back by a late handoff",
    .remark = "To remove is harder than to write: that there was something to "
              "remove must be remembered for as long as a copy of it can turn "
              "up. One machine is down while the lock is kept and removed; "
              "what stands in for it delivers the note when all others have "
              "forgotten it.",
    .expect = SPECIMEN_RESURRECTION,
    .faults = 1,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_PACE] = DRAFT_CALM, [DRAFT_ON] = 1},
    DRAFT_SPECIMEN,
};
