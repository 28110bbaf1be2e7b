#ifndef HF_STORE_SQLITE_H
#define HF_STORE_SQLITE_H

#include "store/place.h"
#include "store/store.h"

/*
 * A store that is a SQLite file, shared by the processes of one machine.
 * Creates the file and its folder when absent, unless it is to look only, as
 * hf_store_look_at says.  Statuses as hf_store_open.
 *
 * A wait is woken by commits of this program, at once, and of other programs
 * when they close the place; else it looks every five seconds.  Beside the
 * first look of each, all waits of a process together look at most 20 times a
 * second for nothing, and ten for long, whatever is committed under other
 * names; and ten times as often where each look names a key.
 */
HF_MUST_USE enum hf_status hf_sqlite_open(const struct hf_place *place,
                                          enum hf_store_use use,
                                          const struct hf_alloc *alloc,
                                          struct hf_store **store,
                                          struct hf_error *error);

#endif
