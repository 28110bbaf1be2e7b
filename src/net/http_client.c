#include "net/http_client.h"

#include <nghttp2/nghttp2.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/list.h"
#include "net/h2_frames.h"
#include "net/h2_headers.h"
#include "net/h2_memory.h"
#include "net/intake.h"
#include "net/outbox.h"

/* A request, from its asking until it is told. */
struct asked {
    struct hf_link link; /* in `under_way`, `over` or `spare` */
    uint64_t tag;
    int32_t stream;
    int status;               /* of the answer; 0: none has begun */
    bool has_head;            /* and what follows are trailers */
    struct hf_intake *intake; /* owned: the answer, as it comes */
    char *body;               /* owned, or NULL */
    const char *rest;         /* of the body, what is not made */
    uint32_t rest_len;
    bool is_made;
    uint64_t made; /* where it ends, of all bytes that were ever made */
    enum hf_http_end end;
};

struct hf_http_client {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_http_limits limits;
    struct hf_h2_memory memory;
    nghttp2_session *session;
    struct hf_h2_frames frames;
    const uint8_t *pending; /* borrowed from the session: a frame to be put */
    size_t pending_len;
    struct hf_outbox_spares outboxes;
    struct hf_outbox outbox;
    struct hf_intakes intakes;
    struct hf_list under_way; /* of struct asked, in order */
    struct hf_list over;      /* to be told */
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
    hf_intake_end(&client->intakes, asked->intake);
    asked->intake = NULL;
    asked->status = 0;
}

static void
give_asked(struct hf_http_client *client, struct asked *asked)
{
    drop_body(client, asked);
    drop_answer(client, asked);
    hf_list_add(&client->spare, &asked->link);
}

static void
leave_the_way(struct hf_http_client *client, struct asked *asked)
{
    hf_list_remove(&client->under_way, &asked->link);
    client->under_way_count--;
    nghttp2_session_set_stream_user_data(client->session, asked->stream, NULL);
}

static void
end(struct hf_http_client *client, struct asked *asked, enum hf_http_end how)
{
    leave_the_way(client, asked);
    drop_body(client, asked);
    if (how != HF_HTTP_ANSWERED)
        drop_answer(client, asked);
    asked->end = how;
    hf_list_add(&client->over, &asked->link);
}

/* Without its last byte it is no request. */
static bool
has_left(const struct hf_http_client *client, const struct asked *asked)
{
    return asked->is_made && asked->made <= client->outbox.written;
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
                 void *word)
{
    struct hf_http_client *client = word;
    struct asked *asked = asked_of(session, frame->hd.stream_id);

    if (asked == NULL || asked->intake != NULL)
        return 0;
    /* Nobody is told when it began. */
    asked->intake = hf_intake_begin(&client->intakes, (struct hf_instant){0});
    return asked->intake != NULL ? 0 : NGHTTP2_ERR_NOMEM;
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
          void *word)
{
    struct hf_http_client *client = word;
    struct asked *asked = asked_of(session, frame->hd.stream_id);
    struct hf_bytes name = hf_h2_text(name_text);
    struct hf_bytes value = hf_h2_text(value_text);
    unsigned field;

    (void)flags;
    if (asked == NULL || asked->intake == NULL)
        return 0;
    if (hf_header_is(name, ":status")) {
        asked->status = status_of(value);
        return 0;
    }
    if (asked->has_head) {
        hf_intake_skip(&client->intakes, asked->intake, name.len + value.len);
        return 0;
    }
    field = hf_intake_name(&client->intakes, asked->intake, name);
    return hf_intake_value(&client->intakes, asked->intake, field, value)
               ? 0
               : NGHTTP2_ERR_NOMEM;
}

/* The stream is of no use any more. */
static int
reset(struct hf_http_client *client, int32_t stream)
{
    return nghttp2_submit_rst_stream(client->session, NGHTTP2_FLAG_NONE, stream,
                                     NGHTTP2_CANCEL);
}

/* It cannot be told as it is. */
static int
give_up(struct hf_http_client *client, struct asked *asked)
{
    end(client, asked, HF_HTTP_UNKNOWN);
    return reset(client, asked->stream);
}

/* A whole answer.  What is still to be said of the request is not wanted any
 * more (RFC 9113, 8.1), and without a reset would keep the stream. */
static int
take_answer(struct hf_http_client *client, struct asked *asked)
{
    end(client, asked, HF_HTTP_ANSWERED);
    return asked->is_made ? 0 : reset(client, asked->stream);
}

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t stream,
        const uint8_t *bytes, size_t len, void *word)
{
    struct hf_http_client *client = word;
    struct asked *asked = asked_of(session, stream);
    struct hf_bytes piece = {(const char *)bytes, len};

    (void)flags;
    if (nghttp2_session_consume_connection(session, len) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (asked == NULL || asked->intake == NULL)
        return 0;
    if (!hf_intake_body(&client->intakes, asked->intake, piece))
        return NGHTTP2_ERR_NOMEM;
    return asked->intake->refusal == HF_REFUSAL_NONE ? 0
                                                     : give_up(client, asked);
}

static int
on_answer(struct hf_http_client *client, struct asked *asked, bool is_last)
{
    bool is_final = asked->status >= 200 && asked->status <= 599;

    if (asked->intake->refusal != HF_REFUSAL_NONE || (is_last && !is_final))
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
on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *word)
{
    struct hf_http_client *client = word;
    bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    struct asked *asked;

    if (frame->hd.type == NGHTTP2_GOAWAY)
        client->is_leaving = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    asked = asked_of(session, frame->hd.stream_id);
    if (asked == NULL || asked->intake == NULL)
        return 0;
    return on_answer(client, asked, is_last);
}

static int
on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error,
                void *word)
{
    struct hf_http_client *client = word;
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
on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *word)
{
    struct hf_http_client *client = word;
    struct asked *asked;

    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    asked = asked_of(session, frame->hd.stream_id);
    if (asked == NULL)
        return 0;
    asked->is_made = true;
    asked->made = client->outbox.made + HF_H2_FRAME_HEAD + frame->hd.length;
    drop_body(client, asked);
    return 0;
}

static ssize_t
read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
          uint32_t *flags, nghttp2_data_source *source, void *word)
{
    struct hf_http_client *client = word;
    struct asked *asked = asked_of(session, stream);
    size_t len;

    (void)source;
    if (asked == NULL) /* it was given up, and ends by a reset */
        return NGHTTP2_ERR_DEFERRED;
    len = asked->rest_len < size ? asked->rest_len : size;
    memcpy(to, asked->rest, len);
    asked->rest += len;
    asked->rest_len -= (uint32_t)len;
    if (asked->body != NULL)
        client->unread -= (uint32_t)len;
    if (asked->rest_len == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

/* ---- Opening and closing ------------------------------------------------- */

static bool
start_session(struct hf_http_client *client,
              const nghttp2_session_callbacks *callbacks,
              const nghttp2_option *option)
{
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        /* One byte more shows that a body is too long. */
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, client->limits.body_len + 1},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, client->limits.headers_len},
    };
    size_t count = sizeof(entries) / sizeof(entries[0]);
    nghttp2_mem memory = hf_h2_memory_start(&client->memory, client->alloc);

    return nghttp2_session_client_new3(&client->session, callbacks, client,
                                       option, &memory) == 0 &&
           nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, entries,
                                   count) == 0;
}

static void
set_callbacks(nghttp2_session_callbacks *callbacks)
{
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
}

static bool
start(struct hf_http_client *client)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    bool result = false;

    if (nghttp2_session_callbacks_new(&callbacks) != 0 ||
        nghttp2_option_new(&option) != 0)
        goto out;
    set_callbacks(callbacks);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    result = start_session(client, callbacks, option);
out:
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    return result;
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
        made->outboxes.alloc = alloc;
        made->outbox.spares = &made->outboxes;
        made->intakes.alloc = alloc;
        made->intakes.limits = &made->limits;
        made->intakes.wanted = HF_HEADERS_OF_ANSWERS;
    }
    if (made == NULL || !start(made)) {
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
    if (client->session != NULL)
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
    hf_h2_memory_stop(&client->memory);
    hf_outbox_fini(&client->outbox);
    hf_outbox_spares_fini(&client->outboxes);
    hf_intake_fini(&client->intakes);
    hf_free(client->alloc, client);
}

/* ---- Bytes --------------------------------------------------------------- */

static bool
has_pending(struct hf_http_client *client)
{
    ssize_t len;

    if (client->pending_len > 0)
        return true;
    len = nghttp2_session_mem_send(client->session, &client->pending);
    if (len < 0) {
        break_off(client);
        return false;
    }
    client->pending_len = (size_t)len;
    return len > 0;
}

static void
fill(struct hf_http_client *client)
{
    while (!client->is_broken && has_pending(client)) {
        size_t room;
        size_t len;

        if (!hf_outbox_room(&client->outbox, &room)) {
            break_off(client);
            return;
        }
        len = client->pending_len < room ? client->pending_len : room;
        if (len == 0)
            return;
        hf_outbox_put(&client->outbox, client->pending, len);
        client->pending += len;
        client->pending_len -= len;
    }
    if (!client->is_broken && nghttp2_session_want_read(client->session) == 0)
        client->is_leaving = true;
}

struct hf_bytes
hf_http_client_out(struct hf_http_client *client)
{
    fill(client);
    return client->is_broken ? (struct hf_bytes){NULL, 0}
                             : hf_outbox_bytes(&client->outbox);
}

void
hf_http_client_wrote(struct hf_http_client *client, size_t len)
{
    if (!client->is_broken)
        (void)hf_outbox_wrote(&client->outbox, len);
}

size_t
hf_http_client_feed(struct hf_http_client *client, const char *bytes,
                    size_t len)
{
    size_t taken = 0;

    if (client->is_broken)
        return len;
    if (client->over.first != NULL)
        return 0;
    let_go(client);
    while (taken < len && client->over.first == NULL && !client->is_broken) {
        size_t had = client->frames.head_len;
        bool has_head;
        bool is_whole;
        size_t more = hf_h2_frames_take(&client->frames, bytes + taken,
                                        len - taken, &has_head, &is_whole);

        if (!hf_h2_frames_give(&client->frames, client->session, had,
                               bytes + taken, more))
            break_off(client);
        taken += more;
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
        client->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);

    return theirs < client->limits.streams ? theirs : client->limits.streams;
}

uint32_t
hf_http_client_room(const struct hf_http_client *client)
{
    uint32_t most = hf_http_client_streams(client);

    if (client->is_broken || client->is_leaving || client->pending_len > 0 ||
        client->unread > client->limits.unread_len)
        return 0;
    return most > client->under_way_count ? most - client->under_way_count : 0;
}

/* The stream, or 0: no memory; -1: no numbers are left. */
static int32_t
submit(struct hf_http_client *client, const struct hf_http_ask *ask,
       struct asked *asked)
{
    nghttp2_data_provider body = {.read_callback = read_body};
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
    stream = nghttp2_submit_request(client->session, NULL, head, count,
                                    ask->body.len > 0 ? &body : NULL, asked);
    if (stream == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE)
        return -1;
    return stream < 0 ? 0 : stream;
}

/* What nghttp2 has not taken yet is the caller's. */
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
    if (asked == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a request");
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
        client->is_broken ? NULL : asked_of(client->session, stream);

    if (asked == NULL) {
        cancel_over(client, stream);
        return;
    }
    leave_the_way(client, asked);
    give_asked(client, asked);
    if (reset(client, stream) != 0)
        break_off(client);
}

/* ---- What is told -------------------------------------------------------- */

static struct hf_bytes
between(const struct hf_intake *intake)
{
    struct hf_bytes via = hf_intake_field(intake, HF_HEADER_VIA);

    return via.at != NULL ? via : hf_intake_field(intake, HF_HEADER_SERVER);
}

static void
tell_answer(struct hf_http_client *client, const struct asked *asked)
{
    const struct hf_intake *intake = asked->intake;

    client->answer = (struct hf_http_answer){
        .status = asked->status,
        .type = hf_intake_field(intake, HF_HTTP_CONTENT_TYPE),
        .retry = hf_intake_field(intake, HF_HEADER_RETRY_AFTER),
        .location = hf_intake_field(intake, HF_HEADER_LOCATION),
        .between = between(intake),
        .body = {intake->bytes + intake->body.at, intake->body.len},
    };
}

bool
hf_http_client_next(struct hf_http_client *client,
                    struct hf_http_client_news *news)
{
    struct asked *asked = first_of(&client->over);

    let_go(client);
    if (asked == NULL)
        return false;
    hf_list_remove(&client->over, &asked->link);
    client->told = asked;
    *news = (struct hf_http_client_news){
        .end = asked->end,
        .stream = asked->stream,
        .tag = asked->tag,
    };
    if (asked->end == HF_HTTP_ANSWERED) {
        tell_answer(client, asked);
        news->answer = &client->answer;
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
            hf_outbox_bytes(&client->outbox).len == 0);
}
