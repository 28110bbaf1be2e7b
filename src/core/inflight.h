#ifndef HF_CORE_INFLIGHT_H
#define HF_CORE_INFLIGHT_H

#include "core/question.h"

/*
 * In flight: the writes of a keeper whose result is unknown, by number.  They
 * tell what a late answer is about.
 *
 * Plain data, zero is none; not thread-safe; cannot fail.
 */

/* A write that was sent. */
struct hf_sent {
    uint64_t number; /* of its question; 0: unused */
    enum hf_question_kind kind;
    struct hf_instant at;
    uint64_t count;   /* of its heartbeat */
    uint64_t version; /* version it expects */
};

/* A shell has one write of a record under way, and reports one that it did not
 * send: so an answer may be to the last two or three. */
#define HF_INFLIGHT_MAX 4

struct hf_inflight {
    struct hf_sent writes[HF_INFLIGHT_MAX];
    bool forgot_claim; /* a forgotten claim may still create the record */
};

/* Add a write; the oldest is forgotten if there are too many. */
void hf_inflight_add(struct hf_inflight *inflight, const struct hf_sent *sent);

/* The write with that number, or NULL; valid until the next change. */
const struct hf_sent *hf_inflight_find(const struct hf_inflight *inflight,
                                       uint64_t number);

/* The result of that write is known. */
void hf_inflight_remove(struct hf_inflight *inflight, uint64_t number);

/* May a claim still apply, or have been applied, other than number `but` (0:
 * any)? */
bool hf_inflight_claims(const struct hf_inflight *inflight, uint64_t but);

#endif
