#include "support/test.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/frames.h"
#include "support/http_bench.h"

/* Requests that come as lines of one request, by both versions of HTTP. */

#define DATE "date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
#define HEAD                                                                   \
    "POST /lines HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

static struct bench bench;
static struct frames frames;

#define FIXTURE_TEST(sentence)                                                 \
    TEST_OF(&bench, bench_set_up, bench_tear_down, sentence)

/* ---- HTTP/1.1 ------------------------------------------------------------ */

/* Lines, as one chunk. */
static void
chunk(const char *lines)
{
    static char text[400 * 1000];

    snprintf(text, sizeof(text), "%zx\r\n%s\r\n", strlen(lines), lines);
    bench_text(&bench, text);
}

static void
begin(void)
{
    bench_text(&bench, HEAD);
    bench.out_len = bench.log_len = 0;
}

FIXTURE_TEST(a_carrier_is_answered_at_once_with_an_empty_line)
{
    bench_text(&bench, HEAD);
    bench_expect_log(&bench, "POST /lines host=h\n");
    bench_expect_out(&bench, "HTTP/1.1 200 OK\r\n" DATE
                             "transfer-encoding: chunked\r\n\r\n1\r\n\n\r\n");
}

FIXTURE_TEST(each_line_is_a_request_and_its_answer_a_line)
{
    for (bench.piece = 0; bench.piece < 3; bench.piece++) {
        bench_text(&bench, HEAD);
        bench.out_len = 0;
        chunk("a\nb\r\n");
        chunk("c");
        chunk("d\n");
        bench_text(&bench, "0\r\n\r\n");
        assert_true(bench_has_ended(&bench));
        bench_text(&bench, "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
        assert_true(bench_has_out(&bench, "0\r\n\r\nHTTP/1.1 200 OK\r\n"));
        bench_close(&bench);
        bench.open_count = bench.log_len = bench.out_len = 0;
        bench_open(&bench);
    }
}

FIXTURE_TEST(lines_of_one_piece_are_answered_in_one)
{
    begin();
    bench.is_deaf = true;
    chunk("a\n\n\r\nbc\n");
    bench_expect_log(&bench, "line \"a\"\nline \"bc\"\n");
    bench.is_deaf = false;
    bench_write(&bench);
    bench_expect_out(&bench, "5\r\na\nbc\n\r\n");
    bench_expect_log(&bench, "sent 2\nsent 3\n");
}

FIXTURE_TEST(lines_are_answered_in_any_order)
{
    begin();
    chunk("wait a\nwait b\n");
    assert_true(bench_answer(&bench, 3, 200, "second\n"));
    bench_write(&bench);
    assert_true(bench_answer(&bench, 2, 200, "first\n"));
    bench_write(&bench);
    bench_expect_out(&bench, "7\r\nsecond\n\r\n6\r\nfirst\n\r\n");
    bench_expect_log(&bench, "line \"wait a\"\nline \"wait b\"\n"
                             "sent 3\nsent 2\n");
}

FIXTURE_TEST(a_body_that_has_ended_is_still_answered)
{
    begin();
    chunk("wait\nlast");
    bench_text(&bench, "0\r\n\r\n");
    bench_expect_log(&bench, "line \"wait\"\nline \"last\"\nsent 3\n");
    bench_expect_out(&bench, "5\r\nlast\n\r\n");
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    bench_expect_out(&bench, "4\r\nnow\n\r\n0\r\n\r\n");
    bench_expect_log(&bench, "sent 2\nsent 1\n");
    assert_false(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(lines_may_come_in_a_body_of_any_length)
{
    static char body[300 * 1000];
    char head[128];

    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = i % 1000 == 999 ? '\n' : 'x';
    snprintf(head, sizeof(head),
             "POST /lines HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
             sizeof(body));
    bench_text(&bench, head);
    bench_feed(&bench, body, sizeof(body));
    assert_int_equal(bench.open_count, 301);
    assert_true(bench_has_ended(&bench));
}

FIXTURE_TEST(the_path_of_a_whole_address_counts)
{
    bench_text(&bench, "POST http://h/lines HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 999999\r\n\r\na\n");
    bench_expect_log(&bench, "POST /lines host=h\nline \"a\"\nsent 2\n");
}

FIXTURE_TEST(a_carrier_may_be_refused_as_any_request)
{
    bench_text(&bench, "POST /lines?x HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n");
    bench_expect_log(&bench, "POST /lines?x host=h\nsent 1\n");
    assert_true(bench_has_out(&bench, "connection: close\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(the_old_version_has_no_chunks_for_its_answer)
{
    bench_text(&bench, "POST /lines HTTP/1.0\r\nHost: h\r\n"
                       "Content-Length: 2\r\n\r\na\n");
    bench_expect_log(&bench, "");
    assert_true(bench_has_out(&bench, "HTTP/1.1 505 "));
}

FIXTURE_TEST(other_methods_of_its_path_are_requests)
{
    bench_text(&bench, "PUT /lines HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 2\r\n\r\na\n");
    bench_expect_log(&bench, "PUT /lines host=h \"a\n\"\nsent 1\n");
}

FIXTURE_TEST(a_line_has_the_length_of_a_body)
{
    static char long_line[300 * 1000];
    size_t most = bench.limits.body_len;

    begin();
    memset(long_line, 'x', sizeof(long_line) - 1);
    long_line[most] = '\n';
    long_line[most + 1] = '\0';
    chunk(long_line);
    bench_expect_log(&bench, "line 131072 bytes\nsent 2\n");
    long_line[most] = 'x';
    memcpy(long_line + most + 1, "\na\n", 4);
    chunk(long_line);
    bench.log[bench.log_len] = '\0';
    assert_non_null(strstr(bench.log, "long line 131072 bytes\n"));
    assert_non_null(strstr(bench.log, "line \"a\"\n"));
    bench.log_len = 0;
    memset(long_line, 'x', sizeof(long_line) - 1);
    memcpy(long_line + sizeof(long_line) - 5, "\nwb\n", 5);
    chunk(long_line);
    bench.log[bench.log_len] = '\0';
    assert_non_null(strstr(bench.log, "long line 131072 bytes\n"));
    assert_non_null(strstr(bench.log, "line \"wb\"\n"));
    for (size_t tag = 2; tag <= bench.open_count; tag++)
        assert_true(bench.open[tag - 1] == 0); /* each is answered, once */
    assert_int_equal(bench.open_count, 6);
}

FIXTURE_TEST(a_line_that_never_ends_is_the_last)
{
    begin();
    chunk("wait\nhal");
    bench_pass(&bench, 29 * 1000);
    bench_expect_log(&bench, "line \"wait\"\n");
    bench_pass(&bench, 12 * 1000);
    chunk("f\nmore\n");
    bench_expect_log(&bench, "slow line \"hal\"\nsent 3\n");
    bench.out_len = 0;
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    bench_expect_out(&bench, "4\r\nnow\n\r\n0\r\n\r\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(names_are_free_when_their_line_is_answered)
{
    begin();
    chunk("name 1\nname 2\nname 1\n");
    bench_expect_log(&bench, "line \"name 1\"\nline \"name 2\"\n"
                             "line \"name 1\"\nthat name is in use\n");
    assert_int_equal(hf_http_find_line(bench.http, bench.open[2], 1),
                     bench.open[1]);
    assert_true(bench_answer(&bench, 2, 200, "one\n"));
    assert_int_equal(hf_http_find_line(bench.http, bench.open[2], 1), 0);
    bench_write(&bench);
    bench.log_len = 0;
    chunk("name 1\n");
    bench_expect_log(&bench, "line \"name 1\"\n");
}

FIXTURE_TEST(names_are_of_one_carrier)
{
    struct hf_http_peer *first = bench.peer;

    begin();
    chunk("name 1\n");
    bench_open(&bench);
    begin();
    chunk("name 1\n");
    bench_expect_log(&bench, "line \"name 1\"\n");
    bench_close_peer(&bench);
    bench.peer = first;
}

FIXTURE_TEST(a_line_that_is_dropped_has_no_answer)
{
    begin();
    chunk("wait\nname 1\n");
    hf_http_drop_line(bench.http, bench.open[1]);
    assert_false(bench_answer(&bench, 2, 200, "no\n"));
    bench.open[1] = 0;
    bench_text(&bench, "0\r\n\r\n");
    assert_true(bench_answer(&bench, 3, 200, "yes\n"));
    bench_write(&bench);
    bench_expect_out(&bench, "4\r\nyes\n\r\n0\r\n\r\n");
}

FIXTURE_TEST(lines_are_lost_with_their_connection)
{
    begin();
    chunk("wait a\nwait b\nha");
    hf_http_gone(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "line \"wait a\"\nline \"wait b\"\n"
                             "lost 2\nlost 3\nlost 1\n");
    assert_true(bench_has_ended(&bench));
}

FIXTURE_TEST(half_a_connection_is_enough_for_answers)
{
    begin();
    chunk("wait\nha");
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    bench_expect_log(&bench, "line \"wait\"\nsent 2\nsent 1\n");
    assert_true(bench_has_out(&bench, "now\n\r\n0\r\n\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

/* One that is gone resets the connection then. */
FIXTURE_TEST(half_a_connection_is_sent_something_at_once)
{
    begin();
    chunk("wait\n");
    hf_http_eof(bench.peer);
    bench_write(&bench);
    bench_expect_out(&bench, "1\r\n\n\r\n");
    bench_close(&bench);
    bench.open_count = 0;
    bench_open(&bench);
    begin();
    chunk("wait\n");
    bench_text(&bench, "0\r\n\r\n");
    hf_http_eof(bench.peer);
    bench_write(&bench);
    bench_expect_out(&bench, "1\r\n\n\r\n");
}

FIXTURE_TEST(a_malformed_body_ends_all)
{
    begin();
    chunk("wait\n");
    bench_text(&bench, "x\r\n");
    bench_expect_log(&bench, "line \"wait\"\nlost 2\nlost 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_quiet_carrier_has_empty_lines)
{
    begin();
    chunk("wait\n");
    for (int i = 0; i < 30; i++)
        bench_pass(&bench, 10 * 1000);
    assert_false(hf_http_is_done(bench.peer));
    assert_int_equal(bench.out_len, 30 * strlen("1\r\n\n\r\n"));
}

FIXTURE_TEST(a_carrier_on_which_nothing_is_asked_ends)
{
    begin();
    for (int i = 0; i < 12; i++)
        bench_pass(&bench, 10 * 1000);
    assert_true(bench_has_out(&bench, "0\r\n\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(empty_lines_keep_it)
{
    begin();
    for (int i = 0; i < 30; i++) {
        bench_pass(&bench, 10 * 1000);
        chunk("\n");
    }
    bench_expect_log(&bench, "");
    assert_false(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_drained_carrier_takes_no_more_and_ends_with_its_answers)
{
    begin();
    chunk("wait\n");
    hf_http_drain(bench.peer);
    chunk("more\n");
    bench_write(&bench);
    bench_expect_log(&bench, "line \"wait\"\n");
    assert_false(hf_http_is_done(bench.peer));
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    bench_expect_out(&bench, "4\r\nnow\n\r\n0\r\n\r\n");
    assert_true(hf_http_is_done(bench.peer));
}

/* Of a hundred thousand lines it takes what fits, and goes on when its peer
 * reads. */
FIXTURE_TEST(who_does_not_read_is_not_read)
{
    static char lines[200 * 1000 + 1];
    size_t fed = 0;
    size_t most;

    for (size_t i = 0; i < sizeof(lines) - 1; i++)
        lines[i] = i % 100 == 99 ? '\n' : 'x';
    begin();
    bench.is_deaf = true;
    bench_text(&bench, "30d40\r\n");
    for (int i = 0; i < 3000; i++) {
        size_t len = sizeof(lines) - 1 - fed;

        fed += hf_http_feed(bench.peer, lines + fed, len < 16000 ? len : 16000);
        bench_tell(&bench);
        bench.log_len = 0;
        hf_http_turn(bench.http, bench.now, 1000);
    }
    assert_false(hf_http_wants(bench.peer));
    most = bench.open_count;
    assert_in_range(most, 600, 900);
    bench.is_deaf = false;
    while (fed < sizeof(lines) - 1 || hf_http_has_line(bench.peer)) {
        bench_write(&bench);
        hf_http_turn(bench.http, bench.now, 1000);
        fed += hf_http_feed(bench.peer, lines + fed, sizeof(lines) - 1 - fed);
        bench_tell(&bench);
        bench.log_len = 0;
    }
    bench_write(&bench);
    assert_int_equal(bench.open_count, 2001);
}

FIXTURE_TEST(a_turn_has_so_many_lines)
{
    static char lines[2 * 1000 + 1];

    begin();
    for (size_t i = 0; i < sizeof(lines) - 1; i += 2)
        memcpy(lines + i, "a\n", 2);
    chunk(lines);
    assert_int_equal(bench.open_count, 513);
    assert_true(hf_http_has_line(bench.peer));
    assert_false(hf_http_wants(bench.peer));
    hf_http_turn(bench.http, bench.now, 1000);
    bench_text(&bench, "");
    bench_feed(&bench, "", 0);
    while (hf_http_has_line(bench.peer)) {
        (void)hf_http_feed(bench.peer, "", 0);
        bench_tell(&bench);
    }
    assert_int_equal(bench.open_count, 1001);
}

/* As a loop does when it has written. */
static void
take_lines(void)
{
    bench_write(&bench);
    while (hf_http_has_line(bench.peer)) {
        (void)hf_http_feed(bench.peer, "", 0);
        bench_tell(&bench);
        bench_write(&bench);
    }
}

FIXTURE_TEST(so_many_lines_may_be_open)
{
    bench.limits.streams = 4;
    bench_close(&bench);
    bench_open(&bench);
    begin();
    chunk("wait\nwait\nwait\nwait\nwait\nwait\nwait\nwait\na\nb\nwait\nc\n");
    bench.log[bench.log_len] = '\0';
    assert_null(strstr(bench.log, "line \"a\"\n"));
    assert_false(hf_http_has_line(bench.peer) || hf_http_wants(bench.peer));
    assert_true(bench_answer(&bench, 2, 200, "one\n"));
    assert_true(hf_http_has_line(bench.peer));
    bench.log_len = 0;
    take_lines();
    bench_expect_log(&bench, "sent 2\nline \"a\"\nsent 10\nline \"b\"\n"
                             "sent 11\nline \"wait\"\n");
    assert_false(hf_http_has_line(bench.peer));
    hf_http_gone(bench.peer);
    bench_tell(&bench);
    assert_true(bench_has_ended(&bench));
}

FIXTURE_TEST(lines_wait_for_room_in_the_table_of_all)
{
    bench.limits.exchanges = 3;
    bench_close(&bench);
    bench_open(&bench);
    begin();
    chunk("wait\nwait\na\n");
    bench_expect_log(&bench, "line \"wait\"\nline \"wait\"\n");
    assert_false(hf_http_is_done(bench.peer));
    assert_false(hf_http_has_line(bench.peer) || hf_http_wants(bench.peer));
    assert_in_range(hf_http_deadline(bench.peer).ms, bench.now.ms + 1,
                    bench.now.ms + 1000);
    assert_true(bench_answer(&bench, 2, 200, "one\n"));
    take_lines();
    bench_expect_log(&bench, "sent 2\nline \"a\"\nsent 4\n");
}

/* ---- HTTP/2 -------------------------------------------------------------- */

static void
feed(void)
{
    bench_feed(&bench, frames.bytes, frames.len);
    frames.len = 0;
}

static void
begin2(void)
{
    const char *const pairs[] = {":method",    "POST",  ":scheme",
                                 "http",       ":path", "/lines",
                                 ":authority", "h",     NULL};

    frames.len = 0;
    frames_begin(&frames, 0, 0);
    frames_headers(&frames, END_HEADERS, 1, pairs);
    feed();
}

static void
data(const char *lines, unsigned flags)
{
    size_t left = strlen(lines);

    for (; left > 16384; left -= 16384, lines += 16384)
        frames_add(&frames, DATA, 0, 1, lines, 16384);
    frames_add(&frames, DATA, flags, 1, lines, left);
}

static void
expect_frames(const char *expected)
{
    char text[4096];

    frames_show(bench.out, bench.out_len, text, sizeof(text));
    assert_string_equal(text, expected);
    bench.out_len = 0;
}

FIXTURE_TEST(a_stream_of_http2_carries_lines)
{
    begin2();
    bench_expect_log(&bench, "POST /lines host=h\n");
    expect_frames("HEADERS 1 :status=200\nDATA 1 \"\n\"\n");
    data("wait\na\nb", 0);
    data("\nlast", END_STREAM);
    feed();
    bench_expect_log(&bench, "line \"wait\"\nline \"a\"\nsent 3\nline \"b\"\n"
                             "sent 4\nline \"last\"\nsent 5\n");
    bench.out_len = 0;
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    expect_frames("DATA 1 \"now\n\" end\n");
    bench_expect_log(&bench, "sent 2\nsent 1\n");
}

FIXTURE_TEST(lines_are_lost_with_their_stream)
{
    begin2();
    bench.log_len = 0;
    data("wait a\nwait b\nha", 0);
    frames_number(&frames, RST_STREAM, 0, 1, 8);
    frames_request(&frames, 3, "GET", "/other", NULL);
    feed();
    bench_expect_log(&bench, "line \"wait a\"\nline \"wait b\"\n"
                             "lost 2\nlost 3\nlost 1\nGET /other host=h\n"
                             "sent 4\n");
}

/* Of what was opened, less than a half may be used up. */
FIXTURE_TEST(a_window_has_room_for_the_longest_line)
{
    static char line[60 * 1000 + 1];
    static char long_line[128 * 1024 + 2];

    memset(line, 'x', sizeof(line) - 2);
    line[sizeof(line) - 2] = '\n';
    memset(long_line, 'y', sizeof(long_line) - 2);
    long_line[sizeof(long_line) - 2] = '\n';
    begin2();
    frames_number(&frames, WINDOW_UPDATE, 0, 1, 1000 * 1000);
    frames_number(&frames, WINDOW_UPDATE, 0, 0, 1000 * 1000);
    data(line, 0);
    data(long_line, 0);
    feed();
    bench.log[bench.log_len] = '\0';
    assert_non_null(strstr(bench.log, "line 131072 bytes\nsent 3\n"));
}

FIXTURE_TEST(windows_open_as_lines_are_taken)
{
    static char line[10 * 1000 + 1];

    memset(line, 'x', sizeof(line) - 2);
    line[sizeof(line) - 2] = '\n';
    begin2();
    for (int i = 0; i < 500; i++) {
        data(line, 0);
        bench.is_deaf = false;
        feed();
        bench.out_len = bench.log_len = 0;
        frames_number(&frames, WINDOW_UPDATE, 0, 1, 10 * 1000);
        frames_number(&frames, WINDOW_UPDATE, 0, 0, 10 * 1000);
        feed();
        hf_http_turn(bench.http, bench.now, 1000);
    }
    assert_int_equal(bench.open_count, 501);
    assert_false(hf_http_is_done(bench.peer));
}

/* Its window is closed; other streams go on. */
FIXTURE_TEST(who_opens_no_window_holds_up_its_own_lines_alone)
{
    static char lines[100 * 1000 + 1];

    for (size_t i = 0; i < sizeof(lines) - 1; i++)
        lines[i] = i % 100 == 99 ? '\n' : 'x';
    begin2();
    for (int i = 0; i < 10; i++) {
        frames_add(&frames, DATA, 0, 1, lines, 16 * 1000);
        feed();
        bench.log_len = 0;
        hf_http_turn(bench.http, bench.now, 1000);
    }
    while (hf_http_has_line(bench.peer)) {
        hf_http_turn(bench.http, bench.now, 1000);
        (void)hf_http_feed(bench.peer, "", 0);
        bench_tell(&bench);
        bench_write(&bench);
        bench.log_len = 0;
    }
    assert_in_range(bench.open_count, 1300, 1400);
    assert_false(hf_http_is_done(bench.peer));
    frames_request(&frames, 3, "HEAD", "/other", NULL);
    bench.log_len = 0;
    feed();
    bench.log[bench.log_len] = '\0';
    assert_non_null(strstr(bench.log, "HEAD /other"));
    bench.out_len = 0;
    frames_number(&frames, WINDOW_UPDATE, 0, 1, 1000 * 1000);
    frames_number(&frames, WINDOW_UPDATE, 0, 0, 1000 * 1000);
    feed();
    for (int i = 0; i < 10; i++) {
        hf_http_turn(bench.http, bench.now, 1000);
        frames_add(&frames, DATA, 0, 1, "\n", 1);
        feed();
        bench.log_len = 0;
    }
    assert_int_equal(bench.open_count, 1602);
}

FIXTURE_TEST(a_drained_stream_ends_before_its_body)
{
    begin2();
    data("wait\n", 0);
    feed();
    bench.out_len = 0;
    hf_http_drain(bench.peer);
    assert_true(bench_answer(&bench, 2, 200, "now\n"));
    bench_write(&bench);
    expect_frames("PING\nGOAWAY last 2147483647 error 0\n"
                  "DATA 1 \"now\n\" end\nRST_STREAM 1 error 0\n");
}

FIXTURE_TEST(a_refused_carrier_of_http2_is_reset)
{
    const char *const pairs[] = {":method",    "POST",  ":scheme",
                                 "http",       ":path", "/lines?x",
                                 ":authority", "h",     NULL};

    frames.len = 0;
    frames_begin(&frames, 0, 0);
    frames_headers(&frames, END_HEADERS, 1, pairs);
    data("a\n", 0);
    feed();
    bench_expect_log(&bench, "POST /lines?x host=h\nsent 1\n");
    expect_frames("HEADERS 1 :status=200 content-length=0 end\n"
                  "RST_STREAM 1 error 0\n");
}

/* ---- Memory -------------------------------------------------------------- */

static size_t live; /* bytes of the heap */

static void *
allocate(void *ctx, size_t count, size_t size)
{
    void *memory = calloc(count, size);

    (void)ctx;
    live += malloc_usable_size(memory);
    return memory;
}

static void
release(void *ctx, void *memory)
{
    (void)ctx;
    live -= malloc_usable_size(memory);
    free(memory);
}

static void
count_memory(void)
{
    bench_close(&bench);
    live = 0;
    bench.alloc = (struct hf_alloc){allocate, release, NULL};
    bench_open(&bench);
}

/* One that waits, and the beginning of another. */
static void
write_long_line(char *line, size_t size)
{
    memset(line, 'x', size - 1);
    memcpy(line, "wait", 4);
    line[size - 3] = '\n';
    line[size - 1] = '\0';
}

static void
data_of(uint32_t stream, const char *lines)
{
    size_t left = strlen(lines);

    for (; left > 16384; left -= 16384, lines += 16384)
        frames_add(&frames, DATA, 0, stream, lines, 16384);
    frames_add(&frames, DATA, 0, stream, lines, left);
}

static void
begin_post(uint32_t stream)
{
    const char *const pairs[] = {":method",    "POST",  ":scheme",
                                 "http",       ":path", "/other",
                                 ":authority", "h",     NULL};

    frames_headers(&frames, END_HEADERS, stream, pairs);
}

static void
begin_stream(uint32_t stream, const char *optional)
{
    const char *const pairs[] = {
        ":method",    "POST", ":scheme",           "http",   ":path", "/lines",
        ":authority", "h",    "holdfast-optional", optional, NULL};

    frames_headers(&frames, END_HEADERS, stream, pairs);
}

FIXTURE_TEST(a_long_line_leaves_no_large_buffer)
{
    static char line[100 * 1000 + 2];
    size_t before;

    count_memory();
    begin();
    write_long_line(line, sizeof(line));
    before = live;
    chunk(line);
    assert_in_range(live, before, before + 20 * 1000);
    bench_close(&bench);
    bench.open_count = 0;
    assert_int_equal(live, 0);
    bench_open(&bench);
    frames.len = 0;
    frames_begin(&frames, 0, 0);
    for (uint32_t stream = 1; stream < 40; stream += 2)
        begin_stream(stream, "a");
    feed();
    before = live;
    for (uint32_t stream = 1; stream < 40; stream += 2) {
        data_of(stream, line);
        feed();
        bench.log_len = 0;
    }
    assert_int_equal(bench.open_count, 40);
    assert_in_range(live, before, before + 20 * 10 * 1000);
}

/* Of its head a carrier keeps little, and none of it counts as what comes. */
FIXTURE_TEST(the_heads_of_carriers_hold_up_no_requests)
{
    static char optional[12 * 1000 + 1];
    struct hf_http_peer *first;
    size_t before;

    memset(optional, 'x', sizeof(optional) - 1);
    bench.limits.coming_len = 64 * 1024;
    count_memory();
    frames.len = 0;
    frames_begin(&frames, 0, 0);
    feed();
    before = live;
    for (uint32_t stream = 1; stream < 40; stream += 2) {
        begin_stream(stream, optional);
        feed();
        bench.log_len = 0;
    }
    assert_int_equal(bench.open_count, 20);
    assert_in_range(live, before, before + 20 * 6 * 1000 + 64 * 16 * 1024);
    first = bench.peer;
    bench_open(&bench);
    bench.out_len = 0;
    frames.len = 0;
    frames_begin(&frames, 0, 0);
    begin_post(1);
    begin_post(3);
    feed();
    frames_add(&frames, DATA, END_STREAM, 3, "b", 1);
    frames_add(&frames, DATA, END_STREAM, 1, "a", 1);
    feed();
    bench_expect_log(&bench, "POST /other host=h \"b\"\nsent 21\n"
                             "POST /other host=h \"a\"\nsent 22\n");
    bench_close_peer(&bench);
    bench.peer = first;
}

FIXTURE_TEST(lines_that_come_count_as_bodies_do)
{
    static char line[100 * 1000 + 1];
    struct hf_http_peer *first;

    memset(line, 'x', sizeof(line) - 1);
    bench.limits.coming_len = 64 * 1024;
    count_memory();
    begin();
    chunk(line);
    first = bench.peer;
    bench_open(&bench);
    frames.len = 0;
    frames_begin(&frames, 0, 0);
    begin_post(1);
    begin_post(3);
    feed();
    assert_non_null(memmem(bench.out, bench.out_len, "\0\0\4\3\0\0\0\0\3", 9));
    bench_close_peer(&bench);
    bench.peer = first;
    bench_text(&bench, "1\r\n\n\r\n");
    bench_expect_log(&bench, "line 100000 bytes\nsent 2\n");
    bench.out_len = 0;
    first = bench.peer;
    bench_open(&bench);
    frames_begin(&frames, 0, 0);
    begin_post(1);
    begin_post(3);
    feed();
    assert_null(memmem(bench.out, bench.out_len, "\0\0\4\3\0\0\0\0\3", 9));
    bench_close_peer(&bench);
    bench.peer = first;
}

FIXTURE_TEST(lines_have_one_of_the_headers_of_their_carrier)
{
    frames.len = 0;
    frames_begin(&frames, 0, 0);
    begin_stream(1, "a, b");
    frames_add(&frames, DATA, 0, 1, "line\n", 5);
    feed();
    bench_expect_log(&bench, "POST /lines host=h optional=a, b\n"
                             "line \"line\" optional=a, b\nsent 2\n");
}
