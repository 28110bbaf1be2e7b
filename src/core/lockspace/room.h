#ifndef HF_CORE_LOCKSPACE_ROOM_H
#define HF_CORE_LOCKSPACE_ROOM_H

#include "core/lockspace/parts.h"

/* Room for sessions.  It is short while more than three quarters of the maximum
 * are open.  Then idle sessions of the address that has most of them are ended
 * [S9]. */
enum { HF_ROOM_GO_MAX = 64 }; /* sessions ended in one step */

bool hf_room_short(const struct hf_lockspace *ls);

/* Another session is to be opened: which ones are ended before?  Returns how
 * many; mostly none, since finding out means a look at all sessions. */
uint32_t hf_room_make(struct hf_lockspace *ls,
                      uint32_t sessions[HF_ROOM_GO_MAX]);

#endif
