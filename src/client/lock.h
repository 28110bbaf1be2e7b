#ifndef HF_CLIENT_LOCK_H
#define HF_CLIENT_LOCK_H

#include "client/handle.h"
#include "client/settings.h"

/* A lock: a handle with the settings of one wish.  What became of the wish is
 * known to the place behind it. */
struct hf_lock {
    struct hf_handle handle;
    struct hf_settings settings;
};

/* What a wish from a signal handler asks; entered. */
void hf_lock_obey(struct hf_lock *lock, enum hf_wish wish);

/* Its state; entered. */
enum hf_state hf_lock_state_now(const struct hf_lock *lock);

/* It was freed and has ended: give its memory back.  Entered. */
void hf_lock_destroy(struct hf_lock *lock);

/* The caller has freed it, or the client is being closed: give it up or back.
 * Entered. */
void hf_lock_settle(struct hf_lock *lock);

#endif
