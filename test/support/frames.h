#ifndef TEST_SUPPORT_FRAMES_H
#define TEST_SUPPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Frames of HTTP/2, written by hand: what a library would not send, too.
 */
enum { FRAMES_MAX = 1 << 19 };

enum frame_type {
    DATA,
    HEADERS,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    PUSH_PROMISE,
    PING,
    GOAWAY,
    WINDOW_UPDATE,
    CONTINUATION,
};

enum frame_flag {
    ACK = 1,
    END_STREAM = 1,
    END_HEADERS = 4,
    PADDED = 8,
};

struct frames {
    unsigned char bytes[FRAMES_MAX];
    size_t len;
};

void frames_add(struct frames *frames, unsigned type, unsigned flags,
                uint32_t stream, const void *payload, size_t len);

/* With a payload of one number of 32 bits. */
void frames_number(struct frames *frames, unsigned type, unsigned flags,
                   uint32_t stream, uint32_t number);

/* The first bytes, and SETTINGS of one entry; 0: of none. */
void frames_begin(struct frames *frames, unsigned setting, uint32_t value);

/* A block of headers: names and values in turn, NULL at the end; each a literal
 * that is not indexed.  Its length. */
size_t frames_block(unsigned char *block, const char *const *pairs);

void frames_headers(struct frames *frames, unsigned flags, uint32_t stream,
                    const char *const *pairs);

/* HEADERS, and DATA where there is a body. */
void frames_request(struct frames *frames, uint32_t stream, const char *method,
                    const char *path, const char *body);

/*
 * What a server sent, as text, a frame a line:
 *
 *   HEADERS 1 :status=200 content-length=5
 *   DATA 1 "hello" end
 *   RST_STREAM 3 error 7
 *   GOAWAY last 3 error 0
 *
 * The date, SETTINGS and WINDOW_UPDATE are left out.
 */
void frames_show(const void *bytes, size_t len, char *text, size_t size);

#endif
