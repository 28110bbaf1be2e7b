#ifndef HF_STORE_SQLITE_H
#define HF_STORE_SQLITE_H

#include "store/place.h"
#include "store/store.h"

/*
 * A store that is a SQLite file, shared by the processes of one machine.
 * Creates the file and its folder when absent, unless it is to look only, as
 * hf_store_look_at says.  Statuses as hf_store_open.
 */
HF_MUST_USE enum hf_status hf_sqlite_open(const struct hf_place *place,
                                          bool look_only,
                                          const struct hf_alloc *alloc,
                                          struct hf_store **store,
                                          struct hf_error *error);

#endif
