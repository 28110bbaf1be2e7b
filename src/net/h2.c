#include "net/h2.h"

#include <nghttp2/nghttp2.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "net/h2_frames.h"
#include "net/h2_headers.h"
#include "net/h2_memory.h"

enum {
    /* What one connection may have on its way to us, of bodies that are not
     * whole: so much is kept for it at most.  More than one body, so that a
     * slow one holds up no other. */
    WINDOW_BODIES = 4,

    /* A head is refused when it is too long, and decoded all the same, since
     * the next one builds on it; up to so many times the limit. */
    HEAD_TIMES = 8,

    /* Each request allows so many frames that bring none: windows are opened
     * again for its answer. */
    EXTRAS_EACH = 2,
};

struct hf_h2_shared {
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
};

struct hf_h2 {
    struct hf_h2_memory memory;
    nghttp2_session *session;
    const uint8_t *pending; /* borrowed from the session: a frame to be put */
    size_t pending_len;

    struct hf_h2_frames frames; /* that come */
    struct hf_allowance resets;
    struct hf_allowance extras;
    bool is_settled; /* its first SETTINGS have come */
    bool is_inside;  /* nghttp2 is at work, and must not be asked for frames */
    bool is_last_heard; /* who drains has shown that it knows */
    bool is_last_said;  /* the second GOAWAY is on its way */
    bool is_last_made;
};

/* The exchange of a stream that is not over; a slot may be another's since. */
static struct hf_exchange *
exchange_of(const struct hf_http_peer *peer, int32_t stream)
{
    struct hf_exchange *exchange =
        nghttp2_session_get_stream_user_data(peer->h2->session, stream);

    return exchange != NULL && exchange->peer == peer &&
                   exchange->stream == stream &&
                   exchange->state >= HF_EXCHANGE_COMING &&
                   exchange->state <= HF_EXCHANGE_ANSWERED
               ? exchange
               : NULL;
}

/* What was kept of a body is over: there is room for others. */
static void
open_window(struct hf_http_peer *peer, size_t len)
{
    if (len > 0 &&
        nghttp2_session_consume_connection(peer->h2->session, len) != 0)
        hf_peer_break(peer);
}

/* What a callback returns: nghttp2 goes on, or does no more. */
static int
outcome(const struct hf_http_peer *peer)
{
    return peer->is_broken ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

/* ---- What nghttp2 tells of a request ------------------------------------- */

static int
on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
                 void *word)
{
    struct hf_http_peer *peer = word;
    struct hf_exchange *exchange;

    if (frame->hd.type != NGHTTP2_HEADERS ||
        frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    exchange = hf_peer_begin(peer);
    if (exchange == NULL)
        return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE,
                                         frame->hd.stream_id,
                                         NGHTTP2_REFUSED_STREAM) == 0
                   ? 0
                   : NGHTTP2_ERR_CALLBACK_FAILURE;
    exchange->stream = frame->hd.stream_id;
    nghttp2_session_set_stream_user_data(session, exchange->stream, exchange);
    return 0;
}

static bool
take_header(struct hf_intakes *intakes, struct hf_intake *intake,
            struct hf_bytes name, struct hf_bytes value)
{
    if (name.len > 0 && *name.at == ':') {
        if (hf_header_is(name, ":path"))
            return hf_intake_target(intakes, intake, value);
        if (hf_header_is(name, ":authority"))
            return hf_intake_authority(intakes, intake, value);
        if (hf_header_is(name, ":method"))
            intake->method = hf_header_method(value);
        return true;
    }
    return hf_intake_value(intakes, intake,
                           hf_intake_name(intakes, intake, name), value);
}

static int
on_header(nghttp2_session *session, const nghttp2_frame *frame,
          nghttp2_rcbuf *name_text, nghttp2_rcbuf *value_text, uint8_t flags,
          void *word)
{
    struct hf_http_peer *peer = word;
    struct hf_exchange *exchange = exchange_of(peer, frame->hd.stream_id);
    struct hf_bytes name = hf_h2_text(name_text);
    struct hf_bytes value = hf_h2_text(value_text);
    struct hf_intake *intake;

    (void)session;
    (void)flags;
    if (exchange == NULL || exchange->state != HF_EXCHANGE_COMING)
        return 0;
    intake = exchange->intake;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        hf_intake_skip(&peer->http->intakes, intake, name.len + value.len);
    else if (!take_header(&peer->http->intakes, intake, name, value))
        return NGHTTP2_ERR_NOMEM;
    if (intake->headers_len / HEAD_TIMES > peer->http->limits.headers_len ||
        intake->headers / HEAD_TIMES > peer->http->limits.headers)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static void
go_on(struct hf_http_peer *peer, int32_t stream)
{
    static uint8_t name[] = ":status";
    static uint8_t value[] = "100";
    const nghttp2_nv nv = {name, value, sizeof(name) - 1, sizeof(value) - 1,
                           NGHTTP2_NV_FLAG_NONE};

    if (nghttp2_submit_headers(peer->h2->session, NGHTTP2_FLAG_NONE, stream,
                               NULL, &nv, 1, NULL) < 0)
        hf_peer_break(peer);
}

static bool
is_too_long(const struct hf_exchange *exchange)
{
    struct hf_bytes length =
        hf_intake_field(exchange->intake, HF_HEADER_CONTENT_LENGTH);
    uint64_t sum = 0;

    for (size_t i = 0; i < length.len && sum <= UINT32_MAX; i++)
        sum =
            sum * 10 + (uint64_t)(length.at[i] - '0'); /* nghttp2 has looked */
    return sum > exchange->peer->http->limits.body_len;
}

/* The headers are there. */
static void
on_head(struct hf_exchange *exchange, bool is_last)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_intake *intake = exchange->intake;

    hf_intake_end_of_head(intake);
    if (is_too_long(exchange))
        hf_intake_refuse(intake, HF_REFUSAL_BODY);
    if (intake->refusal != HF_REFUSAL_NONE) {
        exchange->is_cut = !is_last;
        hf_h2_refuse(exchange, intake->refusal);
        return;
    }
    if (is_last)
        return;
    hf_intake_await_body(&peer->http->intakes, intake);
    if (hf_intake_field(intake, HF_HEADER_EXPECT).at != NULL)
        go_on(peer, exchange->stream);
}

static void
on_whole(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (exchange->intake->refusal != HF_REFUSAL_NONE) { /* by its trailers */
        hf_h2_refuse(exchange, exchange->intake->refusal);
        return;
    }
    open_window(peer, exchange->intake->body.len);
    if (peer->is_broken)
        return;
    hf_allowance_add(&peer->h2->extras, EXTRAS_EACH);
    hf_peer_whole(exchange);
}

static int
on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *word)
{
    struct hf_http_peer *peer = word;
    bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    struct hf_exchange *exchange;

    (void)session;
    if (frame->hd.type == NGHTTP2_SETTINGS)
        peer->h2->is_settled = true;
    if (frame->hd.type == NGHTTP2_PING &&
        (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0 && peer->is_draining)
        peer->h2->is_last_heard = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    exchange = exchange_of(peer, frame->hd.stream_id);
    if (exchange == NULL || exchange->state != HF_EXCHANGE_COMING)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS &&
        frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        on_head(exchange, is_last);
    if (!peer->is_broken && is_last && exchange->state == HF_EXCHANGE_COMING)
        on_whole(exchange);
    return outcome(peer);
}

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t stream,
        const uint8_t *bytes, size_t len, void *word)
{
    struct hf_http_peer *peer = word;
    struct hf_exchange *exchange = exchange_of(peer, stream);

    (void)session;
    (void)flags;
    if (exchange == NULL || exchange->state != HF_EXCHANGE_COMING) {
        open_window(peer, len); /* it was refused, and is not kept */
        return outcome(peer);
    }
    if (!hf_intake_body(&peer->http->intakes, exchange->intake,
                        (struct hf_bytes){(const char *)bytes, len}))
        return NGHTTP2_ERR_NOMEM;
    if (exchange->intake->refusal != HF_REFUSAL_NONE) {
        exchange->is_cut = true;
        hf_h2_refuse(exchange, exchange->intake->refusal);
        open_window(peer, len); /* this piece was not kept */
    }
    return outcome(peer);
}

static int
on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error,
                void *word)
{
    struct hf_http_peer *peer = word;
    struct hf_exchange *exchange = exchange_of(peer, stream);
    size_t kept = 0;

    (void)session;
    (void)error;
    if (exchange == NULL)
        return 0;
    if (exchange->state == HF_EXCHANGE_COMING)
        kept = exchange->intake->body.len;
    exchange->is_reset = true;
    hf_peer_lose(exchange);
    open_window(peer, kept);
    return outcome(peer);
}

/* ---- What nghttp2 tells of an answer ------------------------------------- */

static ssize_t
read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
          uint32_t *flags, nghttp2_data_source *source, void *word)
{
    struct hf_exchange *exchange = exchange_of(word, stream);
    size_t len;

    (void)session;
    (void)source;
    if (exchange == NULL)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    len = exchange->rest_len < size ? exchange->rest_len : size;
    memcpy(to, exchange->rest, len);
    hf_peer_rest_made(exchange, len);
    if (exchange->rest_len == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

/* A stream that is reset because its peer made a mistake costs what one costs
 * that it resets itself (CVE-2025-8671).  One that was answered before it was
 * whole, or refused for want of room, is no mistake. */
static bool
is_its_mistake(const nghttp2_frame *frame)
{
    return frame->hd.type == NGHTTP2_RST_STREAM &&
           frame->rst_stream.error_code != NGHTTP2_NO_ERROR &&
           frame->rst_stream.error_code != NGHTTP2_REFUSED_STREAM;
}

/* Told just before the frame is put behind the bytes that are made. */
static int
on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *word)
{
    struct hf_http_peer *peer = word;
    struct hf_exchange *exchange;
    int32_t stream = frame->hd.stream_id;

    if (frame->hd.type == NGHTTP2_GOAWAY && peer->h2->is_last_said)
        peer->h2->is_last_made = true;
    if (is_its_mistake(frame) &&
        !hf_allowance_take(&peer->h2->resets, peer->http->now) &&
        nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM) !=
            0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    exchange = exchange_of(peer, stream);
    if (exchange == NULL)
        return 0;
    nghttp2_session_set_stream_user_data(session, stream, NULL);
    if (exchange->is_cut &&
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream,
                                  NGHTTP2_NO_ERROR) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    hf_peer_made(exchange,
                 peer->outbox.made + HF_H2_FRAME_HEAD + frame->hd.length);
    return 0;
}

/* ---- What all peers share ------------------------------------------------ */

static bool
init_shared(struct hf_h2_shared *shared)
{
    nghttp2_session_callbacks *callbacks;

    if (nghttp2_session_callbacks_new(&shared->callbacks) != 0 ||
        nghttp2_option_new(&shared->option) != 0)
        return false;
    callbacks = shared->callbacks;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                         on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                           on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks,
                                                         on_frame_send);
    nghttp2_option_set_no_auto_window_update(shared->option, 1);
    nghttp2_option_set_no_closed_streams(shared->option, 1);
    nghttp2_option_set_stream_reset_rate_limit(shared->option, UINT32_MAX,
                                               UINT32_MAX);
    return true;
}

struct hf_h2_shared *
hf_h2_open(const struct hf_alloc *alloc)
{
    struct hf_h2_shared *shared = hf_new(alloc, struct hf_h2_shared);

    if (shared == NULL)
        return NULL;
    if (!init_shared(shared)) {
        hf_h2_close(shared, alloc);
        return NULL;
    }
    return shared;
}

void
hf_h2_close(struct hf_h2_shared *shared, const struct hf_alloc *alloc)
{
    if (shared == NULL)
        return;
    nghttp2_session_callbacks_del(shared->callbacks);
    nghttp2_option_del(shared->option);
    hf_free(alloc, shared);
}

/* ---- The beginning and the end of a session ------------------------------ */

static bool
submit_settings(nghttp2_session *session, const struct hf_http_limits *limits)
{
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->streams},
        /* One byte more shows that a body is too long. */
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits->body_len + 1},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->headers_len},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    size_t count = sizeof(entries) / sizeof(entries[0]);
    int32_t window = (int32_t)((limits->body_len + 1) * WINDOW_BODIES);

    if (window < NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE)
        window = NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE;
    return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, entries,
                                   count) == 0 &&
           nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                 window) == 0;
}

bool
hf_h2_start(struct hf_http_peer *peer)
{
    struct hf_http *http = peer->http;
    struct hf_h2 *h2 = hf_new(http->alloc, struct hf_h2);
    nghttp2_mem memory;

    if (h2 == NULL)
        return false;
    peer->h2 = h2;
    memory = hf_h2_memory_start(&h2->memory, http->alloc);
    h2->frames.before = NGHTTP2_CLIENT_MAGIC_LEN;
    hf_allowance_init(&h2->resets, http->limits.resets,
                      http->limits.resets_per_s, http->now);
    hf_allowance_init(&h2->extras, http->limits.extras,
                      http->limits.extras_per_s, http->now);
    if (nghttp2_session_server_new3(&h2->session, http->h2->callbacks, peer,
                                    http->h2->option, &memory) != 0 ||
        !submit_settings(h2->session, &http->limits)) {
        hf_h2_stop(peer);
        return false;
    }
    peer->head_since = http->now; /* its first SETTINGS are to come */
    return true;
}

void
hf_h2_stop(struct hf_http_peer *peer)
{
    if (peer->h2 == NULL)
        return;
    hf_h2_memory_stop(&peer->h2->memory);
    hf_free(peer->http->alloc, peer->h2);
    peer->h2 = NULL;
}

void
hf_h2_end(struct hf_http_peer *peer, enum hf_h2_end why)
{
    uint32_t error =
        why == HF_H2_END_IDLE ? NGHTTP2_NO_ERROR : NGHTTP2_ENHANCE_YOUR_CALM;

    if (nghttp2_session_terminate_session(peer->h2->session, error) != 0)
        hf_peer_break(peer);
    else if (!peer->h2->is_inside)
        hf_h2_fill(peer);
}

void
hf_h2_probe(struct hf_http_peer *peer)
{
    if (nghttp2_submit_ping(peer->h2->session, NGHTTP2_FLAG_NONE, NULL) != 0)
        hf_peer_break(peer);
    else
        hf_h2_fill(peer);
}

void
hf_h2_drain(struct hf_http_peer *peer)
{
    nghttp2_session *session = peer->h2->session;

    if (nghttp2_submit_shutdown_notice(session) != 0 ||
        nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, NULL) != 0)
        hf_peer_break(peer);
}

void
hf_h2_drain_now(struct hf_http_peer *peer)
{
    nghttp2_session *session = peer->h2->session;

    if (peer->h2->is_last_said)
        return;
    peer->h2->is_last_said = true;
    if (nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(session),
                              NGHTTP2_NO_ERROR, NULL, 0) != 0)
        hf_peer_break(peer);
    else
        hf_h2_fill(peer);
}

bool
hf_h2_has_drained(const struct hf_http_peer *peer)
{
    return peer->h2->is_last_said;
}

bool
hf_h2_is_held_up(const struct hf_http_peer *peer)
{
    return peer->h2->is_last_said && !peer->h2->is_last_made;
}

/* ---- From bytes to requests ---------------------------------------------- */

/* Does it bring a piece of a body?  Not what is padded, for that may be nearly
 * all padding, nor what comes for a request that is answered. */
static bool
brings_body(struct hf_http_peer *peer)
{
    const struct hf_h2_frames *frames = &peer->h2->frames;
    uint8_t flags = hf_h2_frame_flags(frames);
    const struct hf_exchange *exchange;

    if ((flags & NGHTTP2_FLAG_PADDED) != 0 ||
        (hf_h2_frame_len(frames) == 0 &&
         (flags & NGHTTP2_FLAG_END_STREAM) == 0))
        return false;
    exchange = exchange_of(peer, hf_h2_frame_stream(frames));
    return exchange != NULL && exchange->state == HF_EXCHANGE_COMING;
}

/* The head of a frame is there.  False: it is one too many. */
static bool
look_at_frame(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;
    struct hf_instant now = peer->http->now;
    uint8_t type = hf_h2_frame_type(&h2->frames);

    if (type == NGHTTP2_HEADERS) {
        peer->head_since = hf_earlier(peer->head_since, now);
        return true;
    }
    if (type == NGHTTP2_RST_STREAM)
        return hf_allowance_take(&h2->resets, now);
    if (type == NGHTTP2_DATA && brings_body(peer))
        return true;
    return hf_allowance_take(&h2->extras, now);
}

/* A frame is there.  Nothing may come between the pieces of a head. */
static void
end_frame(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;
    uint8_t type = hf_h2_frame_type(&h2->frames);
    uint8_t flags = hf_h2_frame_flags(&h2->frames);
    bool is_piece = type == NGHTTP2_HEADERS || type == NGHTTP2_CONTINUATION;

    if (is_piece ? (flags & NGHTTP2_FLAG_END_HEADERS) != 0 : h2->is_settled)
        peer->head_since = HF_NEVER;
}

static void
give(struct hf_http_peer *peer, size_t had, const char *bytes, size_t len)
{
    struct hf_h2 *h2 = peer->h2;

    h2->is_inside = true;
    if (!hf_h2_frames_give(&h2->frames, h2->session, had, bytes, len))
        hf_peer_break(peer);
    h2->is_inside = false;
}

/* Up to the end of a frame, at most. */
static size_t
take_frame(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    struct hf_h2 *h2 = peer->h2;
    size_t had = h2->frames.head_len;
    bool has_head;
    bool is_whole;
    size_t taken =
        hf_h2_frames_take(&h2->frames, bytes, len, &has_head, &is_whole);

    if (has_head && !look_at_frame(peer)) {
        hf_h2_end(peer, HF_H2_END_TOO_MUCH);
        return len;
    }
    give(peer, had, bytes, taken);
    if (!peer->is_broken && is_whole)
        end_frame(peer);
    if (!peer->is_broken && h2->is_last_heard)
        hf_h2_drain_now(peer);
    return taken;
}

size_t
hf_h2_feed(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    size_t taken = 0;

    while (taken < len && peer->whole == NULL && !peer->is_broken &&
           !peer->is_ending && !hf_h2_is_held_up(peer) &&
           peer->counts[HF_EXCHANGE_LOST] == 0)
        taken += take_frame(peer, bytes + taken, len - taken);
    return peer->is_ending ? len : taken;
}

/* ---- From answers to bytes ----------------------------------------------- */

/* Is there a frame that is not put yet? */
static bool
has_pending(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;
    ssize_t len;

    if (h2->pending_len > 0 || peer->is_ending)
        return h2->pending_len > 0;
    len = nghttp2_session_mem_send(h2->session, &h2->pending);
    if (len < 0) {
        hf_peer_break(peer);
        return false;
    }
    h2->pending_len = (size_t)len;
    return len > 0;
}

void
hf_h2_fill(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;

    while (!peer->is_broken && has_pending(peer)) {
        size_t room = hf_peer_room(peer);
        size_t len = h2->pending_len < room ? h2->pending_len : room;

        if (len == 0)
            return;
        hf_peer_put(peer, h2->pending, len);
        h2->pending += len;
        h2->pending_len -= len;
    }
    if (!peer->is_broken && nghttp2_session_want_read(h2->session) == 0)
        hf_peer_end(peer);
}

/* False: no memory. */
static bool
submit(struct hf_exchange *exchange, const struct hf_http_reply *reply,
       bool has_body)
{
    struct hf_http *http = exchange->peer->http;
    nghttp2_data_provider body = {.read_callback = read_body};
    nghttp2_nv head[3 + HF_HTTP_REPLY_HEADERS_MAX];
    size_t count = 0;
    struct hf_text status;
    struct hf_text length;
    char status_digits[8];
    char length_digits[24];

    hf_text_init(&status, status_digits, sizeof(status_digits));
    hf_text_add_number(&status, (uint64_t)reply->status);
    head[count++] =
        hf_h2_header(":status", (struct hf_bytes){status.at, status.len}, 0);
    head[count++] =
        hf_h2_header("date", (struct hf_bytes){http->date, HF_DATE_LEN},
                     NGHTTP2_NV_FLAG_NO_COPY_VALUE);
    for (size_t i = 0; i < reply->headers_count; i++)
        head[count++] =
            hf_h2_header(reply->headers[i].name, reply->headers[i].value, 0);
    if (reply->status != 204 && reply->status != 304) {
        hf_text_init(&length, length_digits, sizeof(length_digits));
        hf_text_add_number(&length, reply->body.len);
        head[count++] = hf_h2_header(
            "content-length", (struct hf_bytes){length.at, length.len}, 0);
    }
    return nghttp2_submit_response(exchange->peer->h2->session,
                                   exchange->stream, head, count,
                                   has_body ? &body : NULL) == 0;
}

void
hf_h2_answer(struct hf_exchange *exchange, const struct hf_http_reply *reply)
{
    struct hf_http_peer *peer = exchange->peer;
    bool has_body = reply->body.len > 0 && !exchange->is_head;
    struct hf_bytes rest;

    exchange->rest = reply->body.at;
    exchange->rest_len = has_body ? (uint32_t)reply->body.len : 0;
    if (!submit(exchange, reply, has_body)) {
        hf_peer_break(peer);
        return;
    }
    if (!peer->h2->is_inside)
        hf_h2_fill(peer);
    if (exchange->state != HF_EXCHANGE_ANSWERED || exchange->rest_len == 0)
        return;
    rest = (struct hf_bytes){exchange->rest, exchange->rest_len};
    if (!hf_peer_keep(exchange, rest, (struct hf_bytes){NULL, 0}))
        hf_peer_break(peer);
    else if (peer->unread > peer->http->limits.unread_len)
        hf_h2_end(peer, HF_H2_END_TOO_MUCH);
}

void
hf_h2_refuse(struct hf_exchange *exchange, enum hf_refusal refusal)
{
    struct hf_http_reply reply;
    char text[HF_REFUSAL_TEXT_SIZE];

    open_window(exchange->peer, exchange->intake->body.len);
    if (exchange->peer->is_broken)
        return;
    hf_allowance_add(&exchange->peer->h2->extras, EXTRAS_EACH);
    exchange->is_head = exchange->intake->method == HF_HTTP_HEAD;
    hf_refusal_reply(refusal, hf_peer_wants_json(exchange), text, &reply);
    hf_peer_answer(exchange);
    hf_h2_answer(exchange, &reply);
}
