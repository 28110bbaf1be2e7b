#include "net/h2.h"

#include "base/check.h"
#include "base/text.h"
#include "net/h2_session.h"

enum {
    /* Bodies that one connection may have on their way to us: so much is kept
     * for it at most.  More than one, so that a slow body does not stop the
     * others. */
    WINDOW_BODIES = 4,

    /* A head that is too long is refused, but decoded all the same, for HPACK
     * builds the next one on it: up to so many times the limit. */
    HEAD_TIMES = 8,

    /* Each request allows so many frames that bring none: windows are opened
     * again for its answer. */
    EXTRAS_EACH = 2,
};

/* So many frames at once, and so many a second in the long run: a bucket of
 * tokens. */
struct allowance {
    int64_t thousandths; /* of tokens that are left */
    int64_t most;        /* tokens that it can hold */
    int64_t per_s;
    struct hf_instant at; /* when it was last looked at */
};

struct hf_h2 {
    struct hf_h2_session session;
    struct allowance resets;
    struct allowance extras;
    bool is_settled;    /* its first SETTINGS have come */
    bool is_last_heard; /* its peer knows the first GOAWAY */
    bool is_last_said;  /* the second GOAWAY is on its way */
    bool is_last_made;
};

/* ---- What a peer may send ------------------------------------------------ */

static void
allowance_fill(struct allowance *allowance, int64_t thousandths)
{
    int64_t room = allowance->most * 1000 - allowance->thousandths;

    allowance->thousandths += thousandths < room ? thousandths : room;
}

/* Full. */
static void
allowance_init(struct allowance *allowance, uint32_t most, uint32_t per_s,
               struct hf_instant now)
{
    *allowance = (struct allowance){
        .thousandths = (int64_t)most * 1000,
        .most = most,
        .per_s = per_s,
        .at = now,
    };
}

/* Take one; false: there is none left.  A clock that goes back adds nothing. */
static bool
allowance_take(struct allowance *allowance, struct hf_instant now)
{
    int64_t passed_ms = hf_between(allowance->at, now).ms;
    int64_t hour_ms = INT64_C(3600) * 1000; /* so that nothing overflows */

    /* A token a second is a thousandth a millisecond. */
    allowance_fill(allowance, (passed_ms < hour_ms ? passed_ms : hour_ms) *
                                  allowance->per_s);
    allowance->at = hf_later(allowance->at, now);
    if (allowance->thousandths < 1000)
        return false;
    allowance->thousandths -= 1000;
    return true;
}

static void
allowance_add(struct allowance *allowance, uint32_t tokens)
{
    allowance_fill(allowance, (int64_t)tokens * 1000);
}

/* ---- Streams ------------------------------------------------------------- */

/* The exchange of a stream that is not over; a slot may be another's since. */
static struct hf_exchange *
exchange_of(const struct hf_http_peer *peer, int32_t stream)
{
    struct hf_exchange *exchange =
        nghttp2_session_get_stream_user_data(peer->h2->session.nghttp2, stream);

    return exchange != NULL && exchange->peer == peer &&
                   exchange->stream == stream &&
                   exchange->state >= HF_EXCHANGE_COMING &&
                   exchange->state <= HF_EXCHANGE_ANSWERED
               ? exchange
               : NULL;
}

/* So much of a body is kept no longer: there is room for others. */
static void
open_window(struct hf_http_peer *peer, size_t len)
{
    if (len > 0 &&
        nghttp2_session_consume_connection(peer->h2->session.nghttp2, len) != 0)
        hf_peer_break(peer);
}

/* The result of a callback: nghttp2 goes on, or stops for good. */
static int
outcome(const struct hf_http_peer *peer)
{
    return peer->is_broken ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

/* ---- What nghttp2 tells of a request ------------------------------------- */

static int
on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
                 void *user_data)
{
    struct hf_http_peer *peer = user_data;
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

/* HTTP/2 has small letters alone. */
static bool
is(struct hf_bytes name, const char *word)
{
    return name.len == strlen(word) && memcmp(name.at, word, name.len) == 0;
}

static bool
take_header(struct hf_readers *readers, struct hf_reader *reader,
            struct hf_bytes name, struct hf_bytes value)
{
    if (name.len > 0 && *name.at == ':') {
        if (is(name, ":path"))
            return hf_reader_target(readers, reader, value);
        if (is(name, ":authority"))
            return hf_reader_authority(readers, reader, value);
        if (is(name, ":method"))
            reader->method = hf_header_method(value);
        return true;
    }
    return hf_reader_value(readers, reader,
                           hf_reader_name(readers, reader, name), value);
}

static int
on_header(nghttp2_session *session, const nghttp2_frame *frame,
          nghttp2_rcbuf *name_text, nghttp2_rcbuf *value_text, uint8_t flags,
          void *user_data)
{
    struct hf_http_peer *peer = user_data;
    struct hf_exchange *exchange = exchange_of(peer, frame->hd.stream_id);
    struct hf_bytes name = hf_h2_text(name_text);
    struct hf_bytes value = hf_h2_text(value_text);
    struct hf_reader *reader;

    (void)session;
    (void)flags;
    if (exchange == NULL || exchange->state != HF_EXCHANGE_COMING)
        return 0;
    reader = exchange->reader;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        hf_reader_skip(&peer->http->readers, reader, name.len + value.len);
    else if (!take_header(&peer->http->readers, reader, name, value))
        return NGHTTP2_ERR_NOMEM;
    if (reader->headers_len / HEAD_TIMES > peer->http->limits.headers_len ||
        reader->headers / HEAD_TIMES > peer->http->limits.headers)
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

    if (nghttp2_submit_headers(peer->h2->session.nghttp2, NGHTTP2_FLAG_NONE,
                               stream, NULL, &nv, 1, NULL) < 0)
        hf_peer_break(peer);
}

static bool
is_too_long(const struct hf_exchange *exchange)
{
    struct hf_bytes length =
        hf_reader_field(exchange->reader, HF_HEADER_CONTENT_LENGTH);
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
    struct hf_reader *reader = exchange->reader;

    hf_reader_end_of_head(reader);
    if (is_too_long(exchange) && !hf_peer_is_carrier(exchange))
        hf_reader_refuse(reader, HF_REFUSAL_BODY);
    if (reader->refusal != HF_REFUSAL_NONE) {
        exchange->is_cut = !is_last;
        hf_h2_refuse(exchange, reader->refusal);
        return;
    }
    if (!is_last && hf_reader_field(reader, HF_HEADER_EXPECT).at != NULL)
        go_on(peer, exchange->stream);
    if (peer->is_broken)
        return;
    if (hf_peer_is_carrier(exchange))
        hf_peer_carrier(exchange);
    else if (!is_last)
        hf_reader_await_body(&peer->http->readers, reader);
}

static void
on_whole(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (exchange->reader->refusal != HF_REFUSAL_NONE) { /* by its trailers */
        hf_h2_refuse(exchange, exchange->reader->refusal);
        return;
    }
    open_window(peer, exchange->reader->body.len);
    if (peer->is_broken)
        return;
    allowance_add(&peer->h2->extras, EXTRAS_EACH);
    hf_peer_whole(exchange);
}

static int
on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame,
              void *user_data)
{
    struct hf_http_peer *peer = user_data;
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
    if (exchange == NULL)
        return 0;
    if (exchange->state == HF_EXCHANGE_COMING &&
        frame->hd.type == NGHTTP2_HEADERS &&
        frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        on_head(exchange, is_last);
    if (peer->is_broken || !is_last)
        return outcome(peer);
    if (exchange->is_carrier) {
        hf_carrier_end(exchange->carrier, false);
        hf_h2_stir(exchange);
    } else if (exchange->state == HF_EXCHANGE_COMING) {
        on_whole(exchange);
    }
    return outcome(peer);
}

/* So much of its body is kept no longer. */
static void
open_windows(struct hf_exchange *carrier)
{
    nghttp2_session *session = carrier->peer->h2->session.nghttp2;
    size_t len = carrier->carrier->dropped;

    carrier->carrier->dropped = 0;
    if (len > 0 && nghttp2_session_consume(session, carrier->stream, len) != 0)
        hf_peer_break(carrier->peer);
}

void
hf_h2_line_taken(struct hf_exchange *carrier)
{
    open_windows(carrier);
    allowance_add(&carrier->peer->h2->extras, EXTRAS_EACH);
}

static void
take_lines(struct hf_exchange *carrier, struct hf_bytes piece)
{
    struct hf_http_peer *peer = carrier->peer;

    peer->idle_since = peer->http->now;
    if (hf_carrier_take(carrier->carrier, piece, peer->http->now))
        open_windows(carrier);
    else
        hf_peer_break(peer);
}

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t stream,
        const uint8_t *bytes, size_t len, void *user_data)
{
    struct hf_http_peer *peer = user_data;
    struct hf_exchange *exchange = exchange_of(peer, stream);

    (void)session;
    (void)flags;
    if (exchange != NULL && exchange->is_carrier) {
        take_lines(exchange, (struct hf_bytes){(const char *)bytes, len});
        return outcome(peer);
    }
    if (exchange == NULL || exchange->state != HF_EXCHANGE_COMING) {
        open_window(peer, len); /* it was refused, and is not kept */
        return outcome(peer);
    }
    if (!hf_reader_body(&peer->http->readers, exchange->reader,
                        (struct hf_bytes){(const char *)bytes, len}))
        return NGHTTP2_ERR_NOMEM;
    if (exchange->reader->refusal != HF_REFUSAL_NONE) {
        exchange->is_cut = true;
        hf_h2_refuse(exchange, exchange->reader->refusal);
        open_window(peer, len); /* this piece was not kept */
    }
    return outcome(peer);
}

static int
on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error,
                void *user_data)
{
    struct hf_http_peer *peer = user_data;
    struct hf_exchange *exchange = exchange_of(peer, stream);
    size_t kept = 0;

    (void)session;
    (void)error;
    if (exchange == NULL)
        return 0;
    if (exchange->state == HF_EXCHANGE_COMING)
        kept = exchange->reader->body.len;
    if (exchange->is_carrier)
        kept = exchange->carrier->dropped +
               hf_fifo_bytes(&exchange->carrier->in).len;
    exchange->is_reset = true;
    hf_peer_lose(exchange);
    open_window(peer, kept);
    return outcome(peer);
}

/* ---- What nghttp2 tells of an answer ------------------------------------- */

static ssize_t
read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
          uint32_t *flags, nghttp2_data_source *source, void *user_data)
{
    struct hf_exchange *exchange = exchange_of(user_data, stream);
    ssize_t len;

    (void)session;
    (void)source;
    if (exchange == NULL)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    len = hf_h2_session_read(
        (struct hf_bytes){exchange->rest, exchange->rest_len}, to, size, flags);
    hf_peer_rest_made(exchange, (size_t)len);
    return len;
}

/* All that a carrier has, in one frame.  Without anything it waits until it is
 * stirred.  What was read is pulled when its frame is sent. */
static ssize_t
read_lines(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
           uint32_t *flags, nghttp2_data_source *source, void *user_data)
{
    struct hf_exchange *exchange = exchange_of(user_data, stream);
    struct hf_bytes out;

    (void)session;
    (void)source;
    if (exchange == NULL || !exchange->is_carrier)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    out = hf_carrier_out(exchange->carrier);
    exchange->carrier->is_deferred =
        out.len == 0 && !hf_carrier_is_over(exchange->carrier);
    if (exchange->carrier->is_deferred)
        return NGHTTP2_ERR_DEFERRED;
    if (out.len <= size && hf_carrier_is_over(exchange->carrier))
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (out.len > size)
        out.len = size;
    if (out.len > 0)
        memcpy(to, out.at, out.len);
    return (ssize_t)out.len;
}

/* A peer that makes us reset a stream by a mistake pays as if it had reset the
 * stream itself (CVE-2025-8671).  It is no mistake when we answer a request
 * before it is whole, or refuse one for want of room. */
static bool
is_its_mistake(const nghttp2_frame *frame)
{
    return frame->hd.type == NGHTTP2_RST_STREAM &&
           frame->rst_stream.error_code != NGHTTP2_NO_ERROR &&
           frame->rst_stream.error_code != NGHTTP2_REFUSED_STREAM;
}

/* Told just before the frame is put behind the bytes that are made. */
static int
on_frame_send(nghttp2_session *session, const nghttp2_frame *frame,
              void *user_data)
{
    struct hf_http_peer *peer = user_data;
    struct hf_exchange *exchange;
    int32_t stream = frame->hd.stream_id;

    if (frame->hd.type == NGHTTP2_GOAWAY && peer->h2->is_last_said)
        peer->h2->is_last_made = true;
    if (is_its_mistake(frame) &&
        !allowance_take(&peer->h2->resets, peer->http->now) &&
        nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM) !=
            0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!hf_h2_ends_stream(frame) && frame->hd.type != NGHTTP2_DATA)
        return 0;
    exchange = exchange_of(peer, stream);
    if (exchange == NULL)
        return 0;
    if (exchange->is_carrier && frame->hd.type == NGHTTP2_DATA)
        hf_peer_lines_made(exchange, frame->hd.length,
                           peer->out.made + HF_H2_FRAME_HEAD +
                               frame->hd.length);
    if (!hf_h2_ends_stream(frame))
        return 0;
    if (exchange->is_carrier)
        exchange->is_cut =
            nghttp2_session_get_stream_remote_close(session, stream) == 0;
    nghttp2_session_set_stream_user_data(session, stream, NULL);
    if (exchange->is_cut &&
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream,
                                  NGHTTP2_NO_ERROR) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    hf_peer_made(exchange,
                 peer->out.made + HF_H2_FRAME_HEAD + frame->hd.length);
    return 0;
}

/* ---- The beginning and the end of a session ------------------------------ */

/* Bytes that may be on their way to us; so many are kept at most. */
static int32_t
window_of(const struct hf_http_limits *limits)
{
    return (int32_t)((limits->body_len + 1) * WINDOW_BODIES);
}

static bool
start_session(struct hf_http_peer *peer)
{
    static const struct hf_h2_callbacks callbacks = {
        .begin_headers = on_begin_headers,
        .header = on_header,
        .frame_recv = on_frame_recv,
        .data_chunk_recv = on_data,
        .stream_close = on_stream_close,
        .frame_send = on_frame_send,
    };
    const struct hf_http_limits *limits = &peer->http->limits;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->streams},
        /* One byte more shows that a body is too long. */
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits->body_len + 1},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->headers_len},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    const struct hf_h2_config config = {
        .is_accepted = true,
        .callbacks = &callbacks,
        .user_data = peer,
        .settings = settings,
        .settings_count = sizeof(settings) / sizeof(settings[0]),
        .window = window_of(limits),
    };

    return hf_h2_session_start(&peer->h2->session, peer->http->alloc, &config);
}

bool
hf_h2_start(struct hf_http_peer *peer)
{
    struct hf_http *http = peer->http;
    struct hf_h2 *h2 = hf_new(http->alloc, struct hf_h2);

    if (h2 == NULL)
        return false;
    peer->h2 = h2;
    allowance_init(&h2->resets, http->limits.resets, http->limits.resets_per_s,
                   http->now);
    allowance_init(&h2->extras, http->limits.extras, http->limits.extras_per_s,
                   http->now);
    if (!start_session(peer)) {
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
    hf_h2_session_stop(&peer->h2->session);
    hf_free(peer->http->alloc, peer->h2);
    peer->h2 = NULL;
}

void
hf_h2_end(struct hf_http_peer *peer, enum hf_h2_end why)
{
    uint32_t error =
        why == HF_H2_END_IDLE ? NGHTTP2_NO_ERROR : NGHTTP2_ENHANCE_YOUR_CALM;

    if (nghttp2_session_terminate_session(peer->h2->session.nghttp2, error) !=
        0)
        hf_peer_break(peer);
    else
        hf_h2_fill(peer);
}

void
hf_h2_probe(struct hf_http_peer *peer)
{
    if (nghttp2_submit_ping(peer->h2->session.nghttp2, NGHTTP2_FLAG_NONE,
                            NULL) != 0)
        hf_peer_break(peer);
    else
        hf_h2_fill(peer);
}

void
hf_h2_drain(struct hf_http_peer *peer)
{
    nghttp2_session *session = peer->h2->session.nghttp2;

    if (nghttp2_submit_shutdown_notice(session) != 0 ||
        nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, NULL) != 0)
        hf_peer_break(peer);
}

void
hf_h2_drain_now(struct hf_http_peer *peer)
{
    nghttp2_session *session = peer->h2->session.nghttp2;

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
brings_body(struct hf_http_peer *peer, const nghttp2_frame_hd *head)
{
    const struct hf_exchange *exchange;

    if ((head->flags & NGHTTP2_FLAG_PADDED) != 0 ||
        (head->length == 0 && (head->flags & NGHTTP2_FLAG_END_STREAM) == 0))
        return false;
    exchange = exchange_of(peer, head->stream_id);
    return exchange != NULL &&
           (exchange->is_carrier || exchange->state == HF_EXCHANGE_COMING);
}

/* The head of a frame is there.  False: it is one too many. */
static bool
look_at_frame(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;
    const nghttp2_frame_hd *head = &h2->session.head;
    struct hf_instant now = peer->http->now;

    if (head->type == NGHTTP2_HEADERS) {
        peer->head_since = hf_earlier(peer->head_since, now);
        return true;
    }
    if (head->type == NGHTTP2_RST_STREAM)
        return allowance_take(&h2->resets, now);
    if (head->type == NGHTTP2_DATA && brings_body(peer, head))
        return true;
    return allowance_take(&h2->extras, now);
}

/* A frame is there.  Nothing may come between the pieces of a head. */
static void
end_frame(struct hf_http_peer *peer)
{
    struct hf_h2 *h2 = peer->h2;
    const nghttp2_frame_hd *head = &h2->session.head;
    bool is_piece =
        head->type == NGHTTP2_HEADERS || head->type == NGHTTP2_CONTINUATION;

    if (is_piece ? (head->flags & NGHTTP2_FLAG_END_HEADERS) != 0
                 : h2->is_settled)
        peer->head_since = HF_NEVER;
}

/* Up to the end of a frame, at most. */
static size_t
take_frame(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    struct hf_h2 *h2 = peer->h2;
    struct hf_h2_piece piece = hf_h2_session_take(&h2->session, bytes, len);

    if (piece.has_head && !look_at_frame(peer)) {
        hf_h2_end(peer, HF_H2_END_TOO_MUCH);
        return len;
    }
    if (!hf_h2_session_give(&h2->session, &piece))
        hf_peer_break(peer);
    if (!peer->is_broken && piece.is_whole)
        end_frame(peer);
    if (!peer->is_broken && h2->is_last_heard)
        hf_h2_drain_now(peer);
    return piece.len;
}

size_t
hf_h2_feed(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    size_t taken = 0;

    while (taken < len && peer->whole == NULL && !peer->is_broken &&
           !peer->is_ending && !hf_h2_is_held_up(peer) &&
           peer->ready.first == NULL && peer->counts[HF_EXCHANGE_LOST] == 0)
        taken += take_frame(peer, bytes + taken, len - taken);
    return peer->is_ending ? len : taken;
}

/* ---- From answers to bytes ----------------------------------------------- */

void
hf_h2_fill(struct hf_http_peer *peer)
{
    struct hf_h2_session *session = &peer->h2->session;
    bool was_empty = hf_peer_unwritten(peer) == 0;

    if (peer->is_broken || peer->is_ending)
        return;
    if (!hf_h2_session_fill(session, &peer->out)) {
        hf_peer_break(peer);
        return;
    }
    if (was_empty && hf_peer_unwritten(peer) > 0)
        hf_peer_put_first(peer);
    if (hf_h2_session_is_over(session))
        hf_peer_end(peer);
}

/* False: no memory. */
static bool
submit(struct hf_exchange *exchange, const struct hf_http_reply *reply,
       bool has_body)
{
    struct hf_http *http = exchange->peer->http;
    nghttp2_data_provider body = {
        .read_callback = exchange->is_carrier ? read_lines : read_body};
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
        hf_h2_header("date", (struct hf_bytes){http->date, HF_HTTP_DATE_LEN},
                     NGHTTP2_NV_FLAG_NO_COPY_VALUE);
    for (size_t i = 0; i < reply->headers_count; i++)
        head[count++] =
            hf_h2_header(reply->headers[i].name, reply->headers[i].value, 0);
    if (reply->status != 204 && reply->status != 304 && !exchange->is_carrier) {
        hf_text_init(&length, length_digits, sizeof(length_digits));
        hf_text_add_number(&length, reply->body.len);
        head[count++] = hf_h2_header(
            "content-length", (struct hf_bytes){length.at, length.len}, 0);
    }
    return nghttp2_submit_response(exchange->peer->h2->session.nghttp2,
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
    hf_h2_fill(peer);
    if (exchange->state != HF_EXCHANGE_ANSWERED || exchange->rest_len == 0)
        return;
    rest = (struct hf_bytes){exchange->rest, exchange->rest_len};
    if (!hf_peer_keep(exchange, rest, (struct hf_bytes){NULL, 0}))
        hf_peer_break(peer);
    else if (peer->unread > peer->http->limits.unread_len)
        hf_h2_end(peer, HF_H2_END_TOO_MUCH);
}

/* A window is opened again when half of it was used: so it is twice as wide as
 * a line may be long, or the rest of a long one would be waited for in vain. */
void
hf_h2_carry(struct hf_exchange *exchange, const struct hf_http_reply *reply)
{
    struct hf_http_peer *peer = exchange->peer;
    int32_t window = (int32_t)(2 * (peer->http->limits.body_len + 1));

    if (nghttp2_session_set_local_window_size(peer->h2->session.nghttp2,
                                              NGHTTP2_FLAG_NONE,
                                              exchange->stream, window) != 0 ||
        !submit(exchange, reply, true))
        hf_peer_break(peer);
}

void
hf_h2_stir(struct hf_exchange *carrier)
{
    nghttp2_session *session = carrier->peer->h2->session.nghttp2;

    if (carrier->state != HF_EXCHANGE_CARRIER || !carrier->carrier->is_deferred)
        return;
    carrier->carrier->is_deferred = false;
    if (nghttp2_session_resume_data(session, carrier->stream) ==
        NGHTTP2_ERR_NOMEM)
        hf_peer_break(carrier->peer);
}

void
hf_h2_refuse(struct hf_exchange *exchange, enum hf_refusal refusal)
{
    struct hf_http_reply reply;
    char text[HF_REFUSAL_TEXT_SIZE];

    open_window(exchange->peer, exchange->reader->body.len);
    if (exchange->peer->is_broken)
        return;
    allowance_add(&exchange->peer->h2->extras, EXTRAS_EACH);
    exchange->is_head = exchange->reader->method == HF_HTTP_HEAD;
    hf_refusal_reply(refusal, hf_peer_wants_json(exchange), text, &reply);
    hf_peer_answer(exchange);
    hf_h2_answer(exchange, &reply);
}
