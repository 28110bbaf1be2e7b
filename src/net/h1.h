#ifndef HF_NET_H1_H
#define HF_NET_H1_H

#include "net/parts.h"

/*
 * A peer that speaks HTTP/1.1, or 1.0.
 *
 *   START --> METHOD, TARGET, VERSION --> NAME, COLON, VALUE (of each field)
 *     ^                                     |
 *     |                                     v
 *     `-------(a request)------- LENGTH or CHUNKS
 *
 * A refusal leads to IGNORING.  The head is read as strictly as RFC 9112 writes
 * it. Where the RFC lets a server repair a head (LF alone, a blank before a
 * colon, a value that goes on in the next line), a proxy before us might have
 * repaired it otherwise.  A head is refused at the first byte that may not be
 * there, or at its end for what it says, however the bytes are cut into pieces.
 */

/* HF_E_NOMEM is false. */
bool hf_h1_start(struct hf_http_peer *peer);
void hf_h1_stop(struct hf_http_peer *peer);

/* As hf_http_feed. */
size_t hf_h1_feed(struct hf_http_peer *peer, const char *bytes, size_t len);

/* Is nothing to be read before something is written? */
bool hf_h1_is_held_up(const struct hf_http_peer *peer);

/* An exchange that was ANSWERED just now. */
void hf_h1_answer(struct hf_exchange *exchange,
                  const struct hf_http_reply *reply);

/* A carrier's answer begins. */
void hf_h1_carry(struct hf_exchange *exchange,
                 const struct hf_http_reply *reply);

/* The body of what is to be answered is not wanted: all that comes is ignored.
 */
void hf_h1_cut(struct hf_http_peer *peer);

/* Make what there is room for. */
void hf_h1_fill(struct hf_http_peer *peer);

/* Send something to a peer that waits for an answer.  HTTP/1.0 allows nothing:
 * its peer waits no more. */
void hf_h1_probe(struct hf_http_peer *peer);

/* Answer the request that is COMING, and ignore all that comes. */
void hf_h1_refuse(struct hf_exchange *exchange, enum hf_refusal refusal);

#endif
