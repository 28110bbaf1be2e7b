#ifndef HF_CORE_LOCKSPACE_OWNERS_H
#define HF_CORE_LOCKSPACE_OWNERS_H

#include "core/lockspace/parts.h"

/*
 * Owners: the sessions and their lanes.  Finding one is O(1), a lane's end
 * O(log n).
 */

/* The session of that id that is not over; 0: there is none. */
uint32_t hf_owners_session(struct hf_lockspace *ls, uint64_t id);

/* Open one, LIVE; 0: no room, or the id is taken. */
uint32_t hf_owners_open(struct hf_lockspace *ls,
                        const struct hf_loaded_session *from);

/* When it has been silent for its ttl [S2]. */
struct hf_instant hf_owners_end_of_ttl(const struct hf_ls_session *session);

/* Forget it; it has no lane, and its record is dealt with. */
/* Does it hold nothing, wait for nothing, and know of all its cleared grants?
 */
bool hf_owners_idle(const struct hf_ls_session *session);

void hf_owners_close(struct hf_lockspace *ls, uint32_t number);

/* The lane of that number in a session; 0: there is none. */
uint32_t hf_owners_lane(struct hf_lockspace *ls, uint32_t session,
                        uint64_t number);

/* Add a lane, OVER with n = 0; 0: no room. */
uint32_t hf_owners_add_lane(struct hf_lockspace *ls, uint32_t session_number,
                            uint64_t number);

/* Free the session's lowest lane, which has no claim. */
void hf_owners_remove_lowest(struct hf_lockspace *ls, uint32_t session_number);

/* The claim of request n that is HELD or REVOKED; 0: there is none. */
uint32_t hf_owners_held(struct hf_lockspace *ls, uint32_t lane_number,
                        uint64_t n);

/* The HELD claim with that fence; 0: there is none. */
uint32_t hf_owners_fence(struct hf_lockspace *ls, uint64_t fence);

/* The lane will turn to another request: keep this HELD or REVOKED claim
 * findable by its n. */
void hf_owners_set_old(struct hf_lockspace *ls, uint32_t number);

/* The claim is not HELD or REVOKED any more. */
void hf_owners_forget_held(struct hf_lockspace *ls, uint32_t number);

#endif
