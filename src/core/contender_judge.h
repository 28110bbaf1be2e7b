#ifndef HF_CORE_CONTENDER_JUDGE_H
#define HF_CORE_CONTENDER_JUDGE_H

#include "core/contender.h"

/*
 * How a contender judges: what a look, or the host, shows of the lock and its
 * holder, and what follows from it: watch on, claim, or end the wait.
 *
 * Private to the contender.
 */

/* HF_ON_FOUND, of our own look; one that is not waited for is ignored. */
void hf_contender_judge_found(struct hf_contender *c,
                              const struct hf_event *event);

/* HF_ON_EVIDENCE; ignored unless WATCHING. */
void hf_contender_judge_evidence(struct hf_contender *c,
                                 const struct hf_event *event);

#endif
