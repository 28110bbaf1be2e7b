#ifndef HF_CLIENT_OWNER_H
#define HF_CLIENT_OWNER_H

#include "base/process.h"
#include "client/settings.h"
#include "wire/record.h"

/*
 * What a claimant says of itself: its process, known once for a client, and
 * what one lock adds to it.
 */

/* This process.  Plain data, constant once it is filled in. */
struct hf_self {
    struct hf_host host;
    char user[HF_USER_MAX + 1];
    char command[HF_COMMAND_MAX + 1]; /* its command line, safe to print */
    struct hf_process process; /* start 0: this host does not show processes */
};

/* Ask the kernel.  What cannot be learnt is left empty.  Cannot fail. */
void hf_self_learn(struct hf_self *self);

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
