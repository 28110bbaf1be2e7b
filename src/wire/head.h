#ifndef HF_WIRE_HEAD_H
#define HF_WIRE_HEAD_H

#include "wire/record.h"

/*
 * Head: the record of a lock server's leader, as JSON, both ways.
 *
 * It is the record of a lock (record.h), whose holder is the leader, with nine
 * members more:
 *
 *   {"lock":"<id>_<count>","if_dead":"takeover","ttl_ms":5000,"beat_ms":1000,
 *    "owner":{…},"reason":"","node":"n1","address":"db1:7420",
 *    "next_fence":1763850690123456,"service":"00f3ab91c07d5e24",
 *    "store":"91c07d5e2400f3ab","max_ttl_ms":60000,"grace_ms":0,
 *    "served_ms":86400000,"begun_ms":1763850690123}
 *
 * For every batch of a leader is a beat of it [J1], so a keeper and a contender
 * of core write and judge it as they do any lock, by the heartbeat and terms
 * that hf_record_decode finds in it as well: who is dead, and who has lost, is
 * decided nowhere else.  Its token is the term, and its version the batch.
 *
 * A head without a node ("node":null) is led by nobody, and has all else as the
 * last leader left it, for the fences must outlive him [L4].  Its address is ""
 * when he left nothing that is granted, and no grace.
 *
 * The service has an id, by which its clients tell two nodes of one service
 * from two services; and it says since when it is there, by the wall clock of
 * whoever made its first head.  The place has an identity of its own
 * (journal.h): a head that names another one was copied, and so was all that is
 * beside it.
 *
 * Allocates nothing; any thread.  decode(encode(x)) = x.
 */

/* One above the highest fence that there can be (served.h). */
#define HF_HEAD_FENCE_MAX ((UINT64_C(1) << 62) + 1)

/* A grace is a max-ttl and a leader's ttl. */
#define HF_HEAD_GRACE_MAX_MS (2 * (int64_t)HF_TTL_MAX_MS)

struct hf_head {
    struct hf_value claim;      /* HF_TAKEOVER: to lead is nobody's for ever */
    char node[HF_HOST_MAX + 1]; /* "": nobody leads */
    char address[HF_HOST_MAX + 1]; /* where clients find the node; clean */
    uint64_t next_fence;           /* 1..HF_HEAD_FENCE_MAX */
    uint64_t service;              /* its id; not 0 */
    uint64_t store;                /* in which it was written */
    struct hf_duration max_ttl;    /* the longest that anybody was promised */
    struct hf_duration grace;      /* for so long nothing is granted [L6] */
    struct hf_duration served;     /* how long its leaders have served [S10] */
    int64_t begun_ms; /* when the service was, in Unix time [L5]; 0: nobody
                         knows */
};

/* Write it, as hf_record_encode does; HF_RECORD_TEXT_MAX always suffices.  What
 * decode would not let pass is our bug, but for the owner, as there. */
size_t hf_head_encode(const struct hf_head *head, char *buffer, size_t size);

/*
 * Read any bytes.  HF_E_CORRUPT, with a clause in *error, unless they are a
 * lock's record as hf_record_decode reads it, of if_dead "takeover", with a
 * node (or null), an address, which a node always has, and all the others, and
 * with no member that is not named above; what is in the owner is evidence of a
 * process's end at most, and read as there.  *head is untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_head_decode(const char *bytes, size_t len,
                                          struct hf_head *head,
                                          struct hf_error *error);

#endif
