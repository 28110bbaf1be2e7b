/*
 * Any bytes of a server: a client survives them, what it tells does not depend
 * on how they are cut, and each request that it was asked ends just once.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"
#include "net/http_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { ASKED = 4 };

struct talk {
    struct hf_http_client *client;
    unsigned ended; /* a bit each */
    uint64_t told;  /* a sum of what was told */
};

static void
ask(struct talk *t, uint64_t tag)
{
    bool is_carrier = tag == 1;
    const struct hf_http_ask ask = {
        .method = HF_HTTP_POST,
        .host = {"h", 1},
        .path = {"/a", 2},
        .body = {"hello", is_carrier ? 0 : 5},
        .is_carrier = is_carrier,
        .tag = tag,
    };
    int32_t stream;

    HF_CHECK(hf_http_client_ask(t->client, &ask, &stream, NULL) == HF_OK);
    if (is_carrier)
        HF_CHECK(hf_http_client_say(t->client, stream, ask.path));
}

static void
tell(struct talk *t)
{
    struct hf_http_client_event event;

    while (hf_http_client_next(t->client, &event)) {
        t->told = hf_hash_bytes(t->told, &event.end, sizeof(event.end));
        if (event.end == HF_HTTP_LINE) {
            HF_CHECK(event.tag == 1 &&
                     (event.line.len == 0 ||
                      memchr(event.line.at, '\n', event.line.len) == NULL));
            t->told = hf_hash_bytes(t->told, event.line.at, event.line.len);
            continue;
        }
        HF_CHECK(event.tag < ASKED && (t->ended >> event.tag & 1) == 0);
        t->ended |= 1u << event.tag;
        if (event.answer == NULL)
            continue;
        HF_CHECK(event.answer->status >= 200);
        t->told = hf_hash_bytes(t->told, event.answer->body.at,
                                event.answer->body.len);
    }
}

static void
feed(struct talk *t, const char *bytes, size_t len)
{
    while (len > 0) {
        size_t taken = hf_http_client_feed(t->client, bytes, len);

        HF_CHECK(taken > 0 && taken <= len);
        bytes += taken;
        len -= taken;
        tell(t);
    }
}

static void
write_out(struct talk *t)
{
    struct hf_bytes out;

    while ((out = hf_http_client_out(t->client)).len > 0)
        hf_http_client_wrote(t->client, out.len);
}

static uint64_t
run(const char *bytes, size_t len, size_t piece)
{
    struct talk t = {.told = HF_HASH_SEED};

    HF_CHECK(hf_http_client_open(&hf_alloc_libc, &hf_http_limits_default,
                                 &t.client, NULL) == HF_OK);
    for (uint64_t tag = 0; tag < ASKED; tag++)
        ask(&t, tag);
    write_out(&t);
    for (size_t i = 0; i < len; i += piece)
        feed(&t, bytes + i, len - i < piece ? len - i : piece);
    write_out(&t);
    hf_http_client_gone(t.client);
    tell(&t);
    HF_CHECK(t.ended == (1u << ASKED) - 1);
    HF_CHECK(hf_http_client_is_done(t.client));
    hf_http_client_close(t.client);
    return t.told;
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
