#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "support/http_bench.h"

/* A peer that speaks HTTP/1.1. */

#define DATE "date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"

static struct bench bench;

#define FIXTURE_TEST(sentence)                                                 \
    TEST_OF(&bench, bench_set_up, bench_tear_down, sentence)

/* ---- What is asked and answered ------------------------------------------ */

FIXTURE_TEST(a_request_is_told_and_answered)
{
    bench_text(&bench, "POST /v1/acquire?wait=1&x HTTP/1.1\r\n"
                       "Host: db1:7420\r\n"
                       "Server: none that is looked at\r\n"
                       "Content-Type:application/json\r\n"
                       "HOLDFAST-Session:  abc  \r\n"
                       "Content-Length: 5\r\n\r\nhello");
    bench_expect_log(&bench, "POST /v1/acquire?wait=1&x host=db1:7420 "
                             "content-type=application/json session=abc "
                             "\"hello\"\n"
                             "sent 1\n");
    bench_expect_out(&bench, "HTTP/1.1 200 OK\r\n" DATE
                             "content-length: 5\r\n\r\nhello");
}

FIXTURE_TEST(a_connection_is_used_again)
{
    bench_text(&bench, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_text(&bench, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "GET /a host=h\nsent 1\nGET /b host=h\nsent 2\n");
    assert_false(hf_http_is_done(bench.peer));
    bench.out_len = 0;
    bench_text(&bench, "GET /c HTTP/1.1\r\nHost: h\r\n"
                       "Connection: close\r\n\r\n");
    bench_expect_out(&bench, "HTTP/1.1 200 OK\r\n" DATE "content-length: 0\r\n"
                             "connection: close\r\n\r\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_drained_connection_ends_with_its_answer)
{
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    hf_http_drain(bench.peer);
    assert_false(hf_http_is_done(bench.peer));
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    assert_true(bench_has_out(&bench, "connection: close\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(the_old_version_has_one_request)
{
    bench_text(&bench, "GET /a HTTP/1.0\r\n\r\n");
    bench_expect_log(&bench, "GET /a\nsent 1\n");
    assert_true(bench_has_out(&bench, "connection: close\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(a_body_comes_in_chunks)
{
    bench_text(&bench, "PUT /a HTTP/1.1\r\nHost: h\r\n"
                       "Transfer-Encoding: Chunked\r\n\r\n"
                       "5;x=\"y\"\r\nhello\r\n"
                       "00A\r\n, everyone\r\n"
                       "0\r\nTrailer: t\r\nHost: other\r\n\r\n");
    bench_text(&bench, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "PUT /a host=h \"hello, everyone\"\nsent 1\n"
                             "GET /b host=h\nsent 2\n");
}

FIXTURE_TEST(the_answer_to_a_head_has_no_body)
{
    bench_text(&bench, "HEAD /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 404, "no such lock"));
    bench_write(&bench);
    bench_expect_out(&bench, "HTTP/1.1 404 Not Found\r\n" DATE
                             "content-type: text/plain\r\n"
                             "content-length: 12\r\n\r\n");
}

/* Also of one that is refused here, as far as it is known to be one. */
FIXTURE_TEST(nor_has_its_refusal)
{
    static const char *const requests[] = {
        "HEAD /a HTTP/1.1\r\n\r\n",
        "HEAD /a HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n",
        "HEAD /a HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n",
        "HEAD /a HTTP/1.9\r\nHost: h\r\n\r\n",
        "HEAD /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n\r\n",
    };

    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        bench_text(&bench, requests[i]);
        assert_true(bench_has_out(&bench, "content-length: "));
        assert_memory_equal(bench.out + bench.out_len - 4, "\r\n\r\n", 4);
        bench.out_len = 0;
        bench_close_peer(&bench);
        bench_open(&bench);
    }
}

FIXTURE_TEST(no_content_has_no_length)
{
    bench_text(&bench, "DELETE /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 204, ""));
    bench_write(&bench);
    bench_expect_out(&bench, "HTTP/1.1 204 No Content\r\n" DATE
                             "content-type: text/plain\r\n\r\n");
}

FIXTURE_TEST(a_tab_around_a_value_is_none_of_it)
{
    for (bench.piece = 0; bench.piece < 3; bench.piece++) {
        bench_text(&bench, "POST /a HTTP/1.1\r\nHost:\th\t\r\n"
                           "Content-Length:\t2 \t\r\n"
                           "Content-Type: \ta\tb\t \r\n\r\nhi");
        bench_text(&bench, "POST /a HTTP/1.1\r\nHost: h\r\n"
                           "Transfer-Encoding:\tchunked\t\r\n"
                           "Connection:\tclose\t\r\n\r\n"
                           "2\r\nhi\r\n0\r\n\r\n");
        bench_expect_log(&bench,
                         "POST /a host=h content-type=a b \"hi\"\nsent 1\n"
                         "POST /a host=h \"hi\"\nsent 2\n");
        assert_true(bench_has_out(&bench, "connection: close\r\n"));
        assert_true(hf_http_is_done(bench.peer));
        bench.out_len = bench.open_count = 0;
        bench_close_peer(&bench);
        bench_open(&bench);
    }
}

FIXTURE_TEST(who_waits_to_send_a_body_is_told_to_go_on)
{
    bench_text(&bench, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                       "Expect: 100-Continue\r\n\r\n");
    bench_expect_out(&bench, "HTTP/1.1 100 Continue\r\n\r\n");
    bench_text(&bench, "hi");
    bench_expect_log(&bench, "POST /a host=h \"hi\"\nsent 1\n");
}

FIXTURE_TEST(who_waits_to_send_too_much_is_not)
{
    bench_text(&bench, "POST /a HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 1000000\r\n"
                       "Expect: 100-continue\r\n\r\n");
    assert_true(bench_has_out(&bench, "HTTP/1.1 413 Content Too Large\r\n"));
    assert_true(bench_has_out(&bench, "\"urn:holdfast:too-large\""));
    assert_false(bench_has_out(&bench, "100 Continue"));
}

FIXTURE_TEST(the_address_may_be_whole)
{
    bench_text(&bench, "GET HTTP://db1:7420/a?b HTTP/1.1\r\n"
                       "Host: db1:7420\r\n\r\n"
                       "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "GET /a?b host=db1:7420\nsent 1\n"
                             "OPTIONS * host=h\nsent 2\n");
}

FIXTURE_TEST(what_would_be_another_header_is_left_out)
{
    struct hf_http_header headers[] = {
        {"retry-after", {"5", 1}},
        {"location", {"/a\r\nset-cookie: b", 18}},
    };
    struct hf_http_reply reply = {
        .status = 503, .headers = headers, .headers_count = 2};

    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(hf_http_reply(bench.http, bench.open[0], &reply));
    bench_write(&bench);
    bench_expect_out(&bench, "HTTP/1.1 503 Service Unavailable\r\n" DATE
                             "retry-after: 5\r\ncontent-length: 0\r\n\r\n");
}

FIXTURE_TEST(the_offer_of_another_version_is_declined)
{
    bench_text(&bench, "GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n"
                       "Connection: Upgrade, HTTP2-Settings\r\n"
                       "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
                       "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "GET /a host=h\nsent 1\nGET /b host=h\nsent 2\n");
}

FIXTURE_TEST(what_begins_as_the_other_version_may_be_none)
{
    bench_text(&bench, "P");
    bench_text(&bench, "UT /a HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "PUT /a host=h\nsent 1\n");
}

/* ---- What may come in between -------------------------------------------- */

FIXTURE_TEST(what_comes_behind_an_open_request_is_not_looked_at)
{
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n\r\n");
    bench_text(&bench, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "GET /wait host=h\n");
    assert_true(bench_answer(&bench, 1, 200, "a"));
    bench_write(&bench);
    bench_expect_out(&bench,
                     "HTTP/1.1 200 OK\r\n" DATE "content-type: text/plain\r\n"
                     "content-length: 1\r\nconnection: close\r\n\r\na");
    bench_tell(&bench);
    bench_expect_log(&bench, "sent 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_is_sent_tells_where_it_ended)
{
    bench.is_deaf = true;
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 200, "first"));
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 2, 200, "second"));
    bench.is_deaf = false;
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nGET /wait host=h\n"
                             "sent 1\nsent 2\n");
    assert_memory_equal(bench.out + bench.ends[0] - 5, "first", 5);
    assert_int_equal(bench.ends[1], bench.out_len);
}

FIXTURE_TEST(who_has_closed_one_half_is_still_answered)
{
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\n");
    assert_false(hf_http_is_done(bench.peer));
    bench_write(&bench); /* who is gone resets the connection now */
    bench_expect_out(&bench, "HTTP/1.1 100 Continue\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 200, "a"));
    bench_write(&bench);
    bench_tell(&bench);
    bench_expect_log(&bench, "sent 1\n");
    assert_true(bench_has_out(&bench, "connection: close\r\n"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(who_cannot_be_asked_whether_it_is_there_is_gone)
{
    bench_text(&bench, "GET /wait HTTP/1.0\r\nHost: h\r\n\r\n");
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    bench_write(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nlost 1\n");
    bench_expect_out(&bench, "");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_was_answered_to_it_is_sent)
{
    bench.is_deaf = true;
    bench_text(&bench, "GET /a HTTP/1.0\r\nHost: h\r\n\r\n");
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    assert_false(hf_http_is_done(bench.peer));
    bench.is_deaf = false;
    bench_write(&bench);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /a host=h\nsent 1\n");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(half_a_request_is_none)
{
    bench_text(&bench, "POST /a HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 10\r\n\r\nhello");
    hf_http_eof(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "");
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_waits_is_lost_with_the_connection)
{
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    hf_http_gone(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\nlost 1\n");
    assert_false(bench_answer(&bench, 1, 200, "a"));
    assert_true(hf_http_is_done(bench.peer));
}

FIXTURE_TEST(what_was_answered_and_not_written_is_lost)
{
    bench.is_deaf = true;
    bench_text(&bench, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    hf_http_wrote(bench.peer, hf_http_out(bench.peer).len - 1);
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /a host=h\n");
    hf_http_gone(bench.peer);
    bench_tell(&bench);
    bench_expect_log(&bench, "lost 1\n");
}

FIXTURE_TEST(an_exchange_is_answered_once)
{
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 200, "a"));
    assert_false(bench_answer(&bench, 1, 200, "b"));
    bench_write(&bench);
    assert_false(bench_answer(&bench, 1, 200, "c"));
    assert_false(
        hf_http_reply(bench.http, 0, &(struct hf_http_reply){.status = 200}));
    assert_false(hf_http_reply(bench.http, UINT64_MAX,
                               &(struct hf_http_reply){.status = 200}));
    assert_false(bench_has_out(&bench, "\r\n\r\nb"));
}

FIXTURE_TEST(an_answer_of_any_length_goes_out)
{
    static char body[100 * 1000 + 1];

    memset(body, 'x', sizeof(body) - 1);
    bench_text(&bench, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(bench_answer(&bench, 1, 200, body));
    bench_tell(&bench);
    bench_expect_log(&bench, "GET /wait host=h\n");
    assert_false(hf_http_wants(bench.peer));
    assert_int_equal(hf_http_feed(bench.peer, "GET", 3), 0);
    bench_write(&bench);
    bench_expect_log(&bench, "sent 1\n");
    assert_true(hf_http_wants(bench.peer));
    assert_memory_equal(bench.out + bench.out_len - 100 * 1000, body,
                        100 * 1000);
    assert_true(bench_has_out(&bench, "\r\ncontent-length: 100000\r\n"));
    bench_text(&bench, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    bench_expect_log(&bench, "GET /b host=h\nsent 2\n");
}

FIXTURE_TEST(who_does_not_read_is_not_listened_to)
{
    int told = 0;

    bench.is_deaf = true;
    while (hf_http_wants(bench.peer) && told < 1000) {
        bench_text(&bench, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
        told++;
    }
    assert_in_range(told, 50, 200);
}

/* ---- What is refused ----------------------------------------------------- */

static void
expect_refusal(const char *request, int status)
{
    char line[32];

    for (bench.piece = 0; bench.piece < 2; bench.piece++) {
        bench_text(&bench, request);
        snprintf(line, sizeof(line), "HTTP/1.1 %d ", status);
        if (strncmp(bench.out, line, strlen(line)) != 0)
            fail_msg("%s is answered %.*s", request, (int)bench.out_len,
                     bench.out);
        assert_true(bench_has_out(&bench, "connection: close\r\n"));
        assert_true(
            bench_has_out(&bench, "content-type: application/problem+json"));
        assert_true(hf_http_is_done(bench.peer));
        bench_expect_log(&bench, "");
        bench.out_len = 0;
        bench_close_peer(&bench);
        bench_open(&bench);
    }
}

#define HOST     "Host: h\r\n"
#define LENGTH_3 "Content-Length: 3\r\n"
#define CHUNKED  "Transfer-Encoding: chunked\r\n"
#define POST     "POST /a HTTP/1.1\r\n" HOST

FIXTURE_TEST(what_is_no_request_is_refused)
{
    expect_refusal("\x16\x03\x01\x02", 400); /* TLS */
    expect_refusal("GET /a\r\n\r\n", 400);
    expect_refusal("GET / a HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET  /a HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET \t/a HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET /a\t HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET /a HTTP/1.1 \r\n" HOST "\r\n", 400);
    expect_refusal("GET a HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET * HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET /\xC3\xA9 HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\n" HOST ": x\r\n\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\n" HOST "x\r\n\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\n" HOST "A: \x01\r\n\r\n", 400);
    expect_refusal("GET /a HTP/1.1\r\n" HOST "\r\n", 400);
}

FIXTURE_TEST(there_is_one_host)
{
    expect_refusal("GET /a HTTP/1.1\r\n\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\n" HOST HOST "\r\n", 400);
    expect_refusal("GET http://g/a HTTP/1.1\r\n" HOST "\r\n", 400);
}

FIXTURE_TEST(what_says_one_thing_is_said_once)
{
    expect_refusal("GET /a HTTP/1.1\r\n" HOST "Authorization: a\r\n"
                   "Authorization: b\r\n\r\n",
                   400);
    bench.piece = 0;
    bench_text(&bench, "GET /a HTTP/1.1\r\n" HOST "Accept: a\r\n"
                       "Accept: b\r\n\r\n");
    bench_expect_log(&bench, "GET /a host=h accept=a\nsent 1\n");
}

/* Each of them is read in two ways by some pair of servers: request
 * smuggling. */
FIXTURE_TEST(what_can_be_read_in_two_ways_is_refused)
{
    expect_refusal(POST LENGTH_3 CHUNKED "\r\n0\r\n\r\n", 400);
    expect_refusal(POST CHUNKED LENGTH_3 "\r\n0\r\n\r\n", 400);
    expect_refusal(POST LENGTH_3 LENGTH_3 "\r\nabc", 400);
    expect_refusal(POST "Content-Length: 3, 3\r\n\r\nabc", 400);
    expect_refusal(POST "Content-Length: +3\r\n\r\nabc", 400);
    expect_refusal(POST "Content-Length: 0x3\r\n\r\nabc", 400);
    expect_refusal(POST "Content-Length: 3 4\r\n\r\nabc", 400);
    expect_refusal(POST "Content-Length:\r\n\r\n", 400);
    expect_refusal(POST "Content-Length: 99999999999999999999\r\n\r\n", 400);
    expect_refusal(POST "Content-Length : 3\r\n\r\nabc", 400);
    expect_refusal(POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400);
    expect_refusal(POST "Transfer-Encoding\t: chunked\r\n\r\n", 400);
    expect_refusal(POST "A b: c\r\n\r\n", 400);
    expect_refusal(POST " Content-Length: 3\r\n\r\nabc", 400);
    expect_refusal(POST "A: b\r\n c\r\n\r\n", 400);
    expect_refusal(POST "A: b\r\n\tc\r\n\r\n", 400);
    expect_refusal("POST /a HTTP/1.1\r\n Host: h\r\n\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\nHost: h\n\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\nHost: h\n\r\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\nHost: h\r\n\n", 400);
    expect_refusal("GET /a HTTP/1.1\r\nHost: h\rA: b\r\n\r\n", 400);
    expect_refusal("POST /a HTTP/1.0\r\n" HOST CHUNKED "\r\n0\r\n\r\n", 400);
    expect_refusal(POST CHUNKED CHUNKED "\r\n0\r\n\r\n", 400);
}

FIXTURE_TEST(a_chunk_is_written_in_one_way)
{
    static const char *const bodies[] = {
        "3\rXabc\r\n0\r\n\r\n",
        "3\nabc\r\n0\r\n\r\n",
        "3\r\nabcXY0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
        "3 \r\nabc\r\n0\r\n\r\n",
        "3 ;x\r\nabc\r\n0\r\n\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "+3\r\nabc\r\n0\r\n\r\n",
        "\r\nabc\r\n0\r\n\r\n",
        "-3\r\nabc\r\n0\r\n\r\n",
        "100000003\r\nabc\r\n0\r\n\r\n",
        "3;a\nb\r\nabc\r\n0\r\n\r\n",
        "0\r\nA: b\n\r\n",
        "0\r\n\n",
        "g\r\n",
    };
    char request[256];

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        snprintf(request, sizeof(request), POST CHUNKED "\r\n%s", bodies[i]);
        expect_refusal(request, 400);
    }
}

FIXTURE_TEST(what_http_has_and_we_have_not_is_said)
{
    expect_refusal("BREW /a HTTP/1.1\r\n" HOST "\r\n", 501);
    expect_refusal("TRACE /a HTTP/1.1\r\n" HOST "\r\n", 501);
    expect_refusal("CONNECT h:80 HTTP/1.1\r\n" HOST "\r\n", 501);
    expect_refusal("PROPFIND /a HTTP/1.1\r\n" HOST "\r\n", 501);
    expect_refusal(POST "Transfer-Encoding: gzip\r\n\r\n", 501);
    expect_refusal(POST "Transfer-Encoding: gzip, chunked\r\n\r\n", 501);
    expect_refusal(POST "Transfer-Encoding: xchunked\r\n\r\n", 501);
    expect_refusal(POST "Transfer-Encoding: chunked, identity\r\n\r\n", 501);
    expect_refusal(POST "Transfer-Encoding: \x0B"
                        "chunked\r\n\r\n",
                   400);
    expect_refusal(POST "Expect: 200-ok\r\n\r\n", 417);
    expect_refusal("GET /a HTTP/2.0\r\n" HOST "\r\n", 505);
    expect_refusal("GET /a HTTP/1.2\r\n" HOST "\r\n", 505);
    expect_refusal("GET /a HTTP/3.7\r\n" HOST "\r\n", 505);
}

FIXTURE_TEST(what_is_behind_a_refused_request_is_not_looked_at)
{
    bench_text(&bench, "BREW /a HTTP/1.1\r\n" HOST "\r\n"
                       "GET /b HTTP/1.1\r\n" HOST "\r\n");
    bench_text(&bench, "GET /b HTTP/1.1\r\n" HOST "\r\n");
    bench_expect_log(&bench, "");
    assert_true(hf_http_is_done(bench.peer));
}

/* ---- In pieces ----------------------------------------------------------- */

/* Everything above at once, split in two at each place, and in pieces of each
 * size. */
FIXTURE_TEST(it_does_not_matter_how_the_bytes_are_cut)
{
    static const char text[] =
        "\r\nPOST /wait/a HTTP/1.1\r\nHost: h\r\nX: y\r\nX-Empty:\r\n"
        "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    static const char more[] =
        "PUT /b?c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
        "Holdfast-Secret: s\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nt: u\r\n\r\n"
        "HEAD /c HTTP/1.1\r\nHost: h\r\n\r\n"
        "GET /d HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    static const char log[] =
        "POST /wait/a host=h content-type=text/plain \"hello\"\nsent 1\n"
        "PUT /b?c host=h secret=s \"abcde\"\nsent 2\n"
        "HEAD /c host=h\nsent 3\nGET /d host=h\nsent 4\n";
    size_t most = sizeof(text) + sizeof(more);
    static char expected[4096];

    for (size_t cut = 0; cut < most; cut++) {
        for (bench.piece = cut; bench.piece <= cut + 1; bench.piece++) {
            size_t first = cut < sizeof(more) ? cut : 0;

            bench_text(&bench, text);
            assert_true(bench_answer(&bench, 1, 200, "waited"));
            bench_write(&bench);
            bench_feed(&bench, more, first);
            bench_feed(&bench, more + first, sizeof(more) - 1 - first);
            bench_expect_log(&bench, log);
            assert_true(hf_http_is_done(bench.peer));
            if (cut == 0 && bench.piece == 0)
                memcpy(expected, bench.out, bench.out_len + 1);
            bench_expect_out(&bench, expected);
            bench_close_peer(&bench);
            bench_open(&bench);
            bench.open_count = 0;
        }
    }
}
