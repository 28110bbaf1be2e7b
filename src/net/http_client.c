#include "net/http_client.h"

#include "base/check.h"
#include "base/fail.h"
#include "base/list.h"
#include "net/fifo.h"
#include "net/h2_session.h"
#include "net/reader.h"

/* A request, from its asking until it is told. */
struct asked {
    struct hf_link link; /* in `under_way`, `over` or `spare` */
    uint64_t tag;
    int32_t stream;
    int status;               /* of the answer; 0: none has begun */
    bool has_head;            /* and what follows are trailers */
    struct hf_reader *reader; /* owned: the answer, as it comes */
    char *body;               /* owned, or NULL */
    const char *rest;         /* of the body, what is not made */
    uint32_t rest_len;
    bool is_made;
    uint64_t made; /* where it ends, of all bytes that were ever made */
    enum hf_http_end end;
    struct asked_lines *lines; /* owned: of a carrier; else NULL */
};

/* What a carrier has beside. */
struct asked_lines {
    struct hf_link ready; /* in the client's, */
    bool is_ready;        /* ... if a line is there to be told */
    struct asked *asked;
    struct hf_fifo out; /* owned: what was said, and is not made */
    bool is_deferred;   /* nghttp2 does not ask for more by itself */
    struct hf_fifo in;  /* owned: what came, and was not told */
    size_t looked;      /* bytes of it without an end of a line */
};

struct hf_http_client {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_http_limits limits;
    struct hf_h2_session session;
    struct hf_write_buffers buffers;
    struct hf_write_buffer out;
    struct hf_readers readers;
    struct hf_list under_way; /* of struct asked, in order */
    struct hf_list over;      /* to be told, */
    struct hf_list ready;     /* ... behind lines: of struct asked_lines */
    struct hf_list spare;
    uint32_t under_way_count;
    uint32_t unread; /* bytes of bodies that are kept */
    bool is_broken;
    bool is_leaving; /* GOAWAY came */

    struct asked *told; /* what the caller may look at; then it is spare */
    struct hf_http_answer answer;
};

static struct asked *
first_of(const struct hf_list *list)
{
    return list->first != NULL ? HF_CONTAINER(list->first, struct asked, link)
                               : NULL;
}

/* ---- The life of a request ----------------------------------------------- */

static struct asked *
take_asked(struct hf_http_client *client)
{
    struct asked *asked = first_of(&client->spare);

    if (asked == NULL)
        return hf_new(client->alloc, struct asked);
    hf_list_remove(&client->spare, &asked->link);
    *asked = (struct asked){.tag = 0};
    return asked;
}

static void
drop_body(struct hf_http_client *client, struct asked *asked)
{
    if (asked->body != NULL)
        client->unread -= asked->rest_len;
    hf_free(client->alloc, asked->body);
    asked->body = NULL;
    asked->rest_len = 0;
}

static void
drop_answer(struct hf_http_client *client, struct asked *asked)
{
    hf_reader_end(&client->readers, asked->reader);
    asked->reader = NULL;
    asked->status = 0;
}

static void
drop_lines(struct hf_http_client *client, struct asked *asked)
{
    struct asked_lines *lines = asked->lines;

    if (lines == NULL)
        return;
    if (lines->is_ready)
        hf_list_remove(&client->ready, &lines->ready);
    hf_fifo_fini(&lines->out, client->alloc);
    hf_fifo_fini(&lines->in, client->alloc);
    hf_free(client->alloc, lines);
    asked->lines = NULL;
}

static void
give_asked(struct hf_http_client *client, struct asked *asked)
{
    drop_body(client, asked);
    drop_answer(client, asked);
    drop_lines(client, asked);
    hf_list_add(&client->spare, &asked->link);
}

static void
unlink_asked(struct hf_http_client *client, struct asked *asked)
{
    hf_list_remove(&client->under_way, &asked->link);
    client->under_way_count--;
    nghttp2_session_set_stream_user_data(client->session.nghttp2, asked->stream,
                                         NULL);
}

static void
end(struct hf_http_client *client, struct asked *asked, enum hf_http_end how)
{
    unlink_asked(client, asked);
    drop_body(client, asked);
    if (how != HF_HTTP_ANSWERED)
        drop_answer(client, asked);
    asked->end = how;
    hf_list_add(&client->over, &asked->link);
}

/* Without its last byte it is no request; but lines are, by themselves. */
static bool
has_left(const struct hf_http_client *client, const struct asked *asked)
{
    return asked->lines != NULL ||
           (asked->is_made && asked->made <= client->out.written);
}

static void
break_off(struct hf_http_client *client)
{
    struct asked *asked;

    client->is_broken = true;
    while ((asked = first_of(&client->under_way)) != NULL)
        end(client, asked,
            has_left(client, asked) ? HF_HTTP_UNKNOWN : HF_HTTP_NOT_DONE);
}

/* ---- What nghttp2 tells -------------------------------------------------- */

static struct asked *
asked_of(nghttp2_session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session, stream);
}

/* An answer begins: the first, or the one behind an interim one. */
static int
on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
                 void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked = asked_of(session, frame->hd.stream_id);

    if (asked == NULL || asked->reader != NULL)
        return 0;
    /* When it began is not told. */
    asked->reader = hf_reader_begin(&client->readers, (struct hf_instant){0});
    return asked->reader != NULL ? 0 : NGHTTP2_ERR_NOMEM;
}

static int
status_of(struct hf_bytes value)
{
    int status = 0;

    for (size_t i = 0; i < value.len; i++) /* nghttp2 has looked: 3 digits */
        status = status * 10 + (value.at[i] - '0');
    return status;
}

static int
on_header(nghttp2_session *session, const nghttp2_frame *frame,
          nghttp2_rcbuf *name_text, nghttp2_rcbuf *value_text, uint8_t flags,
          void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked = asked_of(session, frame->hd.stream_id);
    struct hf_bytes name = hf_h2_text(name_text);
    struct hf_bytes value = hf_h2_text(value_text);
    unsigned field;

    (void)flags;
    if (asked == NULL || asked->reader == NULL)
        return 0;
    if (hf_header_is(name, ":status")) {
        asked->status = status_of(value);
        return 0;
    }
    if (asked->has_head) {
        hf_reader_skip(&client->readers, asked->reader, name.len + value.len);
        return 0;
    }
    field = hf_reader_name(&client->readers, asked->reader, name);
    return hf_reader_value(&client->readers, asked->reader, field, value)
               ? 0
               : NGHTTP2_ERR_NOMEM;
}

/* Nothing more is wanted of the stream. */
static int
reset(struct hf_http_client *client, int32_t stream)
{
    return nghttp2_submit_rst_stream(client->session.nghttp2, NGHTTP2_FLAG_NONE,
                                     stream, NGHTTP2_CANCEL);
}

/* Its answer cannot be told. */
static int
give_up(struct hf_http_client *client, struct asked *asked)
{
    end(client, asked, HF_HTTP_UNKNOWN);
    return reset(client, asked->stream);
}

/* A whole answer.  The rest of the request is not wanted any more (RFC 9113,
 * 8.1); without a reset it would keep the stream open. */
static int
take_answer(struct hf_http_client *client, struct asked *asked)
{
    end(client, asked, HF_HTTP_ANSWERED);
    return asked->is_made ? 0 : reset(client, asked->stream);
}

/* ---- Lines --------------------------------------------------------------- */

/* The length of the next line, with its end; 0: it is not whole. */
static size_t
line_len(struct asked_lines *lines)
{
    struct hf_bytes in = hf_fifo_bytes(&lines->in);
    const char *end =
        in.len == lines->looked
            ? NULL
            : memchr(in.at + lines->looked, '\n', in.len - lines->looked);

    lines->looked = end != NULL ? (size_t)(end - in.at) : in.len;
    return end != NULL ? lines->looked + 1 : 0;
}

static void
look_for_line(struct hf_http_client *client, struct asked_lines *lines)
{
    if (lines->is_ready || line_len(lines) == 0)
        return;
    lines->is_ready = true;
    hf_list_add(&client->ready, &lines->ready);
}

static struct hf_bytes
take_line(struct hf_http_client *client, struct asked_lines *lines)
{
    struct hf_bytes line = hf_fifo_bytes(&lines->in);

    line.len = line_len(lines) - 1;
    hf_fifo_drop(&lines->in, line.len + 1); /* the bytes stay where they are */
    lines->looked = 0;
    lines->is_ready = false;
    hf_list_remove(&client->ready, &lines->ready);
    look_for_line(client, lines);
    return line;
}

/* More of a carrier's answer. */
static int
take_lines(struct hf_http_client *client, struct asked *asked,
           struct hf_bytes piece)
{
    struct asked_lines *lines = asked->lines;

    if (nghttp2_session_consume_stream(client->session.nghttp2, asked->stream,
                                       piece.len) != 0 ||
        !hf_fifo_reserve(&lines->in, client->alloc, piece.len))
        return NGHTTP2_ERR_NOMEM;
    hf_fifo_put(&lines->in, piece);
    look_for_line(client, lines);
    return !lines->is_ready && lines->looked > client->limits.body_len
               ? give_up(client, asked)
               : 0;
}

/* What was said, and then nothing until more is. */
static ssize_t
read_lines(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
           uint32_t *flags, nghttp2_data_source *source, void *user_data)
{
    struct asked *asked = asked_of(session, stream);
    struct hf_bytes out;

    (void)flags;
    (void)source;
    (void)user_data;
    if (asked == NULL) /* it was given up, and ends by a reset */
        return NGHTTP2_ERR_DEFERRED;
    out = hf_fifo_bytes(&asked->lines->out);
    asked->lines->is_deferred = out.len == 0;
    if (out.len == 0)
        return NGHTTP2_ERR_DEFERRED;
    if (out.len > size)
        out.len = size;
    memcpy(to, out.at, out.len);
    hf_fifo_drop(&asked->lines->out, out.len);
    return (ssize_t)out.len;
}

bool
hf_http_client_say(struct hf_http_client *client, int32_t stream,
                   struct hf_bytes lines)
{
    nghttp2_session *session = client->session.nghttp2;
    struct asked *asked = client->is_broken ? NULL : asked_of(session, stream);

    if (asked == NULL || asked->lines == NULL)
        return false;
    if (lines.len == 0)
        return true;
    if (!hf_fifo_reserve(&asked->lines->out, client->alloc, lines.len))
        return false;
    hf_fifo_put(&asked->lines->out, lines);
    if (!asked->lines->is_deferred)
        return true;
    asked->lines->is_deferred = false;
    return nghttp2_session_resume_data(session, stream) == 0;
}

/* ---- What nghttp2 tells: bodies ------------------------------------------ */

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t stream,
        const uint8_t *bytes, size_t len, void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked = asked_of(session, stream);
    struct hf_bytes piece = {(const char *)bytes, len};

    (void)flags;
    if (nghttp2_session_consume_connection(session, len) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (asked == NULL || asked->reader == NULL)
        return 0;
    if (asked->lines != NULL && asked->status == 200)
        return take_lines(client, asked, piece);
    if (!hf_reader_body(&client->readers, asked->reader, piece))
        return NGHTTP2_ERR_NOMEM;
    return asked->reader->refusal == HF_REFUSAL_NONE ? 0
                                                     : give_up(client, asked);
}

static int
on_answer(struct hf_http_client *client, struct asked *asked, bool is_last)
{
    bool is_final = asked->status >= 200 && asked->status <= 599;

    if (asked->reader->refusal != HF_REFUSAL_NONE || (is_last && !is_final))
        return give_up(client, asked);
    if (is_last)
        return take_answer(client, asked);
    if (is_final)
        asked->has_head = true;
    else
        drop_answer(client, asked); /* an interim one */
    return 0;
}

static int
on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame,
              void *user_data)
{
    struct hf_http_client *client = user_data;
    bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    struct asked *asked;

    if (frame->hd.type == NGHTTP2_GOAWAY)
        client->is_leaving = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    asked = asked_of(session, frame->hd.stream_id);
    if (asked == NULL || asked->reader == NULL)
        return 0;
    return on_answer(client, asked, is_last);
}

static int
on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error,
                void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked = asked_of(session, stream);

    if (asked != NULL)
        end(client, asked,
            error == NGHTTP2_REFUSED_STREAM || !has_left(client, asked)
                ? HF_HTTP_NOT_DONE
                : HF_HTTP_UNKNOWN);
    return 0;
}

/* Told just before the frame is put behind the bytes that are made. */
static int
on_frame_send(nghttp2_session *session, const nghttp2_frame *frame,
              void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked;

    if (!hf_h2_ends_stream(frame))
        return 0;
    asked = asked_of(session, frame->hd.stream_id);
    if (asked == NULL)
        return 0;
    asked->is_made = true;
    asked->made = client->out.made + HF_H2_FRAME_HEAD + frame->hd.length;
    drop_body(client, asked);
    return 0;
}

static ssize_t
read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
          uint32_t *flags, nghttp2_data_source *source, void *user_data)
{
    struct hf_http_client *client = user_data;
    struct asked *asked = asked_of(session, stream);
    ssize_t len;

    (void)source;
    if (asked == NULL) /* it was given up, and ends by a reset */
        return NGHTTP2_ERR_DEFERRED;
    len = hf_h2_session_read((struct hf_bytes){asked->rest, asked->rest_len},
                             to, size, flags);
    asked->rest += len;
    asked->rest_len -= (uint32_t)len;
    if (asked->body != NULL)
        client->unread -= (uint32_t)len;
    return len;
}

/* ---- Opening and closing ------------------------------------------------- */

static bool
start_session(struct hf_http_client *client)
{
    static const struct hf_h2_callbacks callbacks = {
        .begin_headers = on_begin_headers,
        .header = on_header,
        .frame_recv = on_frame_recv,
        .data_chunk_recv = on_data,
        .stream_close = on_stream_close,
        .frame_send = on_frame_send,
    };
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        /* One byte more shows that a body is too long. */
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, client->limits.body_len + 1},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, client->limits.headers_len},
    };
    const struct hf_h2_config config = {
        .callbacks = &callbacks,
        .user_data = client,
        .settings = settings,
        .settings_count = sizeof(settings) / sizeof(settings[0]),
    };

    return hf_h2_session_start(&client->session, client->alloc, &config);
}

enum hf_status
hf_http_client_open(const struct hf_alloc *alloc,
                    const struct hf_http_limits *limits,
                    struct hf_http_client **client, struct hf_error *error)
{
    struct hf_http_client *made = hf_new(alloc, struct hf_http_client);

    if (made != NULL) {
        made->alloc = alloc;
        made->limits = *limits;
        made->buffers.alloc = alloc;
        made->out.spares = &made->buffers;
        made->readers.alloc = alloc;
        made->readers.limits = &made->limits;
        made->readers.wanted = HF_HEADERS_OF_ANSWERS;
    }
    if (made == NULL || !start_session(made)) {
        hf_http_client_close(made);
        return hf_fail(error, HF_E_NOMEM, "no memory for a connection");
    }
    *client = made;
    return HF_OK;
}

static void
let_go(struct hf_http_client *client)
{
    if (client->told != NULL)
        give_asked(client, client->told);
    client->told = NULL;
}

void
hf_http_client_close(struct hf_http_client *client)
{
    struct asked *asked;

    if (client == NULL)
        return;
    if (client->session.nghttp2 != NULL)
        break_off(client);
    let_go(client);
    while ((asked = first_of(&client->over)) != NULL) {
        hf_list_remove(&client->over, &asked->link);
        give_asked(client, asked);
    }
    while ((asked = first_of(&client->spare)) != NULL) {
        hf_list_remove(&client->spare, &asked->link);
        hf_free(client->alloc, asked);
    }
    hf_h2_session_stop(&client->session);
    hf_write_buffer_fini(&client->out);
    hf_write_buffers_fini(&client->buffers);
    hf_reader_fini(&client->readers);
    hf_free(client->alloc, client);
}

/* ---- Bytes --------------------------------------------------------------- */

static void
fill(struct hf_http_client *client)
{
    if (client->is_broken)
        return;
    if (!hf_h2_session_fill(&client->session, &client->out))
        break_off(client);
    else if (hf_h2_session_is_over(&client->session))
        client->is_leaving = true;
}

struct hf_bytes
hf_http_client_out(struct hf_http_client *client)
{
    fill(client);
    return client->is_broken ? (struct hf_bytes){NULL, 0}
                             : hf_write_buffer_bytes(&client->out);
}

void
hf_http_client_wrote(struct hf_http_client *client, size_t len)
{
    if (!client->is_broken)
        (void)hf_write_buffer_wrote(&client->out, len);
}

size_t
hf_http_client_feed(struct hf_http_client *client, const char *bytes,
                    size_t len)
{
    size_t taken = 0;

    if (client->is_broken)
        return len;
    if (client->over.first != NULL || client->ready.first != NULL)
        return 0;
    let_go(client);
    while (taken < len && client->over.first == NULL &&
           client->ready.first == NULL && !client->is_broken) {
        struct hf_h2_piece piece =
            hf_h2_session_take(&client->session, bytes + taken, len - taken);

        if (!hf_h2_session_give(&client->session, &piece))
            break_off(client);
        taken += piece.len;
    }
    return taken;
}

void
hf_http_client_gone(struct hf_http_client *client)
{
    break_off(client);
}

/* ---- Asking -------------------------------------------------------------- */

uint32_t
hf_http_client_streams(const struct hf_http_client *client)
{
    uint32_t theirs = nghttp2_session_get_remote_settings(
        client->session.nghttp2, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);

    return theirs < client->limits.streams ? theirs : client->limits.streams;
}

uint32_t
hf_http_client_room(const struct hf_http_client *client)
{
    uint32_t most = hf_http_client_streams(client);

    if (client->is_broken || client->is_leaving ||
        client->session.pending_len > 0 ||
        client->unread > client->limits.unread_len)
        return 0;
    return most > client->under_way_count ? most - client->under_way_count : 0;
}

/* The stream, or 0: no memory; -1: no numbers are left. */
static int32_t
submit(struct hf_http_client *client, const struct hf_http_ask *ask,
       struct asked *asked)
{
    nghttp2_data_provider body = {
        .read_callback = asked->lines != NULL ? read_lines : read_body};
    nghttp2_nv head[4 + HF_HTTP_REPLY_HEADERS_MAX];
    struct hf_bytes scheme = {"http", 4};
    size_t count = 0;
    int32_t stream;

    HF_CHECK(ask->headers_count <= HF_HTTP_REPLY_HEADERS_MAX);
    head[count++] =
        hf_h2_header(":method", hf_header_method_word(ask->method), 0);
    head[count++] = hf_h2_header(":scheme", scheme, 0);
    head[count++] = hf_h2_header(":authority", ask->host, 0);
    head[count++] = hf_h2_header(":path", ask->path, 0);
    for (size_t i = 0; i < ask->headers_count; i++)
        head[count++] =
            hf_h2_header(ask->headers[i].name, ask->headers[i].value, 0);
    stream = nghttp2_submit_request(
        client->session.nghttp2, NULL, head, count,
        ask->body.len > 0 || asked->lines != NULL ? &body : NULL, asked);
    if (stream == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE)
        return -1;
    return stream < 0 ? 0 : stream;
}

/* Copy the part of the body that nghttp2 has not taken: it is the caller's. */
static bool
keep_rest(struct hf_http_client *client, struct asked *asked)
{
    if (asked->is_made || asked->rest_len == 0)
        return true;
    asked->body = hf_calloc(client->alloc, asked->rest_len, 1);
    if (asked->body == NULL)
        return false;
    memcpy(asked->body, asked->rest, asked->rest_len);
    asked->rest = asked->body;
    client->unread += asked->rest_len;
    return true;
}

/* Where it is a carrier.  False: no memory. */
static bool
make_lines(struct hf_http_client *client, const struct hf_http_ask *ask,
           struct asked *asked)
{
    if (!ask->is_carrier)
        return true;
    HF_CHECK(ask->body.len == 0);
    asked->lines = hf_new(client->alloc, struct asked_lines);
    if (asked->lines != NULL)
        asked->lines->asked = asked;
    return asked->lines != NULL;
}

enum hf_status
hf_http_client_ask(struct hf_http_client *client, const struct hf_http_ask *ask,
                   int32_t *stream, struct hf_error *error)
{
    struct asked *asked;

    fill(client);
    if (hf_http_client_is_closing(client))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "the connection takes no more requests");
    if (hf_http_client_room(client) == 0)
        return hf_fail(error, HF_E_LIMIT,
                       "the connection has no room for more requests");
    asked = take_asked(client);
    if (asked == NULL || !make_lines(client, ask, asked)) {
        if (asked != NULL)
            give_asked(client, asked);
        return hf_fail(error, HF_E_NOMEM, "no memory for a request");
    }
    asked->tag = ask->tag;
    asked->rest = ask->body.at;
    asked->rest_len = (uint32_t)ask->body.len;
    asked->stream = submit(client, ask, asked);
    if (asked->stream <= 0) {
        bool is_full = asked->stream < 0;

        asked->rest_len = 0;
        give_asked(client, asked);
        client->is_leaving |= is_full;
        return is_full ? hf_fail(error, HF_E_UNAVAILABLE,
                                 "the connection has no numbers left")
                       : hf_fail(error, HF_E_NOMEM, "no memory for a request");
    }
    *stream = asked->stream;
    hf_list_add(&client->under_way, &asked->link);
    client->under_way_count++;
    fill(client);
    if (!client->is_broken && !keep_rest(client, asked))
        break_off(client);
    return HF_OK;
}

/* It has ended, and is not told yet. */
static void
cancel_over(struct hf_http_client *client, int32_t stream)
{
    for (struct hf_link *link = client->over.first; link != NULL;
         link = link->next) {
        struct asked *asked = HF_CONTAINER(link, struct asked, link);

        if (asked->stream != stream)
            continue;
        hf_list_remove(&client->over, link);
        give_asked(client, asked);
        return;
    }
}

void
hf_http_client_cancel(struct hf_http_client *client, int32_t stream)
{
    struct asked *asked =
        client->is_broken ? NULL : asked_of(client->session.nghttp2, stream);

    if (asked == NULL) {
        cancel_over(client, stream);
        return;
    }
    unlink_asked(client, asked);
    give_asked(client, asked);
    if (reset(client, stream) != 0)
        break_off(client);
}

/* ---- What is told -------------------------------------------------------- */

static struct hf_bytes
between(const struct hf_reader *reader)
{
    struct hf_bytes via = hf_reader_field(reader, HF_HEADER_VIA);

    return via.at != NULL ? via : hf_reader_field(reader, HF_HEADER_SERVER);
}

static void
tell_answer(struct hf_http_client *client, const struct asked *asked)
{
    const struct hf_reader *reader = asked->reader;

    client->answer = (struct hf_http_answer){
        .status = asked->status,
        .type = hf_reader_field(reader, HF_HTTP_CONTENT_TYPE),
        .retry = hf_reader_field(reader, HF_HEADER_RETRY_AFTER),
        .location = hf_reader_field(reader, HF_HEADER_LOCATION),
        .between = between(reader),
        .body = {reader->bytes + reader->body.at, reader->body.len},
    };
}

bool
hf_http_client_next(struct hf_http_client *client,
                    struct hf_http_client_event *event)
{
    struct hf_link *ready = client->ready.first;
    struct asked *asked = first_of(&client->over);

    let_go(client);
    if (ready != NULL) {
        struct asked_lines *lines =
            HF_CONTAINER(ready, struct asked_lines, ready);

        *event = (struct hf_http_client_event){
            .end = HF_HTTP_LINE,
            .stream = lines->asked->stream,
            .tag = lines->asked->tag,
            .line = take_line(client, lines),
        };
        return true;
    }
    if (asked == NULL)
        return false;
    hf_list_remove(&client->over, &asked->link);
    client->told = asked;
    *event = (struct hf_http_client_event){
        .end = asked->end,
        .stream = asked->stream,
        .tag = asked->tag,
    };
    if (asked->end == HF_HTTP_ANSWERED) {
        tell_answer(client, asked);
        event->answer = &client->answer;
    }
    return true;
}

bool
hf_http_client_is_closing(const struct hf_http_client *client)
{
    return client->is_broken || client->is_leaving;
}

bool
hf_http_client_is_done(const struct hf_http_client *client)
{
    return client->is_broken ||
           (client->is_leaving && client->under_way_count == 0 &&
            hf_write_buffer_bytes(&client->out).len == 0);
}
