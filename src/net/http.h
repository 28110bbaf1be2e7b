#ifndef HF_NET_HTTP_H
#define HF_NET_HTTP_H

#include "base/alloc.h"
#include "base/clock.h"
#include "net/limits.h"
#include "net/message.h"

/*
 * HTTP as a server speaks it: bytes in, bytes out.  Nothing here reads or
 * writes, waits or looks at a clock.
 *
 * A *peer* is the other end of one connection.  Its first bytes tell whether it
 * speaks HTTP/2 (by prior knowledge, or by ALPN below) or HTTP/1.1; the caller
 * need not know which.  An *exchange* is a request and its answer, which may
 * come at any time and in any order.
 *
 *      bytes ---> hf_http_feed ---> hf_http_next ---> request
 *                                                        |
 *      bytes <--- hf_http_out <---- hf_http_reply <--- answer
 *        |
 *        `------> hf_http_wrote --> hf_http_next ---> sent
 *
 *   COMING --whole--> OPEN --reply--> ANSWERED --all is in the--> MADE
 *     |                |                 |       bytes to write     |
 *     |                |                 |                          | written
 *     | refused, or    | the stream was reset, or the connection    |
 *     | broken off     | is gone                                    |
 *     v                v                                            v
 *   not told          LOST                                         SENT
 *
 * Promises:
 *   - A request that is told ends just once: SENT when all of its answer was
 *     handed over by hf_http_wrote, else LOST.
 *   - A request is told when it is whole and well formed.  Any other is
 *     answered here, with a few words as application/problem+json (RFC 9457).
 *     A request that two readers could read differently is refused (RFC 9112,
 *     11.2: request smuggling).
 *   - The limits bound the cost of a peer, and the bytes of one peer never
 *     change what another is told.  Want of memory ends the peer that met it.
 *   - No call does more than a bounded amount of work: hf_http_feed ends at the
 *     first thing that is to be told, so that a loop can be fair.
 *
 * HTTP/1.1 has one exchange at a time.  Bytes behind an open one are not looked
 * at: the open one is answered, and the connection then ends.  The client may
 * send the others anew (RFC 9112, 9.3.2).
 *
 * One thread at a time for all peers of one hf_http.  Memory: an idle peer has
 * no buffers; one that waits has an exchange, and a stream of nghttp2's.
 */

struct hf_http;      /* what all peers share */
struct hf_http_peer; /* one connection */

/* The peers that one server has; limits are copied.  hf_http_close: when all of
 * them are removed.  HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_http_open(const struct hf_alloc *alloc,
                                        const struct hf_http_limits *limits,
                                        struct hf_http **http,
                                        struct hf_error *error);
void hf_http_close(struct hf_http *http);

/* The time of all calls until the next of this: a turn of the loop has one.
 * `wall_ms` is Unix time, for the date of answers. */
void hf_http_turn(struct hf_http *http, struct hf_instant now, int64_t wall_ms);

/* A connection that was accepted.  HF_E_LIMIT: there are too many; HF_E_NOMEM.
 * hf_http_remove forgets it, and whatever was not told of it. */
HF_MUST_USE enum hf_status hf_http_add(struct hf_http *http,
                                       struct hf_http_peer **peer,
                                       struct hf_error *error);
void hf_http_remove(struct hf_http_peer *peer);

/*
 * A POST to that path is a *carrier*: its body is lines, each of which is a
 * request of its own, and its answer is lines, too (JSON Lines, as a rule).
 * NULL, as at first: there are none.  `path` is static.
 *
 *   a carrier is told, with its headers ---> hf_http_carry, or hf_http_reply
 *   a line is told, as a request ----------> hf_http_reply: a line
 *
 * A line is an exchange like any other: SENT when all of its answer was handed
 * over, else LOST, with its carrier as with its connection.  Empty lines are
 * let pass.  When the body has ended, and each line has its answer, the
 * carrier's answer ends.  Lines are told a bounded number in a turn, and none
 * while the peer does not take its answers, or has twice as many requests open
 * as it may have streams.
 */
void hf_http_set_carrier_path(struct hf_http *http, const char *path);

/* ---- What comes in ------------------------------------------------------- */

/*
 * Take bytes that were read, up to the first thing that is to be told, and
 * return how many.  Fewer than `len`: take what hf_http_next tells, and then
 * feed the rest.  None, and nothing to tell: answers must be written first.
 */
size_t hf_http_feed(struct hf_http_peer *peer, const char *bytes, size_t len);

/* False: answers must be written before more is read, so that a peer that does
 * not read cannot ask for more. */
bool hf_http_wants(const struct hf_http_peer *peer);

/* There are lines that hf_http_feed will take, perhaps in the next turn, also
 * without more bytes. */
bool hf_http_has_line(const struct hf_http_peer *peer);

/*
 * No more bytes will come, but answers may still be read: a peer that has
 * closed its half of the connection looks the same as one that is gone.
 * Nothing is told, and open exchanges stay open.  But a peer that waits for an
 * answer is sent something: one that is gone resets the connection then, and
 * the caller sees that.  HTTP/1.0 allows nothing to be sent, so there a peer
 * that waits counts as gone.  Call it once.
 */
void hf_http_eof(struct hf_http_peer *peer);

/* The connection is broken: nothing can be written, and each exchange that is
 * not SENT is LOST. */
void hf_http_gone(struct hf_http_peer *peer);

enum hf_http_event_kind {
    HF_HTTP_REQUEST,
    HF_HTTP_SENT,
    HF_HTTP_LOST,
};

struct hf_http_event {
    enum hf_http_event_kind kind;
    uint64_t exchange;
    uint64_t tag; /* what hf_http_tag gave it, or 0 */
    bool cut; /* LOST: with its connection, and not by a reset of its stream,
                 which says that no answer is wanted */
    uint64_t end; /* SENT: of its answer, in all bytes that were ever written */
    const struct hf_http_request *request; /* of a request: borrowed, good until
                                              the next call of hf_http_feed,
                                              hf_http_next or hf_http_remove for
                                              this peer */
};

/* Take what is to be told next; false: there is nothing. */
bool hf_http_next(struct hf_http_peer *peer, struct hf_http_event *event);

/* The caller's own number, which comes back with the end of the exchange.
 * Nothing is done if the exchange is over. */
void hf_http_tag(struct hf_http *http, uint64_t exchange, uint64_t tag);

/* And the number that it has; 0: none, or it is over. */
uint64_t hf_http_tag_of(const struct hf_http *http, uint64_t exchange);

/* Is it a line that is open?  *name is what hf_http_name_line gave it. */
bool hf_http_is_line(const struct hf_http *http, uint64_t exchange,
                     bool *is_named, uint64_t *name);

/* Name a line, until it is answered.  False: another open line of its carrier
 * has that name. */
bool hf_http_name_line(struct hf_http *http, uint64_t exchange, uint64_t name);

/* A line that is open gets no answer: it is over, and nothing is told. */
void hf_http_drop_line(struct hf_http *http, uint64_t exchange);

/* The open line of that name beside that line, or 0. */
uint64_t hf_http_find_line(const struct hf_http *http, uint64_t exchange,
                           uint64_t name);

/* Did its request ask for application/json, and not for
 * application/problem+json?  Then a problem is told as the first. */
bool hf_http_wants_json(const struct hf_http *http, uint64_t exchange);

/* ---- What goes out ------------------------------------------------------- */

/*
 * Answer an exchange that is open.  Everything is copied that is not on its way
 * when this returns.  False: it is over, or answered already; nothing was done.
 */
bool hf_http_reply(struct hf_http *http, uint64_t exchange,
                   const struct hf_http_reply *reply);

/* Begin the answer of a carrier that was told, and take its lines: with an
 * empty line, so that its peer sees that nothing between keeps it back.
 * Empty lines are also sent later, when nothing else is.  False: it is over, or
 * answered already. */
bool hf_http_carry(struct hf_http *http, uint64_t exchange,
                   const struct hf_http_reply *reply);

/* The bytes that are to be written, as many answers as there are and have room
 * in one piece; none: nothing is to be written.  Good until the next call for
 * this peer, or for one of its exchanges. */
struct hf_bytes hf_http_out(struct hf_http_peer *peer);

/* So many of these were handed over to the kernel. */
void hf_http_wrote(struct hf_http_peer *peer, size_t len);

/* ---- Time and ends ------------------------------------------------------- */

/* When hf_http_clock has something to do, or HF_NEVER.  Each call may change
 * it. */
struct hf_instant hf_http_deadline(const struct hf_http_peer *peer);

/* A turn has begun that is not before the deadline: end what took too long.
 * Before it, nothing is done. */
void hf_http_clock(struct hf_http_peer *peer);

/*
 * Take no more requests, and end the connection when all are answered: by
 * GOAWAY, once for what may be on its way and once for good, or by `connection:
 * close`.  Again: nothing more is done.
 */
void hf_http_drain(struct hf_http_peer *peer);

/*
 * Nothing more is to be read or written: take what hf_http_next tells, then
 * close the connection and remove the peer.  Unless hf_http_gone was called,
 * bytes may be on their way to us, and a socket that is closed with bytes
 * unread takes back what was written last.  So shut down the writing half
 * first, and read until the end comes, for a moment.
 */
bool hf_http_is_done(const struct hf_http_peer *peer);

/* Bytes of its answers that are kept until it takes them. */
size_t hf_http_unread(const struct hf_http_peer *peer);

/* Since when it has taken nothing of its answers; HF_NEVER: it has taken all.
 */
struct hf_instant hf_http_unread_since(const struct hf_http_peer *peer);

/* It waits for no answer, though a request may be coming.  A server that has
 * too many peers may drop it. */
bool hf_http_is_idle(const struct hf_http_peer *peer);

#endif
