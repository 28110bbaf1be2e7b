#ifndef HF_CORE_SESSION_LANES_H
#define HF_CORE_SESSION_LANES_H

#include "core/session/parts.h"

/*
 * Lanes: who of a session asks [R2].  A lane asks for one thing at a time; once
 * nothing of it is wanted, held or unsettled it is idle, and used again, unless
 * the server was told meanwhile that it is below the lowest in use.
 */

/* The lane of a new wish: that of its label, an idle one, or a new one. */
uint32_t hf_lanes_join(struct hf_session *s, uint64_t label);

/* One wish of it is settled. */
void hf_lanes_leave(struct hf_session *s, uint32_t number);

/* What a message says: the lowest lane that holds or asks.  Idle ones below it
 * are never used again. */
uint64_t hf_lanes_tell_lowest(struct hf_session *s);

static inline bool
hf_lanes_used(const struct hf_session *s)
{
    return s->used.count > 0;
}

#endif
