#include "work.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "times.h"
#include "wire/json.h"

/* What a lane asks, one thing after the other. */

enum { OPEN, ACQUIRE, RELEASE, KEEP_ALIVE, HOLD };

enum { BODY_SIZE = 256 };

const char *const mode_names[MODES] = {
    "pairs", "contention", "handover", "mixed", "waiters", "keep",
};

void
work_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("holdfast-bench: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    exit(69);
}

/* ---- Requests ------------------------------------------------------------ */

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static void
ask_once(struct lane *lane, const char *method, const char *path,
         const char *body)
{
    struct connection *c = lane->connection;
    const struct hf_http_header headers[] = {
        {"content-type", bytes_of("application/json")},
        {"holdfast-secret", bytes_of(c->secret)},
    };
    struct hf_error error;
    int32_t stream;

    lane->asked_us = hf_now_us();
    if (hf_http_client_ask(
            c->http,
            &(struct hf_http_ask){
                .method = method[0] == 'G' ? HF_HTTP_GET : HF_HTTP_POST,
                .host = bytes_of("localhost"),
                .path = bytes_of(path),
                .headers = headers,
                .headers_count = c->secret[0] == '\0' ? 1 : 2,
                .body = bytes_of(body),
                .tag = (uint64_t)(uintptr_t)lane,
            },
            &stream, &error) != HF_OK)
        work_fail("%s", error.text);
}

/* Each body begins with the session. */
enum { SESSION_LEN = sizeof("{\"session\":\"0123456789abcdef\"") - 1 };

/* The members of the body, behind those that a line has, in the order in which
 * a server looks for them. */
static void
say(struct lane *lane, const char *body)
{
    static const char *const words[] = {
        [ACQUIRE] = "acquire",
        [RELEASE] = "release",
        [KEEP_ALIVE] = "keep-alive",
        [HOLD] = "acquire",
    };
    struct connection *c = lane->connection;
    char line[BODY_SIZE + 128];
    int len = snprintf(line, sizeof(line),
                       "{\"id\":%u,\"do\":\"%s\",\"session\":\"%s\","
                       "\"secret\":\"%s\"%s\n",
                       lane->number, words[lane->step], c->session, c->secret,
                       body + SESSION_LEN);

    lane->asked_us = hf_now_us();
    if (!hf_http_client_say(c->http, c->stream,
                            (struct hf_bytes){line, (size_t)len}))
        work_fail("the stream has ended");
}

static void
ask(struct lane *lane, const char *method, const char *path, const char *body)
{
    if (lane->connection->stream != 0)
        say(lane, body);
    else
        ask_once(lane, method, path, body);
}

static void
begin_stream(struct connection *c)
{
    struct hf_error error;

    if (hf_http_client_ask(c->http,
                           &(struct hf_http_ask){
                               .method = HF_HTTP_POST,
                               .host = bytes_of("localhost"),
                               .path = bytes_of("/v1/stream"),
                               .is_carrier = true,
                           },
                           &c->stream, &error) != HF_OK)
        work_fail("%s", error.text);
}

static bool
is_of_all(const struct lane *lane)
{
    enum mode mode = lane->connection->load->order->mode;

    return mode == MODE_CONTENTION || mode == MODE_HANDOVER ||
           mode == MODE_WAITERS || (mode == MODE_MIXED && lane->n % 10 == 0);
}

static void
acquire(struct lane *lane)
{
    const struct connection *c = lane->connection;
    char body[BODY_SIZE];

    lane->step = ACQUIRE;
    if (is_of_all(lane))
        snprintf(lane->name, sizeof(lane->name), "%d-of-all", (int)getpid());
    else
        snprintf(lane->name, sizeof(lane->name), "%d-%u-%u", (int)getpid(),
                 c->number, lane->number);
    snprintf(body, sizeof(body),
             "{\"session\":\"%s\",\"lane\":%u,\"n\":%" PRIu64 ",\"a\":%" PRIu64
             ",\"wait\":null,\"locks\":[\"%s\"]}",
             c->session, lane->number, lane->n, lane->a, lane->name);
    ask(lane, "POST", "/v1/acquire", body);
}

static void
ask_again(struct lane *lane)
{
    lane->a++;
    acquire(lane);
}

void
work_ask_next(struct lane *lane)
{
    lane->n++;
    lane->a = 1;
    acquire(lane);
}

void
work_release(struct lane *lane)
{
    const struct connection *c = lane->connection;
    char body[BODY_SIZE];

    lane->step = RELEASE;
    snprintf(body, sizeof(body),
             "{\"session\":\"%s\",\"lane\":%u,\"n\":%" PRIu64 "}", c->session,
             lane->number, lane->n);
    ask(lane, "POST", "/v1/release", body);
}

static void
hold_next(struct lane *lane)
{
    struct connection *c = lane->connection;
    char body[BODY_SIZE];

    lane->step = HOLD;
    lane->n++;
    snprintf(body, sizeof(body),
             "{\"session\":\"%s\",\"lane\":%u,\"n\":%" PRIu64
             ",\"a\":1,\"locks\":[\"%d-kept-%u-%u\"]}",
             c->session, lane->number, lane->n, (int)getpid(), c->number,
             c->kept++);
    ask(lane, "POST", "/v1/acquire", body);
}

void
work_keep_alive(struct lane *lane)
{
    char path[64];
    char body[BODY_SIZE];

    lane->step = KEEP_ALIVE;
    snprintf(path, sizeof(path), "/v1/sessions/%s/keep-alive",
             lane->connection->session);
    snprintf(body, sizeof(body), "{\"session\":\"%s\"}",
             lane->connection->session);
    ask(lane, "POST", path, body);
}

/* ---- Answers ------------------------------------------------------------- */

/* It asks for its next lock, as soon as there is room. */
static void
queue(struct lane *lane)
{
    struct connection *c = lane->connection;

    lane->next = NULL;
    if (c->first == NULL)
        c->last = &c->first;
    *c->last = lane;
    c->last = &lane->next;
}

static void
on_opened(struct lane *lane, struct hf_bytes body)
{
    struct connection *c = lane->connection;
    const struct order *order = c->load->order;

    hf_json_show(hf_json_member(body, "session"), c->session,
                 sizeof(c->session));
    hf_json_show(hf_json_member(body, "secret"), c->secret, sizeof(c->secret));
    if (order->stream)
        begin_stream(c);
    if (order->mode == MODE_KEEP) {
        hold_next(lane);
        return;
    }
    for (unsigned i = 0; i < order->lanes; i++)
        queue(&c->lanes[i]);
    c->load->waiting += order->lanes;
}

static void
on_granted(struct lane *lane, int64_t now_us)
{
    struct load *load = lane->connection->load;
    enum mode mode = load->order->mode;

    if (mode == MODE_WAITERS) {
        load->waiting--;
        load->holder = lane;
        if (load->measuring && load->released_us != 0)
            times_add(&load->times, now_us - load->released_us);
        if (load->measuring)
            load->done++;
        return; /* it is kept until it is to be given back */
    }
    if (mode == MODE_HANDOVER && load->measuring && load->released_us != 0)
        times_add(&load->times, now_us - load->released_us);
    else if (mode != MODE_HANDOVER && load->measuring)
        times_add(&load->times, now_us - lane->asked_us);
    if (mode == MODE_HANDOVER)
        load->released_us = hf_now_us();
    work_release(lane);
}

static void
on_released(struct lane *lane)
{
    struct load *load = lane->connection->load;

    load->done += load->measuring;
    if (load->order->mode != MODE_WAITERS)
        work_ask_next(lane);
}

static void
on_held(struct lane *lane)
{
    struct connection *c = lane->connection;

    if (c->kept < c->load->order->locks)
        hold_next(lane);
    else
        lane->connection->due_us = hf_now_us() + BEAT_US;
}

static bool
is_blocking_timeout(const struct hf_http_answer *answer)
{
    char type[64];

    hf_json_show(hf_json_member(answer->body, "type"), type, sizeof(type));
    return strcmp(type, "urn:holdfast:blocking-timeout") == 0 ||
           strcmp(type, "urn:holdfast:later") == 0;
}

void
work_answered(struct lane *lane, const struct hf_http_answer *answer)
{
    struct load *load = lane->connection->load;
    int64_t now_us = hf_now_us();

    if (lane->step == ACQUIRE && answer->status == 503 &&
        is_blocking_timeout(answer)) {
        ask_again(lane);
        return;
    }
    if (answer->status != (lane->step == OPEN ? 201 : 200)) {
        load->refused++;
        work_fail("an answer of status %d: %.*s", answer->status,
                  (int)answer->body.len, answer->body.at);
    }
    switch (lane->step) {
    case OPEN:
        on_opened(lane, answer->body);
        return;
    case ACQUIRE:
        on_granted(lane, now_us);
        return;
    case RELEASE:
        on_released(lane);
        return;
    case HOLD:
        on_held(lane);
        return;
    default:
        load->done += load->measuring;
        if (load->measuring)
            times_add(&load->times, now_us - lane->asked_us);
        lane->connection->due_us = lane->asked_us + BEAT_US;
    }
}

/* The server sends empty lines, too. */
void
work_told(struct connection *c, struct hf_bytes line)
{
    int64_t id;
    int64_t status;

    if (line.len == 0)
        return;
    if (!hf_json_integer(hf_json_member(line, "id"), &id) || id < 1 ||
        id > c->load->order->lanes ||
        !hf_json_integer(hf_json_member(line, "status"), &status))
        work_fail("a line is no answer: %.*s", (int)line.len, line.at);
    c->load->answers++;
    work_answered(&c->lanes[id - 1], &(struct hf_http_answer){
                                         .status = (int)status, .body = line});
}

/* ---- Beginning and end --------------------------------------------------- */

void
work_begin(struct lane *lane)
{
    lane->step = OPEN;
    ask(lane, "POST", "/v1/sessions", "{\"ttl\":\"60s\"}");
}
