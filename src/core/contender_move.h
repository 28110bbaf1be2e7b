#ifndef HF_CORE_CONTENDER_MOVE_H
#define HF_CORE_CONTENDER_MOVE_H

#include "core/contender.h"

/*
 * The moves of a contender: the diagram of contender.h, in code.  Its state
 * changes here alone.
 *
 * Private to the contender, as every contender_*.h is.  Calls go one way:
 * contender.c takes an event, contender_judge.c judges what a look showed,
 * contender_claim.c lets the keeper claim, contender_look.c looks again, and
 * this is below all of them.
 */

/* To a state that may follow the present one. */
void hf_contender_move_to(struct hf_contender *c, enum hf_contender_state next);

/* It is over: ask nothing more, and tell so. */
void hf_contender_move_to_end(struct hf_contender *c, enum hf_status status,
                              enum hf_outcome outcome);

/* What must be true after every step. */
void hf_contender_move_check(const struct hf_contender *c);

#endif
