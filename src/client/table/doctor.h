#ifndef HF_CLIENT_TABLE_DOCTOR_H
#define HF_CLIENT_TABLE_DOCTOR_H

#include <holdfast/words.h>

#include "base/checkup.h"
#include "base/process.h"

/*
 * A doctor's judgement of the figures that it has taken, of a table of records
 * and of this host.  Pure; cannot fail.
 */

enum { HF_DOCTOR_COMMITS_MAX = 5 };

/*
 * Each durable commit took so long; there is at least one.  Their median is
 * compared with what the default terms of a lock allow (hf_keeper_slowest) and
 * want (a beat), the slowest with the former.
 */
void hf_doctor_latency(const int64_t *took_us, size_t count,
                       struct hf_checkup *checkup);

/* What a waiter on this host can see of a dead holder, and what not. */
void hf_doctor_evidence(const struct hf_process_survey *survey,
                        struct hf_checkup *checkup);

#endif
