#ifndef HF_NET_EXCHANGES_H
#define HF_NET_EXCHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/list.h"

struct hf_carrier;
struct hf_http_peer;
struct hf_line;
struct hf_reader;

/*
 * Exchanges: those of all peers, each with a number that is never used again.
 *
 * The number is made of the slot and of how often it was used: so the number of
 * an exchange that is over finds nothing.  Slots are made some hundreds at a
 * time, and never move.  One thread at a time.
 */
enum hf_exchange_state {
    HF_EXCHANGE_FREE,
    HF_EXCHANGE_COMING,   /* its request is not whole */
    HF_EXCHANGE_OPEN,     /* waits for its answer */
    HF_EXCHANGE_CARRIER,  /* lines come and go on it */
    HF_EXCHANGE_ANSWERED, /* not all of the answer is made */
    HF_EXCHANGE_MADE,     /* all of it is in the bytes that are to be written */
    HF_EXCHANGE_SENT,     /* to be told */
    HF_EXCHANGE_LOST,     /* to be told */
    HF_EXCHANGE_STATES,
};

struct hf_exchange {
    struct hf_link link; /* among the free, or its peer's of that state */
    uint64_t id;
    uint64_t tag;
    struct hf_http_peer *peer; /* borrowed */
    union {
        struct hf_reader *reader; /* COMING: owned */
        char *body;               /* ANSWERED: owned, or NULL: the caller's */
        uint64_t made;            /* MADE: where it ends, of all bytes that
                                     were ever made for this peer */
    };
    union {
        const char *rest; /* ANSWERED: of the body, what is not made */
        struct hf_carrier *carrier; /* owned; of a carrier until it is MADE */
        struct hf_line *line;       /* owned; of a line until it is MADE */
    };
    uint32_t rest_len; /* ANSWERED */
    int32_t stream;    /* of HTTP/2 */
    uint8_t state;
    bool is_head;    /* asked by HEAD: the body is left out */
    bool wants_json; /* and no problem+json: see headers.h */
    bool is_told;    /* the caller knows it */
    bool is_carrier; /* `carrier` is there */
    bool is_line;    /* `line` is there */
    bool is_cut;     /* answered before its request was whole */
    bool is_reset;   /* LOST: its peer wants no answer */
};

struct hf_exchanges {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_exchange **blocks;  /* owned, and what they name */
    struct hf_list free;
    uint32_t made; /* slots there are */
    uint32_t most; /* that there may be */
    uint32_t used;
};

/* HF_E_NOMEM is false. */
bool hf_exchanges_init(struct hf_exchanges *exchanges,
                       const struct hf_alloc *alloc, uint32_t most);
void hf_exchanges_fini(struct hf_exchanges *exchanges);

/* There may be no more of them. */
static inline bool
hf_exchanges_are_full(const struct hf_exchanges *exchanges)
{
    return exchanges->used == exchanges->most;
}

/* One that is COMING, in no list; NULL: there are too many, or no memory. */
struct hf_exchange *hf_exchanges_add(struct hf_exchanges *exchanges,
                                     struct hf_http_peer *peer);

/* It is in no list, and owns nothing. */
void hf_exchanges_remove(struct hf_exchanges *exchanges,
                         struct hf_exchange *exchange);

/* The one of that number, or NULL: it is over, or never was. */
struct hf_exchange *hf_exchanges_find(const struct hf_exchanges *exchanges,
                                      uint64_t id);

#endif
