#ifndef HF_CORE_TERMS_H
#define HF_CORE_TERMS_H

#include <stdbool.h>

#include <holdfast/words.h>

/*
 * Terms: what a holder says of its lock in the record, and keeps to.  Fixed for
 * a generation of the record; they bind every waiter.
 *
 * Plain data; cannot fail.
 */
struct hf_terms {
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    struct hf_duration beat;
};

/*
 * How much earlier than ttl a holder stops believing: max(250 ms, ttl / 20).
 * It covers clock grain, rates up to 2.5 % apart either way, and the latency
 * of a kill.
 */
struct hf_duration hf_margin(struct hf_duration ttl);

/* ttl within limits, beat at least 1 ms, ttl >= 3 * beat + grace + margin. */
bool hf_terms_valid(const struct hf_terms *terms, struct hf_duration grace);

#endif
