#ifndef HF_STORE_MEMORY_H
#define HF_STORE_MEMORY_H

#include "store/store.h"

/*
 * A store that is a table in this process.  Every store opened with the same
 * name shares one table, which is freed when the last of them closes.  Not
 * durable; a forked child sees a copy.  HF_E_NOMEM, HF_E_LIMIT when no
 * descriptor is left, or HF_E_UNAVAILABLE when the clock is wrong.
 */
HF_MUST_USE enum hf_status hf_memory_open(const char *name,
                                          const struct hf_alloc *alloc,
                                          struct hf_store **store,
                                          struct hf_error *error);

#endif
