#ifndef HF_CLIENT_WAIT_H
#define HF_CLIENT_WAIT_H

#include <holdfast/holdfast.h>

#include "client/client.h"
#include "client/errand.h"

/*
 * What every call that looks at one lock shares: a name that is checked, an
 * errand that is begun, waited for and left.
 */

/* The caller's side of an errand. */
struct hf_wait_options {
    hf_waiting_fn *on_waiting; /* may be NULL */
    void *ctx;
    struct hf_cancel *cancel; /* may be NULL */
};

/* HF_E_INVALID unless space (NULL: "default") and name are ones that users may
 * use. */
HF_MUST_USE enum hf_status
hf_wait_check_key(const char *space, const char *name, struct hf_error *error);

/* A new errand for `client`, neither begun nor linked; the caller's.  The key
 * has been checked. */
HF_MUST_USE enum hf_status hf_wait_open(struct hf_client *client,
                                        const char *space, const char *name,
                                        struct hf_errand **errand,
                                        struct hf_error *error);

/*
 * Link the errand, begin it with an event of `kind`, and wait until it was
 * granted or has ended, or `cancel` is abandoned; *seen tells what was seen
 * meanwhile.  Returns with the client's mutex held, and seen->observation
 * closed.  HF_E_CANCELLED: the client is closing, and the errand was freed;
 * the mutex is then not held.  HF_E_LIMIT likewise: too many open files, or
 * locks.
 */
HF_MUST_USE enum hf_status hf_wait_for(struct hf_errand *errand,
                                       enum hf_event_kind kind,
                                       const struct hf_wait_options *options,
                                       struct hf_seen *seen,
                                       struct hf_error *error);

/*
 * Wait until it has ended, or until `cancel` (may be NULL) is switched; returns
 * whether it has.  Mutex held, and given up meanwhile.
 */
bool hf_wait_ended(struct hf_errand *errand, struct hf_cancel *cancel);

/* For an errand that ended with `status` and no answer: the clause that says
 * why, with the last thing the place said.  Returns its status, which is more
 * exact than `status` where the place was unavailable for its content. */
enum hf_status hf_wait_fail(const struct hf_errand *errand,
                            enum hf_status status, const struct hf_seen *seen,
                            struct hf_error *error);

#endif
