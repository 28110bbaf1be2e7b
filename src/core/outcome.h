#ifndef HF_CORE_OUTCOME_H
#define HF_CORE_OUTCOME_H

#include <holdfast/holdfast.h>
#include <holdfast/view.h>

#include "base/clock.h"

/*
 * Outcome: what a wait ends with, by what was seen of its blocker.  One rule
 * for everybody who waits: for a contender, for those behind it in one client,
 * and for a lock server's.
 *
 * Plain data; cannot fail.
 */

/* What a wait waits for, as far as is known. */
enum hf_blocker_kind {
    HF_BLOCKER_UNKNOWN,
    HF_BLOCKER_PLACE,  /* it does not answer, or grants nothing to anybody */
    HF_BLOCKER_HOLDER, /* somebody has the lock */
};

struct hf_blocker {
    enum hf_blocker_kind kind;
    enum hf_life life; /* HOLDER */
    enum hf_if_dead if_dead;
    struct hf_instant since; /* HOLDER: it has the lock since then */
    struct hf_instant until; /* HOLDER: its ttl is over then, unless it is heard
                                before; PLACE: it grants nothing until then */
};

/* What the waiter wished for, and whether its limit has passed. */
struct hf_wait {
    bool try_only;       /* a sign of life ends it, and so does a suspicion */
    bool fail_suspected; /* a suspicion ends it */
    bool is_over;
    struct hf_instant began_at;
};

/* Does it end now?  Then with that status and outcome; else these are
 * untouched.  A dead holder of HF_TAKEOVER ends no wait before its limit. */
bool hf_outcome_of_wait(const struct hf_wait *wait,
                        const struct hf_blocker *blocker,
                        enum hf_status *status, enum hf_outcome *outcome);

/* Of several holders the one that a wait ends by, if any; `all` is zero at
 * first.  True: it is this one, and not one of those before. */
bool hf_blocker_add(struct hf_blocker *all, const struct hf_blocker *one);

/* Does that holder live, as far as is known? */
bool hf_blocker_lives(const struct hf_blocker *blocker);

/* Is it dead, or seems so, and is a person to clear it? */
bool hf_blocker_is_for_a_person(const struct hf_blocker *blocker);

/* Is it silent, and does its ttl end that? */
bool hf_blocker_ends_by_time(const struct hf_blocker *blocker);

#endif
