#ifndef HF_NET_HTTP_CLIENT_H
#define HF_NET_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "net/limits.h"
#include "net/message.h"

/*
 * HTTP/2 as a client speaks it, by prior knowledge: bytes in, bytes out, as in
 * http.h.  One of these is one connection, with hundreds of requests under way.
 *
 *   ask ---> ASKED --an answer, whole--------------------> ANSWERED
 *              |
 *              |--the server says that it did nothing, or
 *              |  not all of it was ever handed over----> NOT_DONE
 *              |
 *              |--the stream or the connection broke----> UNKNOWN
 *              |
 *              `--hf_http_client_cancel-----------------> (nothing is told)
 *
 * A *carrier* is a request whose body goes on: the caller says lines on it, and
 * is told the lines of its answer, until either ends it.
 *
 * Promises:
 *   - What is asked and not cancelled is told just once, and a carrier behind
 *     its lines.
 *   - NOT_DONE is true: a server that keeps to RFC 9113, and acts on whole
 *     requests only, has not acted on it and will not, so that it may be asked
 *     elsewhere.  It was refused, or is behind the last that GOAWAY names, or
 *     its last byte never left.  Any other request without an answer is
 *     UNKNOWN.
 *   - An answer is told when it is whole.  An answer that is longer than the
 *     limits is not kept, and its request is UNKNOWN.
 *
 * There are no deadlines here: the caller knows how long an answer may take,
 * and cancels.  One thread at a time.
 */

struct hf_http_client;

/*
 * A connection that was made, or is being made.  `limits` is copied: streams,
 * headers, headers_len and body_len are those of answers, unread_len is how
 * much is kept of bodies for which the server has no room.  HF_E_NOMEM.
 */
HF_MUST_USE enum hf_status
hf_http_client_open(const struct hf_alloc *alloc,
                    const struct hf_http_limits *limits,
                    struct hf_http_client **client, struct hf_error *error);

/* Nothing more is told. */
void hf_http_client_close(struct hf_http_client *client);

/* ---- Asking -------------------------------------------------------------- */

struct hf_http_ask {
    enum hf_http_method method;
    struct hf_bytes host; /* with its port, if it is not 80 */
    struct hf_bytes path; /* and query: printable ASCII */
    const struct hf_http_header *headers;
    size_t headers_count; /* at most HF_HTTP_REPLY_HEADERS_MAX */
    struct hf_bytes body;
    bool is_carrier; /* its body follows, by hf_http_client_say */
    uint64_t tag;    /* comes back with what is told */
};

/*
 * Ask, and return in *stream what names it in this connection.  Everything is
 * copied that is not on its way when this returns.  HF_E_LIMIT: the server, or
 * a limit of ours, bears no more at once, ask when some have ended or were
 * written; HF_E_UNAVAILABLE: this connection takes no more, make another;
 * HF_E_NOMEM.  Nothing was done then.
 */
HF_MUST_USE enum hf_status hf_http_client_ask(struct hf_http_client *client,
                                              const struct hf_http_ask *ask,
                                              int32_t *stream,
                                              struct hf_error *error);

/* Say a line, or more, each with its end, on a carrier that is under way.
 * False: it is not, or there is no memory.  No bytes only ask whether it is. */
bool hf_http_client_say(struct hf_http_client *client, int32_t stream,
                        struct hf_bytes lines);

/* How many can be asked at once, and how many more now, for all that is known.
 */
uint32_t hf_http_client_streams(const struct hf_http_client *client);
uint32_t hf_http_client_room(const struct hf_http_client *client);

/* Its answer is not wanted any more, and nothing is told of it, even if it has
 * ended already.  A request that was told is ignored. */
void hf_http_client_cancel(struct hf_http_client *client, int32_t stream);

/* ---- Bytes --------------------------------------------------------------- */

/* As hf_http_feed, hf_http_out and hf_http_wrote. */
size_t hf_http_client_feed(struct hf_http_client *client, const char *bytes,
                           size_t len);
struct hf_bytes hf_http_client_out(struct hf_http_client *client);
void hf_http_client_wrote(struct hf_http_client *client, size_t len);

/* The connection is broken, or its end was read: all that is asked has ended.
 */
void hf_http_client_gone(struct hf_http_client *client);

/* ---- What is told -------------------------------------------------------- */

struct hf_http_answer {
    int status;               /* 200 to 599 */
    struct hf_bytes type;     /* content-type; `at` is NULL: not sent */
    struct hf_bytes retry;    /* retry-after */
    struct hf_bytes location; /* location */
    struct hf_bytes between;  /* via, or server: ours says neither */
    struct hf_bytes body;
};

enum hf_http_end {
    HF_HTTP_ANSWERED,
    HF_HTTP_NOT_DONE,
    HF_HTTP_UNKNOWN,
    HF_HTTP_LINE, /* no end: a line of a carrier's answer, which goes on */
};

struct hf_http_client_event {
    enum hf_http_end end;
    int32_t stream;
    uint64_t tag;
    const struct hf_http_answer *answer; /* ANSWERED: borrowed, until the next
                                            call of feed, next or close; */
    struct hf_bytes line; /* LINE: so is it; without its end, perhaps empty */
};

/* Take what is to be told next; false: there is nothing. */
bool hf_http_client_next(struct hf_http_client *client,
                         struct hf_http_client_event *event);

/* Nothing can be asked any more: the server has said GOAWAY, or the connection
 * is broken. */
bool hf_http_client_is_closing(const struct hf_http_client *client);

/* And nothing is under way, or to be written. */
bool hf_http_client_is_done(const struct hf_http_client *client);

#endif
