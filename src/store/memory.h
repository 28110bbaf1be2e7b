#ifndef HF_STORE_MEMORY_H
#define HF_STORE_MEMORY_H

#include "store/kind.h"

/*
 * A store that is a table in this process.  Every store opened with the same
 * name shares one table, which is freed when the last of them closes.  Not
 * durable; a forked child sees a copy.  To open one is HF_E_NOMEM, HF_E_LIMIT
 * when no descriptor is left, or HF_E_UNAVAILABLE when the clock is wrong.
 */
extern const struct hf_store_kind hf_memory_kind;

#endif
