#ifndef HF_CLIENT_PARCEL_H
#define HF_CLIENT_PARCEL_H

#include "base/arena.h"
#include "client/errand.h"

/*
 * Parcel: one errand's question, from core's words to the store's: a target
 * becomes a key, a heartbeat the record around it.
 *
 * What it needs it takes from an arena, and is good for as long as that is.
 * The courier's thread alone.
 */
struct hf_parcel {
    struct hf_errand *errand; /* carried: it stays until it is returned */
    struct hf_request request;
    struct hf_instant until; /* the store has time for it */
    struct hf_store_op ops[HF_REQUEST_OPS];
    struct hf_store_group *group;   /* in the commit; NULL: not packed */
    struct hf_diagnosis *diagnosis; /* of what a clear deletes */
};

/* Take a copy of the errand's question.  Mutex held; cannot fail. */
void hf_parcel_init(struct hf_parcel *parcel, struct hf_errand *errand,
                    struct hf_arena *arena);

/*
 * Pack its writes, with their keys and values, into `group`, whose operations
 * stay the parcel's.  False when out of memory: *group is then untouched.
 */
bool hf_parcel_pack(struct hf_parcel *parcel, struct hf_store_group *group,
                    struct hf_arena *arena);

#endif
