#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/hex.h"
#include "core/lockspace/look.h"
#include "server/meant.h"
#include "server/park.h"
#include "server/parts.h"
#include "server/secret.h"
#include "wire/cleared.h"

/* Requests that are messages to the machine. */

static const char space_default[] = "default";

/* Characters of an idempotency key: it is as good as a session's secret, so it
 * is none that anybody would guess, or send by mistake. */
enum { KEY_MIN = 16, KEY_MAX = 128 };

/* A request on its way to be a message. */
struct hearing {
    struct hf_service *service;
    const struct hf_route *route;
    const struct hf_http_request *request;
    struct hf_message message;
    struct hf_secret secret;
    bool has_secret;
    bool of_key; /* its session is that of its key */
    bool opened;
    bool waits; /* until it is decided, and there is room for that */
};

static void
refuse(const struct hearing *h, enum hf_api_problem problem, const char *detail)
{
    hf_service_refuse(h->service, h->request->exchange, problem, detail);
}

static bool
is_given(const struct hearing *h, enum hf_api_given given)
{
    return (h->service->body.given & given) != 0;
}

/* ---- Who asks ------------------------------------------------------------ */

/* The session of the path, the header, or the body: never of two. */
static bool
read_session(struct hearing *h)
{
    struct hf_bytes field = h->request->fields[HF_HTTP_SESSION];
    uint64_t named[] = {h->service->body.session, 0, h->route->session};

    if (field.at != NULL && !hf_hex_read_u64(field, &named[1])) {
        refuse(h, HF_API_BAD_REQUEST,
               "holdfast-session is an id of 16 hexadecimal digits");
        return false;
    }
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (named[i] != 0 && h->message.session != 0 &&
            named[i] != h->message.session) {
            refuse(h, HF_API_BAD_REQUEST, "two sessions are named");
            return false;
        }
        h->message.session |= named[i];
    }
    return true;
}

/* Who names no session may have a key in its place. */
static bool
read_key(struct hearing *h)
{
    struct hf_bytes key = h->request->fields[HF_HTTP_IDEMPOTENCY_KEY];

    if (key.at == NULL)
        return true;
    h->of_key = h->message.session == 0;
    if (key.len >= KEY_MIN && key.len <= KEY_MAX)
        return true;
    refuse(h, HF_API_BAD_REQUEST,
           "an idempotency-key has from 16 to 128 characters");
    return false;
}

static bool
read_secret(struct hearing *h)
{
    struct hf_bytes field = h->request->fields[HF_HTTP_SECRET];

    h->secret = h->service->body.secret;
    h->has_secret = is_given(h, HF_API_SECRET);
    if (field.at == NULL)
        return true;
    h->has_secret =
        hf_hex_read(field, h->secret.bytes, sizeof(h->secret.bytes));
    if (!h->has_secret)
        refuse(h, HF_API_BAD_REQUEST,
               "holdfast-secret is 32 hexadecimal digits");
    return h->has_secret;
}

/* Nobody keeps a session alive of which no answer has told yet. */
static struct hf_duration
ttl_of(const struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;
    const struct hf_lockspace_config *config =
        &h->service->config.seat.node.lockspace;
    struct hf_duration ttl = {HF_SESSION_TTL_MS};

    if (is_given(h, HF_API_TTL))
        return body->ttl;
    if (h->opened && is_given(h, HF_API_WAIT) && body->wait != HF_WAIT_TRY)
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
static struct hf_call *
add_call(struct hearing *h)
{
    struct hf_call *call = hf_calls_add(&h->service->calls);

    if (call == NULL) {
        refuse(h, HF_API_NO_MEMORY, NULL);
        return NULL;
    }
    call->exchange = h->request->exchange;
    call->peer = h->service->peer;
    call->kind = h->message.kind;
    call->since_us = hf_now_us();
    call->opened = h->opened;
    call->keyed = h->of_key;
    call->session = h->message.session;
    call->lane = h->message.lane;
    call->n = h->message.n;
    call->secret = h->secret;
    call->waits = h->waits;
    if (call->waits)
        h->service->config.waits(h->service->config.ctx, call->peer, true);
    return call;
}

/* What a server that keeps nothing cannot promise, and for how long none does:
 * see L6. */
static bool
may_be_opened(const struct hearing *h)
{
    const struct hf_seat_config *config = &h->service->config.seat;
    struct hf_duration most = config->node.lockspace.ttl_max;
    struct hf_duration ttl = h->message.open.ttl;
    char why[128];

    if (ttl.ms > most.ms) {
        snprintf(why, sizeof(why),
                 "a \"ttl\" of %" PRId64 " ms is above this server's max-ttl, "
                 "%" PRId64 " ms",
                 ttl.ms, most.ms);
        refuse(h, HF_API_BAD_REQUEST, why);
        return false;
    }
    if (h->message.open.if_dead == HF_REFUSE &&
        config->scribe.place.kind->keeps_nothing) {
        refuse(h, HF_API_VOLATILE,
               "this server keeps nothing, and so nothing for a person: let "
               "\"if_dead\" be \"takeover\"");
        return false;
    }
    return true;
}

/* Whatever cannot be kept as it is, is refused at the door. */
static bool
is_sound(const struct hearing *h)
{
    struct hf_error why;

    if (hf_served_check(&h->message, &why) != HF_OK) {
        refuse(h, HF_API_BAD_REQUEST, why.text);
        return false;
    }
    return h->message.kind != HF_MESSAGE_OPEN || may_be_opened(h);
}

static void
send_in(struct hearing *h)
{
    struct hf_service *service = h->service;
    struct hf_call *call;

    if (!is_sound(h))
        return;
    call = add_call(h);
    if (call == NULL)
        return;
    hf_http_tag(service->config.http, call->exchange, call->stream);
    h->message.stream = call->stream;
    service->heard = call->stream;
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_MESSAGE,
                                 .message = h->message,
                             });
}

/* ---- Sessions ------------------------------------------------------------ */

static uint64_t
address_of(const struct hf_service *service)
{
    const struct hf_service_config *config = &service->config;

    return config->address_of == NULL
               ? 0
               : config->address_of(config->ctx, service->peer);
}

static void
fill_open(struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;

    h->message.kind = HF_MESSAGE_OPEN;
    h->message.term = 0;
    h->message.open.ttl = ttl_of(h);
    h->message.open.if_dead =
        is_given(h, HF_API_IF_DEAD) ? body->if_dead : HF_TAKEOVER;
    h->message.open.who = body->who;
    h->message.open.of_key = h->of_key;
    h->message.open.of_acquire = h->opened;
    h->message.open.address = address_of(h->service);
    hf_secret_hash(&h->service->hasher, &h->secret, &h->message.secret);
}

static void
hear_open(struct hearing *h)
{
    struct hf_error why;

    if (h->request->fields[HF_HTTP_IDEMPOTENCY_KEY].at != NULL) {
        refuse(h, HF_API_BAD_REQUEST,
               "an idempotency-key is of an acquire or a wait, which opens a "
               "session");
        return;
    }
    if (hf_secret_new(&h->message.session, &h->secret, &why) != HF_OK) {
        refuse(h, HF_API_NO_MEMORY, why.text);
        return;
    }
    fill_open(h);
    send_in(h);
}

/* Open one that nobody listens for: its own request comes next, also where the
 * session of a key was ended, of which it is told then.  False: there is none,
 * and that is answered. */
static bool
open_silently(struct hearing *h)
{
    struct hf_service *service = h->service;
    struct hf_call *call;

    service->silent = HF_ANSWER_NOT_LEADING; /* not that of another open */
    fill_open(h);
    if (!is_sound(h))
        return false;
    call = hf_calls_add(&service->calls);
    if (call == NULL) {
        refuse(h, HF_API_NO_MEMORY, NULL);
        return false;
    }
    h->message.stream = call->stream;
    service->refused = false;
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_MESSAGE,
                                 .message = h->message,
                             });
    return service->refused || service->silent == HF_ANSWER_OPENED ||
           service->silent == HF_ANSWER_GONE;
}

/* Of a place that is to be kept; of a key's session, once it is known. */
static bool
may_park(const struct hearing *h)
{
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    uint64_t session = h->message.session;
    char why[HF_PARK_WHY_SIZE];
    struct hf_look_session row;
    uint32_t at =
        table == NULL || session == 0 ? 0 : hf_look_session(table, session);

    if (at != 0)
        hf_look_session_at(table, at, &row);
    if (hf_park_has_place(&h->message, session != 0 || h->of_key, why) &&
        (at == 0 || hf_park_fits(&h->message, row.ttl, why)))
        return true;
    refuse(h, HF_API_BAD_REQUEST, why);
    return false;
}

/* An acquire without a session opens one: of its idempotency key, if it has
 * one, which may be there already. */
static bool
open_for(struct hearing *h)
{
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    struct hf_bytes key = h->request->fields[HF_HTTP_IDEMPOTENCY_KEY];
    char park[HF_PARK_WHY_SIZE];
    struct hf_error why;

    h->opened = true;
    if (h->of_key) {
        hf_secret_of_key(key, &h->message.session, &h->secret);
        hf_secret_hash(&h->service->hasher, &h->secret, &h->message.secret);
        if (table != NULL && hf_look_session(table, h->message.session) != 0)
            return may_park(h);
        if (!hf_park_fits(&h->message, ttl_of(h), park)) {
            refuse(h, HF_API_BAD_REQUEST, park);
            return false;
        }
    } else if (hf_secret_new(&h->message.session, &h->secret, &why) != HF_OK) {
        refuse(h, HF_API_NO_MEMORY, why.text);
        return false;
    }
    if (open_silently(h))
        return true;
    if (h->service->silent == HF_ANSWER_LIMIT)
        refuse(h, HF_API_NO_ROOM, "there is no room for another session");
    return false;
}

/* ---- Locks --------------------------------------------------------------- */

static struct hf_bytes
space_of(const struct hearing *h)
{
    const struct hf_route_text *space = &h->route->space;

    if (space->is_given)
        return (struct hf_bytes){space->at, space->len};
    if (is_given(h, HF_API_SPACE))
        return h->service->body.space;
    return (struct hf_bytes){space_default, sizeof(space_default) - 1};
}

/* What names a lock twice is not understood as either. */
static bool
names_once(const struct hearing *h)
{
    const char *why = NULL;

    if (h->route->name.is_given &&
        (is_given(h, HF_API_LOCKS) || is_given(h, HF_API_NAME)))
        why = "the path names the lock: the body has no \"locks\" and no "
              "\"name\" then";
    else if (is_given(h, HF_API_LOCKS) && is_given(h, HF_API_NAME))
        why = "either \"locks\" or a \"name\"";
    else if (h->route->space.is_given && is_given(h, HF_API_SPACE))
        why = "the query names the space: the body has no \"space\" then";
    if (why != NULL)
        refuse(h, HF_API_BAD_REQUEST, why);
    return why == NULL;
}

/* The lock of the path, or those of the body.  False: it names them twice, and
 * that is answered. */
static bool
read_wants(struct hearing *h)
{
    struct hf_service *service = h->service;
    const struct hf_api_body *body = &service->body;
    const struct hf_route_text *name = &h->route->name;
    struct hf_bytes space = space_of(h);

    if (!names_once(h))
        return false;
    if (name->is_given || body->locks_count == 0) {
        service->wants_count = name->is_given || is_given(h, HF_API_NAME);
        service->wants[0] = (struct hf_want){
            .space = space,
            .name = name->is_given ? (struct hf_bytes){name->at, name->len}
                                   : body->name,
            .mode = is_given(h, HF_API_MODE) ? body->mode : HF_EXCLUSIVE,
        };
        return true;
    }
    service->wants_count = body->locks_count;
    for (size_t i = 0; i < body->locks_count; i++) {
        service->wants[i] = body->locks[i];
        if (service->wants[i].space.len == 0)
            service->wants[i].space = space;
    }
    return true;
}

/* What it asks of the session of its key, which may be there already. */
static struct hf_of_key
key_of(const struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;

    return (struct hf_of_key){
        .given = h->of_key,
        .ttl_given = is_given(h, HF_API_TTL),
        .if_dead_given = is_given(h, HF_API_IF_DEAD),
        .ttl = body->ttl,
        .if_dead = body->if_dead,
        .any_mode = body->locks_count > 0 ? body->locks_any_mode
                                          : !is_given(h, HF_API_MODE),
    };
}

/* Which of its requests it is; who says nothing has one lane, and its number
 * follows from what it names. */
static void
read_request(struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;

    h->message.term = is_given(h, HF_API_TERM)
                          ? body->term
                          : hf_seat_node(h->service->seat)->term;
    h->message.lowest = body->lowest;
    h->message.lane = is_given(h, HF_API_LANE) ? body->lane : 1;
    h->message.n = body->n;
    h->message.a = is_given(h, HF_API_A) ? body->a : ++h->service->attempts;
}

/* Open its session, unless the request will be refused. */
static bool
open_first(struct hearing *h)
{
    struct hf_message acquire = h->message;

    if (!is_sound(h) || !open_for(h))
        return false;
    acquire.session = h->message.session;
    acquire.secret = h->message.secret;
    h->message = acquire;
    return true;
}

/* A request has a number, be it given or not; a new session's has the first,
 * and so has that of a key. */
static void
set_number(struct hearing *h)
{
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    struct hf_message *m = &h->message;

    if (is_given(h, HF_API_N))
        return;
    if (table == NULL || m->session == 0)
        m->n = 1;
    else if (m->kind == HF_MESSAGE_ACQUIRE)
        m->n = hf_look_asked(table, m);
    else if (m->kind == HF_MESSAGE_RELEASE)
        m->n = hf_meant_release(table, m, &h->service->wants[0]);
    else
        m->n = hf_look_meant(table, m->session, m->lane, &h->service->wants[0]);
}

/* What is not given is a try, unless a place is to be kept: then it is not
 * waited in. */
static enum hf_wait_kind
wait_of(const struct hf_api_body *body)
{
    if ((body->given & HF_API_WAIT) != 0)
        return body->wait;
    return body->park.ms > 0 ? HF_WAIT_LIMITED : HF_WAIT_TRY;
}

/* What has no time is decided at once, but in a grace. */
static bool
takes_time(const struct hf_lockspace *table, const struct hf_message *acquire)
{
    return acquire->acquire.wait == HF_WAIT_FOREVER ||
           (acquire->acquire.wait == HF_WAIT_LIMITED &&
            (acquire->acquire.remaining.ms > 0 || hf_look_gathers(table)));
}

/* Whoever waits has a connection for as long. */
static bool
may_wait(struct hearing *h)
{
    const struct hf_service_config *config = &h->service->config;
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    const struct hf_message *m = &h->message;
    uint64_t session = m->session;
    struct hf_secret secret;

    if (config->may_wait == NULL || table == NULL || !takes_time(table, m))
        return true;
    if (h->of_key)
        hf_secret_of_key(h->request->fields[HF_HTTP_IDEMPOTENCY_KEY], &session,
                         &secret);
    h->waits =
        config->may_wait(config->ctx, h->service->peer,
                         hf_look_waiting(table, session, m->lane, 0) != 0);
    if (h->waits)
        return true;
    hf_metrics_refused(&h->service->metrics, hf_now());
    hf_log_refused(config->log, hf_now());
    refuse(h, HF_API_NO_ROOM,
           "too many connections wait: the others are for who does not; "
           "holdfastd has more with a larger --connections");
    return false;
}

static void
hear_acquire(struct hearing *h)
{
    struct hf_service *service = h->service;
    const struct hf_api_body *body = &service->body;

    if (!read_key(h) || !read_wants(h))
        return;
    read_request(h);
    h->message.kind = HF_MESSAGE_ACQUIRE;
    h->message.acquire.wants = service->wants;
    h->message.acquire.wants_count = service->wants_count;
    h->message.acquire.free = body->free || h->route->kind == HF_ROUTE_WAIT;
    h->message.acquire.wait = wait_of(body);
    h->message.acquire.remaining = body->remaining;
    h->message.acquire.park = body->park;
    h->message.acquire.waited = body->waited;
    h->message.acquire.seen = body->seen;
    h->message.acquire.note = body->note;
    h->message.acquire.key = key_of(h);
    set_number(h);
    if (!may_wait(h) || !may_park(h) ||
        (h->message.session == 0 && !open_first(h)))
        return;
    send_in(h);
}

/* A path that names a lock is of that lock: whoever mistakes one for another
 * gives nothing back. */
static void
hear_release(struct hearing *h)
{
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    const char *why = NULL;

    if (!read_wants(h))
        return;
    read_request(h);
    h->message.kind = HF_MESSAGE_RELEASE;
    set_number(h);
    if (h->route->name.is_given && table != NULL)
        why = hf_meant_another(table, &h->message, &h->service->wants[0]);
    if (why != NULL)
        refuse(h, HF_API_BAD_REQUEST, why);
    else
        send_in(h);
}

static void
hear_change(struct hearing *h)
{
    if (!read_wants(h))
        return;
    read_request(h);
    h->message.kind = HF_MESSAGE_CHANGE;
    set_number(h);
    h->message.change = h->service->wants[0];
    send_in(h);
}

static void
hear_keep_alive(struct hearing *h)
{
    read_request(h);
    h->message.kind = HF_MESSAGE_KEEP_ALIVE;
    send_in(h);
}

/* Each is answered within its step, and all of them together. */
static void
hear_keep_alives(struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;

    if (body->sessions_count == 0) {
        refuse(h, HF_API_BAD_REQUEST, "which \"sessions\"?");
        return;
    }
    if (!hf_service_gather(h->service, h->request->exchange)) {
        refuse(h, HF_API_NO_MEMORY, NULL);
        return;
    }
    for (size_t i = 0; i < body->sessions_count; i++) {
        const struct hf_api_alive *alive = &body->sessions[i];

        h->message = (struct hf_message){
            .kind = HF_MESSAGE_KEEP_ALIVE,
            .session = alive->session,
            .term = alive->has_term ? alive->term
                                    : hf_seat_node(h->service->seat)->term,
            .lowest = alive->lowest,
        };
        hf_secret_hash(&h->service->hasher, &alive->secret, &h->message.secret);
        hf_service_gather_one(h->service, &h->message);
    }
    hf_service_gathered(h->service);
}

static void
hear_of_session(struct hearing *h, enum hf_message_kind kind)
{
    read_request(h);
    h->message.kind = kind;
    send_in(h);
}

/* An operator has asked for it, and it was there. */
static void
log_clear(struct hf_log *log, const struct hf_cleared *cleared, uint64_t fence)
{
    const struct hf_log_field fields[] = {
        {"space", cleared->space, 0},
        {"name", cleared->name, 0},
        {"fence", NULL, fence},
        {"by", cleared->by.user, 0},
        {"why", cleared->by.reason, 0},
        {"holder",
         cleared->forced ? "forced"
         : cleared->gone ? "gone"
                         : "suspected",
         0},
        {NULL, NULL, 0},
    };

    hf_log_say(log, HF_LOG_WARN, "clear", fields);
}

/* Who clears it, and why, as the body says. */
static void
fill_cleared(const struct hearing *h, struct hf_cleared *cleared)
{
    const struct hf_api_body *body = &h->service->body;
    const struct hf_want *lock = &h->service->wants[0];

    memcpy(cleared->space, lock->space.at, lock->space.len);
    memcpy(cleared->name, lock->name.at, lock->name.len);
    hf_text_show(cleared->by.user, sizeof(cleared->by.user), body->who.at,
                 body->who.len);
    hf_text_show(cleared->by.reason, sizeof(cleared->by.reason),
                 body->reason.at, body->reason.len);
    cleared->by.since_ms = hf_wall_ms();
    cleared->forced = body->force;
    cleared->gone = body->gone;
}

/* What the audit is to say is written while it is all there to be looked at
 * [S6]. */
static void
send_clear(struct hearing *h)
{
    struct hf_lockspace *table = hf_seat_table(h->service->seat);
    uint64_t fence = h->service->body.fence;
    struct hf_served_memory memory;
    struct hf_cleared cleared = {.name = ""};
    struct hf_look_claim row;
    char audit[HF_RECORD_TEXT_MAX];

    fill_cleared(h, &cleared);
    memory.texts_len = 0;
    if (table == NULL ||
        !hf_cleared_look(table, fence, hf_wall_ms(), &memory, &cleared)) {
        send_in(h);
        return;
    }
    h->message.clear.audit.len =
        hf_cleared_encode(&cleared, audit, sizeof(audit));
    h->message.clear.audit.at = audit;
    send_in(h);
    h->message.clear.audit = (struct hf_bytes){NULL, 0}; /* it ends here */
    table = hf_seat_table(h->service->seat);
    if (table != NULL &&
        !hf_look_holder(table, &h->message.clear.lock, fence, &row))
        log_clear(h->service->config.log, &cleared, fence);
}

/* An operator's. */
static void
hear_clear(struct hearing *h)
{
    const struct hf_api_body *body = &h->service->body;

    if (!read_wants(h))
        return;
    h->message.kind = HF_MESSAGE_CLEAR;
    h->message.clear.lock = h->service->wants[0];
    h->message.clear.fence = body->fence;
    h->message.clear.at_once = body->force || body->gone;
    if (!is_sound(h))
        return;
    if (!is_given(h, HF_API_FENCE))
        refuse(h, HF_API_BAD_REQUEST,
               "a clear has the \"fence\" of the grant that was shown");
    else if (!hf_text_has_word(body->reason.at, body->reason.len))
        refuse(h, HF_API_BAD_REQUEST,
               "a clear has a \"reason\", with a letter or a digit in it");
    else
        send_clear(h);
}

/* ---- All of them --------------------------------------------------------- */

static void
hear(struct hearing *h)
{
    switch (h->route->kind) {
    case HF_ROUTE_OPEN:
        hear_open(h);
        return;
    case HF_ROUTE_KEEP_ALIVE:
        hear_keep_alive(h);
        return;
    case HF_ROUTE_KEEP_ALIVES:
        hear_keep_alives(h);
        return;
    case HF_ROUTE_PAGE:
        hear_of_session(h, HF_MESSAGE_PAGE);
        return;
    case HF_ROUTE_END:
        hear_of_session(h, HF_MESSAGE_END);
        return;
    case HF_ROUTE_ACQUIRE:
    case HF_ROUTE_WAIT:
        hear_acquire(h);
        return;
    case HF_ROUTE_RELEASE:
        hear_release(h);
        return;
    case HF_ROUTE_CHANGE:
        hear_change(h);
        return;
    case HF_ROUTE_CLEAR:
        hear_clear(h);
        return;
    case HF_ROUTE_LIST:
    case HF_ROUTE_SESSIONS:
    case HF_ROUTE_SHOW:
    case HF_ROUTE_WHY:
    case HF_ROUTE_AUDIT:
    case HF_ROUTE_INFO:
    case HF_ROUTE_HEALTH:
    case HF_ROUTE_READY:
    case HF_ROUTE_METRICS:
        break;
    }
    HF_CHECK(!"these only look");
}

static bool
needs_session(enum hf_route_kind kind)
{
    return kind == HF_ROUTE_RELEASE || kind == HF_ROUTE_CHANGE;
}

/* A wish that nobody heard would change what is done.  What keeps a lock, or
 * gives it back, is heard all the same. */
static bool
has_unheard(const struct hearing *h)
{
    const char *unknown = h->service->body.unknown;
    char why[HF_API_UNKNOWN_SIZE + 32];

    if (unknown[0] == '\0' ||
        (h->route->kind != HF_ROUTE_OPEN &&
         h->route->kind != HF_ROUTE_ACQUIRE &&
         h->route->kind != HF_ROUTE_WAIT && h->route->kind != HF_ROUTE_CHANGE &&
         h->route->kind != HF_ROUTE_CLEAR))
        return false;
    snprintf(why, sizeof(why), "there is no member \"%s\"", unknown);
    refuse(h, HF_API_BAD_REQUEST, why);
    return true;
}

void
hf_service_hear(struct hf_service *service, const struct hf_route *route,
                const struct hf_http_request *request)
{
    struct hearing h = {
        .service = service,
        .route = route,
        .request = request,
    };
    struct hf_error why;
    enum hf_status status = hf_api_body_read(
        request->body.at, request->body.len, &service->body, &why);

    if (status != HF_OK) {
        refuse(&h, status == HF_E_LIMIT ? HF_API_TOO_LARGE : HF_API_BAD_REQUEST,
               why.text);
        return;
    }
    if (has_unheard(&h) || !read_session(&h) || !read_secret(&h))
        return;
    if (needs_session(route->kind) && h.message.session == 0) {
        refuse(&h, HF_API_BAD_REQUEST, "whose it is must be said: \"session\"");
        return;
    }
    hf_secret_hash(&service->hasher, &h.secret, &h.message.secret);
    hear(&h);
}
