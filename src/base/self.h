#ifndef HF_BASE_SELF_H
#define HF_BASE_SELF_H

#include "base/process.h"

/*
 * The data about itself that a process writes into a claim: for people, and as
 * evidence of its end.  Plain data, constant once it is filled in.
 */
struct hf_self {
    struct hf_host host;
    char user[HF_USER_MAX + 1];
    char command[HF_COMMAND_MAX + 1]; /* its command line, safe to print */
    struct hf_process process; /* start 0: this host does not show processes */
};

/* Ask the kernel.  A field that cannot be learnt is left empty.  Cannot
 * fail. */
void hf_self_learn(struct hf_self *self);

#endif
