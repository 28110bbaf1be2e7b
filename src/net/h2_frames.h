#ifndef HF_NET_H2_FRAMES_H
#define HF_NET_H2_FRAMES_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the frames of HTTP/2 begin and end, in bytes that come in pieces of any
 * size (RFC 9113, 4.1).
 *
 * Zero is the beginning of a frame; `before` are bytes that come before the
 * first.  Plain; cannot fail.  One thread at a time.
 */
enum { HF_H2_FRAME_HEAD = 9 };

struct hf_h2_frames {
    uint32_t before;
    uint32_t left; /* of what follows the head */
    uint8_t head_len;
    uint8_t head[HF_H2_FRAME_HEAD];
};

/*
 * Take bytes up to the end of a frame, or of what comes before the first, as
 * far as they go, and return how many.  *has_head: with them its head is there,
 * and not before; *is_whole: with them all of it.
 */
size_t hf_h2_frames_take(struct hf_h2_frames *frames, const char *bytes,
                         size_t len, bool *has_head, bool *is_whole);

/*
 * Hand to nghttp2 the bytes that were taken just now; `had` was head_len
 * before.  It gets a head whole, in however many pieces that came, for it
 * counts each piece of a CONTINUATION's as one more.  False: it does no more.
 */
bool hf_h2_frames_give(const struct hf_h2_frames *frames,
                       nghttp2_session *session, size_t had, const char *bytes,
                       size_t len);

/* Of the frame whose head is there, or was there last. */
static inline uint32_t
hf_h2_frame_len(const struct hf_h2_frames *frames)
{
    return (uint32_t)frames->head[0] << 16 | (uint32_t)frames->head[1] << 8 |
           frames->head[2];
}

static inline uint8_t
hf_h2_frame_type(const struct hf_h2_frames *frames)
{
    return frames->head[3];
}

static inline uint8_t
hf_h2_frame_flags(const struct hf_h2_frames *frames)
{
    return frames->head[4];
}

static inline int32_t
hf_h2_frame_stream(const struct hf_h2_frames *frames)
{
    return (int32_t)((uint32_t)(frames->head[5] & 0x7F) << 24 |
                     (uint32_t)frames->head[6] << 16 |
                     (uint32_t)frames->head[7] << 8 | frames->head[8]);
}

#endif
