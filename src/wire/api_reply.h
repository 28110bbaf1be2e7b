#ifndef HF_WIRE_API_REPLY_H
#define HF_WIRE_API_REPLY_H

#include "base/bytes.h"
#include "core/session.h"
#include "wire/api_answer.h"

/*
 * What a lock server answered to a session's message: api_answer.h, read.
 *
 * Allocates nothing; any thread.
 */

enum {
    HF_API_REPLY_FENCES_MAX = 256, /* of a page, or revoked at once */
    HF_API_REPLY_ADDRESS_MAX = 255,
};

struct hf_api_reply {
    struct hf_answer answer;     /* without its stream and its mark */
    uint64_t term;               /* OPENED, ALIVE, GRANTED, TERM */
    uint64_t session;            /* GRANTED: whose request was */
    uint64_t lane;               /* ... granted, */
    uint64_t n;                  /* ... and which */
    struct hf_secret secret;     /* OPENED */
    struct hf_duration blocking; /* OPENED: who waits is answered by then */
    uint64_t service;            /* OPENED: the leader's; 0: not said */
    size_t fences_count;         /* ALIVE: revoked; PAGE: not there */
    uint64_t fences[HF_API_REPLY_FENCES_MAX];
    bool lists_held; /* ALIVE: all that are held, and not only their sum */
    size_t held_count;
    uint64_t held[HF_API_HELD_MAX];
    char leader[HF_API_REPLY_ADDRESS_MAX + 1]; /* NOT_LEADING; "": unknown */
};

/*
 * Read an answer of any status and any bytes.  HF_E_CORRUPT: it answers no
 * message, as that of a proxy between, or of a server that has no memory;
 * *error says what it says.  *reply may hold anything then.
 */
HF_MUST_USE enum hf_status hf_api_reply_read(int status, struct hf_bytes body,
                                             struct hf_api_reply *reply,
                                             struct hf_error *error);

/* Of which service a node is, by what it tells of itself, and the longest ttl
 * that it promises; false: it does not say. */
HF_MUST_USE bool hf_api_reply_service(struct hf_bytes info, uint64_t *service,
                                      struct hf_duration *max_ttl);

/* HF_E_UNAVAILABLE with what a problem says for people, or with the bare
 * status. */
enum hf_status hf_api_reply_problem(int status, struct hf_bytes body,
                                    struct hf_error *error);

#endif
