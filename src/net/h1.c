#include "net/h1.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "net/chunks.h"

enum place {
    START, /* between requests */
    METHOD,
    TARGET,
    VERSION,
    NAME,  /* of a field, or the empty line */
    COLON, /* behind it */
    VALUE,
    LF,     /* of any line of the head */
    LENGTH, /* a body of so many bytes */
    CHUNKS,
    IGNORING, /* all that comes is ignored */
};

enum {
    HEAD_SIZE = 4096, /* of an answer: see HF_HTTP_REPLY_HEADERS_MAX */
    WORD_SIZE = HF_HEADER_NAME_MAX + 1,

    CHUNK_AROUND = 12, /* bytes of its head and its end: "ffff", two lines' ends
                          and a NUL */
};

struct hf_h1 {
    struct hf_http_peer *peer; /* borrowed */
    enum place place;
    struct hf_exchange *coming; /* borrowed: METHOD and after */
    bool is_old;                /* HTTP/1.0 */
    bool is_last;               /* the connection ends with its answer */

    char word[WORD_SIZE]; /* the beginning of METHOD, VERSION or NAME */
    size_t word_len;      /* of all of it; 0 at LF: the empty line */
    unsigned field;       /* whose value comes */

    uint64_t body_left; /* LENGTH */
    struct hf_chunks chunks;
};

bool
hf_h1_start(struct hf_http_peer *peer)
{
    peer->h1 = hf_new(peer->http->alloc, struct hf_h1);
    if (peer->h1 == NULL)
        return false;
    peer->h1->peer = peer;
    return true;
}

void
hf_h1_stop(struct hf_http_peer *peer)
{
    hf_free(peer->http->alloc, peer->h1);
    peer->h1 = NULL;
}

/* ---- The head ------------------------------------------------------------ */

static struct hf_readers *
readers_of(struct hf_h1 *h1)
{
    return &h1->peer->http->readers;
}

/* The exchange that lines come and go on, or NULL. */
static struct hf_exchange *
carrier_of(const struct hf_http_peer *peer)
{
    struct hf_link *link = peer->lists[HF_EXCHANGE_CARRIER].first;

    return link == NULL ? NULL : HF_CONTAINER(link, struct hf_exchange, link);
}

static void
refuse(struct hf_h1 *h1, enum hf_refusal refusal)
{
    hf_reader_refuse(h1->coming->reader, refusal);
}

/* The byte `c` may not be where it is. */
static void
refuse_byte(struct hf_h1 *h1, char c)
{
    bool is_of_lines = c != '\r' && ((unsigned char)c <= ' ' || c == '\x7F');

    refuse(h1, is_of_lines ? HF_REFUSAL_LINES : HF_REFUSAL_SYNTAX);
}

/* Only the beginning is kept: no name that is looked at is longer. */
static void
add_to_word(struct hf_h1 *h1, struct hf_bytes piece)
{
    for (size_t i = 0; i < piece.len && h1->word_len + i < WORD_SIZE; i++)
        h1->word[h1->word_len + i] = piece.at[i];
    h1->word_len += piece.len;
}

static struct hf_bytes
word_of(const struct hf_h1 *h1)
{
    return (struct hf_bytes){h1->word, h1->word_len < WORD_SIZE ? h1->word_len
                                                                : WORD_SIZE};
}

static void
begin_word(struct hf_h1 *h1, enum place place)
{
    h1->place = place;
    h1->word_len = 0;
}

/* The bytes at its beginning that are no controls, from `least` on. */
static size_t
text_len(struct hf_bytes bytes, char least)
{
    size_t len = 0;

    while (len < bytes.len &&
           (unsigned char)bytes.at[len] >= (unsigned char)least &&
           bytes.at[len] != '\x7F')
        len++;
    return len;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Each of these takes what `bytes`, which are some, have of its place, and the
 * byte behind it, if it is there.
 */

static size_t
take_method(struct hf_h1 *h1, struct hf_bytes bytes)
{
    size_t len = hf_header_token_len(bytes);

    add_to_word(h1, (struct hf_bytes){bytes.at, len});
    if (!hf_header_begins_method(word_of(h1)))
        refuse(h1, HF_REFUSAL_METHOD);
    if (len == bytes.len)
        return len;
    if (h1->word_len == 0 || bytes.at[len] != ' ') {
        refuse_byte(h1, bytes.at[len]);
        return len;
    }
    h1->coming->reader->method = hf_header_method(word_of(h1));
    h1->place = TARGET;
    return len + 1;
}

static size_t
take_target(struct hf_h1 *h1, struct hf_bytes bytes)
{
    struct hf_reader *reader = h1->coming->reader;
    struct hf_bytes piece = {bytes.at, text_len(bytes, '!')};

    if (!hf_reader_target(readers_of(h1), reader, piece))
        hf_peer_break(h1->peer);
    if (h1->peer->is_broken || piece.len == bytes.len)
        return piece.len;
    if (reader->target.len == 0 || piece.at[piece.len] != ' ')
        refuse_byte(h1, piece.at[piece.len]);
    begin_word(h1, VERSION);
    return piece.len + 1;
}

/* One byte of it. */
static size_t
take_version(struct hf_h1 *h1, struct hf_bytes bytes)
{
    static const char form[] = "HTTP/0.0\r";
    char wanted = form[h1->word_len];
    char c = *bytes.at;

    if (wanted == '0' ? !is_digit(c) : c != wanted) {
        if (is_digit(c) && h1->word_len > strlen("HTTP/"))
            refuse(h1, HF_REFUSAL_VERSION);
        else
            refuse_byte(h1, c);
        return 1;
    }
    add_to_word(h1, (struct hf_bytes){&c, 1});
    if (c != '\r')
        return 1;
    if (h1->word[5] != '1' || h1->word[7] > '1')
        refuse(h1, HF_REFUSAL_VERSION);
    h1->is_old = h1->word[7] == '0';
    h1->place = LF;
    return 1;
}

static size_t
take_name(struct hf_h1 *h1, struct hf_bytes bytes)
{
    struct hf_reader *reader = h1->coming->reader;
    size_t len = hf_header_token_len(bytes);

    add_to_word(h1, (struct hf_bytes){bytes.at, len});
    if (h1->word_len > h1->peer->http->limits.headers_len)
        refuse(h1, HF_REFUSAL_HEADERS);
    if (len == bytes.len)
        return len;
    h1->place = h1->word_len > 0 ? COLON : LF;
    if (bytes.at[len] != (h1->word_len > 0 ? ':' : '\r')) {
        refuse_byte(h1, bytes.at[len]);
    } else if (h1->word_len >= WORD_SIZE) {
        hf_reader_skip(readers_of(h1), reader, h1->word_len);
        h1->field = HF_HEADER_OTHER;
    } else if (h1->word_len > 0) {
        h1->field = hf_reader_name(readers_of(h1), reader, word_of(h1));
    }
    return len + 1;
}

/* One blank is usual behind it, and does not count. */
static size_t
take_colon(struct hf_h1 *h1, struct hf_bytes bytes)
{
    h1->place = VALUE;
    return *bytes.at == ' ' || *bytes.at == '\t' ? 1 : 0;
}

/* There may be more of these lines: each is looked at by itself. */
static void
look_at_connection(struct hf_h1 *h1)
{
    struct hf_reader *reader = h1->coming->reader;

    if (hf_header_lists(hf_reader_field(reader, HF_HEADER_CONNECTION), "close"))
        h1->is_last = true;
    reader->present &= ~(UINT32_C(1) << HF_HEADER_CONNECTION);
}

/* A tab is a blank (RFC 9110, 5.5), and kept as one. */
static size_t
take_value(struct hf_h1 *h1, struct hf_bytes bytes)
{
    bool is_tab = *bytes.at == '\t';
    struct hf_bytes piece = is_tab ? (struct hf_bytes){" ", 1} : bytes;

    piece.len = text_len(piece, ' ');
    if (!hf_reader_value(readers_of(h1), h1->coming->reader, h1->field, piece))
        hf_peer_break(h1->peer);
    if (h1->peer->is_broken || is_tab || piece.len == bytes.len ||
        piece.at[piece.len] == '\t')
        return piece.len;
    if (piece.at[piece.len] != '\r')
        refuse(h1, HF_REFUSAL_LINES);
    else if (h1->field == HF_HEADER_CONNECTION)
        look_at_connection(h1);
    h1->place = LF;
    return piece.len + 1;
}

/* ---- What the head says -------------------------------------------------- */

/* False: it is no number, or too large. */
static bool
length_of(struct hf_bytes digits, uint64_t *length)
{
    *length = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.at[i]) || *length > (UINT64_MAX - 9) / 10)
            return false;
        *length = *length * 10 + (uint64_t)(digits.at[i] - '0');
    }
    return digits.len > 0;
}

/* Where the body ends must be said once, and clearly (RFC 9112, 6.3). */
static void
look_at_framing(struct hf_h1 *h1)
{
    struct hf_reader *reader = h1->coming->reader;
    struct hf_bytes length = hf_reader_field(reader, HF_HEADER_CONTENT_LENGTH);
    struct hf_bytes coding =
        hf_reader_field(reader, HF_HEADER_TRANSFER_ENCODING);

    h1->place = coding.at == NULL ? LENGTH : CHUNKS;
    h1->chunks = (struct hf_chunks){.state = 0};
    h1->body_left = 0;
    if (coding.at != NULL && (length.at != NULL || h1->is_old))
        refuse(h1, HF_REFUSAL_FRAMING);
    if (coding.at != NULL && !hf_header_is(coding, "chunked"))
        refuse(h1, HF_REFUSAL_CODING);
    if (length.at != NULL && !length_of(length, &h1->body_left))
        refuse(h1, HF_REFUSAL_FRAMING);
    if (h1->body_left > h1->peer->http->limits.body_len &&
        !hf_peer_is_carrier(h1->coming))
        refuse(h1, HF_REFUSAL_BODY);
}

static void
begin_head(struct hf_h1 *h1)
{
    h1->coming = hf_peer_begin(h1->peer);
    if (h1->coming == NULL) {
        hf_peer_break(h1->peer);
        return;
    }
    h1->is_last = false;
    h1->peer->head_since = h1->peer->http->now;
    begin_word(h1, METHOD);
}

/* ---- From bytes to a request --------------------------------------------- */

static void
is_whole(struct hf_h1 *h1)
{
    struct hf_exchange *exchange = h1->coming;

    h1->coming = NULL;
    h1->place = START;
    if (exchange->is_carrier)
        hf_carrier_end(exchange->carrier, false);
    else
        hf_peer_whole(exchange);
}

/* What comes is lines; HTTP/1.0 has no chunks for the answer. */
static void
begin_carrier(struct hf_h1 *h1)
{
    if (h1->is_old) {
        refuse(h1, HF_REFUSAL_VERSION);
        return;
    }
    hf_peer_carrier(h1->coming);
    if (h1->place == LENGTH && h1->body_left == 0 && !h1->peer->is_broken)
        is_whole(h1);
}

static void
put_continue(struct hf_h1 *h1)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (h1->is_old || hf_peer_room(h1->peer) < sizeof(line) - 1)
        return;
    hf_peer_put(h1->peer, line, sizeof(line) - 1);
}

/* A client of HTTP/1.1 bears it at any time before its answer (RFC 9110, 15.2).
 * One of 1.0 bears nothing, and so it would be waited for in vain. */
void
hf_h1_probe(struct hf_http_peer *peer)
{
    if (peer->h1->is_old)
        hf_peer_lose_open(peer);
    else if (peer->counts[HF_EXCHANGE_OPEN] > 0)
        put_continue(peer->h1);
}

static void
end_head(struct hf_h1 *h1)
{
    struct hf_reader *reader = h1->coming->reader;

    h1->peer->head_since = HF_NEVER;
    hf_reader_end_of_head(reader);
    look_at_framing(h1); /* which asks for the path of the target */
    if (hf_reader_field(reader, HF_HTTP_HOST).at == NULL && !h1->is_old)
        refuse(h1, HF_REFUSAL_HOST);
    h1->is_last |= h1->is_old;
    if (reader->refusal != HF_REFUSAL_NONE)
        return;
    if ((h1->place != LENGTH || h1->body_left > 0) &&
        hf_reader_field(reader, HF_HEADER_EXPECT).at != NULL)
        put_continue(h1); /* the body may wait for it */
    if (h1->peer->is_broken)
        return;
    if (hf_peer_is_carrier(h1->coming))
        begin_carrier(h1);
    else if (h1->place == LENGTH && h1->body_left == 0)
        is_whole(h1);
}

static size_t
take_lf(struct hf_h1 *h1, struct hf_bytes bytes)
{
    if (*bytes.at != '\n')
        refuse(h1, HF_REFUSAL_LINES);
    else if (h1->word_len == 0)
        end_head(h1);
    else
        begin_word(h1, NAME);
    return 1;
}

static void
take_body(struct hf_h1 *h1, struct hf_bytes piece)
{
    struct hf_http_peer *peer = h1->peer;

    peer->idle_since = peer->http->now;
    if (h1->coming->is_carrier
            ? !hf_carrier_take(h1->coming->carrier, piece, peer->http->now)
            : !hf_reader_body(readers_of(h1), h1->coming->reader, piece))
        hf_peer_break(peer);
}

static size_t
take_length(struct hf_h1 *h1, struct hf_bytes bytes)
{
    if (bytes.len > h1->body_left)
        bytes.len = (size_t)h1->body_left;
    h1->body_left -= bytes.len;
    take_body(h1, bytes);
    if (!h1->peer->is_broken && h1->body_left == 0)
        is_whole(h1);
    return bytes.len;
}

static size_t
take_chunks(struct hf_h1 *h1, struct hf_bytes bytes)
{
    enum hf_chunks_told told;
    struct hf_bytes data;
    size_t taken = hf_chunks_feed(&h1->chunks, bytes, &told, &data);

    switch (told) {
    case HF_CHUNKS_MORE:
        break;
    case HF_CHUNKS_DATA:
        take_body(h1, data);
        break;
    case HF_CHUNKS_END:
        is_whole(h1);
        break;
    case HF_CHUNKS_BAD:
        if (h1->coming->is_carrier) /* its answer has begun */
            hf_peer_break(h1->peer);
        else
            refuse(h1, HF_REFUSAL_FRAMING);
        break;
    }
    return taken;
}

/* Empty lines before a request are let pass (RFC 9112, 2.2). */
static size_t
take_start(struct hf_h1 *h1, struct hf_bytes bytes)
{
    size_t taken = 0;

    while (taken < bytes.len &&
           (bytes.at[taken] == '\r' || bytes.at[taken] == '\n'))
        taken++;
    if (taken == bytes.len)
        return taken;
    if (h1->peer->counts[HF_EXCHANGE_OPEN] > 0 ||
        carrier_of(h1->peer) != NULL) {
        h1->place = IGNORING;
        h1->is_last = true;
        return taken;
    }
    if (h1->peer->is_draining) {
        h1->place = IGNORING;
        h1->peer->is_ending = true;
        return taken;
    }
    begin_head(h1);
    return taken;
}

static size_t
take_all(struct hf_h1 *h1, struct hf_bytes bytes)
{
    (void)h1;
    return bytes.len;
}

/* A carrier is held up when its peer does not take its answers; and what is
 * behind it, until its end is made. */
bool
hf_h1_is_held_up(const struct hf_http_peer *peer)
{
    const struct hf_exchange *carrier = carrier_of(peer);

    return carrier != NULL
               ? hf_carrier_out(carrier->carrier).len >= HF_CARRIER_OUT_MAX ||
                     hf_carrier_is_over(carrier->carrier)
               : peer->counts[HF_EXCHANGE_ANSWERED] > 0;
}

size_t
hf_h1_feed(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    static size_t (*const takes[])(struct hf_h1 *, struct hf_bytes) = {
        [START] = take_start,   [METHOD] = take_method,
        [TARGET] = take_target, [VERSION] = take_version,
        [NAME] = take_name,     [COLON] = take_colon,
        [VALUE] = take_value,   [LF] = take_lf,
        [LENGTH] = take_length, [CHUNKS] = take_chunks,
        [IGNORING] = take_all,
    };
    struct hf_h1 *h1 = peer->h1;
    size_t taken = 0;

    while (taken < len && peer->whole == NULL && peer->ready.first == NULL &&
           !peer->is_broken && !hf_h1_is_held_up(peer)) {
        taken +=
            takes[h1->place](h1, (struct hf_bytes){bytes + taken, len - taken});
        if (h1->coming != NULL && !peer->is_broken &&
            h1->coming->state == HF_EXCHANGE_COMING &&
            h1->coming->reader->refusal != HF_REFUSAL_NONE)
            hf_h1_refuse(h1->coming, h1->coming->reader->refusal);
    }
    return taken;
}

/* ---- From an answer to bytes --------------------------------------------- */

static void
write_head(struct hf_text *out, const struct hf_h1 *h1,
           const struct hf_http_reply *reply, bool is_carried)
{
    hf_text_addf(out, "HTTP/1.1 %d %s\r\ndate: %s\r\n", reply->status,
                 hf_refusal_phrase(reply->status), h1->peer->http->date);
    for (size_t i = 0; i < reply->headers_count; i++) {
        const struct hf_http_header *header = &reply->headers[i];

        hf_text_add(out, header->name);
        hf_text_add(out, ": ");
        hf_text_add_bytes(out, header->value.at, header->value.len);
        hf_text_add(out, "\r\n");
    }
    if (is_carried)
        hf_text_add(out, "transfer-encoding: chunked\r\n");
    else if (reply->status != 204 && reply->status != 304)
        hf_text_addf(out, "content-length: %zu\r\n", reply->body.len);
    hf_text_add(out, h1->is_last ? "connection: close\r\n\r\n" : "\r\n");
}

/* Put as many as there is room for; *bytes are then the rest. */
static void
put_some(struct hf_http_peer *peer, struct hf_bytes *bytes)
{
    size_t room = hf_peer_room(peer);
    size_t len = bytes->len < room ? bytes->len : room;

    if (len == 0)
        return;
    hf_peer_put(peer, bytes->at, len);
    bytes->at += len;
    bytes->len -= len;
}

static void
made(struct hf_h1 *h1, struct hf_exchange *exchange)
{
    hf_peer_made(exchange, h1->peer->out.made);
    if (h1->is_last)
        h1->peer->is_ending = true;
}

void
hf_h1_answer(struct hf_exchange *exchange, const struct hf_http_reply *reply)
{
    struct hf_http_peer *peer = exchange->peer;
    char text[HEAD_SIZE];
    struct hf_text out;
    struct hf_bytes head;
    struct hf_bytes body = reply->body;

    peer->h1->is_last |= peer->is_draining || peer->is_eof;
    hf_text_init(&out, text, sizeof(text));
    write_head(&out, peer->h1, reply, false);
    HF_CHECK(!hf_text_cut(&out));
    head = (struct hf_bytes){text, out.len};
    if (exchange->is_head)
        body.len = 0;
    put_some(peer, &head);
    if (head.len == 0)
        put_some(peer, &body);
    if (peer->is_broken)
        return;
    if (head.len + body.len == 0)
        made(peer->h1, exchange);
    else if (!hf_peer_keep(exchange, head, body))
        hf_peer_break(peer);
}

/* The head stands before the first line, and goes out by itself. */
void
hf_h1_carry(struct hf_exchange *exchange, const struct hf_http_reply *reply)
{
    struct hf_http_peer *peer = exchange->peer;
    char text[HEAD_SIZE];
    struct hf_text out;

    hf_text_init(&out, text, sizeof(text));
    write_head(&out, peer->h1, reply, true);
    HF_CHECK(!hf_text_cut(&out));
    exchange->carrier->raw_len = out.len;
    if (!hf_peer_say(exchange, (struct hf_bytes){text, out.len},
                     (struct hf_bytes){NULL, 0}))
        hf_peer_break(peer);
}

static void
ignore_rest(struct hf_h1 *h1)
{
    h1->coming = NULL;
    h1->place = IGNORING;
    h1->is_last = true;
}

void
hf_h1_cut(struct hf_http_peer *peer)
{
    if (peer->h1->coming != NULL)
        ignore_rest(peer->h1);
}

/* So much of what it has, as one chunk, or of its head, as it is.  False: there
 * is no room. */
static bool
fill_piece(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_carrier *carrier = exchange->carrier;
    size_t room = hf_peer_room(peer);
    struct hf_bytes piece;
    char head[CHUNK_AROUND];

    if (room <= CHUNK_AROUND) /* or the peer is broken */
        return false;
    piece = hf_carrier_out(carrier);
    if (carrier->raw_len > 0)
        piece.len = carrier->raw_len;
    if (piece.len > room - CHUNK_AROUND)
        piece.len = room - CHUNK_AROUND;
    if (carrier->raw_len == 0)
        hf_peer_put(peer, head,
                    (size_t)snprintf(head, sizeof(head), "%zx\r\n", piece.len));
    hf_peer_put(peer, piece.at, piece.len);
    if (carrier->raw_len == 0)
        hf_peer_put(peer, "\r\n", 2);
    else
        carrier->raw_len -= piece.len;
    hf_peer_lines_made(exchange, piece.len, peer->out.made);
    return true;
}

static void
fill_carrier(struct hf_http_peer *peer, struct hf_exchange *exchange)
{
    static const char end[] = "0\r\n\r\n";

    while (hf_carrier_out(exchange->carrier).len > 0)
        if (!fill_piece(exchange))
            return;
    if (!hf_carrier_is_over(exchange->carrier) ||
        hf_peer_room(peer) < sizeof(end) - 1)
        return;
    hf_peer_put(peer, end, sizeof(end) - 1);
    hf_h1_cut(peer); /* where its body has not ended */
    if (peer->is_draining || peer->is_eof)
        peer->h1->is_last = true;
    made(peer->h1, exchange);
}

void
hf_h1_fill(struct hf_http_peer *peer)
{
    struct hf_link *link = peer->lists[HF_EXCHANGE_ANSWERED].first;
    struct hf_exchange *exchange = carrier_of(peer);
    struct hf_bytes rest;

    if (exchange != NULL) {
        fill_carrier(peer, exchange);
        return;
    }
    if (link == NULL)
        return;
    exchange = HF_CONTAINER(link, struct hf_exchange, link);
    rest = (struct hf_bytes){exchange->rest, exchange->rest_len};
    put_some(peer, &rest);
    if (peer->is_broken)
        return;
    hf_peer_rest_made(exchange, exchange->rest_len - rest.len);
    if (rest.len == 0)
        made(peer->h1, exchange);
}

void
hf_h1_refuse(struct hf_exchange *exchange, enum hf_refusal refusal)
{
    struct hf_h1 *h1 = exchange->peer->h1;
    struct hf_http_reply reply;
    char text[HF_REFUSAL_TEXT_SIZE];

    exchange->is_head = exchange->reader->method == HF_HTTP_HEAD;
    hf_refusal_reply(refusal, hf_peer_wants_json(exchange), text, &reply);
    ignore_rest(h1);
    h1->peer->head_since = HF_NEVER;
    hf_peer_answer(exchange);
    hf_h1_answer(exchange, &reply);
}
