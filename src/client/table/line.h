#ifndef HF_CLIENT_TABLE_LINE_H
#define HF_CLIENT_TABLE_LINE_H

#include "client/table/diagnose.h"
#include "client/table/queue.h"

/*
 * The line of a key: steps its machines, and decides who is at work, who ends
 * by what, and who has news.
 */

/* Step this machine, or every one that is at work on the key. */
void hf_line_step(struct hf_manager *m, struct hf_requester *requester,
                  struct hf_event event);
void hf_line_step_all(struct hf_manager *m, struct hf_queue *queue,
                      struct hf_event event);

/* The record may have changed: to those who wait for that.  A keeper at work
 * would take the hint for another. */
void hf_line_hint(struct hf_manager *m, struct hf_queue *queue,
                  struct hf_instant now);

/* Update every key that something happened to: who ends, who is next, when to
 * look again. */
void hf_line_update(struct hf_manager *m, struct hf_instant now);

/* A wait that is over its limit, of a driver without a contender at work. */
void hf_line_end_at_limit(struct hf_manager *m, struct hf_queue *queue,
                          struct hf_driver *driver, struct hf_instant now);

/* A driver of the line that has nothing to settle ends. */
void hf_line_end_waiter(struct hf_manager *m, struct hf_queue *queue,
                        struct hf_driver *driver, const struct hf_end *end,
                        struct hf_instant now);

/* A driver that has left its queue, or was in none, has ended. */
void hf_line_end_driver(struct hf_manager *m, struct hf_queue *queue,
                        struct hf_driver *driver, const struct hf_end *end,
                        struct hf_instant now);

#endif
