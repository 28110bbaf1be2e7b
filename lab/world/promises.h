#ifndef LAB_WORLD_PROMISES_H
#define LAB_WORLD_PROMISES_H

/*
 * Promises: those of docs/guarantees.md by the names of the properties that
 * stand for them, as tables and pages print them, and what each means.
 */

#define PROMISE_OVERLAP     "overlap"
#define PROMISE_TWO_TAKERS  "two takers of one token"
#define PROMISE_STOLEN      "a live lock stolen"
#define PROMISE_LOST_LOCK   "a lock lost to nobody"
#define PROMISE_FENCE       "fence order"
#define PROMISE_RESOURCE    "fence order at the resource"
#define PROMISE_REFUSE      "refuse overridden"
#define PROMISE_ORPHAN      "a claim left behind"
#define PROMISE_LATE_ANSWER "granted when the right was over"
#define PROMISE_UNTOLD      "a running holder not told in time"
#define PROMISE_REVIVED     "held again after it was lost"
#define PROMISE_FALSE_DEATH "a living holder said to be dead"
#define PROMISE_FOREIGN     "a record touched that is not ours"
#define PROMISE_UNHEARD     "a cleared holder that never learns it"
#define PROMISE_UNNOTICED                                                      \
    "a holder that did not notice that the place went back"
#define PROMISE_STUCK        "stuck"
#define PROMISE_BOTH_BELIEVE "a frozen holder and another in the section"

struct promise {
    const char *name;
    const char *broken; /* when it is: a sentence without its full stop */
};

extern const struct promise promises[];
extern const unsigned promises_count;

/* When the promise of that name is broken, or NULL: there is none. */
const char *promises_broken(const char *name);

#endif
