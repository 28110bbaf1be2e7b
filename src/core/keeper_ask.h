#ifndef HF_CORE_KEEPER_ASK_H
#define HF_CORE_KEEPER_ASK_H

#include "core/keeper.h"

/*
 * What a keeper asks: which question in which state, and which reads and
 * writes it is made of (hf_keeper_request, which keeper.h declares).
 *
 * Private to the keeper.
 */

/* Ask what this state asks; a question that is out is superseded. */
void hf_keeper_ask(struct hf_keeper *k, struct hf_instant now);

#endif
