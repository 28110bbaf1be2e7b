#ifndef HF_CLIENT_TABLE_CHECKS_H
#define HF_CLIENT_TABLE_CHECKS_H

#include <holdfast/words.h>

#include "base/checkup.h"
#include "base/process.h"

/*
 * Checks: what the figures mean that a doctor has taken, of a table of records
 * and of this host.  Each is said in the checkup it is given.
 *
 * Pure; cannot fail.
 */

enum { HF_CHECKS_COMMITS_MAX = 5 };

/* A read took so long to be answered. */
void hf_checks_reachable(int64_t took_us, struct hf_checkup *checkup);

/*
 * Each durable commit took so long; there is at least one.  Their median is
 * compared with what the default terms of a lock allow (hf_keeper_slowest) and
 * want (a beat), the slowest with the former.
 */
void hf_checks_latency(const int64_t *took_us, size_t count,
                       struct hf_checkup *checkup);

/* What a waiter on this host can see of a dead holder, and what not. */
void hf_checks_evidence(const struct hf_process_survey *survey,
                        struct hf_checkup *checkup);

#endif
