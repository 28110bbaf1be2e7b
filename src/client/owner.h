#ifndef HF_CLIENT_OWNER_H
#define HF_CLIENT_OWNER_H

#include "base/self.h"
#include "client/settings.h"
#include "wire/record.h"

/*
 * What a claimant says of itself: its process, known once for a client, and
 * what one lock adds to it.
 */

/*
 * Learn the start times of the processes in `settings`.  HF_E_INVALID: one is
 * not there.  When this host does not show processes, none is listed: no
 * evidence then, rather than wrong evidence.
 */
HF_MUST_USE enum hf_status hf_owner_find(struct hf_settings *settings,
                                         struct hf_error *error);

/* Who claims a lock with these settings, at `since_ms` of the wall clock.
 * Strings are cut at their limits.  Cannot fail. */
void hf_owner_fill(const struct hf_self *self,
                   const struct hf_settings *settings, int64_t since_ms,
                   struct hf_owner *owner);

#endif
