#include "net/h2_session.h"

/* ---- Memory -------------------------------------------------------------- */

/*
 * A session has nothing but memory, so it is not taken apart: all of it is
 * given back at once.  nghttp2_session_del would give some back twice in a
 * session that ever lacked memory (1.52: an item of a stream whose queue cannot
 * grow, where priorities are not those of RFC 7540).  And nghttp2 wants a
 * realloc, which hf_alloc has not.
 */

/* In front of each piece; as wide as any object must be aligned. */
union front {
    struct {
        struct hf_link link;
        size_t size;
    } piece;
    max_align_t align;
};

/* Note a piece; what is behind its front.  NULL stays NULL. */
static void *
note(struct hf_h2_session *session, union front *front, size_t size)
{
    if (front == NULL)
        return NULL;
    front->piece.size = size;
    hf_list_add(&session->memory, &front->piece.link);
    return front + 1;
}

static void *
allocate(size_t size, void *user_data)
{
    struct hf_h2_session *session = user_data;

    if (size > SIZE_MAX - sizeof(union front))
        return NULL;
    return note(session, hf_buffer(session->alloc, sizeof(union front) + size),
                size);
}

static void *
allocate_zeroed(size_t count, size_t size, void *user_data)
{
    struct hf_h2_session *session = user_data;

    if (size != 0 && count > (SIZE_MAX - sizeof(union front)) / size)
        return NULL;
    size *= count;
    return note(session,
                hf_calloc(session->alloc, 1, sizeof(union front) + size), size);
}

static void
release(void *at, void *user_data)
{
    struct hf_h2_session *session = user_data;
    union front *front = at;

    if (at == NULL)
        return;
    front--;
    hf_list_remove(&session->memory, &front->piece.link);
    hf_free(session->alloc, front);
}

static void *
resize(void *at, size_t size, void *user_data)
{
    union front *front = at;
    void *resized = allocate(size, user_data);

    if (resized == NULL || at == NULL)
        return resized;
    front--;
    memcpy(resized, at, front->piece.size < size ? front->piece.size : size);
    release(at, user_data);
    return resized;
}

/* ---- Beginning and end --------------------------------------------------- */

static void
set_callbacks(nghttp2_session_callbacks *to, const struct hf_h2_callbacks *from)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        to, from->begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(to, from->header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(to, from->frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        to, from->data_chunk_recv);
    nghttp2_session_callbacks_set_on_stream_close_callback(to,
                                                           from->stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(to, from->frame_send);
}

static bool
make(struct hf_h2_session *session, const struct hf_h2_config *config,
     const nghttp2_session_callbacks *callbacks, const nghttp2_option *option)
{
    nghttp2_mem memory = {
        .mem_user_data = session,
        .malloc = allocate,
        .free = release,
        .calloc = allocate_zeroed,
        .realloc = resize,
    };

    if (!config->is_accepted)
        return nghttp2_session_client_new3(&session->nghttp2, callbacks,
                                           config->user_data, option,
                                           &memory) == 0;
    session->before = NGHTTP2_CLIENT_MAGIC_LEN;
    return nghttp2_session_server_new3(&session->nghttp2, callbacks,
                                       config->user_data, option, &memory) == 0;
}

/* RFC 9113 knows no smaller window of a connection than the first. */
static bool
submit_settings(nghttp2_session *nghttp2, const struct hf_h2_config *config)
{
    return nghttp2_submit_settings(nghttp2, NGHTTP2_FLAG_NONE, config->settings,
                                   config->settings_count) == 0 &&
           (config->window <= NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE ||
            nghttp2_session_set_local_window_size(nghttp2, NGHTTP2_FLAG_NONE, 0,
                                                  config->window) == 0);
}

bool
hf_h2_session_start(struct hf_h2_session *session, const struct hf_alloc *alloc,
                    const struct hf_h2_config *config)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    bool result = false;

    session->alloc = alloc;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 ||
        nghttp2_option_new(&option) != 0)
        goto out;
    set_callbacks(callbacks, config->callbacks);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_stream_reset_rate_limit(option, UINT32_MAX, UINT32_MAX);
    result = make(session, config, callbacks, option) &&
             submit_settings(session->nghttp2, config);
out:
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    return result;
}

void
hf_h2_session_stop(struct hf_h2_session *session)
{
    struct hf_link *link;

    while ((link = session->memory.first) != NULL) {
        hf_list_remove(&session->memory, link);
        hf_free(session->alloc, HF_CONTAINER(link, union front, piece.link));
    }
    session->nghttp2 = NULL;
}

/* ---- Bytes in ------------------------------------------------------------ */

static size_t
less(size_t len, uint32_t left)
{
    return len < left ? len : left;
}

static void
read_head(struct hf_h2_session *session)
{
    const uint8_t *at = session->head_bytes;

    session->head = (nghttp2_frame_hd){
        .length = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2],
        .type = at[3],
        .flags = at[4],
        .stream_id =
            (int32_t)((uint32_t)(at[5] & 0x7F) << 24 | (uint32_t)at[6] << 16 |
                      (uint32_t)at[7] << 8 | at[8]),
    };
    session->left = (uint32_t)session->head.length;
}

struct hf_h2_piece
hf_h2_session_take(struct hf_h2_session *session, const char *bytes, size_t len)
{
    struct hf_h2_piece piece = {
        .bytes = bytes,
        .len = less(len, session->before),
        .head_before = session->head_len,
    };
    size_t more;

    session->before -= (uint32_t)piece.len;
    if (piece.len > 0)
        return piece;
    if (session->head_len < HF_H2_FRAME_HEAD) {
        while (session->head_len < HF_H2_FRAME_HEAD && piece.len < len)
            session->head_bytes[session->head_len++] =
                (uint8_t)bytes[piece.len++];
        if (session->head_len < HF_H2_FRAME_HEAD)
            return piece;
        piece.has_head = true;
        read_head(session);
    }
    more = less(len - piece.len, session->left);
    session->left -= (uint32_t)more;
    piece.len += more;
    piece.is_whole = session->left == 0;
    if (piece.is_whole)
        session->head_len = 0;
    return piece;
}

static bool
receive(struct hf_h2_session *session, const void *bytes, size_t len)
{
    ssize_t taken;

    session->is_inside = true;
    taken = nghttp2_session_mem_recv(session->nghttp2, bytes, len);
    session->is_inside = false;
    return taken >= 0;
}

/* nghttp2 gets a head whole, in however many pieces it came: each piece of a
 * CONTINUATION's would count as one more. */
bool
hf_h2_session_give(struct hf_h2_session *session,
                   const struct hf_h2_piece *piece)
{
    size_t of_head = HF_H2_FRAME_HEAD - (size_t)piece->head_before;

    if (session->head_len > 0 && session->head_len < HF_H2_FRAME_HEAD)
        return true;
    if (piece->head_before == 0 || piece->head_before == HF_H2_FRAME_HEAD)
        return receive(session, piece->bytes, piece->len);
    return receive(session, session->head_bytes, HF_H2_FRAME_HEAD) &&
           receive(session, piece->bytes + of_head, piece->len - of_head);
}

/* ---- Bytes out ----------------------------------------------------------- */

/* Is there a frame that is not put yet?  False: the session is broken. */
static bool
next_frame(struct hf_h2_session *session)
{
    ssize_t len;

    if (session->pending_len > 0)
        return true;
    len = nghttp2_session_mem_send(session->nghttp2, &session->pending);
    if (len < 0)
        return false;
    session->pending_len = (size_t)len;
    return true;
}

bool
hf_h2_session_fill(struct hf_h2_session *session,
                   struct hf_write_buffer *buffer)
{
    if (session->is_inside)
        return true;
    while (next_frame(session)) {
        size_t room;
        size_t len;

        if (session->pending_len == 0)
            return true;
        if (!hf_write_buffer_room(buffer, &room))
            return false;
        len = session->pending_len < room ? session->pending_len : room;
        if (len == 0)
            return true;
        hf_write_buffer_put(buffer, session->pending, len);
        session->pending += len;
        session->pending_len -= len;
    }
    return false;
}

bool
hf_h2_session_is_over(const struct hf_h2_session *session)
{
    return !session->is_inside && session->pending_len == 0 &&
           nghttp2_session_want_read(session->nghttp2) == 0;
}

ssize_t
hf_h2_session_read(struct hf_bytes rest, uint8_t *to, size_t size,
                   uint32_t *flags)
{
    size_t len = rest.len < size ? rest.len : size;

    if (len > 0)
        memcpy(to, rest.at, len);
    if (len == rest.len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}
