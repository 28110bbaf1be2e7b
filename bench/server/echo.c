#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/*
 * The floor: what libuv, nghttp2 and a hash table cost, and nothing else.  It
 * answers as a lock server answers, with as many bytes, and each request finds
 * a row of a table by its body and turns it over; nobody waits for anybody.
 *
 * echo: prints its port, and serves until it is killed.
 */

enum { ROWS = 1 << 16, READ_SIZE = 64 * 1024, BODY_MAX = 1024 };

static uint64_t rows[ROWS];
static char granted[512];
static const char opened[] =
    "{\"opened\":true,\"session\":\"00f3ab91c07d5e24\",\"term\":"
    "1763850690000000,\"secret\":\"000102030405060708090a0b0c0d0eff\","
    "\"ttl_ms\":60000}";

struct peer {
    uv_tcp_t socket;
    nghttp2_session *session;
    char read[READ_SIZE];
};

struct request {
    char path[64];
    char body[BODY_MAX];
    size_t body_len;
    const char *answer;
    size_t answer_len;
};

/* ---- Requests ------------------------------------------------------------ */

static ssize_t
give(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t len,
     uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct request *r = source->ptr;
    size_t more = r->answer_len < len ? r->answer_len : len;

    (void)session;
    (void)id;
    (void)ctx;
    memcpy(buffer, r->answer, more);
    r->answer += more;
    r->answer_len -= more;
    if (r->answer_len == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)more;
}

static nghttp2_nv
field(char *name, char *value)
{
    return (nghttp2_nv){
        .name = (uint8_t *)name,
        .value = (uint8_t *)value,
        .namelen = strlen(name),
        .valuelen = strlen(value),
        .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE,
    };
}

static void
answer(nghttp2_session *session, int32_t id, struct request *r)
{
    static char status[] = ":status", ok[] = "200", created[] = "201";
    static char type[] = "content-type", json[] = "application/json";
    static char cache[] = "cache-control", none[] = "no-store";
    bool opens = strcmp(r->path, "/v1/sessions") == 0;
    const nghttp2_nv headers[] = {
        field(status, opens ? created : ok),
        field(type, json),
        field(cache, none),
    };
    nghttp2_data_provider data = {{.ptr = r}, give};
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < r->body_len; i++)
        hash = (hash ^ (uint8_t)r->body[i]) * 1099511628211u;
    rows[hash % ROWS] ^= hash;
    r->answer = opens ? opened : granted;
    r->answer_len = strlen(r->answer);
    nghttp2_submit_response(session, id, headers, 3, &data);
}

static int
on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    (void)ctx;
    return nghttp2_session_set_stream_user_data(
        session, frame->hd.stream_id, calloc(1, sizeof(struct request)));
}

static int
on_header(nghttp2_session *session, const nghttp2_frame *frame,
          const uint8_t *name, size_t name_len, const uint8_t *value,
          size_t value_len, uint8_t flags, void *ctx)
{
    struct request *r =
        nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

    (void)flags;
    (void)ctx;
    if (r != NULL && name_len == 5 && memcmp(name, ":path", 5) == 0 &&
        value_len < sizeof(r->path))
        memcpy(r->path, value, value_len);
    return 0;
}

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t id,
        const uint8_t *bytes, size_t len, void *ctx)
{
    struct request *r = nghttp2_session_get_stream_user_data(session, id);

    (void)flags;
    (void)ctx;
    if (r != NULL && r->body_len + len <= BODY_MAX) {
        memcpy(r->body + r->body_len, bytes, len);
        r->body_len += len;
    }
    return 0;
}

static int
on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct request *r =
        nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

    (void)ctx;
    if (r != NULL && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
        answer(session, frame->hd.stream_id, r);
    return 0;
}

static int
on_close(nghttp2_session *session, int32_t id, uint32_t code, void *ctx)
{
    (void)code;
    (void)ctx;
    free(nghttp2_session_get_stream_user_data(session, id));
    return 0;
}

/* ---- Bytes --------------------------------------------------------------- */

struct writing {
    uv_write_t request;
    char bytes[];
};

static void
on_written(uv_write_t *request, int status)
{
    (void)status;
    free(request);
}

/* All that there is, in one write. */
static void
write_out(struct peer *peer)
{
    static char all[1024 * 1024];
    size_t len = 0;
    const uint8_t *bytes;
    ssize_t more;
    uv_buf_t buffer;

    while ((more = nghttp2_session_mem_send(peer->session, &bytes)) > 0 &&
           len + (size_t)more <= sizeof(all)) {
        memcpy(all + len, bytes, (size_t)more);
        len += (size_t)more;
    }
    if (len == 0)
        return;
    buffer = uv_buf_init(all, (unsigned)len);
    more = uv_try_write((uv_stream_t *)&peer->socket, &buffer, 1);
    if (more < 0)
        more = 0;
    if ((size_t)more < len) {
        struct writing *rest = malloc(sizeof(*rest) + len - (size_t)more);

        memcpy(rest->bytes, all + more, len - (size_t)more);
        buffer = uv_buf_init(rest->bytes, (unsigned)(len - (size_t)more));
        uv_write(&rest->request, (uv_stream_t *)&peer->socket, &buffer, 1,
                 on_written);
    }
}

static void
on_closed(uv_handle_t *handle)
{
    struct peer *peer = (struct peer *)handle;

    nghttp2_session_del(peer->session);
    free(peer);
}

static void
on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    struct peer *peer = (struct peer *)handle;

    (void)size;
    *buffer = uv_buf_init(peer->read, sizeof(peer->read));
}

static void
on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buffer)
{
    struct peer *peer = (struct peer *)stream;

    if (len < 0) {
        uv_close((uv_handle_t *)stream, on_closed);
        return;
    }
    nghttp2_session_mem_recv(peer->session, (uint8_t *)buffer->base,
                             (size_t)len);
    write_out(peer);
}

static void
on_connection(uv_stream_t *listener, int status)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1000}};
    struct peer *peer = calloc(1, sizeof(*peer));
    nghttp2_session_callbacks *callbacks;

    if (status < 0 || peer == NULL)
        exit(70);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_server_new(&peer->session, callbacks, peer);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(peer->session, 0, settings, 1);
    uv_tcp_init(listener->loop, &peer->socket);
    uv_accept(listener, (uv_stream_t *)&peer->socket);
    uv_tcp_nodelay(&peer->socket, 1);
    uv_read_start((uv_stream_t *)&peer->socket, on_alloc, on_read);
    write_out(peer);
}

int
main(void)
{
    uv_loop_t *loop = uv_default_loop();
    struct sockaddr_in address;
    int len = sizeof(address);
    uv_tcp_t listener;

    snprintf(granted, sizeof(granted),
             "{\"granted\":true,\"fence\":1763850690123456,\"fence_text\":"
             "\"1763850690123456\",\"lane\":1,\"n\":1,\"session\":"
             "\"00f3ab91c07d5e24\",\"term\":1763850690000000}");
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop, &listener);
    uv_tcp_bind(&listener, (struct sockaddr *)&address, 0);
    if (uv_listen((uv_stream_t *)&listener, 1024, on_connection) != 0)
        return 69;
    uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &len);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
