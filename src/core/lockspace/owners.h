#ifndef HF_CORE_LOCKSPACE_OWNERS_H
#define HF_CORE_LOCKSPACE_OWNERS_H

#include "core/lockspace/parts.h"

/*
 * Owners: the sessions and their lanes.  Finding one is O(1), a lane's end
 * O(log n).
 */

/* The session of that id, if it is not over; 0: there is none. */
uint32_t hf_owners_session(struct hf_lockspace *ls, uint64_t id);

/* A new one, LIVE; 0: no room, or the id is taken. */
uint32_t hf_owners_open(struct hf_lockspace *ls,
                        const struct hf_loaded_session *from);

/* When it is silent for its ttl [S2]. */
struct hf_instant hf_owners_end_of_ttl(const struct hf_ls_session *session);

/* Forget it; it has no lane, and its record is dealt with. */
/* Does it hold nothing, wait for nothing, and have no grant whose clear it was
 * not told of? */
bool hf_owners_idle(const struct hf_ls_session *session);

void hf_owners_close(struct hf_lockspace *ls, uint32_t number);

/* A session's lane of that number; 0: there is none. */
uint32_t hf_owners_lane(struct hf_lockspace *ls, uint32_t session,
                        uint64_t number);

/* A new one, OVER with n = 0; 0: no room. */
uint32_t hf_owners_add_lane(struct hf_lockspace *ls, uint32_t session_number,
                            uint64_t number);

/* Forget a session's lowest lane; it has no claim. */
void hf_owners_remove_lowest(struct hf_lockspace *ls, uint32_t session_number);

/* The claim of a lane's request n that is HELD or REVOKED; 0: none. */
uint32_t hf_owners_held(struct hf_lockspace *ls, uint32_t lane_number,
                        uint64_t n);

/* The claim that is HELD under that fence; 0: none. */
uint32_t hf_owners_fence(struct hf_lockspace *ls, uint64_t fence);

/* From the next step on another request is the lane's last: this claim, HELD
 * or REVOKED, is found by its number. */
void hf_owners_set_old(struct hf_lockspace *ls, uint32_t number);

/* It is HELD or REVOKED no more. */
void hf_owners_forget_held(struct hf_lockspace *ls, uint32_t number);

#endif
