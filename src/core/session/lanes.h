#ifndef HF_CORE_SESSION_LANES_H
#define HF_CORE_SESSION_LANES_H

#include "core/session/parts.h"

/* Lanes: the requests of a session that go one at a time [R2].  A lane with
 * nothing wanted, held or unsettled is idle, and is used again unless the
 * server has been told a lowest lane above it. */

/* The lane for a new request: that of its label, an idle one, or a new one. */
uint32_t hf_lanes_join(struct hf_session *s, uint64_t label);

/* One request of the lane is settled. */
void hf_lanes_leave(struct hf_session *s, uint32_t number);

/* The lowest lane in use, for the next message.  Idle lanes below it are never
 * used again. */
uint64_t hf_lanes_tell_lowest(struct hf_session *s);

static inline bool
hf_lanes_used(const struct hf_session *s)
{
    return s->used.count > 0;
}

#endif
