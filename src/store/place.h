#ifndef HF_STORE_PLACE_H
#define HF_STORE_PLACE_H

#include <stddef.h>

#include "store/kind.h"

/* Places as people write them, and the table of their kinds.  Any thread. */

/*
 * Read a place.  HF_E_INVALID: no place, not one of this build, too long, or
 * relative: then *error has the absolute one to write.  *place is untouched
 * unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_place_parse(const char *text,
                                          struct hf_place *place,
                                          struct hf_error *error);

/* Does it begin with a known scheme?  A caller with more kinds, or other words,
 * asks this before hf_place_parse. */
bool hf_place_is(const char *text);

/*
 * Write the place for those who name none: sqlite:/var/lib/holdfast/locks.db
 * for root, else $XDG_STATE_HOME/holdfast/locks.db or
 * ~/.local/state/holdfast/locks.db.  HF_E_INVALID: there is no home folder.
 * HF_E_LIMIT: it is longer than `size`.  *buffer is untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_place_default(char *buffer, size_t size);

#endif
