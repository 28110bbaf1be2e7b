#ifndef HF_SERVER_PARTS_H
#define HF_SERVER_PARTS_H

#include "server/metrics.h"
#include "server/pending.h"
#include "server/route.h"
#include "server/secret.h"
#include "server/service.h"
#include "wire/api_body.h"

/*
 * Of a service, for its own files:
 *
 *   service.c    its life, and what each request is for, which calls
 *   messages.c   requests that are messages to the machine
 *   incoming.c   who asks, in which session, and how a message is sent in
 *   views.c      requests that only look
 *   audits.c     requests for the audit
 *   lines.c      requests that come as lines of a stream
 *   replies.c    effects of the node, as answers: all call it
 */

enum {
    /* Cleared fences that are told of each session when many are kept alive;
     * a client that is told so many asks for that session alone. */
    HF_SERVICE_CLEARED_MAX = 16,

    /* Requests for the audit that wait. */
    HF_SERVICE_AUDITS_MAX = 16,
};

/* A request for a page of the audit. */
struct hf_audit_call {
    uint64_t stream;
    char prefix[HF_NAME_COMPANION_SIZE]; /* as struct hf_journal_page */
    char after[HF_NAME_COMPANION_SIZE];
    size_t limit;
};

/* Answers to messages that came in one request, and go out as one. */
struct hf_batch_reply {
    uint64_t stream; /* of the request's own call; 0: there is none */
    uint64_t mark;   /* on which all of them rest */
    struct hf_text text;
    char bytes[HF_API_ANSWER_SIZE / 2];
};

struct hf_service {
    struct hf_service_config config;
    struct hf_seat *seat;      /* owned */
    struct hf_pending pending; /* owned */
    struct hf_metrics metrics;
    struct hf_hasher hasher; /* owned */
    bool stopped;
    uint64_t attempts; /* the last number that we gave to an attempt */

    /* Of the request that is being handled, until all that follows is done. */
    void *peer;       /* that sent it */
    uint64_t current; /* its stream; 0: none is */
    struct hf_api_body body;
    struct hf_want wants[HF_API_LOCKS_MAX];
    size_t wants_count;
    enum hf_answer_kind silent; /* what a call without an exchange was told */
    bool refused;               /* it was told that this node does not lead */
    struct hf_batch_reply batch;
    uint64_t through; /* answers of marks up to this are due */
    struct hf_audit_call audits[HF_SERVICE_AUDITS_MAX]; /* the first is asked */
    size_t audits_count;
    char text[HF_API_ANSWER_SIZE];
};

/* Apply an event, and all that follows from it; or what follows alone. */
void hf_service_step(struct hf_service *service,
                     const struct hf_node_event *event);
void hf_service_drain(struct hf_service *service);

/* The text as a body of JSON, which ends with a line's end. */
struct hf_bytes hf_service_line(struct hf_text *text);

/* Answer an exchange at once. */
void hf_service_reply(struct hf_service *service, uint64_t exchange, int status,
                      struct hf_bytes body);
void hf_service_refuse(struct hf_service *service, uint64_t exchange,
                       enum hf_api_problem problem, const char *detail);
void hf_service_refuse_with(struct hf_service *service, uint64_t exchange,
                            enum hf_api_problem problem, const char *detail,
                            const struct hf_http_header *more);

/* Of a member or a parameter that is not known. */
void hf_service_refuse_unknown(struct hf_service *service, uint64_t exchange,
                               const struct hf_api_unknown *unknown,
                               const char *detail);

/* A call that waits is decided, or gone. */
void hf_service_end_wait(struct hf_service *service,
                         struct hf_pending_call *call);

/* To ask another node, at once. */
void hf_service_not_leading(struct hf_service *service, uint64_t exchange);

/*
 * One answer to many messages: begin it for an exchange, add each, end it.
 * Each is answered within its step.  False: no memory, and nothing was begun.
 */
bool hf_service_batch_begin(struct hf_service *service, uint64_t exchange);
void hf_service_batch_add(struct hf_service *service,
                          struct hf_message *message);
void hf_service_batch_end(struct hf_service *service);

/* Handle a request that is a message, or one that only looks. */
void hf_service_handle(struct hf_service *service, const struct hf_route *route,
                       const struct hf_http_request *request);
void hf_service_show(struct hf_service *service, const struct hf_route *route,
                     const struct hf_http_request *request);

/* A stream of lines; and one of them, of which `route` gets the kind.  False:
 * it is answered, or cancels the line of the exchange *cancelled (0: none). */
void hf_service_carry(struct hf_service *service,
                      const struct hf_http_request *request);
bool hf_service_read_line(struct hf_service *service,
                          const struct hf_http_request *request,
                          struct hf_route *route, uint64_t *cancelled);

/* A request for the audit; and a page of it, as the seat tells. */
void hf_service_audit(struct hf_service *service, const struct hf_route *route,
                      const struct hf_http_request *request);
void hf_service_audited(void *ctx, const struct hf_scribe_told *told);

#endif
