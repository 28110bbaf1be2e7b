#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_client.h"
#include "support/frames.h"
#include "support/http_bench.h"

/*
 * HTTP under want of memory: in each of some conversations the first allocation
 * fails, then the second, and so on until it needs no more; alone, or with all
 * that follow it.  Whatever was told ends just once, nothing is lost of the
 * heap, and another peer is served as before.
 */

struct heap {
    int countdown; /* 0: never fails; 1: the next request is the first */
    bool for_ever;
    bool fired;
    long outstanding;
};

static struct heap heap;
static struct bench bench;
static struct frames frames;

static void *
heap_allocate(void *ctx, size_t count, size_t size)
{
    void *memory;

    (void)ctx;
    if (heap.countdown > 0 && --heap.countdown == 0) {
        heap.fired = true;
        heap.countdown = heap.for_ever ? 1 : 0;
        return NULL;
    }
    memory = calloc(count, size);
    assert_non_null(memory);
    heap.outstanding++;
    return memory;
}

static void
heap_release(void *ctx, void *memory)
{
    (void)ctx;
    if (memory == NULL)
        return;
    heap.outstanding--;
    memset(memory, 0xDD, malloc_usable_size(memory)); /* so that who looks at
                                                         it is found */
    free(memory);
}

static void
begin(int countdown, bool for_ever)
{
    bench_init(&bench);
    bench.alloc = (struct hf_alloc){heap_allocate, heap_release, NULL};
    heap = (struct heap){.countdown = countdown, .for_ever = for_ever};
}

/* There is memory again: whoever comes now is served. */
static void
serve_another(void)
{
    bench_open(&bench);
    bench.out_len = bench.log_len = 0;
    bench_text(&bench, "GET /other HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_has_out(&bench, "HTTP/1.1 200 OK\r\n"));
    bench_close_peer(&bench);
}

/* ---- Conversations ------------------------------------------------------- */

static char long_body[60 * 1000];

static void
answer_what_waits(void)
{
    for (size_t tag = 1; tag <= bench.open_count; tag++)
        if (bench.open[tag - 1] != 0)
            (void)bench_answer(&bench, tag, 200, long_body);
    bench_write(&bench);
    bench_tell(&bench);
}

static void
talk_http1(void)
{
    bench_text(&bench, "POST /a HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 3000\r\n\r\n");
    bench_feed(&bench, long_body, 3000);
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    answer_what_waits();
    bench_text(&bench, "PUT /c HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n7d0\r\n");
    bench_feed(&bench, long_body, 2000);
    bench_text(&bench, "\r\n0\r\n\r\nBREW /d HTTP/1.1\r\nHost: h\r\n\r\n");
}

static void
talk_http2(void)
{
    frames_begin(&frames, 4, 1000); /* SETTINGS_INITIAL_WINDOW_SIZE */
    frames_request(&frames, 1, "POST", "/a", "hello");
    frames_request(&frames, 3, "GET", "/wait", NULL);
    frames_request(&frames, 5, "BREW", "/a", "hello");
    frames_request(&frames, 7, "PUT", "/wait", long_body + 50 * 1000);
    bench_feed(&bench, frames.bytes, frames.len);
    answer_what_waits();
    frames.len = 0;
    frames_number(&frames, WINDOW_UPDATE, 0, 7, 20 * 1000);
    frames_number(&frames, RST_STREAM, 0, 3, 8);
    frames_add(&frames, PING, 0, 0, "12345678", 8);
    bench_feed(&bench, frames.bytes, frames.len);
    hf_http_drain(bench.peer);
    bench_write(&bench);
    bench_pass(&bench, 1000);
}

/* Lines come and go; some wait, and the rest is lost with its carrier. */
static void
talk_lines1(void)
{
    bench_text(&bench, "POST /lines HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n"
                       "b\r\na\nwait b\nc\n\r\n"
                       "10\r\nname 1\nname 2\nd\n\r\n");
    answer_what_waits();
    bench_text(&bench, "7\r\nwait\nxx\r\n");
    bench_pass(&bench, 10 * 1000);
    bench_pass(&bench, 30 * 1000);
}

static void
talk_lines2(void)
{
    const char *const pairs[] = {":method",    "POST",  ":scheme",
                                 "http",       ":path", "/lines",
                                 ":authority", "h",     NULL};

    frames_begin(&frames, 4, 1000); /* SETTINGS_INITIAL_WINDOW_SIZE */
    frames_headers(&frames, END_HEADERS, 1, pairs);
    frames_add(&frames, DATA, 0, 1, "a\nname 1\nwait\nb", 15);
    bench_feed(&bench, frames.bytes, frames.len);
    frames.len = 0;
    answer_what_waits();
    frames_number(&frames, WINDOW_UPDATE, 0, 1, 200 * 1000);
    frames_headers(&frames, END_HEADERS, 3, pairs);
    frames_add(&frames, DATA, 0, 3, "wait\nname 1\n", 12);
    frames_number(&frames, RST_STREAM, 0, 3, 8);
    frames_add(&frames, DATA, 0, 1, "c\nwait\n", 7);
    bench_feed(&bench, frames.bytes, frames.len);
    hf_http_drain(bench.peer);
    answer_what_waits();
    bench_pass(&bench, 1000);
}

/* ---- With a client of ours ----------------------------------------------- */

static struct hf_http_client *client;
static uint64_t asked; /* a bit each */
static uint64_t ended;

static void
tell(void)
{
    struct hf_http_client_event event;

    while (hf_http_client_next(client, &event)) {
        uint64_t bit = UINT64_C(1) << event.tag;

        assert_true((asked & bit) != 0 && (ended & bit) == 0);
        ended |= bit;
    }
}

static void
ask(const char *path, size_t len, uint64_t tag)
{
    const struct hf_http_ask ask = {
        .method = HF_HTTP_POST,
        .host = {"h", 1},
        .path = {path, strlen(path)},
        .body = {long_body, len},
        .tag = tag,
    };
    int32_t stream;

    if (hf_http_client_ask(client, &ask, &stream, NULL) == HF_OK)
        asked |= UINT64_C(1) << tag;
}

static void
exchange_bytes(void)
{
    for (int i = 0; i < 100; i++) {
        struct hf_bytes out = hf_http_client_out(client);
        size_t at = 0;
        int stuck = 0;

        bench_feed(&bench, out.at, out.len);
        hf_http_client_wrote(client, out.len);
        bench_write(&bench);
        while (at < bench.out_len && stuck < 2) {
            size_t taken =
                hf_http_client_feed(client, bench.out + at, bench.out_len - at);

            stuck = taken == 0 ? stuck + 1 : 0;
            at += taken;
            tell();
        }
        bench.out_len = 0;
        tell();
    }
}

static void
talk_as_client(void)
{
    asked = ended = 0;
    client = NULL;
    if (hf_http_client_open(&bench.alloc, &bench.limits, &client, NULL) !=
        HF_OK)
        return;
    ask("/a", 100, 1);
    exchange_bytes();
    ask("/wait", 50 * 1000, 2);
    exchange_bytes();
    ask("/wait", 0, 3);
    exchange_bytes();
    answer_what_waits();
    exchange_bytes();
    hf_http_client_gone(client);
    tell();
    assert_true(asked == ended);
    hf_http_client_close(client);
}

/* ---- Enumerated ---------------------------------------------------------- */

/* False: it needed no more than so many. */
static bool
converse(void (*talk)(void), int countdown, bool for_ever)
{
    begin(countdown, for_ever);
    if (bench_try_open(&bench)) {
        talk();
        hf_http_gone(bench.peer);
        bench_tell(&bench);
        assert_true(bench_has_ended(&bench));
        bench_close_peer(&bench);
    }
    heap.countdown = 0;
    if (bench.http != NULL)
        serve_another();
    hf_http_close(bench.http);
    assert_int_equal(heap.outstanding, 0);
    return heap.fired;
}

static void
enumerate(void (*talk)(void), int least)
{
    memset(long_body, 'x', sizeof(long_body) - 1);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        int countdown = 1;

        while (converse(talk, countdown, for_ever))
            countdown++;
        assert_true(countdown > least); /* there was something to fail */
    }
}

static void
http1_ends_well_without_memory(void **state)
{
    (void)state;
    enumerate(talk_http1, 8);
}

static void
http2_ends_well_without_memory(void **state)
{
    (void)state;
    enumerate(talk_http2, 50);
}

static void
lines_end_well_without_memory(void **state)
{
    (void)state;
    enumerate(talk_lines1, 8);
    enumerate(talk_lines2, 50);
}

static void
a_client_ends_well_without_memory(void **state)
{
    (void)state;
    enumerate(talk_as_client, 80);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http1_ends_well_without_memory),
        cmocka_unit_test(http2_ends_well_without_memory),
        cmocka_unit_test(lines_end_well_without_memory),
        cmocka_unit_test(a_client_ends_well_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
