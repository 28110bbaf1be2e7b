#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nghttp2/nghttp2.h>
#include <string.h>

#include "base/text.h"
#include "support/frames.h"

static unsigned char *
put_number(unsigned char *at, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (unsigned char)(number >> shift);
    return at;
}

void
frames_add(struct frames *frames, unsigned type, unsigned flags,
           uint32_t stream, const void *payload, size_t len)
{
    unsigned char *at = frames->bytes + frames->len;

    assert_true(frames->len + 9 + len <= FRAMES_MAX);
    put_number(at, (uint32_t)len << 8); /* three bytes of it */
    at[3] = (unsigned char)type;
    at[4] = (unsigned char)flags;
    put_number(at + 5, stream);
    if (len > 0)
        memcpy(at + 9, payload, len);
    frames->len += 9 + len;
}

void
frames_number(struct frames *frames, unsigned type, unsigned flags,
              uint32_t stream, uint32_t number)
{
    unsigned char payload[4];

    put_number(payload, number);
    frames_add(frames, type, flags, stream, payload, sizeof(payload));
}

void
frames_begin(struct frames *frames, unsigned setting, uint32_t value)
{
    unsigned char entry[6] = {0, (unsigned char)setting};

    memcpy(frames->bytes, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN);
    frames->len = NGHTTP2_CLIENT_MAGIC_LEN;
    put_number(entry + 2, value);
    frames_add(frames, SETTINGS, 0, 0, entry, setting == 0 ? 0 : sizeof(entry));
}

/* A length with a prefix of 7 bits (RFC 7541, 5.1), and the text. */
static unsigned char *
put_text(unsigned char *at, const char *text)
{
    size_t len = strlen(text);

    if (len < 127) {
        *at++ = (unsigned char)len;
    } else {
        size_t rest = len - 127;

        *at++ = 127;
        for (; rest >= 128; rest /= 128)
            *at++ = (unsigned char)(rest % 128 + 128);
        *at++ = (unsigned char)rest;
    }
    memcpy(at, text, len);
    return at + len;
}

size_t
frames_block(unsigned char *block, const char *const *pairs)
{
    unsigned char *at = block;

    for (; *pairs != NULL; pairs += 2) {
        *at++ = 0;
        at = put_text(at, pairs[0]);
        at = put_text(at, pairs[1]);
    }
    return (size_t)(at - block);
}

void
frames_headers(struct frames *frames, unsigned flags, uint32_t stream,
               const char *const *pairs)
{
    static unsigned char block[FRAMES_MAX];

    frames_add(frames, HEADERS, flags, stream, block,
               frames_block(block, pairs));
}

void
frames_request(struct frames *frames, uint32_t stream, const char *method,
               const char *path, const char *body)
{
    const char *const pairs[] = {":method", method,       ":scheme",
                                 "http",    ":authority", "h",
                                 ":path",   path,         NULL};

    frames_headers(frames, END_HEADERS | (body == NULL ? END_STREAM : 0),
                   stream, pairs);
    if (body != NULL)
        frames_add(frames, DATA, END_STREAM, stream, body, strlen(body));
}

/* ---- What a server sent -------------------------------------------------- */

static uint32_t
number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static void
show_headers(struct hf_text *out, nghttp2_hd_inflater *inflater,
             const unsigned char *block, size_t len)
{
    for (;;) {
        nghttp2_nv nv;
        int flags;
        ssize_t taken =
            nghttp2_hd_inflate_hd2(inflater, &nv, &flags, block, len, 1);

        assert_true(taken >= 0);
        block += taken;
        len -= (size_t)taken;
        if (flags & NGHTTP2_HD_INFLATE_EMIT &&
            !(nv.namelen == 4 && memcmp(nv.name, "date", 4) == 0))
            hf_text_addf(out, " %.*s=%.*s", (int)nv.namelen,
                         (const char *)nv.name, (int)nv.valuelen,
                         (const char *)nv.value);
        if (flags & NGHTTP2_HD_INFLATE_FINAL)
            break;
    }
    nghttp2_hd_inflate_end_headers(inflater);
}

static void
show_frame(struct hf_text *out, nghttp2_hd_inflater *inflater,
           const unsigned char *frame, size_t len)
{
    static const char *const names[] = {
        "DATA",         "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
        "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION"};
    const unsigned char *payload = frame + 9;
    unsigned type = frame[3];
    bool is_stream = type == DATA || type == HEADERS;

    if (type == SETTINGS || type == WINDOW_UPDATE)
        return;
    hf_text_add(out, names[type]);
    if (number_at(frame + 5) != 0)
        hf_text_addf(out, " %u", number_at(frame + 5));
    if (type == DATA && len > 100)
        hf_text_addf(out, " %zu bytes", len);
    else if (type == DATA)
        hf_text_addf(out, " \"%.*s\"", (int)len, (const char *)payload);
    if (type == HEADERS)
        show_headers(out, inflater, payload, len);
    if (type == RST_STREAM)
        hf_text_addf(out, " error %u", number_at(payload));
    if (type == GOAWAY)
        hf_text_addf(out, " last %u error %u", number_at(payload),
                     number_at(payload + 4));
    if (is_stream && (frame[4] & END_STREAM) != 0)
        hf_text_add(out, " end");
    if (type == PING && (frame[4] & ACK) != 0)
        hf_text_add(out, " ack");
    hf_text_add(out, "\n");
}

void
frames_show(const void *bytes, size_t len, char *text, size_t size)
{
    const unsigned char *at = bytes;
    nghttp2_hd_inflater *inflater;
    struct hf_text out;

    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    hf_text_init(&out, text, size);
    while (len > 0) {
        size_t payload;

        assert_true(len >= 9);
        payload = number_at(at) >> 8;
        assert_true(len >= 9 + payload);
        show_frame(&out, inflater, at, payload);
        at += 9 + payload;
        len -= 9 + payload;
    }
    nghttp2_hd_inflate_del(inflater);
    assert_false(hf_text_cut(&out));
}
