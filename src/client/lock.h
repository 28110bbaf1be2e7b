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

#endif
