#ifndef HF_TEST_MODEL_STORE_H
#define HF_TEST_MODEL_STORE_H

#include "core/op.h"

/*
 * Model store: what src/store/store.h promises, for one lock, in plain words
 * and plain data.  Every call is one instant: reads and commits are
 * linearizable because they happen one after the other.
 */

enum model_kind { MODEL_NOTHING, MODEL_TOMBSTONE, MODEL_RECORD };

struct model_cell {
    enum model_kind kind;
    uint64_t version;
    uint64_t token;
    struct hf_heartbeat heartbeat;
    struct hf_terms terms;
};

/* A marker or an audit record: a key beside the lock's. */
struct model_side {
    enum hf_target target;
    uint64_t subject;
    struct model_cell cell;
};

#define MODEL_SIDES_MAX 256

struct model_store {
    uint64_t floor;
    uint64_t wall; /* no version is given below; 0: they grow by one */
    struct model_cell lock;
    struct model_side sides[MODEL_SIDES_MAX];
    size_t sides_count;
};

/* The version to expect of the lock's key, whatever is there. */
uint64_t model_version(const struct model_store *store);

struct hf_sight model_read(const struct model_store *store);

/* Would it apply now? */
bool model_applies(const struct model_store *store,
                   const struct hf_request *request);

/* Apply all of it, or refuse; *version is the lock's new one when applied. */
enum hf_verdict model_commit(struct model_store *store,
                             const struct hf_request *request,
                             uint64_t *version);

/* Remove tombstones and markers, and raise the floor above them. */
void model_purge(struct model_store *store);

#endif
