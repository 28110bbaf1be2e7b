#ifndef HF_POSTGRESQL_STORE_H
#define HF_POSTGRESQL_STORE_H

#include "store/methods.h"

/* As hf_store_open_at. */
HF_MUST_USE enum hf_status hf_pg_store_open(const struct hf_place *place,
                                            enum hf_store_use use,
                                            const struct hf_alloc *alloc,
                                            struct hf_store **store,
                                            struct hf_error *error);

#endif
