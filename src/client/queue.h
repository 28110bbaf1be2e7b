#ifndef HF_CLIENT_QUEUE_H
#define HF_CLIENT_QUEUE_H

#include "client/errand.h"

/*
 * The queue: the errands of a client whose questions wait for the courier,
 * oldest first, each at most once.
 *
 * All want the client's mutex held; none can fail.
 */

/* Put it last; it is not queued. */
void hf_queue_add(struct hf_errand *errand);

/* Take it out, wherever it stands; it is queued. */
void hf_queue_remove(struct hf_errand *errand);

/* Take all out: returns the first, the others linked by queue_next, and how
 * many in *count. */
struct hf_errand *hf_queue_take(struct hf_client *client, size_t *count);

#endif
