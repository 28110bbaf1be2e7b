#ifndef TEST_SERVER_SUPPORT_FIXTURE_H
#define TEST_SERVER_SUPPORT_FIXTURE_H

#include "net/http.h"
#include "server/service.h"

/*
 * Fixture: a service, and clients that speak HTTP/1.1 to it, without sockets.
 *
 * A client asks for one thing at a time.  `heard` is called as soon as an
 * answer is whole, so that a test checks it before anything else is done.
 */

enum { FIXTURE_CLIENTS = 8, FIXTURE_TEXT = 8192 };

/* An answer; numbers and texts are those of its body, 0 and "" if it has none.
 */
struct fixture_answer {
    int status; /* 0: it is not whole */
    uint64_t fence;
    char session[17];
    char secret[33];
    char body[FIXTURE_TEXT];
};

struct fixture_client {
    struct fixture *fixture;
    struct hf_http_peer *peer; /* NULL: it has left */
    size_t waits;              /* requests of it that may wait */
    size_t takes;              /* bytes that are written to it, at most */
    size_t heard_len;
    char heard[FIXTURE_TEXT];
    struct fixture_answer answer;
};

struct fixture {
    struct hf_http *http;
    struct hf_service *service; /* NULL: it could not be opened */
    struct hf_self self;
    struct hf_log log;
    int told_fd;
    size_t clients_count;
    struct fixture_client clients[FIXTURE_CLIENTS];
    /* An answer is whole; may be NULL. */
    void (*heard)(void *ctx, const struct fixture_answer *answer);
    void *ctx;
};

/* At the store that `open` opens, with a leader of that ttl.  As
 * hf_service_open; HTTP itself has all the memory that it wants. */
HF_MUST_USE enum hf_status fixture_open(struct fixture *fixture,
                                        const struct hf_alloc *alloc,
                                        hf_scribe_open_fn *open, int64_t ttl_ms,
                                        struct hf_error *error);

/* Also if it could not be opened. */
void fixture_close(struct fixture *fixture);

/* A client comes, asks, and is gone with its connection. */
struct fixture_client *fixture_connect(struct fixture *fixture);
void fixture_ask(struct fixture_client *client, const char *secret,
                 const char *path, const char *body);
void fixture_disconnect(struct fixture_client *client);

/* Turn whatever is there, and wait for more for so long at most. */
void fixture_turn(struct fixture *fixture, int64_t ms);

/* Turn until that is so, for `ms` at most: is it? */
bool fixture_until_answered(struct fixture_client *client, int64_t ms);
bool fixture_until_serving(struct fixture *fixture, int64_t ms);
bool fixture_until_stopped(struct fixture *fixture, int64_t ms);

#endif
