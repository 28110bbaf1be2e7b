#ifndef HF_NET_MESSAGE_H
#define HF_NET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Requests and answers, as a caller sees them, whichever version is spoken. */

enum hf_http_method {
    HF_HTTP_GET,
    HF_HTTP_HEAD, /* answered as GET; the body is left out here */
    HF_HTTP_POST,
    HF_HTTP_PUT,
    HF_HTTP_PATCH,
    HF_HTTP_DELETE,
    HF_HTTP_OPTIONS,
    HF_HTTP_METHODS, /* others are refused with 501 */
};

/* The headers that a server of ours looks at.  No others are kept. */
enum hf_http_field {
    HF_HTTP_HOST, /* or :authority, or that of the target */
    HF_HTTP_ORIGIN,
    HF_HTTP_FETCH_SITE, /* sec-fetch-site: what a browser says of its page */
    HF_HTTP_USER_AGENT,
    HF_HTTP_CONTENT_TYPE,
    HF_HTTP_ACCEPT, /* the first, if there are several */
    HF_HTTP_AUTHORIZATION,
    HF_HTTP_IDEMPOTENCY_KEY,
    HF_HTTP_SESSION,  /* holdfast-session: its id */
    HF_HTTP_SECRET,   /* holdfast-secret: that it is the caller's */
    HF_HTTP_OPTIONAL, /* holdfast-optional: members that may be skipped */
    HF_HTTP_FIELDS,
};

/* Bytes that are kept of HF_HTTP_OPTIONAL for the lines of a carrier: any more
 * are cut. */
enum { HF_HTTP_CARRIED_MAX = 1024 };

/* What is wrong with a line: what has come of it may be cut. */
enum hf_http_line {
    HF_HTTP_LINE_FINE,
    HF_HTTP_LINE_TOO_LONG, /* than a body may be */
    HF_HTTP_LINE_SLOW, /* it took too long, and is the last of its carrier */
};

struct hf_http_request {
    uint64_t exchange; /* never 0, and never used again */
    uint64_t carrier;  /* of a line: the exchange that it came on; else 0.  Its
                          body is the line; of its carrier's headers it has
                          HF_HTTP_OPTIONAL alone */
    enum hf_http_line line;
    bool is_carrier; /* its body is still to come: lines, each told as a
                        request, once it is answered by hf_http_carry */
    enum hf_http_method method;
    bool is_http2;
    struct hf_bytes path;  /* begins with a slash, or is "*" for OPTIONS;
                              printable ASCII, as it was sent: escaped */
    struct hf_bytes query; /* what follows the question mark; `at` is NULL if
                              there is none */
    struct hf_bytes fields[HF_HTTP_FIELDS]; /* `at` is NULL: not sent */
    struct hf_bytes body;
};

struct hf_http_header {
    const char *name; /* static, in small letters */
    struct hf_bytes value;
};

enum {
    HF_HTTP_REPLY_HEADERS_MAX = 8,
    HF_HTTP_REPLY_VALUE_MAX = 256, /* bytes */
};

/* An answer.  Its length and its date are added; so is `connection: close`
 * where it applies.  A header whose value is longer, or is not printable ASCII,
 * is left out. */
struct hf_http_reply {
    int status; /* 200 to 599 */
    const struct hf_http_header *headers;
    size_t headers_count;  /* at most HF_HTTP_REPLY_HEADERS_MAX */
    struct hf_bytes first; /* of a line: what stands before its body */
    struct hf_bytes body;  /* empty for 204 and 304; a line has its end */
};

#endif
