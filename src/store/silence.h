#ifndef HF_STORE_SILENCE_H
#define HF_STORE_SILENCE_H

#include "base/clock.h"

/*
 * Silence: for how long a call may hear nothing from a server before it gives
 * its connection up, answers *unknown*, and leaves what is left of its time to
 * another connection.  A cut cable, or a lost answer, looks like that: nothing
 * ever comes.
 *
 * It is what the last answers tell: four times as long as the slowest of them,
 * a second at least, but a third of what is left at most.  A server that is
 * that slow, and alive, must not be given up each time: so it always has half
 * as much again as its slowest answer took.  What was waited for in vain counts
 * as an answer until one comes, so that the first of a slow server is heard.
 *
 * Plain data, zero is valid; one for all connections to a place, under its
 * owner's mutex; cannot fail.
 */

enum { HF_SILENCE_ANSWERS = 16 };

struct hf_silence_rule {
    int64_t answers_ms[HF_SILENCE_ANSWERS]; /* the last, anywhere */
    unsigned next;                          /* where the next one goes */
    int64_t vain_ms;   /* the longest silence since an answer came */
    unsigned failures; /* in a row */
};

/* For how long to hear nothing, from `now` on, in a call whose answer is of use
 * until then (hf_rule_soonest).  At most until then. */
struct hf_duration hf_silence_limit(const struct hf_silence_rule *rule,
                                    struct hf_instant now,
                                    struct hf_instant until);

/* The server answered, and nothing was heard for so long before. */
void hf_silence_answered(struct hf_silence_rule *rule, struct hf_duration took);

/* A connection was given up, or could not be made, after so long a silence. */
void hf_silence_failed(struct hf_silence_rule *rule, struct hf_duration waited);

/* How long to wait before the next connection is made: nothing, after an
 * answer; then 50 ms, and twice as long after each failure, up to a second. */
struct hf_duration hf_silence_pause(const struct hf_silence_rule *rule);

#endif
