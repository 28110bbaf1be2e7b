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

/* Make what there is room for. */
void hf_h2_fill(struct hf_http_peer *peer);

/* Answer a request that is COMING. */
void hf_h2_refuse(struct hf_exchange *exchange, enum hf_refusal refusal);

/* Send something, whatever it waits for. */
void hf_h2_probe(struct hf_http_peer *peer);

/* Say GOAWAY twice: what is on its way is still served, then nothing. */
void hf_h2_drain(struct hf_http_peer *peer);
void hf_h2_drain_now(struct hf_http_peer *peer);
bool hf_h2_has_drained(const struct hf_http_peer *peer);

/* Is nothing to be read before something is written?  A request that came
 * before the last GOAWAY is made would be told, and be said not to be. */
bool hf_h2_is_held_up(const struct hf_http_peer *peer);

enum hf_h2_end {
    HF_H2_END_IDLE,    /* nothing is wrong */
    HF_H2_END_TOO_MUCH /* of what nobody needs */
};

/* Say GOAWAY and no more: what is open is LOST. */
void hf_h2_end(struct hf_http_peer *peer, enum hf_h2_end why);

#endif
