#ifndef HF_CLIENT_OPEN_H
#define HF_CLIENT_OPEN_H

#include <holdfast/holdfast.h>

#include "base/alloc.h"
#include "store/store.h"

/*
 * How a client begins, hf_open, and ends, hf_close: the one place that knows
 * it with its threads, its errands and its store.
 */

/*
 * hf_open on a store already open; takes `store` on HF_OK.  `place` is its
 * URL.  HF_E_NOMEM, HF_E_LIMIT.
 */
HF_MUST_USE enum hf_status hf_open_on(struct hf_store *store, const char *place,
                                      const struct hf_alloc *alloc,
                                      struct hf_client **client,
                                      struct hf_error *error);

#endif
