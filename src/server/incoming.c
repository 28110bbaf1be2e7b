#include "server/incoming.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "core/lockspace/look.h"
#include "wire/served.h"

/* Characters of an idempotency key: it is as good as a session's secret, so a
 * key that could be guessed, or sent by mistake, is refused. */
enum { KEY_MIN = 16, KEY_MAX = 128 };

enum { WHY_SIZE = 128 };

bool
hf_incoming_refuse(const struct hf_incoming *r, enum hf_api_problem problem,
                   const char *detail)
{
    hf_service_refuse(r->service, r->http->exchange, problem, detail);
    return false;
}

/* ---- Who asks ------------------------------------------------------------ */

/* The session of the path, the header, or the body: never of two. */
bool
hf_incoming_read_session(struct hf_incoming *r)
{
    struct hf_bytes field = r->http->fields[HF_HTTP_SESSION];
    uint64_t named[] = {r->service->body.session, 0, r->route->session};

    if (field.at != NULL && !hf_hex_read_u64(field, &named[1]))
        return hf_incoming_refuse(
            r, HF_API_BAD_REQUEST,
            "holdfast-session is an id of 16 hexadecimal digits");
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (named[i] != 0 && r->message.session != 0 &&
            named[i] != r->message.session)
            return hf_incoming_refuse(r, HF_API_BAD_REQUEST,
                                      "two sessions are named");
        r->message.session |= named[i];
    }
    return true;
}

/* A request that names no session may have a key in its place. */
bool
hf_incoming_read_key(struct hf_incoming *r)
{
    if (r->key.at == NULL)
        return true;
    r->of_key = r->message.session == 0;
    if (r->key.len >= KEY_MIN && r->key.len <= KEY_MAX)
        return true;
    return hf_incoming_refuse(
        r, HF_API_BAD_REQUEST,
        "an idempotency-key has from 16 to 128 characters");
}

bool
hf_incoming_read_secret(struct hf_incoming *r)
{
    struct hf_bytes field = r->http->fields[HF_HTTP_SECRET];

    r->secret = r->service->body.secret;
    if (field.at == NULL ||
        hf_hex_read(field, r->secret.bytes, sizeof(r->secret.bytes)))
        return true;
    return hf_incoming_refuse(r, HF_API_BAD_REQUEST,
                              "holdfast-secret is 32 hexadecimal digits");
}

/* A client cannot renew a session before it has received the session's id: so
 * a session that is opened with a wait lives for as long as the wait, too. */
static struct hf_duration
ttl_of(const struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;
    const struct hf_lockspace_config *config =
        &r->service->config.seat.node.lockspace;
    struct hf_duration ttl = {HF_SESSION_TTL_MS};

    if (hf_incoming_gives(r, HF_API_TTL))
        return body->ttl;
    if (r->opened && hf_incoming_gives(r, HF_API_WAIT) &&
        body->wait != HF_WAIT_TRY)
        ttl.ms += body->wait == HF_WAIT_LIMITED &&
                          body->remaining.ms < config->blocking.ms
                      ? body->remaining.ms
                      : config->blocking.ms;
    if (ttl.ms < 2 * body->park.ms)
        ttl.ms = 2 * body->park.ms;
    return ttl.ms < config->ttl_max.ms ? ttl : config->ttl_max;
}

/* ---- Sending it in ------------------------------------------------------- */

/* A call for it; NULL: no memory, and that is answered. */
static struct hf_pending_call *
add_call(struct hf_incoming *r)
{
    struct hf_pending_call *call = hf_pending_add(&r->service->pending);

    if (call == NULL) {
        hf_incoming_refuse(r, HF_API_NO_MEMORY, NULL);
        return NULL;
    }
    call->exchange = r->http->exchange;
    call->peer = r->service->peer;
    call->kind = r->message.kind;
    call->since_us = hf_now_us();
    call->opened = r->opened;
    call->keyed = r->of_key;
    call->session = r->message.session;
    call->lane = r->message.lane;
    call->n = r->message.n;
    call->secret = r->secret;
    call->waits = r->waits;
    if (call->waits)
        r->service->config.peers->waits(call->peer, true);
    return call;
}

/* A longer ttl than max-ttl would outlast the grace after a loss; and a server
 * without a store cannot keep a lock for a person [L6]: a server that forgot
 * waits. */
static bool
may_be_opened(const struct hf_incoming *r)
{
    const struct hf_seat_config *config = &r->service->config.seat;
    struct hf_duration most = config->node.lockspace.ttl_max;
    struct hf_duration ttl = r->message.open.ttl;
    char why[WHY_SIZE];

    if (ttl.ms > most.ms) {
        snprintf(why, sizeof(why),
                 "a \"ttl\" of %" PRId64 " ms is above this server's max-ttl, "
                 "%" PRId64 " ms",
                 ttl.ms, most.ms);
        return hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
    }
    if (r->message.open.if_dead == HF_REFUSE &&
        config->scribe.place.kind->keeps_nothing)
        return hf_incoming_refuse(
            r, HF_API_VOLATILE,
            "this server keeps nothing, and so nothing for a person: let "
            "\"if_dead\" be \"takeover\"");
    return true;
}

/* A message that cannot be kept as it is, is refused at once. */
bool
hf_incoming_is_sound(const struct hf_incoming *r)
{
    struct hf_error why;

    if (hf_served_check(&r->message, &why) != HF_OK)
        return hf_incoming_refuse(r, HF_API_BAD_REQUEST, why.text);
    return r->message.kind != HF_MESSAGE_OPEN || may_be_opened(r);
}

void
hf_incoming_send(struct hf_incoming *r)
{
    struct hf_service *service = r->service;
    struct hf_pending_call *call;

    if (!hf_incoming_is_sound(r))
        return;
    call = add_call(r);
    if (call == NULL)
        return;
    hf_http_tag(service->config.http, call->exchange, call->stream);
    r->message.stream = call->stream;
    service->current = call->stream;
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_MESSAGE,
                                 .message = r->message,
                             });
}

/* ---- Sessions ------------------------------------------------------------ */

static void
fill_open(struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;

    r->message.kind = HF_MESSAGE_OPEN;
    r->message.term = 0;
    r->message.open.ttl = ttl_of(r);
    r->message.open.if_dead =
        hf_incoming_gives(r, HF_API_IF_DEAD) ? body->if_dead : HF_TAKEOVER;
    r->message.open.who = body->who;
    r->message.open.of_key = r->of_key;
    r->message.open.of_acquire = r->opened;
    r->message.open.address =
        r->service->config.peers->address(r->service->peer);
    hf_secret_hash(&r->service->hasher, &r->secret, &r->message.secret);
}

void
hf_incoming_open(struct hf_incoming *r)
{
    struct hf_error why;

    if (r->key.at != NULL) {
        hf_incoming_refuse(
            r, HF_API_BAD_REQUEST,
            "an idempotency-key is of an acquire or a wait, which opens a "
            "session");
        return;
    }
    if (hf_secret_new(&r->message.session, &r->secret, &why) != HF_OK) {
        hf_incoming_refuse(r, HF_API_NO_MEMORY, why.text);
        return;
    }
    fill_open(r);
    hf_incoming_send(r);
}

/* Open a session without an answer of its own.  The request that needs it comes
 * next, also where the session of a key was ended: the answer to the request
 * tells that.  False: there is no session, and that is answered. */
static bool
open_silently(struct hf_incoming *r)
{
    struct hf_service *service = r->service;
    struct hf_pending_call *call;

    service->silent = HF_ANSWER_NOT_LEADING; /* not that of another open */
    fill_open(r);
    if (!hf_incoming_is_sound(r))
        return false;
    call = hf_pending_add(&service->pending);
    if (call == NULL)
        return hf_incoming_refuse(r, HF_API_NO_MEMORY, NULL);
    r->message.stream = call->stream;
    service->refused = false;
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_MESSAGE,
                                 .message = r->message,
                             });
    return service->refused || service->silent == HF_ANSWER_OPENED ||
           service->silent == HF_ANSWER_GONE;
}

/* Why a place in line cannot be kept for a client that polls; NULL: it can
 * [W2]: no stream is silent too long.  A request without a session and a key
 * cannot ask again. */
static const char *
why_no_place(const struct hf_incoming *r)
{
    const struct hf_message *acquire = &r->message;

    if (acquire->acquire.park.ms == 0)
        return NULL;
    if (acquire->acquire.wait == HF_WAIT_TRY)
        return "\"park\" keeps a place in line, and a try has none: let "
               "\"wait\" be a duration";
    if (acquire->session == 0 && !r->of_key)
        return "\"park\" is for who asks again with a \"session\" or an "
               "idempotency-key";
    return NULL;
}

/* A client that asks more rarely than twice a ttl is as silent as a dead one.
 */
static bool
fits_ttl(const struct hf_incoming *r, struct hf_duration ttl)
{
    struct hf_duration park = r->message.acquire.park;
    char why[WHY_SIZE];

    if (park.ms <= ttl.ms / 2)
        return true;
    snprintf(why, sizeof(why),
             "a \"park\" of %" PRId64 " ms is above half of the session's ttl, "
             "%" PRId64 " ms",
             park.ms, ttl.ms);
    return hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
}

bool
hf_incoming_may_park(const struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    uint64_t session = r->message.session;
    const char *why = why_no_place(r);
    struct hf_look_session row;
    uint32_t at =
        table == NULL || session == 0 ? 0 : hf_look_session(table, session);

    if (why != NULL)
        return hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
    if (at == 0)
        return true;
    hf_look_session_at(table, at, &row);
    return fits_ttl(r, row.ttl);
}

/* Does the session have the value that the body gives? */
static bool
session_has(const struct hf_incoming *r, const struct hf_look_session *row,
            enum hf_api_given member)
{
    const struct hf_api_body *body = &r->service->body;
    char who[HF_SERVED_WHO_MAX];
    size_t len;

    if (member == HF_API_TTL)
        return body->ttl.ms == row->ttl.ms;
    if (member == HF_API_IF_DEAD)
        return body->if_dead == row->if_dead;
    len = hf_look_text(hf_seat_table(r->service->seat), row->who, who,
                       sizeof(who));
    return len == body->who.len && memcmp(who, body->who.at, len) == 0;
}

bool
hf_incoming_fits_session(const struct hf_incoming *r)
{
    static const struct {
        enum hf_api_given member;
        const char *name;
    } own[] = {
        {HF_API_TTL, "ttl"}, {HF_API_IF_DEAD, "if_dead"}, {HF_API_WHO, "who"}};
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    uint64_t session = r->message.session;
    struct hf_look_session row;
    uint32_t at =
        table == NULL || session == 0 ? 0 : hf_look_session(table, session);
    char why[WHY_SIZE];

    if (at == 0)
        return true;
    hf_look_session_at(table, at, &row);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (!hf_incoming_gives(r, own[i].member) ||
            session_has(r, &row, own[i].member))
            continue;
        snprintf(why, sizeof(why),
                 "\"%s\" belongs to the session, and this one has another: "
                 "open a session with it",
                 own[i].name);
        return hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
    }
    return true;
}

/* An acquire without a session opens one: of its idempotency key, if it has
 * one, which may be there already. */
static bool
open_for(struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    struct hf_error why;

    r->opened = true;
    if (r->of_key) {
        if (!hf_secret_of_key(r->key, &r->message.session, &r->secret))
            return hf_incoming_refuse(r, HF_API_NO_MEMORY, NULL);
        hf_secret_hash(&r->service->hasher, &r->secret, &r->message.secret);
        if (table != NULL && hf_look_session(table, r->message.session) != 0)
            return hf_incoming_may_park(r);
        if (!fits_ttl(r, ttl_of(r)))
            return false;
    } else if (hf_secret_new(&r->message.session, &r->secret, &why) != HF_OK)
        return hf_incoming_refuse(r, HF_API_NO_MEMORY, why.text);
    if (open_silently(r))
        return true;
    if (r->service->silent == HF_ANSWER_LIMIT)
        return hf_incoming_refuse(r, HF_API_NO_ROOM,
                                  "there is no room for another session");
    return false;
}

/* Open its session, unless the request will be refused. */
bool
hf_incoming_open_first(struct hf_incoming *r)
{
    struct hf_message acquire = r->message;

    if (!hf_incoming_is_sound(r) || !open_for(r))
        return false;
    acquire.session = r->message.session;
    acquire.secret = r->message.secret;
    r->message = acquire;
    return true;
}
