#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/http_client.h"
#include "support/frames.h"
#include "support/http_bench.h"

/* A client and a server of ours, with nothing between them but memory; and a
 * client with a server that is written by hand. */

static struct bench bench;
static struct frames frames;
static struct hf_http_client *client;
static char told[1 << 16];
static struct hf_text story;

static int
set_up(void **state)
{
    bench_set_up(state);
    assert_int_equal(hf_http_client_open(&hf_alloc_libc,
                                         &hf_http_limits_default, &client,
                                         NULL),
                     HF_OK);
    hf_text_init(&story, told, sizeof(told));
    frames.len = 0;
    return 0;
}

static int
tear_down(void **state)
{
    hf_http_client_close(client);
    return bench_tear_down(state);
}

/* ---- What the client tells ----------------------------------------------- */

static void
tell(void)
{
    static const char *const ends[] = {"answered", "not done", "unknown"};
    struct hf_http_client_event event;

    while (hf_http_client_next(client, &event)) {
        const struct hf_http_answer *answer = event.answer;

        if (event.end == HF_HTTP_LINE) {
            hf_text_addf(&story, "line %d \"%.*s\"\n", (int)event.tag,
                         (int)(event.line.len % 100), event.line.at);
            continue;
        }
        hf_text_addf(&story, "%s %d", ends[event.end], (int)event.tag);
        if (answer != NULL) {
            hf_text_addf(&story, " %d", answer->status);
            if (answer->type.at != NULL)
                hf_text_addf(&story, " %.*s", (int)answer->type.len,
                             answer->type.at);
            if (answer->retry.at != NULL)
                hf_text_addf(&story, " retry %.*s", (int)answer->retry.len,
                             answer->retry.at);
            if (answer->body.len > 100)
                hf_text_addf(&story, " %zu bytes", answer->body.len);
            else
                hf_text_addf(&story, " \"%.*s\"", (int)answer->body.len,
                             answer->body.at);
        }
        hf_text_add(&story, "\n");
    }
    assert_false(hf_text_cut(&story));
}

static void
expect_told(const char *expected)
{
    assert_string_equal(told, expected);
    hf_text_init(&story, told, sizeof(told));
}

static void
feed_client(const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        size_t piece = bench.piece > 0 && bench.piece < len ? bench.piece : len;
        size_t taken = hf_http_client_feed(client, at, piece);

        at += taken;
        len -= taken;
        tell();
    }
}

/* Until neither has anything to say. */
static void
talk(void)
{
    struct hf_bytes out;

    do {
        while ((out = hf_http_client_out(client)).len > 0) {
            bench_feed(&bench, out.at, out.len);
            hf_http_client_wrote(client, out.len);
        }
        bench_write(&bench);
        feed_client(bench.out, bench.out_len);
        bench.out_len = 0;
    } while (hf_http_client_out(client).len > 0);
    tell();
}

static int32_t
ask(const char *path, const char *body, uint64_t tag)
{
    const struct hf_http_header type = {"content-type", {"text/plain", 10}};
    const struct hf_http_ask asked = {
        .method = HF_HTTP_POST,
        .host = {"h", 1},
        .path = {path, strlen(path)},
        .headers = &type,
        .headers_count = 1,
        .body = {body, strlen(body)},
        .tag = tag,
    };
    int32_t stream = 0;

    assert_int_equal(hf_http_client_ask(client, &asked, &stream, NULL), HF_OK);
    assert_true(stream > 0);
    return stream;
}

static int32_t
carry(const char *path)
{
    const struct hf_http_ask asked = {
        .method = HF_HTTP_POST,
        .host = {"h", 1},
        .path = {path, strlen(path)},
        .is_carrier = true,
        .tag = 7,
    };
    int32_t stream = 0;

    assert_int_equal(hf_http_client_ask(client, &asked, &stream, NULL), HF_OK);
    return stream;
}

static bool
say_on(int32_t stream, const char *lines)
{
    return hf_http_client_say(client, stream,
                              (struct hf_bytes){lines, strlen(lines)});
}

static enum hf_status
try_to_ask(void)
{
    const struct hf_http_ask asked = {
        .method = HF_HTTP_GET, .host = {"h", 1}, .path = {"/wait", 5}};
    int32_t stream;

    return hf_http_client_ask(client, &asked, &stream, NULL);
}

#define FIXTURE_TEST(sentence) TEST_OF(&bench, set_up, tear_down, sentence)

/* ---- With a server of ours ----------------------------------------------- */

FIXTURE_TEST(a_request_is_answered)
{
    ask("/echo?x", "hello", 7);
    talk();
    bench_expect_log(&bench, "POST /echo?x host=h content-type=text/plain "
                             "\"hello\"\nsent 1\n");
    expect_told("answered 7 200 \"hello\"\n");
}

FIXTURE_TEST(lines_are_said_and_told)
{
    int32_t stream;

    for (bench.piece = 0; bench.piece < 3; bench.piece++) {
        stream = carry("/lines");
        assert_true(say_on(stream, "a\nb\n"));
        talk();
        expect_told("line 7 \"\"\nline 7 \"a\"\nline 7 \"b\"\n");
        assert_true(say_on(stream, "c\n"));
        talk();
        expect_told("line 7 \"c\"\n");
        hf_http_client_cancel(client, stream);
        assert_false(say_on(stream, "d\n"));
        talk();
        expect_told("");
    }
}

FIXTURE_TEST(a_carrier_that_is_refused_is_answered)
{
    int32_t stream = carry("/lines?no");

    assert_true(say_on(stream, "a\n"));
    talk();
    expect_told("answered 7 200 \"\"\n");
    assert_false(say_on(stream, "b\n"));
}

FIXTURE_TEST(a_carrier_ends_behind_its_lines)
{
    int32_t stream = carry("/lines");

    assert_true(say_on(stream, "a\n"));
    talk();
    hf_http_drain(bench.peer);
    assert_true(say_on(stream, "late\n"));
    talk();
    expect_told("line 7 \"\"\nline 7 \"a\"\nanswered 7 200 \"\"\n");
}

FIXTURE_TEST(a_carrier_is_lost_with_its_connection)
{
    int32_t stream = carry("/lines");

    assert_true(say_on(stream, "wait\n"));
    talk();
    expect_told("line 7 \"\"\n");
    hf_http_client_gone(client);
    tell();
    expect_told("unknown 7\n");
    assert_false(say_on(stream, "b\n"));
}

FIXTURE_TEST(many_lines_open_their_windows)
{
    static char lines[100 * 1000 + 1];
    int32_t stream = carry("/lines");
    size_t told_lines = 0;

    for (size_t i = 0; i < sizeof(lines) - 1; i++)
        lines[i] = i % 1000 == 999 ? '\n' : 'x';
    for (int i = 0; i < 10; i++) {
        hf_http_turn(bench.http, bench.now, 1000);
        assert_true(say_on(stream, lines));
        talk();
        bench.log_len = 0;
        for (const char *at = told; (at = strchr(at, '\n')) != NULL; at++)
            told_lines++;
        hf_text_init(&story, told, sizeof(told));
    }
    assert_int_equal(told_lines, 1001);
}

FIXTURE_TEST(what_an_answer_says_is_told)
{
    const struct hf_http_header headers[] = {
        {"retry-after", {"5", 1}},
        {"content-type", {"application/problem+json", 24}},
        {"x-other", {"y", 1}},
    };
    const struct hf_http_reply reply = {
        .status = 503,
        .headers = headers,
        .headers_count = 3,
        .body = {"{}", 2},
    };

    ask("/wait", "", 7);
    talk();
    assert_true(hf_http_reply(bench.http, bench.open[0], &reply));
    talk();
    expect_told("answered 7 503 application/problem+json retry 5 \"{}\"\n");
}

FIXTURE_TEST(hundreds_are_under_way)
{
    enum { MANY = 900 };

    talk(); /* its SETTINGS */
    assert_int_equal(hf_http_client_room(client), 1000);
    for (int i = 1; i <= MANY; i++) {
        ask("/wait", "x", (uint64_t)i);
        if (i % 50 == 0)
            talk();
    }
    assert_int_equal(hf_http_client_room(client), 1000 - MANY);
    bench.log_len = 0;
    for (size_t i = MANY; i > 0; i--)
        assert_true(bench_answer(&bench, i, 200, "y"));
    talk();
    assert_int_equal(hf_http_client_room(client), 1000);
    assert_non_null(strstr(told, "answered 1 200 text/plain \"y\"\n"));
    assert_non_null(strstr(told, "answered 900 200 text/plain \"y\"\n"));
}

FIXTURE_TEST(no_more_is_asked_than_the_server_bears)
{
    bench_close(&bench);
    bench.limits.streams = 3;
    bench_open(&bench);
    talk();
    for (int i = 0; i < 3; i++)
        ask("/wait", "", (uint64_t)i + 1);
    assert_int_equal(hf_http_client_room(client), 0);
    assert_int_equal(try_to_ask(), HF_E_LIMIT);
    talk();
    assert_true(bench_answer(&bench, 2, 200, ""));
    talk();
    expect_told("answered 2 200 text/plain \"\"\n");
    assert_int_equal(try_to_ask(), HF_OK);
}

FIXTURE_TEST(what_is_cancelled_is_not_told)
{
    int32_t stream;

    ask("/wait", "", 1);
    stream = ask("/wait", "", 2);
    talk();
    hf_http_client_cancel(client, stream);
    hf_http_client_cancel(client, stream);
    talk();
    bench_expect_log(&bench, "POST /wait host=h content-type=text/plain\n"
                             "POST /wait host=h content-type=text/plain\n"
                             "lost 2\n");
    assert_true(bench_answer(&bench, 1, 200, ""));
    talk();
    expect_told("answered 1 200 text/plain \"\"\n");
}

/* Its answer is there, and nobody has heard of it. */
FIXTURE_TEST(what_is_cancelled_once_it_has_ended_is_not_told)
{
    int32_t stream = ask("/wait", "", 1);

    talk();
    assert_true(bench_answer(&bench, 1, 200, ""));
    bench_write(&bench);
    assert_int_equal(hf_http_client_feed(client, bench.out, bench.out_len),
                     bench.out_len);
    bench.out_len = 0;
    hf_http_client_cancel(client, stream);
    talk();
    expect_told("");
}

FIXTURE_TEST(a_server_that_drains_answers_what_it_was_asked)
{
    ask("/wait", "", 1);
    talk();
    hf_http_drain(bench.peer);
    talk();
    assert_true(hf_http_client_is_closing(client));
    assert_int_equal(try_to_ask(), HF_E_UNAVAILABLE);
    assert_false(hf_http_client_is_done(client));
    assert_true(bench_answer(&bench, 1, 200, ""));
    talk();
    expect_told("answered 1 200 text/plain \"\"\n");
    assert_true(hf_http_client_is_done(client));
    assert_true(hf_http_is_done(bench.peer));
}

/* Of a server that acknowledges what nobody said. */
FIXTURE_TEST(an_answer_to_a_ping_that_was_not_sent_is_ignored)
{
    static const char pong[17] = {0, 0, 8, 6, 1};

    ask("/echo", "hello", 1);
    talk();
    expect_told("answered 1 200 \"hello\"\n");
    feed_client(pong, sizeof(pong));
    expect_told("");
    assert_false(hf_http_client_is_closing(client));
}

FIXTURE_TEST(long_bodies_go_both_ways)
{
    static char body[100 * 1000 + 1];

    memset(body, 'x', sizeof(body) - 1);
    ask("/echo", body, 1);
    assert_int_equal(try_to_ask(), HF_E_LIMIT); /* it is to be written first */
    talk();
    ask("/echo", body, 2);
    talk();
    expect_told("answered 1 200 100000 bytes\nanswered 2 200 100000 bytes\n");
}

FIXTURE_TEST(an_answer_beyond_the_limit_is_not_kept)
{
    static char body[200 * 1000 + 1];

    memset(body, 'x', sizeof(body) - 1);
    ask("/wait", "", 1);
    ask("/wait", "", 2);
    talk();
    assert_true(bench_answer(&bench, 1, 200, body));
    assert_true(bench_answer(&bench, 2, 200, "hello"));
    talk();
    expect_told("unknown 1\nanswered 2 200 text/plain \"hello\"\n");
}

/* ---- What surely was not done -------------------------------------------- */

FIXTURE_TEST(what_never_left_was_not_done)
{
    struct hf_bytes out;

    talk();
    ask("/wait", "hello", 1);
    talk();
    ask("/wait", "hello", 2);
    out = hf_http_client_out(client);
    hf_http_client_wrote(client, out.len);
    ask("/wait", "hello", 3);
    out = hf_http_client_out(client);
    hf_http_client_wrote(client, out.len - 1); /* all but its last byte */
    ask("/wait", "hello", 4);
    hf_http_client_gone(client);
    tell();
    expect_told("unknown 1\nunknown 2\nnot done 3\nnot done 4\n");
    assert_true(hf_http_client_is_done(client));
    assert_int_equal(try_to_ask(), HF_E_UNAVAILABLE);
}

/* SETTINGS of a server that is written by hand. */
static void
say_settings(void)
{
    frames_add(&frames, SETTINGS, 0, 0, NULL, 0);
}

static void
say(void)
{
    struct hf_bytes out;

    while ((out = hf_http_client_out(client)).len > 0)
        hf_http_client_wrote(client, out.len);
    feed_client(frames.bytes, frames.len);
    frames.len = 0;
}

FIXTURE_TEST(what_a_server_says_it_did_not_do_was_not_done)
{
    static const unsigned char goaway[] = {0, 0, 0, 1, 0, 0, 0, 0};

    say_settings();
    ask("/a", "", 1);
    ask("/a", "", 2);
    ask("/a", "", 3);
    ask("/a", "", 4);
    say();
    frames_number(&frames, RST_STREAM, 0, 3, 7); /* REFUSED_STREAM */
    frames_number(&frames, RST_STREAM, 0, 5, 2); /* INTERNAL_ERROR */
    frames_add(&frames, GOAWAY, 0, 0, goaway, sizeof(goaway));
    say();
    expect_told("not done 2\nunknown 3\nnot done 4\n");
    assert_true(hf_http_client_is_closing(client));
    hf_http_client_gone(client);
    tell();
    expect_told("unknown 1\n");
}

/* Two streams at most, and no window for bodies. */
FIXTURE_TEST(an_answer_ends_a_request_that_was_not_said_to_its_end)
{
    static const unsigned char settings[] = {0, 3, 0, 0, 0, 2,
                                             0, 4, 0, 0, 0, 0};
    const char *const head[] = {":status", "200", NULL};

    frames_add(&frames, SETTINGS, 0, 0, settings, sizeof(settings));
    say();
    for (uint32_t stream = 1; stream <= 9; stream += 2) {
        ask("/a", "x", stream);
        frames_headers(&frames, END_HEADERS | END_STREAM, stream, head);
        say();
    }
    expect_told("answered 1 200 \"\"\nanswered 3 200 \"\"\n"
                "answered 5 200 \"\"\nanswered 7 200 \"\"\n"
                "answered 9 200 \"\"\n");
    assert_false(hf_http_client_is_closing(client));
}

/* No window for bodies: so many are more than may be kept. */
FIXTURE_TEST(what_was_cut_while_it_was_sent_leaves_its_room)
{
    enum { MANY = 11 };
    static const unsigned char settings[] = {0, 4, 0, 0, 0, 0};
    static char body[100 * 1000 + 1];
    int32_t streams[MANY];

    memset(body, 'x', sizeof(body) - 1);
    frames_add(&frames, SETTINGS, 0, 0, settings, sizeof(settings));
    say();
    for (int i = 0; i < MANY; i++) {
        streams[i] = ask("/a", body, 1);
        say();
    }
    assert_int_equal(hf_http_client_room(client), 0);
    for (int i = 0; i < MANY; i++)
        hf_http_client_cancel(client, streams[i]);
    say();
    assert_true(hf_http_client_room(client) > 0);
}

FIXTURE_TEST(an_interim_answer_is_none)
{
    const char *const interim[] = {":status", "103", "location", "/x", NULL};
    const char *const head[] = {":status", "200", "retry-after", "3", NULL};
    const char *const trailers[] = {"content-type", "no", NULL};

    say_settings();
    ask("/a", "", 1);
    say();
    frames_headers(&frames, END_HEADERS, 1, interim);
    frames_headers(&frames, END_HEADERS, 1, head);
    frames_headers(&frames, END_HEADERS | END_STREAM, 1, trailers);
    say();
    expect_told("answered 1 200 retry 3 \"\"\n");
}

FIXTURE_TEST(an_answer_before_its_end_is_unknown)
{
    const char *const head[] = {":status", "200", NULL};

    say_settings();
    ask("/a", "", 1);
    say();
    frames_headers(&frames, END_HEADERS, 1, head);
    frames_add(&frames, DATA, 0, 1, "half", 4);
    say();
    hf_http_client_gone(client);
    tell();
    expect_told("unknown 1\n");
}

FIXTURE_TEST(what_is_no_http_2_ends_all)
{
    ask("/a", "", 1);
    frames.len = 0;
    say();
    feed_client("HTTP/1.1 400 Bad Request\r\n\r\n", 28);
    hf_http_client_gone(client);
    tell();
    expect_told("unknown 1\n");
    assert_true(hf_http_client_is_closing(client));
}

/* ---- In pieces ----------------------------------------------------------- */

FIXTURE_TEST(it_does_not_matter_how_the_bytes_are_cut)
{
    for (size_t piece = 1; piece < 300; piece++) {
        int32_t stream;

        bench.piece = piece;
        ask("/echo", "hello", 1);
        stream = ask("/wait", "", 2);
        ask("/wait", "bye", 3);
        talk();
        hf_http_client_cancel(client, stream);
        talk();
        assert_true(bench_answer(&bench, 3, 404, "no"));
        talk();
        bench_expect_log(
            &bench,
            "POST /echo host=h content-type=text/plain \"hello\"\nsent 1\n"
            "POST /wait host=h content-type=text/plain\n"
            "POST /wait host=h content-type=text/plain \"bye\"\n"
            "lost 2\nsent 3\n");
        expect_told("answered 1 200 \"hello\"\n"
                    "answered 3 404 text/plain \"no\"\n");
        tear_down(state);
        set_up(state);
    }
}
