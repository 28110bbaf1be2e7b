#ifndef HF_CORE_LOCKSPACE_LOAD_H
#define HF_CORE_LOCKSPACE_LOAD_H

#include "core/lockspace/parts.h"

/*
 * Load: what a new leader finds in the store [L2].  A grant whose session is
 * not there is void, and is swept [S3].  What cannot be, fails the load.
 */

void hf_load_session(struct hf_lockspace *ls,
                     const struct hf_loaded_session *from);
void hf_load_grant(struct hf_lockspace *ls, const struct hf_loaded_grant *from);

#endif
