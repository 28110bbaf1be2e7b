#ifndef HF_CLIENT_TABLE_BATCH_H
#define HF_CLIENT_TABLE_BATCH_H

#include "client/table/queue.h"

/*
 * Batch: one call to the store, made of the questions that wait: writes, the
 * most urgent first, or reads, each key once however many ask.
 *
 * A key has one write with the store at a time.  A question that its machine no
 * longer asks is not sent.
 */

/* A question in a batch, with whose it is. */
struct hf_table_batch_item {
    struct hf_queue *queue;
    struct hf_examine *examine; /* NULL: of the queue's contender, or gone */
    bool of_contender;
    uint64_t incarnation; /* of the contender */
    uint64_t number;
    size_t index; /* of its group, or of its key */
    bool deletes; /* a release, or a clear */
    struct hf_store_op ops[HF_REQUEST_OPS];
};

/* The caller makes the call, and fills in what came back. */
struct hf_table_batch {
    struct hf_table_batch *next;
    struct hf_table_batch_item *items;
    size_t items_count;
    struct hf_instant until; /* no answer is of use later */

    struct hf_store_group *groups; /* a commit, unless there are none */
    size_t groups_count;
    struct hf_key *keys; /* a read of these */
    size_t keys_count;

    struct hf_reading *readings; /* out: of each key */
    enum hf_status status;       /* out: of the read */
    struct hf_error error;       /* out: why something failed */
};

/* Would there be a batch? */
bool hf_batch_is_due(const struct hf_manager *m);

/*
 * Take the next batch, which lives in `arena` until it is answered; false:
 * there is none, or no memory, and then what is overdue is asked again.
 * `wall_ms` is Unix time, for the records.
 */
bool hf_batch_take(struct hf_manager *m, struct hf_arena *arena,
                   struct hf_instant now, int64_t wall_ms,
                   struct hf_table_batch **batch);

/* ---- For the machines ---------------------------------------------------- */

/* Let its question wait for a batch, last of its urgency; it waits in none. */
void hf_batch_add(struct hf_manager *m, struct hf_requester *requester,
                  enum hf_urgency urgency);

/* It waits no longer, if it does. */
void hf_batch_remove(struct hf_manager *m, struct hf_requester *requester);

/* Does its machine still want the answer to the question that waits? */
bool hf_batch_is_wanted(const struct hf_requester *requester);

#endif
