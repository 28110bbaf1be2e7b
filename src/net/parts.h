#ifndef HF_NET_PARTS_H
#define HF_NET_PARTS_H

#include "base/list.h"
#include "net/carrier.h"
#include "net/exchanges.h"
#include "net/http.h"
#include "net/reader.h"
#include "net/write_buffer.h"

/*
 * The parts of the server's side, and which calls which: down, and never up.
 *
 *        http.c            what is exported; time; which version is spoken
 *       /      \
 *    h1.c      h2.c        bytes to requests, and answers to bytes
 *       \      /   \
 *       peer.c   h2_session  an exchange from its birth to its end; frames
 *       |           |
 *  exchanges, carrier, reader, headers, refusals, write_buffer
 *
 * h2.c and h2_session alone know of nghttp2.
 */

struct hf_h1;
struct hf_h2;

enum { HF_HTTP_DATE_LEN = 29 };

struct hf_http {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_http_limits limits;
    struct hf_instant now;
    int64_t date_s; /* Unix time that `date` tells */
    char date[HF_HTTP_DATE_LEN + 1];
    uint32_t peers;
    struct hf_exchanges exchanges;
    struct hf_readers readers;
    struct hf_write_buffers buffers;
    struct hf_bytes carrier_path; /* empty: there are no carriers */
    struct hf_hash line_names;
    struct hf_list spare_lines;
    uint64_t turn;
};

enum hf_protocol {
    HF_PROTOCOL_UNKNOWN,
    HF_PROTOCOL_H1,
    HF_PROTOCOL_H2,
};

struct hf_http_peer {
    struct hf_http *http; /* borrowed */
    enum hf_protocol protocol;
    uint8_t preface_len; /* of HTTP/2's first bytes, that have come */
    bool is_eof;         /* nothing more will come */
    bool is_broken;      /* nothing more can be written */
    bool is_ending;      /* nothing more is read; what is made is written */
    bool is_draining;
    struct hf_h1 *h1; /* owned; one of them is there */
    struct hf_h2 *h2; /* owned */

    struct hf_list lists[HF_EXCHANGE_STATES]; /* by state, in order */
    uint32_t counts[HF_EXCHANGE_STATES];
    struct hf_exchange *whole;       /* OPEN, and to be told */
    struct hf_reader *told_reader;   /* owned: what the caller may look at */
    struct hf_carrier *told_carrier; /* of the line that it may look at:
                                        borrowed, owned if retired */
    struct hf_http_request request;

    struct hf_list ready;       /* carriers with a line to tell */
    uint64_t lines_turn;        /* the last in which a line was told, */
    unsigned lines_told;        /* and how many were in it */
    struct hf_instant quiet_at; /* carriers were last looked at */

    struct hf_write_buffer out;
    uint32_t unread; /* bytes of bodies that are kept, for want of room */

    struct hf_instant head_since; /* a head is coming; HF_NEVER: none */
    struct hf_instant idle_since;
    struct hf_instant unread_since; /* something waits to be taken */
    struct hf_instant drain_since;
};

/* ---- The life of an exchange --------------------------------------------- */

/* A request begins: COMING, with a reader.  NULL: there are too many, or no
 * memory. */
struct hf_exchange *hf_peer_begin(struct hf_http_peer *peer);

/* A request that is COMING is whole: it is the next that is told. */
void hf_peer_whole(struct hf_exchange *exchange);

/* See headers.h, of a request that is COMING. */
bool hf_peer_wants_json(const struct hf_exchange *exchange);

/* Is a request that is COMING, and whose headers are there, a carrier? */
bool hf_peer_is_carrier(const struct hf_exchange *exchange);

/* Then it is the next that is told, as OPEN. */
void hf_peer_carrier(struct hf_exchange *exchange);

/* Its answer begins: it is a CARRIER, unless the peer is broken, for want of
 * memory. */
void hf_peer_carry(struct hf_exchange *exchange);

/* Is there a line to tell, and room for one more that is not answered? */
bool hf_peer_may_take_line(const struct hf_http_peer *peer);

/* Then it is the next that is told.  Returns its carrier; NULL: no memory. */
struct hf_exchange *hf_peer_line(struct hf_http_peer *peer);

/* Put bytes behind a carrier's answer.  False: no memory. */
bool hf_peer_say(struct hf_exchange *exchange, struct hf_bytes first,
                 struct hf_bytes second);

/* The answer of a line: ANSWERED.  False: no memory. */
bool hf_peer_answer_line(struct hf_exchange *exchange,
                         const struct hf_http_reply *reply);

/* An open line gets no answer, and is not told of any more. */
void hf_peer_drop_line(struct hf_exchange *exchange);

/* So much of a carrier's answer is made; its last byte is the byte `made` of
 * all. */
void hf_peer_lines_made(struct hf_exchange *carrier, size_t len, uint64_t made);

/* No more lines are taken of any carrier; `is_cut`: what came may end within
 * one. */
void hf_peer_end_carriers(struct hf_http_peer *peer, bool is_cut);

/* The answer begins: ANSWERED.  Its reader, if it has one, is let go. */
void hf_peer_answer(struct hf_exchange *exchange);

/* The last byte of its answer is made: it ends with the byte `made`. */
void hf_peer_made(struct hf_exchange *exchange, uint64_t made);

/* It will have no answer, or not all of it. */
void hf_peer_lose(struct hf_exchange *exchange);

/* Nothing more can be done with this peer. */
void hf_peer_break(struct hf_http_peer *peer);

/* No request that is COMING will be whole; no OPEN one can be answered. */
void hf_peer_lose_coming(struct hf_http_peer *peer);
void hf_peer_lose_open(struct hf_http_peer *peer);

/* Nothing more is done with it but to write what is made. */
void hf_peer_end(struct hf_http_peer *peer);

/* Copy what is left of the answer, which is the caller's.  False: no memory. */
bool hf_peer_keep(struct hf_exchange *exchange, struct hf_bytes first,
                  struct hf_bytes second);

/* So much of the rest of the answer is made. */
void hf_peer_rest_made(struct hf_exchange *exchange, size_t len);

/* SENT or LOST, and told. */
void hf_peer_forget(struct hf_exchange *exchange);

/* The caller is done with the request that was told. */
void hf_peer_let_go(struct hf_http_peer *peer);

/* Give back all that it has. */
void hf_peer_fini(struct hf_http_peer *peer);

/* ---- The bytes that are to be written ------------------------------------ */

/* Room for more of them; 0: there is none until some are written, or no memory,
 * and the peer is broken then. */
size_t hf_peer_room(struct hf_http_peer *peer);

/* Add bytes; there is room. */
void hf_peer_put(struct hf_http_peer *peer, const void *bytes, size_t len);

/* Bytes were put where none waited to be written. */
void hf_peer_put_first(struct hf_http_peer *peer);

/* So many are written. */
void hf_peer_wrote(struct hf_http_peer *peer, size_t len);

static inline size_t
hf_peer_unwritten(const struct hf_http_peer *peer)
{
    return hf_write_buffer_bytes(&peer->out).len;
}

/* Is a request under way, in either direction? */
static inline bool
hf_peer_is_busy(const struct hf_http_peer *peer)
{
    return peer->counts[HF_EXCHANGE_COMING] + peer->counts[HF_EXCHANGE_OPEN] +
               peer->counts[HF_EXCHANGE_ANSWERED] +
               peer->counts[HF_EXCHANGE_MADE] >
           0;
}

#endif
