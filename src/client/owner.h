#ifndef HF_CLIENT_OWNER_H
#define HF_CLIENT_OWNER_H

#include <sys/types.h>

#include "base/process.h"
#include "wire/record.h"

/* What a claimant says of itself. */
struct hf_owner_words {
    const char *command;    /* NULL: this process's own command line */
    const char *reason;     /* may be NULL */
    const pid_t *processes; /* whose end proves it gone */
    size_t processes_count; /* zero: this process alone */
};

/*
 * Fill in who claims on `host`.  Strings are cut at their limits; the moment
 * (since_ms) is left to whoever sends the claim.  HF_E_INVALID: a process of
 * the list is not there.  When this host does not show processes at all, none
 * is listed: no evidence then, rather than wrong evidence.
 */
HF_MUST_USE enum hf_status hf_owner_fill(const struct hf_host *host,
                                         const struct hf_owner_words *words,
                                         struct hf_owner *owner,
                                         struct hf_error *error);

#endif
