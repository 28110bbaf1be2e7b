#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "support/frames.h"
#include "support/http_bench.h"

/* What a slow, silent or hostile peer may cost: each limit, what is beyond it,
 * and that an honest peer does not meet it. */

static struct bench bench;
static struct frames frames;

static void
open_again(void)
{
    bench_close(&bench);
    bench_open(&bench);
    bench.out_len = bench.log_len = bench.open_count = 0;
    frames_begin(&frames, 0, 0);
}

static int
set_up(void **state)
{
    bench_set_up(state);
    frames_begin(&frames, 0, 0);
    return 0;
}

static void
feed(void)
{
    bench_feed(&bench, frames.bytes, frames.len);
    frames.len = 0;
}

static void
expect_sent(const char *expected)
{
    static char text[BENCH_OUT];

    bench_write(&bench);
    frames_show(bench.out, bench.out_len, text, sizeof(text));
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("expected %s, and there is %s", expected, text);
}

/* The connection has ended by our will, and said why. */
static void
expect_calm_down(void)
{
    static char text[BENCH_OUT];

    bench_write(&bench);
    frames_show(bench.out, bench.out_len, text, sizeof(text));
    assert_non_null(strstr(text, "error 11\n")); /* ENHANCE_YOUR_CALM */
    assert_true(hf_http_is_done(bench.peer));
}

/* ---- Sizes --------------------------------------------------------------- */

/* A request of HTTP/1.1 with so many bytes in each. */
static void
ask(size_t target, size_t headers, size_t value, size_t body)
{
    static char text[1 << 19];
    size_t len = 0;

    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "POST /%0*d HTTP/1.1\r\nHost: h\r\n"
                            "Content-Length: %zu\r\n",
                            (int)target - 1, 0, body);
    for (size_t i = 0; i < headers; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "X%02zu: %0*d\r\n", i, (int)value, 0);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "\r\n");
    memset(text + len, 'b', body);
    bench_feed(&bench, text, len + body);
}

#define FIXTURE_TEST(sentence)                                                 \
    TEST_OF(&bench, set_up, bench_tear_down, sentence)

FIXTURE_TEST(a_target_has_a_limit)
{
    bench.limits.target_len = 100;
    open_again();
    ask(100, 0, 1, 0);
    assert_true(bench_has_out(&bench, "HTTP/1.1 200 "));
    open_again();
    ask(101, 0, 1, 0);
    assert_true(bench_has_out(&bench, "HTTP/1.1 414 "));
    assert_true(hf_http_is_done(bench.peer));
    open_again();
    frames_request(&frames, 1, "GET", "/2345678901", NULL);
    bench.limits.target_len = 10;
    bench_close(&bench);
    bench_open(&bench);
    feed();
    expect_sent("HEADERS 1 :status=414");
}

/* `Host: h` and `Content-Length: 0` have 20 bytes, `X00: v` has 4. */
FIXTURE_TEST(headers_have_a_limit)
{
    bench.limits.headers_len = 100;
    bench.limits.headers = 10;
    open_again();
    ask(1, 8, 7, 0);
    assert_true(bench_has_out(&bench, "HTTP/1.1 200 "));
    open_again();
    ask(1, 8, 8, 0);
    assert_true(bench_has_out(&bench, "HTTP/1.1 431 "));
    assert_true(hf_http_is_done(bench.peer));
    open_again();
    ask(1, 9, 1, 0);
    assert_true(bench_has_out(&bench, "HTTP/1.1 431 "));
}

FIXTURE_TEST(blanks_have_a_limit_too)
{
    size_t fed = 0;

    bench_text(&bench, "GET / HTTP/1.1\r\nHost:");
    while (!hf_http_is_done(bench.peer) && fed < 1000 * 1000) {
        bench_text(&bench, "          ");
        fed += 10;
    }
    assert_true(bench_has_out(&bench, "HTTP/1.1 431 "));
    assert_in_range(fed, 1, 100 * 1000);
}

FIXTURE_TEST(headers_of_a_stream_have_a_limit)
{
    static char value[200];
    const char *const pairs[] = {":method", "GET", ":scheme", "http",
                                 ":path",   "/",   "host",    "h",
                                 "x",       value, NULL};

    memset(value, 'v', sizeof(value) - 1);
    bench.limits.headers_len = 100;
    open_again();
    frames_headers(&frames, END_HEADERS | END_STREAM, 1, pairs);
    frames_request(&frames, 3, "GET", "/b", NULL);
    feed();
    expect_sent("HEADERS 1 :status=431");
    bench_expect_log(&bench, "GET /b host=h\nsent 1\n");
}

/* A header of 4,000 bytes is kept in the table, and named with one byte again
 * and again. */
FIXTURE_TEST(a_block_that_unpacks_to_much_ends_the_connection)
{
    static unsigned char block[16384];
    static char value[4000];
    size_t len = frames_block(
        block, (const char *const[]){":method", "GET", ":scheme", "http",
                                     ":path", "/", "host", "h", NULL});

    block[len++] = 0x40; /* to be indexed: "x", of 4,000 bytes */
    block[len++] = 1;
    block[len++] = 'x';
    block[len++] = 127;
    block[len++] = (4000 - 127) % 128 + 128;
    block[len++] = (4000 - 127) / 128;
    memset(value, 'v', sizeof(value));
    memcpy(block + len, value, sizeof(value));
    len += sizeof(value);
    memset(block + len, 0x80 + 62, 5000); /* the newest of the table */
    frames_add(&frames, HEADERS, END_HEADERS | END_STREAM, 1, block,
               len + 5000);
    feed();
    bench_expect_log(&bench, "");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_head_in_endless_pieces_ends_the_connection)
{
    frames_add(&frames, HEADERS, END_STREAM, 1, "", 0);
    for (int i = 0; i < 100; i++)
        frames_add(&frames, CONTINUATION, 0, 1, "", 0);
    feed();
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_body_has_a_limit)
{
    bench.limits.body_len = 1000;
    open_again();
    ask(1, 0, 1, 1000);
    assert_true(bench_has_out(&bench, "HTTP/1.1 200 "));
    open_again();
    ask(1, 0, 1, 1001);
    assert_true(bench_has_out(&bench, "HTTP/1.1 413 "));
    assert_true(hf_http_is_done(bench.peer));
    open_again();
    bench_text(&bench, "PUT / HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n3e8\r\n");
    for (int i = 0; i < 100; i++)
        bench_text(&bench, "0123456789");
    bench_text(&bench, "\r\n");
    assert_int_equal(bench.out_len, 0);
    bench_text(&bench, "1\r\nx");
    assert_true(bench_has_out(&bench, "HTTP/1.1 413 "));
}

FIXTURE_TEST(extensions_and_trailers_have_a_limit)
{
    size_t fed = 0;

    bench_text(&bench, "PUT / HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n");
    while (bench.out_len == 0 && fed < 1000 * 1000) {
        bench_text(&bench, "1;0123456789\r\nx\r\n");
        fed += 17;
    }
    assert_true(bench_has_out(&bench, "HTTP/1.1 400 "));
    assert_in_range(fed, 4096, 10 * 1000);
}

static void
begin_upload(uint32_t stream, const char *length)
{
    const char *const pairs[] = {
        ":method", "PUT",   ":scheme",
        "http",    ":path", "/u",
        "host",    "h",     length != NULL ? "content-length" : NULL,
        length,    NULL};

    frames_headers(&frames, END_HEADERS, stream, pairs);
}

FIXTURE_TEST(a_body_of_a_stream_has_a_limit)
{
    static char body[16384];

    bench.limits.body_len = 20 * 1000;
    open_again();
    begin_upload(1, "20001");
    begin_upload(3, "20000");
    begin_upload(5, NULL);
    frames_add(&frames, DATA, 0, 3, body, 16384);
    frames_add(&frames, DATA, END_STREAM, 3, body, 20000 - 16384);
    frames_add(&frames, DATA, 0, 5, body, 16384);
    frames_add(&frames, DATA, 0, 5, body, 20000 - 16384);
    frames_add(&frames, DATA, 0, 5, body, 1);
    frames_request(&frames, 7, "GET", "/b", NULL);
    feed();
    bench_expect_log(&bench, "PUT /u host=h 20000 bytes\nsent 1\n"
                             "GET /b host=h\nsent 2\n");
    expect_sent("HEADERS 1 :status=413");
    assert_true(bench_has_out(&bench, "too long"));
}

/* Any number of streams, each with a little of its body. */
FIXTURE_TEST(what_is_on_its_way_has_a_limit)
{
    static char body[16384];
    uint32_t stream = 1;

    feed();
    for (int i = 0; i < 100 && !hf_http_is_done(bench.peer); i++) {
        begin_upload(stream, NULL);
        for (int k = 0; k < 4; k++) /* within its own window */
            frames_add(&frames, DATA, 0, stream, body, 16000);
        feed();
        stream += 2;
    }
    bench_expect_log(&bench, "");
    assert_in_range(stream, 3, 2 * 20); /* FLOW_CONTROL_ERROR, at 512 KiB */
    expect_sent("GOAWAY last ");
    assert_true(hf_http_is_done(bench.peer));
}

/* What was told, refused or reset makes room for others. */
FIXTURE_TEST(windows_open_again)
{
    static char body[16384];
    uint32_t stream = 1;

    feed();
    for (int i = 0; i < 1000; i++) {
        begin_upload(stream, i % 3 == 1 ? "999999" : NULL);
        frames_add(&frames, DATA, 0, stream, body, 16000);
        if (i % 3 == 2)
            frames_number(&frames, RST_STREAM, 0, stream, 8);
        else
            frames_add(&frames, DATA, END_STREAM, stream, body, 10);
        frames_number(&frames, WINDOW_UPDATE, 0, 0, 16010); /* for the answer */
        feed();
        stream += 2;
        bench.out_len = 0;
        bench.log_len = 0;
        assert_false(hf_http_is_done(bench.peer));
    }
    assert_int_equal(bench.open_count, 334);
}

/* ---- Numbers ------------------------------------------------------------- */

FIXTURE_TEST(there_are_so_many_peers)
{
    struct hf_http_peer *first;
    struct hf_http_peer *second;
    struct hf_error error;

    bench.limits.peers = 2;
    open_again();
    first = bench.peer;
    assert_true(bench_try_open(&bench));
    second = bench.peer;
    assert_int_equal(hf_http_add(bench.http, &bench.peer, &error), HF_E_LIMIT);
    hf_http_remove(first);
    assert_true(bench_try_open(&bench));
    hf_http_remove(second);
}

FIXTURE_TEST(there_are_so_many_exchanges)
{
    struct hf_http_peer *first;

    bench.limits.exchanges = 3;
    open_again();
    for (uint32_t i = 0; i < 5; i++)
        frames_request(&frames, 2 * i + 1, "GET", "/wait", NULL);
    feed();
    expect_sent("RST_STREAM 7 error 7\nRST_STREAM 9 error 7\n");
    first = bench.peer;
    assert_true(bench_try_open(&bench));
    bench_text(&bench, "GET / HTTP/1.1\r\n");
    assert_true(hf_http_is_done(bench.peer));
    bench_close_peer(&bench);
    bench.peer = first;
    bench.out_len = bench.log_len = 0;
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    frames_request(&frames, 11, "GET", "/b", NULL);
    feed();
    bench_expect_log(&bench, "sent 1\nGET /b host=h\nsent 4\n");
}

FIXTURE_TEST(a_connection_has_so_many_streams)
{
    bench.limits.streams = 3;
    open_again();
    frames_add(&frames, SETTINGS, ACK, 0, "", 0);
    for (uint32_t i = 0; i < 5; i++)
        frames_request(&frames, 2 * i + 1, "GET", "/wait", NULL);
    feed();
    assert_int_equal(bench.open_count, 3);
    assert_true(hf_http_is_done(bench.peer)); /* it knew the limit */
}

FIXTURE_TEST(more_streams_are_refused_before_the_limit_is_known)
{
    bench.limits.streams = 3;
    open_again();
    for (uint32_t i = 0; i < 5; i++)
        frames_request(&frames, 2 * i + 1, "GET", "/wait", NULL);
    feed();
    assert_int_equal(bench.open_count, 3);
    expect_sent("RST_STREAM 7 error 7\nRST_STREAM 9 error 7\n");
    assert_false(hf_http_is_done(bench.peer));
}

/* ---- Time ---------------------------------------------------------------- */

#define HEAD_MS   10000
#define BODY_MS   30000
#define IDLE_MS   120000
#define UNREAD_MS 30000

static void
expect_deadline(int64_t in_ms)
{
    assert_int_equal(hf_http_deadline(bench.peer).ms, bench.now.ms + in_ms);
}

FIXTURE_TEST(a_head_has_its_time)
{
    bench_text(&bench, "GET / HTTP/1.1\r\n");
    expect_deadline(HEAD_MS);
    bench_pass(&bench, HEAD_MS - 1);
    bench_text(&bench, "Ho"); /* a byte now and then changes nothing */
    assert_int_equal(bench.out_len, 0);
    bench_pass(&bench, 1);
    assert_true(bench_has_out(&bench, "HTTP/1.1 408 "));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_body_has_its_time)
{
    bench_text(&bench, "PUT / HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 100\r\n\r\n");
    expect_deadline(BODY_MS);
    bench_pass(&bench, BODY_MS - 1);
    bench_text(&bench, "x");
    assert_int_equal(bench.out_len, 0);
    bench_pass(&bench, 1);
    assert_true(bench_has_out(&bench, "HTTP/1.1 408 "));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(whoever_says_nothing_is_idle)
{
    expect_deadline(IDLE_MS);
    bench_pass(&bench, IDLE_MS);
    assert_true(hf_http_is_done(bench.peer));
    open_again();
    bench_text(&bench, "PR"); /* of either version */
    expect_deadline(HEAD_MS);
    bench_pass(&bench, HEAD_MS);
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_connection_that_is_not_used_is_idle)
{
    bench_text(&bench, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_pass(&bench, IDLE_MS - 1);
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(hf_http_deadline(bench.peer).ms == HF_NEVER.ms); /* it waits */
    bench_pass(&bench, 10 * IDLE_MS);
    assert_true(bench_answer(&bench, 2, 200, ""));
    bench_write(&bench);
    expect_deadline(IDLE_MS);
    assert_true(hf_http_is_idle(bench.peer));
    bench_pass(&bench, IDLE_MS);
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_connection_of_streams_that_is_not_used_is_idle)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    feed();
    assert_true(hf_http_deadline(bench.peer).ms == HF_NEVER.ms);
    bench_pass(&bench, 10 * IDLE_MS);
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    bench.out_len = 0;
    frames_add(&frames, PING, 0, 0, "12345678", 8);
    bench_pass(&bench, IDLE_MS / 2);
    feed(); /* it asks whether we are there, and nothing else */
    expect_deadline(IDLE_MS / 2);
    bench_pass(&bench, IDLE_MS / 2);
    expect_sent("PING ack\nGOAWAY last 1 error 0\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(who_does_not_begin_a_session_is_ended)
{
    bench_text(&bench, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect_deadline(HEAD_MS);
    bench_pass(&bench, HEAD_MS);
    expect_calm_down();
}

FIXTURE_TEST(the_head_of_a_stream_has_its_time)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_request(&frames, 3, "GET", "/b", NULL);
    frames.len -= 1;
    feed();
    expect_deadline(HEAD_MS);
    bench_pass(&bench, HEAD_MS - 1);
    assert_false(hf_http_is_done(bench.peer));
    bench_pass(&bench, 1);
    bench_expect_log(&bench, "GET /wait host=h\nlost 1\n");
    expect_calm_down();
}

FIXTURE_TEST(a_head_in_pieces_has_its_time)
{
    frames_add(&frames, HEADERS, END_STREAM, 1, "", 0);
    feed();
    bench_pass(&bench, HEAD_MS - 1);
    frames_add(&frames, CONTINUATION, 0, 1, "", 0);
    feed();
    bench_pass(&bench, 1);
    expect_calm_down();
}

FIXTURE_TEST(the_body_of_a_stream_has_its_time)
{
    begin_upload(1, NULL);
    feed();
    bench_pass(&bench, 1000);
    begin_upload(3, NULL);
    frames_request(&frames, 5, "GET", "/wait", NULL);
    feed();
    expect_deadline(BODY_MS - 1000);
    bench_pass(&bench, BODY_MS - 1001);
    frames_add(&frames, DATA, 0, 1, "x", 1);
    feed();
    bench_pass(&bench, 1);
    expect_sent("HEADERS 1 :status=408");
    frames_add(&frames, DATA, END_STREAM, 3, "y", 1);
    feed();
    bench_expect_log(&bench, "GET /wait host=h\nPUT /u host=h \"y\"\nsent 2\n");
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    bench_expect_log(&bench, "sent 1\n");
}

FIXTURE_TEST(who_does_not_read_is_ended)
{
    bench.is_deaf = true;
    bench_text(&bench, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_deadline(UNREAD_MS);
    bench_pass(&bench, UNREAD_MS - 1);
    hf_http_wrote(bench.peer, 1); /* a byte now and then changes nothing */
    bench_pass(&bench, 1);
    assert_true(hf_http_is_done(bench.peer));
    bench_expect_log(&bench, "GET / host=h\nlost 1\n");
}

FIXTURE_TEST(who_reads_slowly_is_not_ended)
{
    static char body[60 * 1000];
    struct hf_bytes out;

    memset(body, 'x', sizeof(body) - 1);
    bench.is_deaf = true;
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 200, body));
    while ((out = hf_http_out(bench.peer)).len > 0) {
        bench_pass(&bench, UNREAD_MS - 1);
        hf_http_wrote(bench.peer, out.len);
    }
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nsent 1\n");
}

/* ---- Answers that nobody takes ------------------------------------------- */

FIXTURE_TEST(who_opens_no_window_is_ended_in_time)
{
    frames_begin(&frames, 4, 0); /* SETTINGS_INITIAL_WINDOW_SIZE */
    frames_request(&frames, 1, "POST", "/a", "hello");
    feed();
    expect_deadline(UNREAD_MS);
    bench_pass(&bench, UNREAD_MS);
    bench_expect_log(&bench, "POST /a host=h \"hello\"\nlost 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_nobody_takes_has_a_limit)
{
    static char body[1001];
    uint32_t asked = 0;

    bench.limits.unread_len = 50 * 1000;
    open_again();
    memset(body, 'x', sizeof(body) - 1);
    frames_begin(&frames, 4, 0);
    while (!hf_http_is_done(bench.peer) && asked < 900) {
        frames_request(&frames, 2 * asked++ + 1, "POST", "/a", body);
        feed();
    }
    assert_int_equal(asked, 51);
    expect_calm_down();
}

/* ---- Frames that nobody needs -------------------------------------------- */

/* Let so many of them come, a hundred at a time; false: that was too much. */
static bool
bears(void (*add)(uint32_t number), uint32_t count)
{
    open_again();
    feed();
    for (uint32_t i = 0; i < count; i++) {
        add(i);
        if (i % 100 == 99)
            feed();
        bench.log_len = bench.open_count = 0;
        if (i % 1000 == 999 && !hf_http_is_done(bench.peer))
            bench.out_len = 0;
    }
    feed();
    return !hf_http_is_done(bench.peer);
}

static void
add_ping(uint32_t number)
{
    (void)number;
    frames_add(&frames, PING, 0, 0, "12345678", 8);
}

static void
add_settings(uint32_t number)
{
    (void)number;
    frames_add(&frames, SETTINGS, 0, 0, "", 0);
}

static void
add_priority(uint32_t number)
{
    frames_add(&frames, PRIORITY, 0, 2 * number + 1, "\0\0\0\0\20", 5);
}

static void
add_unknown(uint32_t number)
{
    (void)number;
    frames_add(&frames, 99, 0, 0, "x", 1);
}

static void
add_window(uint32_t number)
{
    (void)number;
    frames_number(&frames, WINDOW_UPDATE, 0, 0, 1);
}

static void
add_nothing(uint32_t number)
{
    if (number == 0)
        begin_upload(1, NULL);
    frames_add(&frames, DATA, 0, 1, "", 0);
}

/* The window is open again at once for what is padding. */
static void
add_padded(uint32_t number)
{
    static char payload[257] = {(char)255, 'b'};

    if (number == 0)
        begin_upload(1, NULL);
    frames_add(&frames, DATA, PADDED, 1, payload, sizeof(payload));
}

/* For a request that is refused, and is not kept. */
static void
add_refused(uint32_t number)
{
    if (number == 0)
        begin_upload(1, "99999999");
    frames_add(&frames, DATA, 0, 1, "b", 1);
}

FIXTURE_TEST(frames_that_bring_no_request_have_a_limit)
{
    void (*const each[])(uint32_t) = {add_ping,    add_settings, add_priority,
                                      add_unknown, add_window,   add_nothing,
                                      add_padded,  add_refused};

    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        assert_true(bears(each[i], 900));
        assert_false(bears(each[i], 1001));
        expect_calm_down();
    }
}

FIXTURE_TEST(in_the_long_run_a_few_are_borne)
{
    feed();
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 90; k++)
            add_ping(0);
        feed();
        bench_pass(&bench, 1000);
        bench.out_len = 0;
        assert_false(hf_http_is_done(bench.peer));
    }
}

static void
add_reset(uint32_t number)
{
    frames_request(&frames, 2 * number + 1, "GET", "/wait", NULL);
    frames_number(&frames, RST_STREAM, 0, 2 * number + 1, 8);
}

FIXTURE_TEST(resets_have_a_limit)
{
    assert_true(bears(add_reset, 2000));
    assert_false(bears(add_reset, 2001));
    expect_calm_down();
}

/* The peer has it reset by us: its window is opened too far. */
static void
add_overflow(uint32_t number)
{
    frames_request(&frames, 2 * number + 1, "GET", "/wait", NULL);
    frames_number(&frames, WINDOW_UPDATE, 0, 2 * number + 1, 0x7FFFFFFF);
}

/* A body that is longer than was said. */
static void
add_longer(uint32_t number)
{
    begin_upload(2 * number + 1, "1");
    frames_add(&frames, DATA, 0, 2 * number + 1, "bb", 2);
}

/* A header that is none. */
static void
add_capital(uint32_t number)
{
    const char *const pairs[] = {":method", "GET", ":scheme", "http",
                                 ":path",   "/",   "host",    "h",
                                 "X",       "y",   NULL};

    frames_headers(&frames, END_HEADERS | END_STREAM, 2 * number + 1, pairs);
}

FIXTURE_TEST(what_makes_us_reset_has_that_limit)
{
    void (*const each[])(uint32_t) = {add_overflow, add_longer, add_capital};

    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        bench.limits.extras = 10000;
        assert_true(bears(each[i], 2000));
        assert_false(bears(each[i], 2100));
        expect_calm_down();
    }
}

/* As a client does that hears of another leader. */
FIXTURE_TEST(all_that_waits_may_be_reset_at_once)
{
    feed();
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 1000; i++)
            frames_request(&frames, 2 * (1000 * round + i) + 1, "GET", "/wait",
                           NULL);
        feed();
        for (uint32_t i = 0; i < 1000; i++)
            frames_number(&frames, RST_STREAM, 0, 2 * (1000 * round + i) + 1,
                          8);
        feed();
        bench.log_len = 0;
    }
    assert_int_equal(bench.open_count, 2000);
    assert_false(hf_http_is_done(bench.peer));
}

/* A request, and the window opened twice for its answer. */
static void
add_request(uint32_t number)
{
    frames_request(&frames, 2 * number + 1, "POST", "/a", "hello");
    frames_number(&frames, WINDOW_UPDATE, 0, 0, 5);
    frames_number(&frames, WINDOW_UPDATE, 0, 2 * number + 1, 5);
}

FIXTURE_TEST(requests_have_none)
{
    assert_true(bears(add_request, 20 * 1000));
}

/* ---- What it costs ------------------------------------------------------- */

static size_t in_use;
static size_t most_in_use;

static void *
count_allocate(void *ctx, size_t count, size_t size)
{
    size_t *memory = calloc(1, sizeof(max_align_t) + count * size);

    (void)ctx;
    assert_non_null(memory);
    *memory = count * size;
    in_use += *memory;
    if (in_use > most_in_use)
        most_in_use = in_use;
    return (char *)memory + sizeof(max_align_t);
}

static void
count_release(void *ctx, void *at)
{
    size_t *memory;

    (void)ctx;
    if (at == NULL)
        return;
    memory = (void *)((char *)at - sizeof(max_align_t));
    in_use -= *memory;
    free(memory);
}

static void
begin_counting(void)
{
    bench_close(&bench);
    bench.alloc = (struct hf_alloc){count_allocate, count_release, NULL};
    bench.limits = hf_http_limits_default;
    bench.limits.exchanges = 10 * 1000;
    open_again();
    in_use = most_in_use = 0;
}

/* The worst that one peer can do: all its streams, each with as much of a body
 * as the window of the connection allows, and answers that it does not take. */
FIXTURE_TEST(a_peer_costs_a_bounded_amount)
{
    static char body[16384];

    begin_counting();
    bench_close_peer(&bench);
    bench_open(&bench);
    frames_begin(&frames, 4, 0);
    feed();
    for (uint32_t i = 0; i < 1000 && !hf_http_is_done(bench.peer); i++) {
        begin_upload(2 * i + 1, NULL);
        frames_add(&frames, DATA, 0, 2 * i + 1, body, 500);
        feed();
    }
    assert_false(hf_http_is_done(bench.peer));
    assert_in_range(most_in_use, 1000 * 1000, 3 * 1000 * 1000);
}

/* One that was used, and has nothing to do. */
FIXTURE_TEST(an_idle_peer_costs_little)
{
    size_t shared;

    begin_counting();
    bench_text(&bench, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    shared = in_use; /* spare buffers and slots, for all peers */
    bench_close_peer(&bench);
    shared -= in_use;
    assert_in_range(shared, 1, 800);
    bench_open(&bench);
    frames_request(&frames, 1, "GET", "/a", NULL);
    feed();
    shared = in_use;
    bench_close_peer(&bench);
    shared -= in_use;
    assert_in_range(shared, 1, 32 * 1024);
}
