#ifndef HF_CORE_KEEPER_MOVE_H
#define HF_CORE_KEEPER_MOVE_H

#include "core/keeper.h"

/*
 * The moves of a keeper: the diagram of keeper.h, in code.  Its state changes
 * here alone.
 *
 * Private to the keeper, as every keeper_*.h is.  Calls go one way: keeper.c
 * takes an event, keeper_answer.c takes in what the store said, keeper_ask.c
 * asks the next question, and this is below all of them.
 */

/* To a state that may follow the present one. */
void hf_keeper_move_to(struct hf_keeper *k, enum hf_keeper_state next);

/* Nothing of ours is there, and no write of ours can still apply; or the keeper
 * is abandoned, and it does not matter. */
void hf_keeper_move_to_idle(struct hf_keeper *k);

/* What must be true after every step. */
void hf_keeper_move_check(const struct hf_keeper *k, struct hf_instant now);

#endif
