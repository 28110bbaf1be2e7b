#ifndef HF_CORE_LOCKSPACE_NAMES_H
#define HF_CORE_LOCKSPACE_NAMES_H

#include "core/lockspace/parts.h"

/*
 * Names: those that anybody holds or waits for, and the spaces that they are
 * in.  A name that nobody holds or waits for is not there.  O(length).
 */

/* The name, if it is there; 0: it is not. */
uint32_t hf_names_find(struct hf_lockspace *ls, const struct hf_want *want);

/* The same, and makes it; 0: no room. */
uint32_t hf_names_get(struct hf_lockspace *ls, const struct hf_want *want);

/* Forget it, if nobody holds it or waits for it. */
void hf_names_drop_unused(struct hf_lockspace *ls, uint32_t number);

#endif
