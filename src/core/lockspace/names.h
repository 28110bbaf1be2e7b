#ifndef HF_CORE_LOCKSPACE_NAMES_H
#define HF_CORE_LOCKSPACE_NAMES_H

#include "core/lockspace/parts.h"

/* Names that are held or waited for, and their spaces.  Others have no entry.
 * O(length). */

/* The number of a name; 0: it has no entry. */
uint32_t hf_names_find(struct hf_lockspace *ls, const struct hf_want *want);

/* The same; makes an entry if there is none; 0: no room. */
uint32_t hf_names_get(struct hf_lockspace *ls, const struct hf_want *want);

/* Free the entry if the name is neither held nor waited for. */
void hf_names_drop_unused(struct hf_lockspace *ls, uint32_t number);

#endif
