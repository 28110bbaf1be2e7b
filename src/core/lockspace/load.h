#ifndef HF_CORE_LOCKSPACE_LOAD_H
#define HF_CORE_LOCKSPACE_LOAD_H

#include "core/lockspace/parts.h"

/* Load: what a new leader reads from the store [L2].  A grant without its
 * session is void, and will be deleted [S3].  A contradiction fails the load.
 */

void hf_load_session(struct hf_lockspace *ls,
                     const struct hf_loaded_session *from);

/* When a loaded session is looked at that has not been heard until then. */
struct hf_instant hf_load_first_timer(const struct hf_ls_session *session);

void hf_load_grant(struct hf_lockspace *ls, const struct hf_loaded_grant *from);

#endif
