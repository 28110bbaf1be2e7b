#ifndef HF_NET_HTTP_MODULE_H
#define HF_NET_HTTP_MODULE_H

#include "net/http_client.h"

/*
 * The functions of http_client.h as a module: a shared object that is opened
 * when a place needs it, so that a program with locks in a file needs no
 * library for HTTP.  It exports one symbol, of this type, and uses none of
 * ours: it has its own copy of the code below it.
 */
struct hf_http_module {
    const char *version; /* of the build: another one's is not used */
    enum hf_status (*open)(const struct hf_alloc *alloc,
                           const struct hf_http_limits *limits,
                           struct hf_http_client **client,
                           struct hf_error *error);
    void (*close)(struct hf_http_client *client);
    enum hf_status (*ask)(struct hf_http_client *client,
                          const struct hf_http_ask *ask, int32_t *stream,
                          struct hf_error *error);
    bool (*say)(struct hf_http_client *client, int32_t stream,
                struct hf_bytes lines);
    uint32_t (*streams)(const struct hf_http_client *client);
    uint32_t (*room)(const struct hf_http_client *client);
    void (*cancel)(struct hf_http_client *client, int32_t stream);
    size_t (*feed)(struct hf_http_client *client, const char *bytes,
                   size_t len);
    struct hf_bytes (*out)(struct hf_http_client *client);
    void (*wrote)(struct hf_http_client *client, size_t len);
    void (*gone)(struct hf_http_client *client);
    bool (*next)(struct hf_http_client *client,
                 struct hf_http_client_event *event);
    bool (*is_closing)(const struct hf_http_client *client);
    const struct hf_http_limits *limits; /* the usual ones */
};

#define HF_HTTP_MODULE_SYMBOL "hf_http_module"

#endif
