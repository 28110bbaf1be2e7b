#ifndef HF_CORE_KEEPER_SENT_H
#define HF_CORE_KEEPER_SENT_H

#include "core/keeper.h"

/*
 * The writes that a keeper has sent, and of which it knows nothing for sure:
 * what an answer to one of them, however late, is about.
 *
 * Private to the keeper.
 */

/* The write that is out now.  The oldest is forgotten for it, and if that was a
 * claim, the keeper is unsettled from then on. */
void hf_keeper_sent_add(struct hf_keeper *k);

/* The write of that number, if it is remembered, or NULL; good until the next
 * call of this module. */
const struct hf_sent *hf_keeper_sent_find(const struct hf_keeper *k,
                                          uint64_t number);

/* What became of it is known for sure. */
void hf_keeper_sent_remove(struct hf_keeper *k, uint64_t number);

/* May a claim still apply, or have been applied? */
bool hf_keeper_sent_claims(const struct hf_keeper *k);

/* None of them matters any more. */
void hf_keeper_sent_forget(struct hf_keeper *k);

#endif
