#ifndef HF_NET_H2_SESSION_H
#define HF_NET_H2_SESSION_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/list.h"
#include "net/write_buffer.h"

/*
 * HTTP/2 session: one connection of HTTP/2 (RFC 9113), by nghttp2: bytes in,
 * bytes out, and windows.
 *
 *   bytes --> take --> give --> nghttp2 --> callbacks of the user
 *   bytes <-- write buffer <-- fill <------ submissions of the user
 *
 * The user submits requests or answers to `nghttp2` itself, and keeps what it
 * knows of a stream as nghttp2's user data of that stream.
 *
 * nghttp2 gets the bytes a frame at a time.  So the user can look at each frame
 * first, refuse one that costs too much, and stop after each.  A window opens
 * only when the user says that it has consumed what came: by
 * nghttp2_session_consume_connection for the connection, and
 * nghttp2_session_consume_stream where a stream goes on.
 *
 * nghttp2 (1.52, as Debian has it) limits CONTINUATION (CVE-2024-28182), and
 * answers to PING and SETTINGS that pile up.  It limits resets, too
 * (CVE-2023-44487), but by a clock of its own: that is switched off, and the
 * user counts them.  Streams that are closed are not kept.
 *
 * No I/O, no clock.  One thread at a time.
 */

enum { HF_H2_FRAME_HEAD = 9 }; /* bytes in front of each frame */

struct hf_h2_session {
    nghttp2_session *nghttp2;
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_list memory;        /* owned: all pieces that nghttp2 has */
    const uint8_t *pending;       /* borrowed: of a frame, what is not put */
    size_t pending_len;

    nghttp2_frame_hd head; /* of the frame that comes, or came last */
    uint8_t head_bytes[HF_H2_FRAME_HEAD];
    uint8_t head_len; /* how many of them have come */
    uint32_t left;    /* of what follows the head */
    uint32_t before;  /* of the preface, which comes before the first frame */
    bool is_inside;   /* nghttp2 is at work, and must not be asked for frames */
};

/* ---- Beginning and end --------------------------------------------------- */

/* As nghttp2 declares them; each gets `user_data` as its last argument. */
struct hf_h2_callbacks {
    nghttp2_on_begin_headers_callback begin_headers;
    nghttp2_on_header_callback2 header;
    nghttp2_on_frame_recv_callback frame_recv;
    nghttp2_on_data_chunk_recv_callback data_chunk_recv;
    nghttp2_on_stream_close_callback stream_close;
    nghttp2_on_frame_send_callback frame_send; /* right before the frame is put
                                                  into the write buffer */
};

struct hf_h2_config {
    bool is_accepted; /* the other end has made the connection: it sends the
                         preface, and opens the streams */
    const struct hf_h2_callbacks *callbacks;
    void *user_data;
    const nghttp2_settings_entry *settings;
    size_t settings_count;
    int32_t window; /* of the connection, in bytes; at least the 65,535 that
                       each begins with */
};

/* `session` is zeroed, and is not moved while it is in use.  The config is not
 * needed afterwards, but for the user data.  False: no memory; call stop. */
bool hf_h2_session_start(struct hf_h2_session *session,
                         const struct hf_alloc *alloc,
                         const struct hf_h2_config *config);

/* Give back all that nghttp2 has.  A zeroed session has nothing. */
void hf_h2_session_stop(struct hf_h2_session *session);

/* ---- Bytes in ------------------------------------------------------------ */

/* Bytes of one frame, or of the preface. */
struct hf_h2_piece {
    const char *bytes; /* borrowed */
    size_t len;
    uint8_t head_before; /* bytes of the frame's head that had come before */
    bool has_head;       /* `head` is there with this piece */
    bool is_whole;       /* the frame is there with this piece */
};

/* Take bytes up to the end of a frame, as far as they go. */
struct hf_h2_piece hf_h2_session_take(struct hf_h2_session *session,
                                      const char *bytes, size_t len);

/* Hand a piece, which was taken just now, to nghttp2, which calls back.  False:
 * the session is broken, or lacks memory. */
bool hf_h2_session_give(struct hf_h2_session *session,
                        const struct hf_h2_piece *piece);

/* ---- Bytes out ----------------------------------------------------------- */

/* Put frames into the buffer, as many as there are and have room.  Inside of a
 * callback nothing is done.  False: the session is broken, or lacks memory. */
bool hf_h2_session_fill(struct hf_h2_session *session,
                        struct hf_write_buffer *buffer);

/* Nothing more is to be read, and all frames are put. */
bool hf_h2_session_is_over(const struct hf_h2_session *session);

/* What a data source's read callback returns: the bytes of `rest` that were
 * copied; *flags says when these were all. */
ssize_t hf_h2_session_read(struct hf_bytes rest, uint8_t *to, size_t size,
                           uint32_t *flags);

/* ---- Frames and headers -------------------------------------------------- */

/* Does it end its half of a stream? */
static inline bool
hf_h2_ends_stream(const nghttp2_frame *frame)
{
    return (frame->hd.type == NGHTTP2_HEADERS ||
            frame->hd.type == NGHTTP2_DATA) &&
           (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

/* A name or a value that came; borrowed. */
static inline struct hf_bytes
hf_h2_text(nghttp2_rcbuf *buffer)
{
    nghttp2_vec text = nghttp2_rcbuf_get_buf(buffer);

    return (struct hf_bytes){(const char *)text.base, text.len};
}

/* A header to be submitted.  The name is borrowed for as long as the session
 * lives; the value, too, with NGHTTP2_NV_FLAG_NO_COPY_VALUE. */
static inline nghttp2_nv
hf_h2_header(const char *name, struct hf_bytes value, uint8_t flags)
{
    /* nghttp2 does not write there; its struct says no const. */
    union {
        const char *borrowed;
        uint8_t *at;
    } names = {.borrowed = name}, values = {.borrowed = value.at};

    return (nghttp2_nv){names.at, values.at, strlen(name), value.len,
                        (uint8_t)(NGHTTP2_NV_FLAG_NO_COPY_NAME | flags)};
}

#endif
