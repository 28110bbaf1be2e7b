#ifndef HF_SERVER_INCOMING_H
#define HF_SERVER_INCOMING_H

#include "server/parts.h"

/*
 * Incoming: a request on its way to be a message to the machine: who asks, in
 * which session, and how it is sent in.
 *
 * A function that returns false has answered the request.  One thread.
 */
struct hf_incoming {
    struct hf_service *service; /* borrowed, as all of these */
    const struct hf_route *route;
    const struct hf_http_request *http;
    struct hf_message message;
    struct hf_bytes key; /* its idempotency key; `at` is NULL: it has none */
    struct hf_secret secret;
    bool of_key; /* its session is that of its idempotency key */
    bool opened; /* it has opened its session, or found that of its key */
    bool waits;  /* until it is decided, and there is room for that */
};

/* Does the body have that member? */
static inline bool
hf_incoming_gives(const struct hf_incoming *r, enum hf_api_given given)
{
    return (r->service->body.given & given) != 0;
}

/* Refuse it; false. */
bool hf_incoming_refuse(const struct hf_incoming *r,
                        enum hf_api_problem problem, const char *detail);

/* Read the session of the path, the header, or the body; the key that may stand
 * in its place; and the secret. */
bool hf_incoming_read_session(struct hf_incoming *r);
bool hf_incoming_read_key(struct hf_incoming *r);
bool hf_incoming_read_secret(struct hf_incoming *r);

/* Can the message be kept as it is? */
bool hf_incoming_is_sound(const struct hf_incoming *r);

/* Does the session that it names have the ttl, the if_dead and the who that it
 * gives? */
bool hf_incoming_fits_session(const struct hf_incoming *r);

/* May its place in line be kept for as long as it asks? */
bool hf_incoming_may_park(const struct hf_incoming *r);

/* Open the session of an acquire that has none, unless the acquire will be
 * refused. */
bool hf_incoming_open_first(struct hf_incoming *r);

/* Send its message in; or a message that opens a session. */
void hf_incoming_send(struct hf_incoming *r);
void hf_incoming_open(struct hf_incoming *r);

#endif
