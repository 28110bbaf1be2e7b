#ifndef HF_NET_READER_H
#define HF_NET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "net/headers.h"
#include "net/limits.h"
#include "net/refusals.h"

/*
 * Message reader: puts a request or an answer together from pieces.
 *
 * One buffer keeps the target, the headers that are looked at, then the body.
 * Whether a message is too long, or wrong, is noted; that part is not kept.
 *
 *   begin, then target and header in any order, then end_of_head, body, whole
 *
 * A few readers are kept spare, so that a message needs no memory from the
 * heap. One thread at a time.
 */
struct hf_span {
    uint32_t at;
    uint32_t len;
};

struct hf_reader {
    struct hf_reader *next; /* a spare one */
    struct hf_instant begun;
    char *bytes; /* owned */
    uint32_t len;
    uint32_t room;

    enum hf_http_method method;
    enum hf_refusal refusal; /* the first that was found */
    struct hf_span target;
    struct hf_span fields[HF_HEADERS];
    struct hf_span authority; /* of HTTP/2 */
    struct hf_span body;
    uint32_t present;     /* a bit a header that is there */
    bool joins;           /* the value to come, to a list that is there */
    uint32_t headers;     /* that came, also those that are not kept */
    uint32_t headers_len; /* of their names and values */
};

struct hf_readers {
    const struct hf_alloc *alloc;        /* borrowed */
    const struct hf_http_limits *limits; /* borrowed */
    uint32_t wanted;                     /* headers that are kept, a bit each */
    struct hf_reader *spare;
    unsigned spare_count;
    size_t held; /* bytes of those that are begun */
};

/* An empty one, or NULL: no memory. */
struct hf_reader *hf_reader_begin(struct hf_readers *readers,
                                  struct hf_instant now);

/* It is not needed any more; NULL is ignored. */
void hf_reader_end(struct hf_readers *readers, struct hf_reader *reader);

/* Give the spare ones back. */
void hf_reader_fini(struct hf_readers *readers);

/* Note why it is refused, if nothing is noted yet. */
void hf_reader_refuse(struct hf_reader *reader, enum hf_refusal refusal);

/* More of the target.  False, here and below: no memory. */
bool hf_reader_target(struct hf_readers *readers, struct hf_reader *reader,
                      struct hf_bytes piece);

/*
 * A header begins, and more of its value.  Between the two nothing else is
 * added.  Name and value count, whether they are kept or not.
 */
unsigned hf_reader_name(struct hf_readers *readers, struct hf_reader *reader,
                        struct hf_bytes name);
bool hf_reader_value(struct hf_readers *readers, struct hf_reader *reader,
                     unsigned field, struct hf_bytes piece);

/* A header of a trailer counts, and is not kept. */
void hf_reader_skip(struct hf_readers *readers, struct hf_reader *reader,
                    size_t len);

/* HTTP/2's own place for the host. */
bool hf_reader_authority(struct hf_readers *readers, struct hf_reader *reader,
                         struct hf_bytes value);

/* All headers are there: note what is wrong with them. */
void hf_reader_end_of_head(struct hf_reader *reader);

/* Its body has not come with it: where much is held, it holds no more than it
 * needs until then. */
void hf_reader_await_body(struct hf_readers *readers, struct hf_reader *reader);

/* More of the body; not when it is refused. */
bool hf_reader_body(struct hf_readers *readers, struct hf_reader *reader,
                    struct hf_bytes piece);

/* The value of a header; `at` is NULL: it is not there. */
struct hf_bytes hf_reader_field(const struct hf_reader *reader, unsigned field);

/* The request, borrowed from the reader.  Nothing was refused. */
void hf_reader_tell(const struct hf_reader *reader,
                    struct hf_http_request *request);

#endif
