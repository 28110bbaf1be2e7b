#ifndef HF_CLIENT_CANCEL_H
#define HF_CLIENT_CANCEL_H

#include <holdfast/holdfast.h>

/*
 * The switch behind hf_cancel: two descriptors that become readable, once and
 * for all, when it is cancelled and when it is abandoned.  -1 for NULL.
 */
int hf_cancel_fd(const struct hf_cancel *cancel);
int hf_cancel_abandon_fd(const struct hf_cancel *cancel);

#endif
