#ifndef HF_CLIENT_TABLE_DIAGNOSE_H
#define HF_CLIENT_TABLE_DIAGNOSE_H

#include "client/table/queue.h"

/*
 * What a manager knows of a holder, for people: of a driver that goes on, and
 * of one that has ended, with why it has.  It only looks.
 */

/* The holder, as a driver that goes on knows it. */
void hf_diagnose_driver(const struct hf_manager *m,
                        const struct hf_driver *driver, struct hf_instant now,
                        struct hf_diagnosis *diagnosis);

/* How a driver ends. */
struct hf_end {
    enum hf_status status;
    enum hf_outcome outcome;     /* HF_OK */
    struct hf_duration too_slow; /* a write took so long: see contender.h */
};

/* It has ended so: keep what it may be asked for. */
void hf_diagnose_end(struct hf_manager *m, const struct hf_queue *queue,
                     struct hf_driver *driver, const struct hf_end *end,
                     struct hf_instant now);

/* Of a driver that has ended: why without an outcome, or HF_OK; and what was
 * known of the holder then, or false: there was no memory to keep it. */
enum hf_status hf_diagnose_error(const struct hf_driver *driver,
                                 struct hf_error *error);
bool hf_diagnose_ended(const struct hf_manager *m,
                       const struct hf_driver *driver,
                       struct hf_diagnosis *diagnosis);

#endif
