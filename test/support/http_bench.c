#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/attrs.h"
#include "support/http_bench.h"

/* 1 January 2026: a Thursday. */
#define WALL_MS INT64_C(1767225600000)

void
bench_init(struct bench *bench)
{
    memset(bench, 0, sizeof(*bench));
    bench->limits = hf_http_limits_default;
    bench->alloc = hf_alloc_libc;
    bench->now.ms = 1000;
}

static bool
open_http(struct bench *bench)
{
    if (bench->http != NULL)
        return true;
    if (hf_http_open(&bench->alloc, &bench->limits, &bench->http, NULL) !=
        HF_OK)
        return false;
    hf_http_turn(bench->http, bench->now, WALL_MS);
    hf_http_set_carrier_path(bench->http, "/lines");
    return true;
}

bool
bench_try_open(struct bench *bench)
{
    return open_http(bench) &&
           hf_http_add(bench->http, &bench->peer, NULL) == HF_OK;
}

void
bench_open(struct bench *bench)
{
    assert_true(bench_try_open(bench));
}

void
bench_close_peer(struct bench *bench)
{
    hf_http_remove(bench->peer);
    bench->peer = NULL;
}

void
bench_close(struct bench *bench)
{
    bench_close_peer(bench);
    hf_http_close(bench->http);
    bench->http = NULL;
}

int
bench_set_up(void **state)
{
    bench_init(*state);
    bench_open(*state);
    return 0;
}

int
bench_tear_down(void **state)
{
    bench_close(*state);
    return 0;
}

/* ---- What is told -------------------------------------------------------- */

HF_PRINTF(2, 3)
static void
say(struct bench *bench, const char *format, ...)
{
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(bench->log + bench->log_len,
                    sizeof(bench->log) - bench->log_len, format, args);
    va_end(args);
    bench->log_len += (size_t)len;
    assert_true(bench->log_len < sizeof(bench->log));
}

static void
say_request(struct bench *bench, const struct hf_http_request *request)
{
    static const char *const methods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                          "PATCH", "DELETE", "OPTIONS"};
    static const char *const fields[] = {
        "host",         "origin", "fetch-site",    "user-agent",
        "content-type", "accept", "authorization", "idempotency-key",
        "session",      "secret", "optional"};

    say(bench, "%s %.*s", methods[request->method], (int)request->path.len,
        request->path.at);
    if (request->query.at != NULL)
        say(bench, "?%.*s", (int)request->query.len, request->query.at);
    for (size_t i = 0; i < HF_HTTP_FIELDS; i++)
        if (request->fields[i].at != NULL)
            say(bench, " %s=%.*s", fields[i], (int)request->fields[i].len,
                request->fields[i].at);
    if (request->body.len > 200)
        say(bench, " %zu bytes", request->body.len);
    else if (request->body.len > 0)
        say(bench, " \"%.*s\"", (int)request->body.len, request->body.at);
    say(bench, "\n");
}

static void
say_line(struct bench *bench, const struct hf_http_request *request)
{
    static const char *const wrong[] = {
        [HF_HTTP_LINE_FINE] = "line",
        [HF_HTTP_LINE_TOO_LONG] = "long line",
        [HF_HTTP_LINE_SLOW] = "slow line",
    };
    struct hf_bytes optional = request->fields[HF_HTTP_OPTIONAL];

    if (request->body.len > 200)
        say(bench, "%s %zu bytes", wrong[request->line], request->body.len);
    else
        say(bench, "%s \"%.*s\"", wrong[request->line], (int)request->body.len,
            request->body.at);
    if (optional.at != NULL)
        say(bench, " optional=%.*s", (int)optional.len, optional.at);
    say(bench, "\n");
}

static bool
begins(struct hf_bytes text, const char *word)
{
    return text.len >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

static void
take_line(struct bench *bench, const struct hf_http_request *request)
{
    const struct hf_http_reply reply = {
        .status = 200, .first = request->body, .body = {"\n", 1}};
    char text[16];
    size_t len =
        request->body.len < sizeof(text) ? request->body.len : sizeof(text);

    memcpy(text, request->body.at, len);
    if (begins(request->body, "wait"))
        return;
    if (!begins(request->body, "name "))
        assert_true(hf_http_reply(bench->http, request->exchange, &reply) ||
                    hf_http_is_done(bench->peer));
    else if (!hf_http_name_line(bench->http, request->exchange,
                                (uint64_t)(request->body.at[5] - '0')))
        say(bench, "that name is in use\n");
    assert_memory_equal(request->body.at, text, len); /* it can still be read */
}

static void
take_request(struct bench *bench, const struct hf_http_event *event)
{
    const struct hf_http_request *request = event->request;
    struct hf_http_reply reply = {.status = 200, .body = request->body};

    assert_true(event->exchange != 0 && event->exchange == request->exchange);
    if (request->carrier != 0)
        say_line(bench, request);
    else
        say_request(bench, request);
    assert_true(bench->open_count < BENCH_OPEN);
    bench->open[bench->open_count++] = event->exchange;
    hf_http_tag(bench->http, event->exchange, bench->open_count);
    if (request->carrier != 0)
        take_line(bench, request);
    if (request->carrier != 0 || begins(request->path, "/wait"))
        return;
    if (request->is_carrier && request->query.at == NULL)
        (void)hf_http_carry(bench->http, event->exchange, &reply);
    else
        (void)hf_http_reply(bench->http, event->exchange, &reply);
}

void
bench_tell(struct bench *bench)
{
    struct hf_http_event event;

    while (hf_http_next(bench->peer, &event)) {
        if (event.kind == HF_HTTP_REQUEST) {
            take_request(bench, &event);
            continue;
        }
        assert_true(event.tag > 0 && event.tag <= bench->open_count);
        assert_true(bench->open[event.tag - 1] == event.exchange); /* once */
        bench->open[event.tag - 1] = 0;
        assert_int_equal(event.end > 0, event.kind == HF_HTTP_SENT);
        bench->ends[event.tag - 1] = (size_t)event.end;
        say(bench, "%s %d\n", event.kind == HF_HTTP_SENT ? "sent" : "lost",
            (int)event.tag);
    }
}

bool
bench_answer(struct bench *bench, size_t tag, int status, const char *body)
{
    struct hf_http_header type = {"content-type", {"text/plain", 10}};
    struct hf_http_reply reply = {
        .status = status,
        .headers = &type,
        .headers_count = 1,
        .body = {body, strlen(body)},
    };

    return hf_http_reply(bench->http, bench->open[tag - 1], &reply);
}

/* ---- Bytes --------------------------------------------------------------- */

void
bench_write(struct bench *bench)
{
    struct hf_bytes bytes;

    while (!bench->is_deaf && (bytes = hf_http_out(bench->peer)).len > 0) {
        size_t len = bytes.len;

        if (bench->piece > 0 && bench->piece < len)
            len = bench->piece;
        assert_true(bench->out_len + len < sizeof(bench->out));
        memcpy(bench->out + bench->out_len, bytes.at, len);
        bench->out_len += len;
        bench->out[bench->out_len] = '\0';
        hf_http_wrote(bench->peer, len);
        bench_tell(bench);
    }
}

static void
feed_piece(struct bench *bench, const char *bytes, size_t len)
{
    int stuck = 0;

    while ((len > 0 || hf_http_has_line(bench->peer)) && stuck < 2) {
        size_t told = bench->log_len;
        size_t taken = hf_http_feed(bench->peer, bytes, len);

        assert_true(taken <= len);
        bytes += taken;
        len -= taken;
        bench_tell(bench);
        bench_write(bench);
        stuck = taken == 0 && bench->log_len == told ? stuck + 1 : 0;
    }
}

void
bench_feed(struct bench *bench, const void *bytes, size_t len)
{
    const char *at = bytes;
    size_t piece = bench->piece > 0 ? bench->piece : len;

    for (size_t i = 0; i < len; i += piece)
        feed_piece(bench, at + i, len - i < piece ? len - i : piece);
}

void
bench_text(struct bench *bench, const char *text)
{
    bench_feed(bench, text, strlen(text));
}

void
bench_pass(struct bench *bench, int64_t ms)
{
    bench->now.ms += ms;
    hf_http_turn(bench->http, bench->now, WALL_MS + bench->now.ms - 1000);
    hf_http_clock(bench->peer);
    bench_tell(bench);
    bench_write(bench);
}

/* ---- Look ---------------------------------------------------------------- */

void
bench_expect_log(struct bench *bench, const char *expected)
{
    bench->log[bench->log_len] = '\0';
    assert_string_equal(bench->log, expected);
    bench->log_len = 0;
}

void
bench_expect_out(struct bench *bench, const char *expected)
{
    bench->out[bench->out_len] = '\0';
    assert_string_equal(bench->out, expected);
    bench->out_len = 0;
}

bool
bench_has_out(const struct bench *bench, const char *part)
{
    return memmem(bench->out, bench->out_len, part, strlen(part)) != NULL;
}

bool
bench_has_ended(const struct bench *bench)
{
    for (size_t i = 0; i < bench->open_count; i++)
        if (bench->open[i] != 0)
            return false;
    return true;
}
