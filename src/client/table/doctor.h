#ifndef HF_CLIENT_TABLE_DOCTOR_H
#define HF_CLIENT_TABLE_DOCTOR_H

#include <holdfast/words.h>

#include "base/checkup.h"
#include "base/process.h"
#include "store/kind.h"

/*
 * What a doctor says of the figures that it has measured, of a table of records
 * and of this host.  Pure; cannot fail.
 */

enum { HF_DOCTOR_COMMITS_MAX = 5 };

/*
 * Durable commits of this kind of store took so long; there is at least one.
 * The median and the slowest are compared with the slowest that the default
 * terms of a lock allow (hf_keeper_slowest); the median also with their beat.
 */
void hf_doctor_latency(const int64_t *took_us, size_t count,
                       const struct hf_store_kind *kind,
                       struct hf_checkup *checkup);

/* How a waiter on this host notices that a holder is dead. */
void hf_doctor_evidence(const struct hf_process_survey *survey,
                        struct hf_checkup *checkup);

#endif
