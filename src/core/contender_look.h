#ifndef HF_CORE_CONTENDER_LOOK_H
#define HF_CORE_CONTENDER_LOOK_H

#include "core/contender.h"

/*
 * When a contender looks: the reads of the lock's record, how often they are
 * sent, and how many of them may fail.
 *
 * Private to the contender.
 */

/* Look now, and remember what that would prove of the holder. */
void hf_contender_look(struct hf_contender *c, struct hf_instant now);

/* Somebody holds it: look again about as often as a holder beats, unless there
 * is a reason to look before. */
void hf_contender_look_later(struct hf_contender *c, struct hf_instant now);

/* There is one: look now, unless the read that is out would show as much. */
void hf_contender_look_sooner(struct hf_contender *c, struct hf_instant now);

/* A look failed: try again after a pause, or end it if the place has never
 * answered. */
void hf_contender_look_failed(struct hf_contender *c, struct hf_instant now);

/* LOOKING or WATCHING: give up a look that is overdue, send one that is due. */
void hf_contender_look_clock(struct hf_contender *c, struct hf_instant now);

#endif
