#ifndef HF_CLIENT_ROUND_H
#define HF_CLIENT_ROUND_H

#include "base/arena.h"
#include "client/client.h"

/*
 * Round: all questions that wait go to the store, and the answers come back.
 *
 *   queue --> parcels, sorted --> one commit for all writes --> answers
 *                             --> then the reads, one by one --> answers
 *
 * A record stands once in a commit, so a second write of it waits for the next
 * round.  What cannot be carried, for want of memory, surely was not done:
 * unavailable.
 */

/* Carry what is in the queue.  On the courier's thread; mutex held on entry
 * and return, not while the store works.  `arena` is to be reset afterwards. */
void hf_round_carry(struct hf_client *client, struct hf_arena *arena);

#endif
