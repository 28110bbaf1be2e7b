#include "tale/drafts/draft.h"

/* Lock, a fourth draft.  Bucket: allow_mult=true. */

static bool
other_or_siblings_and_not_earliest(const struct draft_sight *sight)
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
     .says =
         "If none is, write a note with your ID and the time of your clock.",
     .stamp = DRAFT_TIME},
    {.number = 4, .verb = DRAFT_READ, .says = "Read the lock once more."},
    /* The document says "or" and "and" without brackets. */
    {.number = 5,
     .verb = DRAFT_MOVE_ON_IF,
     .says = "If it is another's note, or there are siblings of which yours is "
             "not the earliest, leave this data set alone.",
     .when = other_or_siblings_and_not_earliest},
    {.number = 6,
     .verb = DRAFT_PROCESS,
     .says = "Work on the data set until it is done."},
    {.number = 7, .verb = DRAFT_REMOVE, .says = "Remove the lock."},
};

/* All clocks agree, but a write takes time. */
const struct specimen specimen_draft4 = {
    .name = "draft4",
    .about = "the earliest timestamp wins; a write takes time to arrive",
    .remark = "Worker #1 looks at its clock first, and its write is longer "
              "under way, as where the machine that it asked has too much to "
              "do. Both run on one host here, and no clock is wrong. To be "
              "earlier is worth nothing while the other has not heard of it.",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1, [DRAFT_SPLIT] = 1},
    DRAFT_SPECIMEN,
};

/* What a reader of the fourth draft objects, and is right where nothing comes
 * between attempt and arrival. */
const struct specimen specimen_draft4_perfect = {
    .name = "draft4-perfect",
    .about = "the same, where a write arrives as it is issued",
    .remark = "Surely whoever writes first has the earlier time? Here it is "
              "so, and then the draft holds. Look at what that takes: clocks "
              "that agree always, and writes that take no time. The first is "
              "what the greatest buy atomic clocks and receivers of "
              "satellites for, and all that these do is to make the error "
              "small and its bound known, which must then be waited out. The "
              "second is not to be had.",
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1},
    DRAFT_SPECIMEN,
};

/* The footnote on clocks. */
const struct specimen specimen_draft4_skew = {
    .name = "draft4-skew",
    .about = "the same, where each clock is 3 behind the next worker's",
    .remark = "No clock needs to be broken for that. ntpd sets one back, or a "
              "person who wants it right; each machine's runs at its own "
              "speed until then. So a later note has an earlier time.",
    .expect = PROMISE_OVERLAP,
    .text = DRAFT_TEXT(lines),
    .defaults = {[DRAFT_MULT] = 1, [DRAFT_SKEW] = 3},
    DRAFT_SPECIMEN,
};
