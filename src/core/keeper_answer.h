#ifndef HF_CORE_KEEPER_ANSWER_H
#define HF_CORE_KEEPER_ANSWER_H

#include "core/keeper.h"

/*
 * What the store answered a keeper, and what follows from it: a right, a
 * grant, another question, or the end of the claim.
 *
 * Private to the keeper.
 */

/* HF_ON_ANSWER, whenever it comes; HF_ON_FOUND, if it is waited for. */
void hf_keeper_answer_verdict(struct hf_keeper *k,
                              const struct hf_event *event);
void hf_keeper_answer_found(struct hf_keeper *k, const struct hf_event *event);

/* HF_ON_WENT_BACK: what the place said does not count any more. */
void hf_keeper_answer_went_back(struct hf_keeper *k, struct hf_instant now);

#endif
