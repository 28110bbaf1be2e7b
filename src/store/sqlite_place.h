#ifndef HF_STORE_SQLITE_PLACE_H
#define HF_STORE_SQLITE_PLACE_H

#include "store/kind.h"

/* The URL of a SQLite place, and the place of those who name none.  Plain
 * calls, any thread. */

/* As struct hf_store_kind has it. */
HF_MUST_USE enum hf_status hf_sqlite_place_parse(const char *rest,
                                                 struct hf_place *place,
                                                 struct hf_error *error);

/* As hf_place_default. */
HF_MUST_USE enum hf_status hf_sqlite_place_default(char *buffer, size_t size);

/* Is it the one that is meant when none is named? */
bool hf_sqlite_place_is_default(const struct hf_place *place);

#endif
