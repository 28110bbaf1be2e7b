#ifndef HF_NET_H1_H
#define HF_NET_H1_H

#include "net/parts.h"

/*
 * A peer that speaks HTTP/1.1, or 1.0.
 *
 *   START --> HEAD --> LENGTH or CHUNKS --> (a request) --> START
 *               |            |
 *               `------------`--refused--> DEAF
 *
 * http-parser reads the heads.  It is lenient, as Debian builds it: it takes
 * lines that end with LF alone, blanks before a colon, lines that go on in the
 * next one, a first line of two words, and control characters where the bytes
 * are cut in some ways; whoever stands before us might read those otherwise.
 * So the lines are looked at here before it sees them, and bodies are not its
 * business.
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

/* Make what there is room for. */
void hf_h1_fill(struct hf_http_peer *peer);

/* Send something to who waits for an answer, if it bears that; if not, it waits
 * no more. */
void hf_h1_probe(struct hf_http_peer *peer);

/* Answer the request that is COMING, and be deaf. */
void hf_h1_refuse(struct hf_exchange *exchange, enum hf_refusal refusal);

#endif
