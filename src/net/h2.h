#ifndef HF_NET_H2_H
#define HF_NET_H2_H

#include "net/parts.h"

/*
 * A peer that speaks HTTP/2 (RFC 9113), by nghttp2.
 *
 * Each frame is looked at first, by what it costs (net/h2_session.h), and at
 * most one thing is to be told after each.  Priorities are ignored.  A window
 * opens again only when a request is whole, so the connection's window bounds
 * what can be on its way to us.
 */

/* False: no memory. */
bool hf_h2_start(struct hf_http_peer *peer);
void hf_h2_stop(struct hf_http_peer *peer);

/* As hf_http_feed. */
size_t hf_h2_feed(struct hf_http_peer *peer, const char *bytes, size_t len);

/* An exchange that was ANSWERED just now. */
void hf_h2_answer(struct hf_exchange *exchange,
                  const struct hf_http_reply *reply);

/* A carrier's answer begins; something is to be pulled of it, or it is over;
 * and a line of it was taken. */
void hf_h2_carry(struct hf_exchange *exchange,
                 const struct hf_http_reply *reply);
void hf_h2_stir(struct hf_exchange *carrier);
void hf_h2_line_taken(struct hf_exchange *carrier);

/* Make what there is room for. */
void hf_h2_fill(struct hf_http_peer *peer);

/* Answer a request that is COMING. */
void hf_h2_refuse(struct hf_exchange *exchange, enum hf_refusal refusal);

/* Send something, whether the peer waits for an answer or not. */
void hf_h2_probe(struct hf_http_peer *peer);

/* Say GOAWAY twice.  Requests that are on their way are still served. */
void hf_h2_drain(struct hf_http_peer *peer);
void hf_h2_drain_now(struct hf_http_peer *peer);
bool hf_h2_has_drained(const struct hf_http_peer *peer);

/* Must answers be written before more is read?  A request that comes before the
 * last GOAWAY is made would be told, and GOAWAY would say that it was not. */
bool hf_h2_is_held_up(const struct hf_http_peer *peer);

enum hf_h2_end {
    HF_H2_END_IDLE,    /* nothing is wrong */
    HF_H2_END_TOO_MUCH /* the peer sends too much that is of no use */
};

/* Say GOAWAY and no more: what is open is LOST. */
void hf_h2_end(struct hf_http_peer *peer, enum hf_h2_end why);

#endif
