#ifndef HF_CLIENT_TABLE_TABLE_H
#define HF_CLIENT_TABLE_TABLE_H

#include <holdfast/holdfast.h>

struct hf_backend;
struct hf_client;
struct hf_store;

/*
 * Table: a place that is a table of records.  The manager decides; this is what
 * drives it, and what it drives.
 *
 *   callers ---+                    +--> worker --> store
 *              +--> manager --------+
 *   loop ------+   (the mutex)      +--> notices, the alarm, the observer
 *
 * The thread that brings an event steps the manager itself, under the client's
 * mutex, and then lets out what came of it (hf_table_flush).  So a call of a
 * user's wakes the worker once, and the user once.  A caller that waits alone
 * wakes neither: it makes the worker's call itself (hf_worker_turn).
 *
 * The *loop* tells the time, looks at processes and takes in what signal
 * handlers left; it never blocks on the place.  A *worker* makes one blocking
 * call to the store at a time; there are as many as the store bears.
 */

/* Open it on `store`, which it takes on HF_OK.  HF_E_LIMIT, HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_table_open(struct hf_client *client,
                                         struct hf_store *store,
                                         struct hf_backend **backend,
                                         struct hf_error *error);

#endif
