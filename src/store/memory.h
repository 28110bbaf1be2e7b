#ifndef HF_STORE_MEMORY_H
#define HF_STORE_MEMORY_H

#include "store/kind.h"

/* A store that is a table in this process.  All stores of one name share one
 * table, which is freed when the last of them closes.  Not durable; a forked
 * child has a copy.  Opening: HF_E_NOMEM; HF_E_LIMIT: no descriptor is left;
 * HF_E_UNAVAILABLE: the clock is wrong. */
extern const struct hf_store_kind hf_memory_kind;

#endif
