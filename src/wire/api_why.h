#ifndef HF_WIRE_API_WHY_H
#define HF_WIRE_API_WHY_H

#include "base/text.h"
#include "core/lockspace/look.h"

/*
 * Why a lock of a server's is not granted, as JSON for people who must decide
 * what to do: docs/api.md.
 *
 *   {"verdict":"silent","says":"…","advice":"…","lock":{…}}
 *
 *   alive      its holder was heard within half of its ttl
 *   silent     it was not, or not since this node leads, and may be
 *   suspected  nor within its ttl, and is never taken over (if_dead refuse)
 *   waiting    nobody holds it, and who comes first cannot go yet
 *
 * Of several holders it is about the one that was silent for longest.  The lock
 * is as hf_api_look_lock shows it.  Allocates nothing; the machine is only
 * looked at.
 */
void hf_api_why(struct hf_lockspace *ls, const struct hf_look_name *row,
                size_t rows_max, struct hf_text *text);

#endif
