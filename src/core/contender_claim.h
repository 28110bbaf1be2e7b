#ifndef HF_CORE_CONTENDER_CLAIM_H
#define HF_CORE_CONTENDER_CLAIM_H

#include "core/contender.h"

/*
 * A contender's claims: made, followed and left by way of its keeper.
 *
 * Private to the contender.
 */

/* Claim the lock at `version`, absent or a dead holder's; `over` is that
 * holder's token, or 0. */
void hf_contender_claim(struct hf_contender *c, struct hf_instant now,
                        uint64_t version, uint64_t over);

/* Step the keeper, pass its questions on, and take in what it tells. */
void hf_contender_claim_step(struct hf_contender *c, struct hf_event event);

/* Give up or give back: the keeper settles what it has, and when that is done
 * the contender ends with this. */
void hf_contender_claim_leave(struct hf_contender *c, struct hf_instant now,
                              enum hf_status status, enum hf_outcome outcome);

/* CLAIMING: may it go on past the limit?  A claim on its way gets its answer;
 * one whose answer was lost, one which has no right yet, and one that the store
 * was not there to take, is given up. */
bool hf_contender_claim_may_go_on(const struct hf_contender *c);
void hf_contender_claim_give_up(struct hf_contender *c, struct hf_instant now);

#endif
