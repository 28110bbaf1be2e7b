#ifndef HF_CORE_INFLIGHT_H
#define HF_CORE_INFLIGHT_H

#include "core/question.h"

/*
 * In flight: the writes that a keeper has sent, and of which it knows nothing
 * for sure, by their numbers: what an answer to one of them is about, however
 * late it comes.
 *
 * Plain data, zero is valid: none.  Not thread-safe; cannot fail.
 */

/* A write that was sent. */
struct hf_sent {
    uint64_t number; /* of its question; 0: none */
    enum hf_question_kind kind;
    struct hf_instant at;
    uint64_t count;   /* of its heartbeat */
    uint64_t version; /* that it expects */
};

/* A shell has one write of a record with its store at a time, and tells of one
 * that it did not send: so an answer may come to the last two or three. */
#define HF_INFLIGHT_MAX 4

struct hf_inflight {
    struct hf_sent writes[HF_INFLIGHT_MAX];
    bool forgot_claim; /* of those forgotten, one may yet make the record */
};

/* One more; the oldest is forgotten for it when there are too many. */
void hf_inflight_add(struct hf_inflight *inflight, const struct hf_sent *sent);

/* The write of that number, if it is remembered, or NULL; good until the next
 * call that changes them. */
const struct hf_sent *hf_inflight_find(const struct hf_inflight *inflight,
                                       uint64_t number);

/* What became of it is known for sure. */
void hf_inflight_remove(struct hf_inflight *inflight, uint64_t number);

/* May a claim still apply, or have been applied, other than that of number
 * `but` (0: any)? */
bool hf_inflight_claims(const struct hf_inflight *inflight, uint64_t but);

#endif
