#ifndef HF_CLIENT_SERVER_LINES_H
#define HF_CLIENT_SERVER_LINES_H

#include "base/clock.h"
#include "client/server/call.h"
#include "net/http_module.h"

/*
 * Lines: calls that go as lines of one stream of a connection (docs/api.md),
 * and not as requests of their own.
 *
 *   NONE --begin--> ASKED --a line is heard--> HEARD
 *    ^                |                          |
 *    |                | refused, or nothing      | ended, cut, or an answer
 *    `----------------' heard in time            | is late
 *    ^-------------------------------------------'
 *
 * No call goes on a stream before something was heard on it.  So one of an
 * older server, or behind something that keeps answers back, costs nothing but
 * itself; the caller remembers it for the address, for a minute, or for good
 * where the server has none.  The client is entered for all functions.
 */
enum hf_lines_state {
    HF_LINES_NONE,
    HF_LINES_ASKED,
    HF_LINES_HEARD,
};

struct hf_lines {
    enum hf_lines_state state;
    bool is_late;               /* HEARD: an answer on it is */
    int32_t stream;             /* ASKED, HEARD: in its connection */
    struct hf_instant asked_at; /* or since when there is a connection */
    uint64_t last;              /* the id of the last line */
    struct hf_hash open; /* owned: of struct hf_node_call, by their ids */
};

/* Begin a stream to that host.  Nothing is done if there is no memory, or no
 * room. */
void hf_lines_begin(struct hf_lines *lines, const struct hf_http_module *http,
                    struct hf_http_client *client, struct hf_bytes host);

/* HEARD: can a line be said still?  Its end may be known, and not told yet. */
bool hf_lines_go_on(const struct hf_lines *lines,
                    const struct hf_http_module *http,
                    struct hf_http_client *client);

/* Send a line: `text` is an object of JSON, without an id.  False: no memory,
 * and the stream is late. */
bool hf_lines_say(struct hf_lines *lines, const struct hf_http_module *http,
                  struct hf_http_client *client, struct hf_node_call *call,
                  const char *text);

/* Its answer is no longer wanted. */
void hf_lines_cancel(struct hf_lines *lines, const struct hf_http_module *http,
                     struct hf_http_client *client, struct hf_node_call *call);

/* A line came.  The call that it answers, which is open no more, and its
 * answer; NULL: none is answered. */
struct hf_node_call *hf_lines_heard(struct hf_lines *lines,
                                    struct hf_bytes line,
                                    struct hf_http_answer *answer);

/* A call ends without an answer. */
void hf_lines_lose(struct hf_lines *lines, struct hf_node_call *call);

/* ASKED: until when something is waited for; else HF_NEVER. */
struct hf_instant hf_lines_deadline(const struct hf_lines *lines);

/* The memory; no call is open. */
void hf_lines_fini(struct hf_lines *lines);

#endif
