#ifndef HF_NET_H2_HEADERS_H
#define HF_NET_H2_HEADERS_H

#include <nghttp2/nghttp2.h>
#include <string.h>

#include "base/bytes.h"

/* Headers, between nghttp2 and us. */

/* A name or a value that came; borrowed. */
static inline struct hf_bytes
hf_h2_text(nghttp2_rcbuf *buffer)
{
    nghttp2_vec text = nghttp2_rcbuf_get_buf(buffer);

    return (struct hf_bytes){(const char *)text.base, text.len};
}

/* One that is to go.  The name is borrowed for as long as the session lives;
 * the value, too, with NGHTTP2_NV_FLAG_NO_COPY_VALUE. */
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
