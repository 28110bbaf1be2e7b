#ifndef HF_CORE_OUTCOME_H
#define HF_CORE_OUTCOME_H

#include <holdfast/holdfast.h>
#include <holdfast/view.h>

#include "base/clock.h"

/*
 * Outcome: how a wait ends, by what was seen of its blocker.  One rule for all
 * that wait: a contender, those behind it in one client, and requests to a lock
 * server.
 *
 * Plain data; cannot fail.
 */

/* What a request waits for, as far as is known. */
enum hf_blocker_kind {
    HF_BLOCKER_UNKNOWN,
    HF_BLOCKER_PLACE,  /* the place gives no answer, or grants nothing at all */
    HF_BLOCKER_HOLDER, /* a holder has the lock */
};

struct hf_blocker {
    enum hf_blocker_kind kind;
    enum hf_life life; /* HOLDER */
    enum hf_if_dead if_dead;
    struct hf_instant since; /* HOLDER: since when it has the lock */
    struct hf_instant until; /* HOLDER: the end of its ttl unless it is
                                heard; PLACE: until then it grants nothing */
};

/* What the waiter asked for, and whether its limit has passed. */
struct hf_wait {
    bool try_only;       /* a sign of life or a suspicion ends it */
    bool fail_suspected; /* a suspicion ends it */
    bool is_over;
    struct hf_instant began_at;
};

/* Does the wait end now?  Then *status and *outcome are set, else untouched.  A
 * dead holder of HF_TAKEOVER ends no wait before its limit. */
bool hf_outcome_of_wait(const struct hf_wait *wait,
                        const struct hf_blocker *blocker,
                        enum hf_status *status, enum hf_outcome *outcome);

/* Of several holders keep the one that decides the wait; `all` is zero at
 * first.  True: it is `one`. */
bool hf_blocker_add(struct hf_blocker *all, const struct hf_blocker *one);

/* Is that holder alive, as far as is known? */
bool hf_blocker_lives(const struct hf_blocker *blocker);

/* Is it dead, or suspected, so that only an operator can clear it? */
bool hf_blocker_is_for_a_person(const struct hf_blocker *blocker);

/* Is it silent, and will its ttl end that? */
bool hf_blocker_ends_by_time(const struct hf_blocker *blocker);

#endif
