#ifndef HF_BASE_BYTES_H
#define HF_BASE_BYTES_H

#include <stddef.h>

/* Some bytes of somebody else's, without a NUL behind them.  Zero is empty. */
struct hf_bytes {
    const char *at; /* borrowed, for the call if nothing else is said */
    size_t len;
};

#endif
