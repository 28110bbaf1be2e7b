#ifndef HF_TEST_GET_ONE_H
#define HF_TEST_GET_ONE_H

#include "store/store.h"

/* hf_store_get of one key: *record is untouched unless HF_OK. */
HF_MUST_USE enum hf_status get_one(struct hf_store *store, struct hf_key key,
                                   struct hf_instant until,
                                   struct hf_record *record,
                                   struct hf_error *error);

#endif
