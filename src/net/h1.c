#include "net/h1.h"

#include <http_parser.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "net/chunks.h"

enum place {
    START,  /* between requests */
    HEAD,   /* up to the empty line */
    LENGTH, /* a body of so many bytes */
    CHUNKS,
    DEAF, /* nothing that comes is looked at any more */
};

enum {
    HEAD_SIZE = 4096, /* of an answer: see HF_HTTP_REPLY_HEADERS_MAX */
    NAME_SIZE = HF_HEADER_NAME_MAX + 1,
};

struct hf_h1 {
    struct hf_http_peer *peer; /* borrowed */
    http_parser parser;
    enum place place;
    struct hf_exchange *coming; /* borrowed: HEAD and after */
    bool is_last;               /* the connection ends with its answer */

    /* The head, as lines. */
    char before;        /* the byte before */
    bool is_line_empty; /* so far */
    unsigned lines;     /* that have ended: 2 is enough */
    unsigned blanks;    /* in the first */

    /* The head, as headers. */
    bool is_head_read; /* by the parser */
    bool is_in_name;
    char name[NAME_SIZE]; /* its beginning */
    size_t name_len;
    unsigned field; /* whose value comes */

    size_t body_left; /* LENGTH */
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

/* ---- What the parser tells of a head ------------------------------------- */

static struct hf_intakes *
intakes_of(struct hf_h1 *h1)
{
    return &h1->peer->http->intakes;
}

static enum hf_http_method
method_of(const http_parser *parser)
{
    const char *name = http_method_str((enum http_method)parser->method);

    return hf_header_method((struct hf_bytes){name, strlen(name)});
}

static int
on_url(http_parser *parser, const char *at, size_t len)
{
    struct hf_h1 *h1 = parser->data;

    h1->coming->intake->method = method_of(parser);
    return hf_intake_target(intakes_of(h1), h1->coming->intake,
                            (struct hf_bytes){at, len})
               ? 0
               : -1;
}

/* Only the beginning is kept: what is longer is none that anybody looks at. */
static int
on_header_field(http_parser *parser, const char *at, size_t len)
{
    struct hf_h1 *h1 = parser->data;
    struct hf_bytes piece = {at, len};
    size_t room;

    if (!h1->is_in_name)
        h1->name_len = 0;
    h1->is_in_name = true;
    if (len > 0 && !hf_header_is_token(piece))
        hf_intake_refuse(h1->coming->intake, HF_REFUSAL_LINES);
    room = sizeof(h1->name) - h1->name_len;
    if (len > room)
        len = room;
    memcpy(h1->name + h1->name_len, at, len);
    h1->name_len += len;
    return 0;
}

/* Told for each header, of an empty value too. */
static int
on_header_value(http_parser *parser, const char *at, size_t len)
{
    struct hf_h1 *h1 = parser->data;

    if (h1->is_in_name) {
        struct hf_bytes name = {h1->name, h1->name_len};

        h1->field = hf_intake_name(intakes_of(h1), h1->coming->intake, name);
        h1->is_in_name = false;
    }
    return hf_intake_value(intakes_of(h1), h1->coming->intake, h1->field,
                           (struct hf_bytes){at, len})
               ? 0
               : -1;
}

static int
on_headers_complete(http_parser *parser)
{
    struct hf_h1 *h1 = parser->data;

    h1->is_head_read = true;
    return 1; /* that is all: a body is read here */
}

/* Where the body ends must be said once, and clearly (RFC 9112, 6.3). */
static void
look_at_framing(struct hf_h1 *h1)
{
    struct hf_intake *intake = h1->coming->intake;
    struct hf_bytes coding =
        hf_intake_field(intake, HF_HEADER_TRANSFER_ENCODING);
    bool has_length = (h1->parser.flags & F_CONTENTLENGTH) != 0;

    if (coding.at == NULL) {
        h1->body_left = has_length ? h1->parser.content_length : 0;
        h1->place = LENGTH;
        if (has_length &&
            h1->parser.content_length > h1->peer->http->limits.body_len)
            hf_intake_refuse(intake, HF_REFUSAL_BODY);
        return;
    }
    h1->chunks = (struct hf_chunks){.state = 0};
    h1->place = CHUNKS;
    if (has_length || h1->parser.http_minor == 0)
        hf_intake_refuse(intake, HF_REFUSAL_FRAMING);
    if (!hf_header_is(coding, "chunked"))
        hf_intake_refuse(intake, HF_REFUSAL_CODING);
}

static void
look_at_head(struct hf_h1 *h1)
{
    struct hf_intake *intake = h1->coming->intake;

    if (h1->parser.http_major != 1 || h1->parser.http_minor > 1)
        hf_intake_refuse(intake, HF_REFUSAL_VERSION);
    look_at_framing(h1);
    hf_intake_end_of_head(intake);
    if (hf_intake_field(intake, HF_HTTP_HOST).at == NULL &&
        h1->parser.http_minor == 1)
        hf_intake_refuse(intake, HF_REFUSAL_HOST);
    h1->is_last = h1->parser.http_minor == 0 ||
                  (h1->parser.flags & F_CONNECTION_CLOSE) != 0;
}

static enum hf_refusal
refusal_of(enum http_errno number, char at)
{
    if (number == HPE_INVALID_METHOD &&
        hf_header_is_token((struct hf_bytes){&at, 1}))
        return HF_REFUSAL_METHOD;
    if (number == HPE_HEADER_OVERFLOW)
        return HF_REFUSAL_HEADERS;
    if (number == HPE_INVALID_VERSION && at >= '0' && at <= '9')
        return HF_REFUSAL_VERSION;
    if (number == HPE_INVALID_URL)
        return HF_REFUSAL_TARGET;
    if (number == HPE_UNEXPECTED_CONTENT_LENGTH ||
        number == HPE_INVALID_CONTENT_LENGTH ||
        number == HPE_INVALID_TRANSFER_ENCODING)
        return HF_REFUSAL_FRAMING;
    return HF_REFUSAL_SYNTAX;
}

/* False: no memory. */
static bool
parse(struct hf_h1 *h1, const char *bytes, size_t len)
{
    static const http_parser_settings settings = {
        .on_url = on_url,
        .on_header_field = on_header_field,
        .on_header_value = on_header_value,
        .on_headers_complete = on_headers_complete,
    };
    size_t taken = http_parser_execute(&h1->parser, &settings, bytes, len);
    enum http_errno number = HTTP_PARSER_ERRNO(&h1->parser);

    if (number == HPE_CB_url || number == HPE_CB_header_value)
        return false;
    if (number != HPE_OK)
        hf_intake_refuse(h1->coming->intake,
                         refusal_of(number, bytes[taken < len ? taken : 0]));
    return true;
}

/* A tab in a value is a blank (RFC 9110, 5.5); the parser knows none around a
 * length, and ignores a `close` before one. */
static bool
parse_head(struct hf_h1 *h1, const char *bytes, size_t len)
{
    while (len > 0 && h1->coming->intake->refusal == HF_REFUSAL_NONE) {
        const char *tab = memchr(bytes, '\t', len);
        size_t piece = tab == NULL ? len : (size_t)(tab - bytes);

        if (piece == 0)
            piece = 1;
        if (!parse(h1, *bytes == '\t' ? " " : bytes, piece))
            return false;
        bytes += piece;
        len -= piece;
    }
    return true;
}

/* ---- The head as lines --------------------------------------------------- */

static void
begin_head(struct hf_h1 *h1)
{
    h1->coming = hf_peer_begin(h1->peer);
    if (h1->coming == NULL) {
        hf_peer_break(h1->peer);
        return;
    }
    http_parser_init(&h1->parser, HTTP_REQUEST);
    h1->parser.data = h1;
    h1->before = '\0';
    h1->is_line_empty = true;
    h1->lines = 0;
    h1->blanks = 0;
    h1->is_head_read = false;
    h1->is_in_name = false;
    h1->is_last = false;
    h1->place = HEAD;
    h1->peer->head_since = h1->peer->http->now;
}

/* One byte of the head; false: no line may have it there. */
static bool
look_at_line(struct hf_h1 *h1, char c, bool *is_end)
{
    if ((h1->before == '\r') != (c == '\n'))
        return false;
    h1->before = c;
    if (c == '\n') {
        *is_end = h1->is_line_empty;
        if (h1->lines == 0 && h1->blanks != 2)
            return false;
        h1->lines = h1->lines == 0 ? 1 : 2;
        h1->is_line_empty = true;
        return true;
    }
    if (c == '\r')
        return true;
    if (((unsigned char)c < ' ' && (c != '\t' || h1->lines == 0)) ||
        c == '\x7F')
        return false;
    if (h1->lines == 0 && c == ' ')
        h1->blanks++;
    if (h1->is_line_empty && (c == ' ' || c == '\t'))
        return false;
    h1->is_line_empty = false;
    return true;
}

/* ---- From bytes to a request --------------------------------------------- */

static void
is_whole(struct hf_h1 *h1)
{
    struct hf_exchange *exchange = h1->coming;

    h1->coming = NULL;
    h1->place = START;
    hf_peer_whole(exchange);
}

static void
put_continue(struct hf_h1 *h1)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (h1->parser.http_minor == 0 || hf_peer_room(h1->peer) < sizeof(line) - 1)
        return;
    hf_peer_put(h1->peer, line, sizeof(line) - 1);
}

/* It may be that the body waits for this. */
static void
go_on(struct hf_h1 *h1)
{
    if (hf_intake_field(h1->coming->intake, HF_HEADER_EXPECT).at != NULL)
        put_continue(h1);
}

/* A client of HTTP/1.1 bears it at any time before its answer (RFC 9110, 15.2).
 * One of 1.0 bears nothing, and so it would be waited for in vain. */
void
hf_h1_probe(struct hf_http_peer *peer)
{
    if (peer->h1->parser.http_minor == 0)
        hf_peer_lose_open(peer);
    else if (peer->counts[HF_EXCHANGE_OPEN] > 0)
        put_continue(peer->h1);
}

static void
end_head(struct hf_h1 *h1)
{
    struct hf_intake *intake = h1->coming->intake;

    h1->peer->head_since = HF_NEVER;
    /* What ends here for us must end here for the parser. */
    if (!h1->is_head_read)
        hf_intake_refuse(intake, HF_REFUSAL_SYNTAX);
    else
        look_at_head(h1);
    if (intake->refusal != HF_REFUSAL_NONE)
        hf_h1_refuse(h1->coming, intake->refusal);
    else if (h1->place == LENGTH && h1->body_left == 0)
        is_whole(h1);
    else
        go_on(h1);
}

static size_t
take_head(struct hf_h1 *h1, const char *bytes, size_t len)
{
    bool is_end = false;
    bool is_fine = true;
    size_t taken = 0;

    while (taken < len && is_fine && !is_end)
        is_fine = look_at_line(h1, bytes[taken++], &is_end);
    if (!is_fine)
        hf_intake_refuse(h1->coming->intake, HF_REFUSAL_LINES);
    else if (!parse_head(h1, bytes, taken)) {
        hf_peer_break(h1->peer);
        return taken;
    }
    if (is_end)
        end_head(h1);
    else if (h1->coming->intake->refusal != HF_REFUSAL_NONE)
        hf_h1_refuse(h1->coming, h1->coming->intake->refusal);
    return taken;
}

static void
take_body(struct hf_h1 *h1, struct hf_bytes piece)
{
    struct hf_intake *intake = h1->coming->intake;

    if (!hf_intake_body(intakes_of(h1), intake, piece))
        hf_peer_break(h1->peer);
    else if (intake->refusal != HF_REFUSAL_NONE)
        hf_h1_refuse(h1->coming, intake->refusal);
}

static size_t
take_length(struct hf_h1 *h1, const char *bytes, size_t len)
{
    size_t taken = len < h1->body_left ? len : h1->body_left;

    h1->body_left -= taken;
    take_body(h1, (struct hf_bytes){bytes, taken});
    if (h1->coming != NULL && !h1->peer->is_broken && h1->body_left == 0)
        is_whole(h1);
    return taken;
}

static size_t
take_chunks(struct hf_h1 *h1, const char *bytes, size_t len)
{
    enum hf_chunks_told told;
    struct hf_bytes data;
    size_t taken = hf_chunks_feed(&h1->chunks, (struct hf_bytes){bytes, len},
                                  &told, &data);

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
        hf_h1_refuse(h1->coming, HF_REFUSAL_FRAMING);
        break;
    }
    return taken;
}

/* Empty lines before a request are let pass (RFC 9112, 2.2). */
static size_t
take_start(struct hf_h1 *h1, const char *bytes, size_t len)
{
    size_t taken = 0;

    while (taken < len && (bytes[taken] == '\r' || bytes[taken] == '\n'))
        taken++;
    if (taken == len)
        return taken;
    if (h1->peer->counts[HF_EXCHANGE_OPEN] > 0) {
        h1->place = DEAF;
        h1->is_last = true;
        return taken;
    }
    if (h1->peer->is_draining) {
        h1->place = DEAF;
        h1->peer->is_ending = true;
        return taken;
    }
    begin_head(h1);
    return taken;
}

bool
hf_h1_is_held_up(const struct hf_http_peer *peer)
{
    return peer->counts[HF_EXCHANGE_ANSWERED] > 0;
}

size_t
hf_h1_feed(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    struct hf_h1 *h1 = peer->h1;
    size_t taken = 0;

    while (taken < len && peer->whole == NULL && !peer->is_broken &&
           !hf_h1_is_held_up(peer)) {
        const char *at = bytes + taken;
        size_t left = len - taken;

        switch (h1->place) {
        case START:
            taken += take_start(h1, at, left);
            break;
        case HEAD:
            taken += take_head(h1, at, left);
            break;
        case LENGTH:
            taken += take_length(h1, at, left);
            break;
        case CHUNKS:
            taken += take_chunks(h1, at, left);
            break;
        case DEAF:
            return len;
        }
    }
    return taken;
}

/* ---- From an answer to bytes --------------------------------------------- */

static void
write_head(struct hf_text *out, const struct hf_h1 *h1,
           const struct hf_http_reply *reply)
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
    if (reply->status != 204 && reply->status != 304)
        hf_text_addf(out, "content-length: %zu\r\n", reply->body.len);
    hf_text_add(out, h1->is_last ? "connection: close\r\n\r\n" : "\r\n");
}

/* As much as there is room for; *bytes are then those that are left. */
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
    hf_peer_made(exchange, h1->peer->outbox.made);
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
    write_head(&out, peer->h1, reply);
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

void
hf_h1_fill(struct hf_http_peer *peer)
{
    struct hf_link *link = peer->lists[HF_EXCHANGE_ANSWERED].first;
    struct hf_exchange *exchange;
    struct hf_bytes rest;

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

    exchange->is_head = exchange->intake->method == HF_HTTP_HEAD;
    hf_refusal_reply(refusal, hf_peer_wants_json(exchange), text, &reply);
    h1->coming = NULL;
    h1->place = DEAF;
    h1->is_last = true;
    h1->peer->head_since = HF_NEVER;
    hf_peer_answer(exchange);
    hf_h1_answer(exchange, &reply);
}
