#ifndef TEST_SUPPORT_HTTP_BENCH_H
#define TEST_SUPPORT_HTTP_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/http.h"

/*
 * One peer on a bench: bytes are fed to it in pieces of any size, what it tells
 * is written down as text, and what is to be written to it is kept.
 *
 * A request is told as
 *
 *   POST /path?query host=a content-type=b "body"
 *
 * and the end of one as `sent TAG` or `lost TAG`; requests are tagged 1, 2, ...
 * in order.  It is answered at once, with its own body, unless its path begins
 * with /wait.
 *
 * A POST to /lines is a carrier.  A line is told as `line "body"`, or with what
 * is wrong with it, and is answered with itself, unless it begins with "wait".
 * If it begins with "name N", N is its name, and it waits, too.
 */
enum { BENCH_LOG = 1 << 16, BENCH_OUT = 1 << 20, BENCH_OPEN = 4096 };

struct bench {
    struct hf_http_limits limits; /* set before bench_open */
    struct hf_alloc alloc;        /* set before, or the C library's */
    struct hf_http *http;
    struct hf_http_peer *peer;
    size_t piece; /* bytes that are fed at once; 0: all */
    bool is_deaf; /* nothing is written to it */
    struct hf_instant now;

    char log[BENCH_LOG];
    size_t log_len;
    char out[BENCH_OUT];
    size_t out_len;
    uint64_t open[BENCH_OPEN]; /* exchanges, by tag - 1; 0: it has ended */
    size_t ends[BENCH_OPEN];   /* of answers that were sent, in all bytes */
    size_t open_count;
};

/* With default limits; `bench` may have been used before. */
void bench_init(struct bench *bench);
void bench_open(struct bench *bench); /* a peer; the first opens all */
bool bench_try_open(struct bench *bench);
void bench_close_peer(struct bench *bench);
void bench_close(struct bench *bench);

/* A fixture: *state is the bench, which is open for the test (TEST_OF). */
int bench_set_up(void **state);
int bench_tear_down(void **state);

void bench_feed(struct bench *bench, const void *bytes, size_t len);
void bench_text(struct bench *bench, const char *text);
void bench_write(struct bench *bench); /* as much as there is */
void bench_tell(struct bench *bench);  /* take the news */

/* Answer the request of that tag; a line's body has its end. */
bool bench_answer(struct bench *bench, size_t tag, int status,
                  const char *body);

void bench_pass(struct bench *bench, int64_t ms); /* time; and the clock */

/* Look, and forget it. */
void bench_expect_log(struct bench *bench, const char *expected);
void bench_expect_out(struct bench *bench, const char *expected);
bool bench_has_out(const struct bench *bench, const char *part);

/* Has each request that was told ended? */
bool bench_has_ended(const struct bench *bench);

#endif
