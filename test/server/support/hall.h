#ifndef TEST_SERVER_SUPPORT_HALL_H
#define TEST_SERVER_SUPPORT_HALL_H

#include "net/http.h"
#include "server/service.h"

/*
 * Hall: a service, and guests who speak HTTP/1.1 to it, without sockets.
 *
 * A guest asks for one thing at a time.  What it hears is checked before
 * anything else is done: `heard` is called as soon as an answer is whole.
 */

enum { HALL_GUESTS = 8, HALL_TEXT = 8192 };

/* An answer; numbers and texts are those of its body, 0 and "" if it has none.
 */
struct hall_answer {
    int status; /* 0: it is not whole */
    uint64_t fence;
    char session[17];
    char secret[33];
    char body[HALL_TEXT];
};

struct hall_guest {
    struct hall *hall;
    struct hf_http_peer *peer; /* NULL: it has left */
    size_t waits;              /* requests of it that may wait */
    size_t takes;              /* bytes that are written to it, at most */
    size_t heard_len;
    char heard[HALL_TEXT];
    struct hall_answer answer;
};

struct hall {
    struct hf_http *http;
    struct hf_service *service; /* NULL: it could not be opened */
    struct hf_self self;
    struct hf_log log;
    int told_fd;
    size_t guests_count;
    struct hall_guest guests[HALL_GUESTS];
    /* An answer is whole; may be NULL. */
    void (*heard)(void *ctx, const struct hall_answer *answer);
    void *ctx;
};

/* At the store that `open` opens, with a leader of that ttl.  As
 * hf_service_open; HTTP itself has all the memory that it wants. */
HF_MUST_USE enum hf_status hall_open(struct hall *hall,
                                     const struct hf_alloc *alloc,
                                     hf_scribe_open_fn *open, int64_t ttl_ms,
                                     struct hf_error *error);
void hall_close(struct hall *hall); /* also if it could not be opened */

/* A guest comes, asks, and is gone with its connection. */
struct hall_guest *hall_enter(struct hall *hall);
void hall_ask(struct hall_guest *guest, const char *secret, const char *path,
              const char *body);
void hall_leave(struct hall_guest *guest);

/* Turn whatever is there, and wait for more for so long at most. */
void hall_turn(struct hall *hall, int64_t ms);

/* Turn until that is so, for `ms` at most: is it? */
bool hall_until_told(struct hall_guest *guest, int64_t ms);
bool hall_until_serving(struct hall *hall, int64_t ms);
bool hall_until_stopped(struct hall *hall, int64_t ms);

#endif
