/*
 * Any bytes of a peer, of either version: the server's side survives them, what
 * it tells, and by HTTP/1.1 what it answers, does not depend on how they are
 * cut, and each request that it tells ends just once.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"
#include "net/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { OPEN_MAX = 64 };

struct peer {
    struct hf_http *http;
    struct hf_http_peer *peer;
    uint64_t open[OPEN_MAX]; /* exchanges that wait, and that are answered */
    uint64_t told;           /* a sum of what was told */
    uint64_t answered;       /* a sum of what was written, of HTTP/1.1 */
    bool has_lines;          /* it is cut anyhow */
};

static uint64_t
sum(uint64_t seed, struct hf_bytes bytes)
{
    uint64_t len = bytes.len;

    return hf_hash_bytes(hf_hash_bytes(seed, &len, sizeof(len)), bytes.at,
                         bytes.len);
}

static void
check_request(const struct hf_http_request *request)
{
    HF_CHECK(request->path.len > 0);
    HF_CHECK(*request->path.at == '/' || *request->path.at == '*');
    for (size_t i = 0; i < request->path.len; i++)
        HF_CHECK(request->path.at[i] > ' ' && request->path.at[i] <= '~');
    for (size_t i = 0; i < HF_HTTP_FIELDS; i++)
        for (size_t k = 0; k < request->fields[i].len; k++)
            HF_CHECK(request->fields[i].at[k] != '\r' &&
                     request->fields[i].at[k] != '\n' &&
                     request->fields[i].at[k] != '\0');
}

/* Each fourth name is used again. */
static void
answer_line(struct peer *p, const struct hf_http_request *request)
{
    const struct hf_http_reply reply = {
        .status = 200, .first = request->body, .body = {"\n", 1}};
    char first = request->body.len > 0 ? *request->body.at : ' ';

    HF_CHECK(memchr(request->body.at, '\n', request->body.len) == NULL ||
             request->body.len == 0);
    p->told = hf_hash_bytes(p->told, &request->line, sizeof(request->line));
    if (hf_http_name_line(p->http, request->exchange, (uint64_t)(first & 3)) &&
        first == 'w')
        return;
    if (first == 'c')
        HF_CHECK(hf_http_find_line(p->http, request->exchange, 7) == 0);
    HF_CHECK(hf_http_reply(p->http, request->exchange, &reply));
}

static void
answer(struct peer *p, const struct hf_http_request *request)
{
    const struct hf_http_reply reply = {.status = 200, .body = request->body};

    if (request->carrier != 0) {
        answer_line(p, request);
    } else if (request->is_carrier && request->query.at == NULL) {
        p->has_lines = true;
        HF_CHECK(hf_http_carry(p->http, request->exchange, &reply));
    } else if (request->method != HF_HTTP_PUT) { /* which waits */
        HF_CHECK(hf_http_reply(p->http, request->exchange, &reply));
    }
}

static void
take_request(struct peer *p, const struct hf_http_request *request)
{
    size_t at = 0;

    check_request(request);
    p->told = sum(sum(p->told, request->path), request->body);
    for (size_t i = 0; i < HF_HTTP_FIELDS; i++)
        p->told = sum(p->told, request->fields[i]);
    while (at < OPEN_MAX && p->open[at] != 0)
        at++;
    HF_CHECK(at < OPEN_MAX);
    p->open[at] = request->exchange;
    answer(p, request);
}

static void
take_end(struct peer *p, uint64_t exchange)
{
    size_t at = 0;

    while (at < OPEN_MAX && p->open[at] != exchange)
        at++;
    HF_CHECK(at < OPEN_MAX);
    p->open[at] = 0;
}

static bool
tell(struct peer *p)
{
    struct hf_http_event event;
    bool any = false;

    while (hf_http_next(p->peer, &event)) {
        any = true;
        if (event.kind == HF_HTTP_REQUEST)
            take_request(p, event.request);
        else
            take_end(p, event.exchange);
    }
    return any;
}

static void
write_out(struct peer *p)
{
    struct hf_bytes out;

    while ((out = hf_http_out(p->peer)).len > 0) {
        HF_CHECK(sum(0, out) != 1); /* all of it can be read */
        if (p->answered != HF_HASH_SEED || *out.at == 'H')
            p->answered = hf_hash_bytes(p->answered, out.at, out.len);
        hf_http_wrote(p->peer, out.len);
        (void)tell(p);
    }
}

static void
feed(struct peer *p, const char *bytes, size_t len)
{
    int stuck = 0;

    while ((len > 0 || hf_http_has_line(p->peer)) && stuck < 2) {
        size_t taken = hf_http_feed(p->peer, bytes, len);

        HF_CHECK(taken <= len);
        bytes += taken;
        len -= taken;
        stuck = !tell(p) && taken == 0 ? stuck + 1 : 0;
        write_out(p);
    }
}

static void
end(struct peer *p, size_t piece)
{
    const struct hf_http_reply late = {.status = 503};

    for (size_t i = 0; i < OPEN_MAX; i++)
        if (p->open[i] != 0 && piece % 2 == 0)
            (void)hf_http_reply(p->http, p->open[i], &late);
    write_out(p);
    hf_http_gone(p->peer);
    (void)tell(p);
    for (size_t i = 0; i < OPEN_MAX; i++)
        HF_CHECK(p->open[i] == 0);
    HF_CHECK(hf_http_is_done(p->peer));
}

static uint64_t
run(const char *bytes, size_t len, size_t piece)
{
    struct hf_http_limits limits = hf_http_limits_default;
    struct peer p = {.told = HF_HASH_SEED, .answered = HF_HASH_SEED};
    uint64_t answered;

    limits.exchanges = OPEN_MAX;
    limits.streams = OPEN_MAX;
    HF_CHECK(hf_http_open(&hf_alloc_libc, &limits, &p.http, NULL) == HF_OK);
    hf_http_set_carrier_path(p.http, "/l");
    hf_http_turn(p.http, (struct hf_instant){1000}, 1000);
    HF_CHECK(hf_http_add(p.http, &p.peer, NULL) == HF_OK);
    for (size_t i = 0; i < len; i += piece)
        feed(&p, bytes + i, len - i < piece ? len - i : piece);
    hf_http_turn(p.http, (struct hf_instant){16000}, 16000);
    hf_http_clock(p.peer);
    (void)tell(&p);
    write_out(&p);
    answered = p.has_lines ? 0 : p.answered;
    end(&p, piece);
    hf_http_remove(p.peer);
    hf_http_close(p.http);
    return p.told ^ answered;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *at = (const char *)bytes;
    uint64_t told = run(at, len, len + 1);

    HF_CHECK(run(at, len, 1) == told);
    HF_CHECK(run(at, len, 10) == told);
    return 0;
}
