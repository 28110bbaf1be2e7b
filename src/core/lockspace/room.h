#ifndef HF_CORE_LOCKSPACE_ROOM_H
#define HF_CORE_LOCKSPACE_ROOM_H

#include "core/lockspace/parts.h"

/*
 * Room for sessions: it is short while more than three quarters of those that
 * may be are open.
 */

/* So many may be open before it is. */
uint32_t hf_room_ample(const struct hf_lockspace *ls);
bool hf_room_short(const struct hf_lockspace *ls);

#endif
