#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "support/frames.h"
#include "support/http_bench.h"

/* A peer that speaks HTTP/2. */

static struct bench bench;
static struct frames frames;

static int
set_up(void **state)
{
    bench_set_up(state);
    frames_begin(&frames, 0, 0);
    return 0;
}

#define FIXTURE_TEST(sentence)                                                 \
    TEST_OF(&bench, set_up, bench_tear_down, sentence)

static void
feed(void)
{
    bench_feed(&bench, frames.bytes, frames.len);
    frames.len = 0;
}

/* What was sent since the beginning: its headers build on one another. */
static void
expect_sent(const char *expected)
{
    static char text[BENCH_OUT];

    bench_write(&bench);
    frames_show(bench.out, bench.out_len, text, sizeof(text));
    assert_string_equal(text, expected);
}

#define OK(stream, len) "HEADERS " #stream " :status=200 content-length=" #len

/* ---- What is asked and answered ------------------------------------------ */

FIXTURE_TEST(a_request_is_told_and_answered)
{
    const char *const pairs[] = {":method",
                                 "POST",
                                 ":scheme",
                                 "http",
                                 ":authority",
                                 "db1:7420",
                                 ":path",
                                 "/v1/acquire?wait=1",
                                 "content-type",
                                 "application/json",
                                 "server",
                                 "none that is looked at",
                                 "holdfast-session",
                                 "abc",
                                 NULL};

    frames_headers(&frames, END_HEADERS, 1, pairs);
    frames_add(&frames, DATA, 0, 1, "hel", 3);
    frames_add(&frames, DATA, END_STREAM, 1, "lo", 2);
    feed();
    bench_expect_log(&bench, "POST /v1/acquire?wait=1 host=db1:7420 "
                             "content-type=application/json session=abc "
                             "\"hello\"\nsent 1\n");
    expect_sent(OK(1, 5) "\nDATA 1 \"hello\" end\n");
    assert_false(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(answers_come_in_any_order)
{
    frames_request(&frames, 1, "GET", "/wait/a", NULL);
    frames_request(&frames, 3, "GET", "/wait/b", NULL);
    frames_request(&frames, 5, "GET", "/c", NULL);
    feed();
    assert_true(bench_answer(&bench, 2, 200, "b"));
    bench_write(&bench);
    assert_true(bench_answer(&bench, 1, 503, "a"));
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait/a host=h\nGET /wait/b host=h\n"
                             "GET /c host=h\nsent 3\nsent 2\nsent 1\n");
    expect_sent(OK(5, 0) " end\n"
                         "HEADERS 3 :status=200 content-type=text/plain "
                         "content-length=1\nDATA 3 \"b\" end\n"
                         "HEADERS 1 :status=503 content-type=text/plain "
                         "content-length=1\nDATA 1 \"a\" end\n");
}

FIXTURE_TEST(all_answers_of_a_turn_leave_together)
{
    struct hf_bytes out;
    size_t len;

    for (uint32_t i = 0; i < 100; i++)
        frames_request(&frames, 2 * i + 1, "GET", "/wait", NULL);
    feed();
    bench.is_deaf = true;
    for (size_t i = 1; i <= 100; i++)
        assert_true(bench_answer(&bench, i, 200, "a"));
    out = hf_http_out(bench.peer);
    len = out.len;
    assert_in_range(len, 100 * 20, 16 * 1024);
    hf_http_wrote(bench.peer, len);
    assert_int_equal(hf_http_out(bench.peer).len, 0);
}

FIXTURE_TEST(the_answer_to_a_head_has_no_body)
{
    frames_request(&frames, 1, "HEAD", "/wait", NULL);
    frames_request(&frames, 3, "DELETE", "/wait", NULL);
    feed();
    assert_true(bench_answer(&bench, 1, 404, "no such lock"));
    assert_true(bench_answer(&bench, 2, 204, ""));
    expect_sent("HEADERS 1 :status=404 content-type=text/plain "
                "content-length=12 end\n"
                "HEADERS 3 :status=204 content-type=text/plain end\n");
}

FIXTURE_TEST(who_waits_to_send_a_body_is_told_to_go_on)
{
    const char *const pairs[] = {":method", "POST",         ":scheme", "http",
                                 ":path",   "/a",           "host",    "h",
                                 "expect",  "100-continue", NULL};

    frames_headers(&frames, END_HEADERS, 1, pairs);
    feed();
    expect_sent("HEADERS 1 :status=100\n");
    frames_add(&frames, DATA, END_STREAM, 1, "hi", 2);
    feed();
    bench_expect_log(&bench, "POST /a host=h \"hi\"\nsent 1\n");
}

FIXTURE_TEST(the_lines_of_a_list_are_one_list)
{
    const char *const pairs[] = {":method",
                                 "GET",
                                 ":scheme",
                                 "http",
                                 ":path",
                                 "/a",
                                 "host",
                                 "h",
                                 "holdfast-optional",
                                 "a",
                                 "accept",
                                 "x",
                                 "holdfast-optional",
                                 "b",
                                 NULL};

    frames_headers(&frames, END_HEADERS | END_STREAM, 1, pairs);
    feed();
    bench_expect_log(&bench, "GET /a host=h accept=x optional=a,b\nsent 1\n");
}

FIXTURE_TEST(trailers_are_not_headers)
{
    const char *const pairs[] = {":method", "POST", ":scheme", "http", ":path",
                                 "/a",      "host", "h",       NULL};
    const char *const trailers[] = {"authorization", "me", NULL};

    frames_headers(&frames, END_HEADERS, 1, pairs);
    frames_add(&frames, DATA, 0, 1, "hi", 2);
    frames_headers(&frames, END_HEADERS | END_STREAM, 1, trailers);
    feed();
    bench_expect_log(&bench, "POST /a host=h \"hi\"\nsent 1\n");
}

/* ---- Ends ---------------------------------------------------------------- */

FIXTURE_TEST(a_stream_that_is_reset_is_lost)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_request(&frames, 3, "GET", "/wait", NULL);
    frames_number(&frames, RST_STREAM, 0, 1, 8);
    frames_request(&frames, 5, "GET", "/c", NULL);
    feed();
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\nlost 1\n"
                             "GET /c host=h\nsent 3\n");
    assert_false(bench_answer(&bench, 1, 200, "a"));
    assert_true(bench_answer(&bench, 2, 200, "b"));
    bench_write(&bench);
    bench_expect_log(&bench, "sent 2\n");
}

FIXTURE_TEST(a_request_that_is_reset_before_it_is_whole_is_not_told)
{
    const char *const pairs[] = {":method", "POST", ":scheme", "http", ":path",
                                 "/a",      "host", "h",       NULL};

    frames_headers(&frames, END_HEADERS, 1, pairs);
    frames_add(&frames, DATA, 0, 1, "hi", 2);
    frames_number(&frames, RST_STREAM, 0, 1, 8);
    feed();
    bench_expect_log(&bench, "");
    assert_true(hf_http_is_idle(bench.peer));
}

FIXTURE_TEST(what_waits_is_lost_with_the_connection)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_request(&frames, 3, "GET", "/wait", NULL);
    feed();
    hf_http_gone(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\n"
                             "lost 1\nlost 2\n");
    assert_false(bench_answer(&bench, 1, 200, "a"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_a_mistake_of_the_peer_ends_is_lost)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_add(&frames, DATA, 0, 0, "x", 1); /* of no stream */
    frames_request(&frames, 3, "GET", "/b", NULL);
    feed();
    bench_expect_log(&bench, "GET /wait host=h\nlost 1\n");
    expect_sent("GOAWAY last 1 error 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(an_answer_that_no_window_has_room_for_is_not_sent)
{
    frames_begin(&frames, 4, 3); /* SETTINGS_INITIAL_WINDOW_SIZE */
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_request(&frames, 3, "GET", "/wait", NULL);
    feed();
    assert_true(bench_answer(&bench, 1, 200, "hello"));
    assert_true(bench_answer(&bench, 2, 200, "world"));
    bench_write(&bench);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\n");
    frames_number(&frames, RST_STREAM, 0, 3, 8);
    frames_number(&frames, WINDOW_UPDATE, 0, 1, 2);
    feed();
    bench_expect_log(&bench, "lost 2\nsent 1\n");
    expect_sent("HEADERS 1 :status=200 content-type=text/plain "
                "content-length=5\nDATA 1 \"hel\"\n"
                "HEADERS 3 :status=200 content-type=text/plain "
                "content-length=5\nDATA 3 \"wor\"\n"
                "DATA 1 \"lo\" end\n");
}

FIXTURE_TEST(an_answer_of_any_length_goes_out)
{
    static char body[60 * 1000 + 1];

    memset(body, 'x', sizeof(body) - 1);
    frames_request(&frames, 1, "GET", "/wait", NULL);
    feed();
    assert_true(bench_answer(&bench, 1, 200, body));
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nsent 1\n");
    expect_sent("HEADERS 1 :status=200 content-type=text/plain "
                "content-length=60000\n"
                "DATA 1 16384 bytes\nDATA 1 16384 bytes\n"
                "DATA 1 16384 bytes\nDATA 1 10848 bytes end\n");
}

FIXTURE_TEST(what_is_sent_tells_where_it_ended)
{
    bench.is_deaf = true;
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_request(&frames, 3, "GET", "/wait", NULL);
    feed();
    assert_true(bench_answer(&bench, 1, 200, "first"));
    assert_true(bench_answer(&bench, 2, 200, "second"));
    bench.is_deaf = false;
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\n"
                             "sent 1\nsent 2\n");
    assert_memory_equal(bench.out + bench.ends[0] - 5, "first", 5);
    assert_memory_equal(bench.out + bench.ends[1] - 6, "second", 6);
}

FIXTURE_TEST(who_has_closed_one_half_is_still_answered)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    feed();
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    assert_false(hf_http_is_done(bench.peer));
    bench_write(&bench); /* who is gone resets the connection now */
    expect_sent("PING\n");
    assert_true(bench_answer(&bench, 1, 200, "a"));
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nsent 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

/* ---- Draining ------------------------------------------------------------ */

FIXTURE_TEST(a_drained_connection_serves_what_is_on_its_way)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    feed();
    hf_http_drain(bench.peer);
    bench_write(&bench);
    expect_sent("PING\nGOAWAY last 2147483647 error 0\n");
    frames_request(&frames, 3, "GET", "/wait", NULL);
    frames_add(&frames, PING, ACK, 0, "\0\0\0\0\0\0\0\0", 8);
    frames_request(&frames, 5, "GET", "/late", NULL);
    feed();
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\n");
    assert_true(bench_answer(&bench, 1, 200, ""));
    assert_true(bench_answer(&bench, 2, 200, ""));
    bench_write(&bench);
    bench_expect_log(&bench, "sent 1\nsent 2\n");
    expect_sent("PING\nGOAWAY last 2147483647 error 0\n"
                "GOAWAY last 3 error 0\n"
                "HEADERS 1 :status=200 content-type=text/plain "
                "content-length=0 end\n"
                "HEADERS 3 :status=200 content-type=text/plain "
                "content-length=0 end\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(who_does_not_answer_is_drained_in_time)
{
    feed();
    hf_http_drain(bench.peer);
    bench_write(&bench);
    assert_int_equal(hf_http_deadline(bench.peer).ms, bench.now.ms + 1000);
    bench_pass(&bench, 1000);
    expect_sent("PING\nGOAWAY last 2147483647 error 0\n"
                "GOAWAY last 0 error 0\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(whoever_says_goodbye_is_let_go)
{
    frames_request(&frames, 1, "GET", "/wait", NULL);
    frames_add(&frames, GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
    feed();
    assert_false(hf_http_is_done(bench.peer));
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nsent 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

/* ---- What is refused ----------------------------------------------------- */

static void
expect_answer(const char *const *pairs, const char *expected)
{
    static char text[BENCH_OUT];

    bench_close_peer(&bench);
    bench_open(&bench);
    bench.out_len = 0;
    frames_begin(&frames, 0, 0);
    frames_headers(&frames, END_HEADERS | END_STREAM, 1, pairs);
    feed();
    bench_expect_log(&bench, "");
    frames_show(bench.out, bench.out_len, text, sizeof(text));
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("expected %s, and there is %s", expected, text);
    assert_false(hf_http_is_done(bench.peer));
}

#define REFUSED(status)                                                        \
    "HEADERS 1 :status=" #status " content-type=application/problem+json"
#define MALFORMED "RST_STREAM 1 error 1\n"
#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SCHEME    ":scheme", "http"
#define METHOD    ":method", "GET"
#define PATH      ":path", "/a"
#define HOST      "host", "h"

FIXTURE_TEST(what_is_no_request_is_refused)
{
    expect_answer(WITH(METHOD, SCHEME, PATH, ":authority", "g", HOST),
                  REFUSED(400));
    expect_answer(WITH(METHOD, SCHEME, ":path", "/a#b", HOST), REFUSED(400));
    expect_answer(WITH(METHOD, SCHEME, ":path", "*", HOST), MALFORMED);
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "authorization", "a",
                       "authorization", "b"),
                  REFUSED(400));
    expect_answer(WITH(METHOD, SCHEME, HOST), MALFORMED);
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "Upper", "case"), MALFORMED);
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "connection", "close"),
                  MALFORMED);
    expect_answer(
        WITH(METHOD, SCHEME, PATH, HOST, "transfer-encoding", "chunked"),
        MALFORMED);
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "content-length", "1"),
                  MALFORMED);
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "a", "b\r\nc: d"),
                  MALFORMED);
}

FIXTURE_TEST(what_http_has_and_we_have_not_is_said)
{
    expect_answer(WITH(":method", "BREW", SCHEME, PATH, HOST), REFUSED(501));
    expect_answer(WITH(":method", "TRACE", SCHEME, PATH, HOST), REFUSED(501));
    expect_answer(WITH(":method", "CONNECT", ":authority", "h:80"),
                  REFUSED(501));
    expect_answer(WITH(METHOD, SCHEME, PATH, HOST, "expect", "more"),
                  REFUSED(417));
}

FIXTURE_TEST(a_refused_request_harms_no_other)
{
    const char *const pairs[] = {":method", "BREW", ":scheme", "http", ":path",
                                 "/a",      "host", "h",       NULL};

    frames_headers(&frames, END_HEADERS, 1, pairs); /* its body is to come */
    frames_add(&frames, DATA, 0, 1, "hello", 5);
    frames_request(&frames, 3, "GET", "/b", NULL);
    feed();
    bench_expect_log(&bench, "GET /b host=h\nsent 1\n");
    bench.out_len = 0;
    frames_add(&frames, DATA, END_STREAM, 1, "hello", 5);
    frames_request(&frames, 5, "GET", "/c", NULL);
    feed();
    bench_expect_log(&bench, "GET /c host=h\nsent 2\n");
}

FIXTURE_TEST(what_is_not_http_2_after_all_ends)
{
    bench_text(&bench, "PRI / HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "");
    assert_true(hf_http_is_done(bench.peer));
}

/* ---- In pieces ----------------------------------------------------------- */

FIXTURE_TEST(it_does_not_matter_how_the_bytes_are_cut)
{
    static char expected[4096];
    static char text[4096];
    static struct frames all;

    frames_begin(&all, 0, 0);
    frames_request(&all, 1, "POST", "/a?b", "hello");
    frames_add(&all, PING, 0, 0, "12345678", 8);
    frames_request(&all, 3, "GET", "/wait", NULL);
    frames_number(&all, RST_STREAM, 0, 3, 8);
    frames_request(&all, 5, "PUT", "/c", "bye");
    for (size_t cut = 0; cut <= all.len; cut++) {
        for (bench.piece = cut; bench.piece <= cut + 1; bench.piece++) {
            bench_feed(&bench, all.bytes, cut);
            bench_feed(&bench, all.bytes + cut, all.len - cut);
            bench_expect_log(&bench, "POST /a?b host=h \"hello\"\nsent 1\n"
                                     "GET /wait host=h\nlost 2\n"
                                     "PUT /c host=h \"bye\"\nsent 3\n");
            frames_show(bench.out, bench.out_len, text, sizeof(text));
            if (cut == 0 && bench.piece == 0)
                memcpy(expected, text, sizeof(text));
            assert_string_equal(text, expected);
            bench.out_len = 0;
            bench_close_peer(&bench);
            bench_open(&bench);
            bench.open_count = 0;
        }
    }
}
