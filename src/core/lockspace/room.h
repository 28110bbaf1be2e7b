#ifndef HF_CORE_LOCKSPACE_ROOM_H
#define HF_CORE_LOCKSPACE_ROOM_H

#include "core/lockspace/parts.h"

/*
 * Room for sessions: it is short while more than three quarters of those that
 * may be are open.  Then idle ones go, of the address that has most of these
 * [S9].
 */
enum { HF_ROOM_GO_MAX = 64 }; /* sessions, in one step */

bool hf_room_short(const struct hf_lockspace *ls);

/* Another is to be opened: which go before?  How many; none most of the time,
 * for to find out is to look at all. */
uint32_t hf_room_make(struct hf_lockspace *ls,
                      uint32_t sessions[HF_ROOM_GO_MAX]);

#endif
