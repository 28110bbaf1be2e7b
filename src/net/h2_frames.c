#include "net/h2_frames.h"

static size_t
less(size_t len, uint32_t left)
{
    return len < left ? len : left;
}

size_t
hf_h2_frames_take(struct hf_h2_frames *frames, const char *bytes, size_t len,
                  bool *has_head, bool *is_whole)
{
    size_t taken = less(len, frames->before);
    size_t more;

    *has_head = *is_whole = false;
    frames->before -= (uint32_t)taken;
    if (taken > 0)
        return taken;
    if (frames->head_len < HF_H2_FRAME_HEAD) {
        while (frames->head_len < HF_H2_FRAME_HEAD && taken < len)
            frames->head[frames->head_len++] = (uint8_t)bytes[taken++];
        if (frames->head_len < HF_H2_FRAME_HEAD)
            return taken;
        *has_head = true;
        frames->left = hf_h2_frame_len(frames);
    }
    more = less(len - taken, frames->left);
    frames->left -= (uint32_t)more;
    *is_whole = frames->left == 0;
    if (*is_whole)
        frames->head_len = 0;
    return taken + more;
}

static bool
give(nghttp2_session *session, const void *bytes, size_t len)
{
    return nghttp2_session_mem_recv(session, bytes, len) >= 0;
}

bool
hf_h2_frames_give(const struct hf_h2_frames *frames, nghttp2_session *session,
                  size_t had, const char *bytes, size_t len)
{
    size_t rest = HF_H2_FRAME_HEAD - had; /* of its head */

    if (frames->head_len > 0 && frames->head_len < HF_H2_FRAME_HEAD)
        return true;
    if (had == 0 || had == HF_H2_FRAME_HEAD)
        return give(session, bytes, len);
    return give(session, frames->head, HF_H2_FRAME_HEAD) &&
           give(session, bytes + rest, len - rest);
}
