#ifndef HF_CORE_KEEPER_ANSWER_H
#define HF_CORE_KEEPER_ANSWER_H

#include "core/keeper.h"

/*
 * What the store answered a keeper, and what follows from it: a right, a
 * grant, another question, or the end of the claim.
 *
 * Private to the keeper.
 */

/* HF_ON_ANSWER and HF_ON_FOUND; one that is not waited for is ignored. */
void hf_keeper_answer_verdict(struct hf_keeper *k,
                              const struct hf_event *event);
void hf_keeper_answer_found(struct hf_keeper *k, const struct hf_event *event);

/* What was asked may have been done, or may be done at any time: the verdict
 * says so, or there was none in time. */
void hf_keeper_answer_unknown(struct hf_keeper *k, struct hf_instant now);

#endif
