#ifndef HF_CORE_LOCKSPACE_IDLE_H
#define HF_CORE_LOCKSPACE_IDLE_H

#include "core/lockspace/parts.h"

/* Room for sessions.  It is short while more than three quarters of the maximum
 * are open.  Then idle sessions of the address that has most of them are ended
 * [S9]. */
enum { HF_IDLE_ENDED_MAX = 64 }; /* sessions ended in one step */

bool hf_idle_room_short(const struct hf_lockspace *ls);

/* Another session is to be opened: which ones are ended before?  Returns how
 * many; mostly none, since finding out means a look at all sessions. */
uint32_t hf_idle_make_room(struct hf_lockspace *ls,
                           uint32_t sessions[HF_IDLE_ENDED_MAX]);

#endif
