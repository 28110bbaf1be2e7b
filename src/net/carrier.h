#ifndef HF_NET_CARRIER_H
#define HF_NET_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "net/fifo.h"
#include "net/message.h"
#include "net/reader.h"

struct hf_exchange;

/*
 * Carrier: a request whose body is lines, each of which is a request of its
 * own, and whose answer is lines, too: in any order, and for as long as either
 * end likes.
 *
 *   of the body ---> take --> [in] ---> next ---> a line, which is told
 *   of the answer <- pull <-- [out] <-- put <---- its answer
 *
 * Empty lines in the body are let pass.  A carrier whose peer does not take its
 * answers is *held*: no line is taken of it until it does.
 *
 * One thread at a time.
 */

enum {
    /* Bytes of answers that wait for their peer: with more, it is held. */
    HF_CARRIER_OUT_MAX = 64 * 1024,
};

struct hf_carrier {
    struct hf_exchange *exchange; /* borrowed: its own; NULL: it is retired */
    struct hf_readers *readers;   /* borrowed */
    struct hf_reader *reader;     /* owned: its head, until its answer begins */
    char *optional; /* owned: of its head, what counts for lines; or NULL */
    size_t optional_len;
    struct hf_list *ready; /* borrowed: carriers with a line to tell, */
    struct hf_link ready_link;
    bool is_ready; /* ... among which it is */

    struct hf_fifo in;      /* owned: of the body, what was not told */
    size_t held;            /* of its room, what `readers` count */
    size_t looked;          /* so many bytes of it have no end of a line */
    size_t line_len;        /* 0: the next line is not whole */
    enum hf_http_line line; /* what is wrong with it */
    struct hf_instant line_since; /* it has begun; HF_NEVER: it has not */
    bool is_dropping; /* up to the end of a line that was too long */
    bool is_whole;    /* nothing more of its body comes, or is taken */
    size_t dropped;   /* bytes that left `in`, for HTTP/2's windows */

    struct hf_fifo out; /* owned */
    size_t raw_len;     /* HTTP/1.1: of it, what is no body, but its head */
    uint64_t put;       /* bytes that were ever put in it */
    uint64_t made;      /* and ever pulled */
    bool is_deferred;   /* HTTP/2: nghttp2 does not ask for more by itself */

    struct hf_list open;     /* of struct hf_line: not answered */
    struct hf_list answered; /* in order; their answers are in `out` */
};

/* A line, from when it is told until its answer is made. */
struct hf_line {
    struct hf_link link;          /* of its carrier; or a spare one */
    struct hf_exchange *exchange; /* borrowed: its own */
    struct hf_carrier *carrier;   /* borrowed */
    uint64_t end;                 /* answered: where in `put` it ends */
    struct hf_hash_node named;    /* in the table of names, if */
    bool is_named;
    bool has_name; /* perhaps that of another */
    uint64_t name;
};

/* Its head was read; its reader is to be set.  NULL: no memory. */
struct hf_carrier *hf_carrier_open(struct hf_readers *readers,
                                   struct hf_exchange *exchange,
                                   struct hf_list *ready);

/* Keep of its head what counts for its lines.  False: no memory. */
bool hf_carrier_keep(struct hf_carrier *carrier);

/* All its lines are gone.  The one that was told last can still be read when it
 * is retired, until it is closed. */
void hf_carrier_retire(struct hf_carrier *carrier);
void hf_carrier_close(struct hf_carrier *carrier);

/* ---- Its body ------------------------------------------------------------ */

/* More of it, and its end; an end with `is_cut` may have come too soon: a line
 * that is not whole is forgotten.  False: no memory. */
bool hf_carrier_take(struct hf_carrier *carrier, struct hf_bytes bytes,
                     struct hf_instant now);
void hf_carrier_end(struct hf_carrier *carrier, bool is_cut);

/* The next line, without its end, good until more is taken, or it is let go; at
 * most as long as a body may be.  It is ready. */
struct hf_bytes hf_carrier_next(struct hf_carrier *carrier,
                                struct hf_instant now, enum hf_http_line *line);

/* The line that was told last is not needed any more. */
void hf_carrier_let_go(struct hf_carrier *carrier);

/* Look at the time: a line that took too long is the last.  And give back the
 * memory of which little is used. */
void hf_carrier_clock(struct hf_carrier *carrier, struct hf_instant now);

/* ---- Its answer ---------------------------------------------------------- */

/* Two pieces of it, as one.  False: no memory. */
bool hf_carrier_put(struct hf_carrier *carrier, struct hf_bytes first,
                    struct hf_bytes second);

/* What waits to be pulled; so much of it was. */
static inline struct hf_bytes
hf_carrier_out(const struct hf_carrier *carrier)
{
    return hf_fifo_bytes(&carrier->out);
}
void hf_carrier_pull(struct hf_carrier *carrier, size_t len);

/* No line of it will come, and each has its answer. */
bool hf_carrier_is_over(const struct hf_carrier *carrier);

/* ---- Names of lines ------------------------------------------------------ */

/* The open line of that name, or NULL. */
struct hf_line *hf_line_find(const struct hf_hash *names,
                             const struct hf_carrier *carrier, uint64_t name);

/* Note a line by its name; false: no memory.  And forget it. */
bool hf_line_name(struct hf_hash *names, struct hf_line *line);
void hf_line_unname(struct hf_hash *names, struct hf_line *line);

#endif
