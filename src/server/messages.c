#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/limits.h"
#include "core/lockspace/look.h"
#include "server/incoming.h"
#include "wire/cleared.h"
#include "wire/json.h"
#include "wire/record.h"

/* Requests that are messages to the machine. */

static const char space_default[] = "default";

/* ---- Which request a release is for -------------------------------------- */

/* Of thousands that were cleared and not released. */
enum { CLEARED_LOOKS_MAX = 100 };

enum names {
    NAMES_NOTHING, /* that is known */
    NAMES_IT,
    NAMES_OTHERS,
    NAMES_OTHERS_CLEARED, /* it holds none now */
};

static bool
is_text(struct hf_bytes value, struct hf_bytes text)
{
    char shown[HF_NAME_MAX + 1];

    hf_json_show(value, shown, sizeof(shown));
    return strlen(shown) == text.len && memcmp(shown, text.at, text.len) == 0;
}

/* The names of a cleared grant are in its audit alone (wire/cleared.h). */
static enum names
cleared_names(const struct hf_lockspace *table, uint32_t claim,
              const struct hf_want *lock)
{
    char bytes[HF_RECORD_TEXT_MAX];
    struct hf_bytes audit = {bytes, 0};
    struct hf_bytes locks;
    struct hf_bytes row;
    size_t at = 0;

    audit.len = hf_look_text(table, hf_look_audit_at(table, claim), bytes,
                             sizeof(bytes));
    locks = hf_json_member(hf_json_member(audit, "cleared"), "locks");
    while (hf_json_next(locks, &at, &row))
        if (is_text(hf_json_member(row, "space"), lock->space) &&
            is_text(hf_json_member(row, "name"), lock->name))
            return NAMES_IT;
    return at > 0 ? NAMES_OTHERS_CLEARED : NAMES_NOTHING;
}

/* Does a request hold that lock, or wait for it, or was its grant of it
 * cleared? */
static enum names
names_of(struct hf_lockspace *table, uint32_t claim, const struct hf_want *lock)
{
    struct hf_look_name named = {.number = 0};
    struct hf_look_name row;
    enum hf_mode mode;
    uint32_t cursor = 0;
    bool any = false;

    (void)hf_look_find(table, lock, &named);
    while (hf_look_grant_names(table, claim, &cursor, &row, &mode)) {
        if (row.number == named.number)
            return NAMES_IT;
        any = true;
    }
    return any ? NAMES_OTHERS : cleared_names(table, claim, lock);
}

/* Are all the locks that the release names those of one request?  0: of a
 * request that is over, nothing is known. */
static enum names
names_all(const struct hf_incoming *r, uint32_t claim)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    enum names names = claim == 0 ? NAMES_NOTHING : NAMES_IT;

    for (size_t i = 0; names == NAMES_IT && i < r->service->wants_count; i++)
        names = names_of(table, claim, &r->service->wants[i]);
    return names;
}

/* The lane's request n; 0: it neither holds nor waits. */
static uint32_t
request_of(struct hf_lockspace *table, const struct hf_message *m, uint64_t n)
{
    uint32_t held = hf_look_held(table, m->session, m->lane, n);

    return held != 0 ? held : hf_look_waiting(table, m->session, m->lane, n);
}

/* 0: none of the lane's was. */
static uint64_t
cleared_of(const struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    struct hf_look_claim row;
    uint32_t cursor = 0;
    uint64_t fence;

    for (int looks = 0;
         looks < CLEARED_LOOKS_MAX &&
         hf_lockspace_revoked(table, r->message.session, &cursor, &fence);
         looks++) {
        hf_look_grant_at(table, cursor, &row);
        if (row.lane == r->message.lane && names_all(r, cursor) == NAMES_IT)
            return row.n;
    }
    return 0;
}

/* The number of the request that a release without a number is for: the one
 * that has the locks, the one of which they were cleared, or else the lane's
 * last. */
static uint64_t
number_of_release(const struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    const struct hf_service *service = r->service;
    const struct hf_message *m = &r->message;
    uint64_t cleared = 0;

    for (size_t i = 0; i < service->wants_count; i++) {
        uint64_t n =
            hf_look_meant(table, m->session, m->lane, &service->wants[i]);

        if (names_all(r, request_of(table, m, n)) == NAMES_IT)
            return n;
    }
    if (service->wants_count > 0)
        cleared = cleared_of(r);
    if (cleared != 0)
        return cleared;
    return hf_look_meant(table, m->session, m->lane, &service->wants[0]);
}

/* Why the request `m->n` is not for these locks; NULL: it is, or its locks are
 * not known any more. */
static const char *
why_another(const struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    const struct hf_message *m = &r->message;
    enum names names = table == NULL ? NAMES_NOTHING
                                     : names_all(r, request_of(table, m, m->n));

    if (names == NAMES_NOTHING || names == NAMES_IT)
        return NULL;
    if (r->service->wants_count > 1)
        return "that request does not have all of these locks";
    if (names == NAMES_OTHERS_CLEARED)
        return "that request held another lock, which was cleared";
    return hf_look_waiting(table, m->session, m->lane, m->n) != 0
               ? "that request waits for another lock"
               : "that request holds another lock";
}

/* ---- Locks --------------------------------------------------------------- */

static struct hf_bytes
space_of(const struct hf_incoming *r)
{
    const struct hf_route_text *space = &r->route->space;

    if (space->is_given)
        return (struct hf_bytes){space->at, space->len};
    if (hf_incoming_gives(r, HF_API_SPACE))
        return r->service->body.space;
    return (struct hf_bytes){space_default, sizeof(space_default) - 1};
}

/* A request that names a lock twice is refused. */
static bool
names_once(const struct hf_incoming *r)
{
    const char *why = NULL;

    if (r->route->name.is_given && (hf_incoming_gives(r, HF_API_LOCKS) ||
                                    hf_incoming_gives(r, HF_API_NAME)))
        why = "the path names the lock: the body has no \"locks\" and no "
              "\"name\" then";
    else if (hf_incoming_gives(r, HF_API_LOCKS) &&
             hf_incoming_gives(r, HF_API_NAME))
        why = "either \"locks\" or a \"name\"";
    else if (r->route->space.is_given && hf_incoming_gives(r, HF_API_SPACE))
        why = "the query names the space: the body has no \"space\" then";
    if (why != NULL)
        hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
    return why == NULL;
}

/* The lock of the path, or those of the body.  False: it names them twice, and
 * that is answered. */
static bool
read_wants(struct hf_incoming *r)
{
    struct hf_service *service = r->service;
    const struct hf_api_body *body = &service->body;
    const struct hf_route_text *name = &r->route->name;
    struct hf_bytes space = space_of(r);

    if (!names_once(r))
        return false;
    if (name->is_given || body->locks_count == 0) {
        service->wants_count =
            name->is_given || hf_incoming_gives(r, HF_API_NAME);
        service->wants[0] = (struct hf_want){
            .space = space,
            .name = name->is_given ? (struct hf_bytes){name->at, name->len}
                                   : body->name,
            .mode =
                hf_incoming_gives(r, HF_API_MODE) ? body->mode : HF_EXCLUSIVE,
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

/* Is there a space, or a list, of no lock? */
static bool
names_none(const struct hf_incoming *r)
{
    return r->service->wants_count == 0 &&
           (r->route->space.is_given || hf_incoming_gives(r, HF_API_SPACE) ||
            hf_incoming_gives(r, HF_API_LOCKS));
}

/* What the session of its key must be like, if it is there already. */
static struct hf_of_key
key_of(const struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;

    return (struct hf_of_key){
        .given = r->of_key,
        .ttl_given = hf_incoming_gives(r, HF_API_TTL),
        .if_dead_given = hf_incoming_gives(r, HF_API_IF_DEAD),
        .ttl = body->ttl,
        .if_dead = body->if_dead,
        .any_mode = body->locks_count > 0 ? body->locks_any_mode
                                          : !hf_incoming_gives(r, HF_API_MODE),
    };
}

/* Which request of the session it is.  By default it is in lane 1, and its
 * number follows from the locks that it names. */
static void
read_request(struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;

    r->message.term = hf_incoming_gives(r, HF_API_TERM)
                          ? body->term
                          : hf_seat_node(r->service->seat)->term;
    r->message.lowest = body->lowest;
    r->message.lane = hf_incoming_gives(r, HF_API_LANE) ? body->lane : 1;
    r->message.n = body->n;
    r->message.a =
        hf_incoming_gives(r, HF_API_A) ? body->a : ++r->service->attempts;
}

/* A request has a number, given or not.  The first request of a session, or of
 * a key, has the first number. */
static void
set_number(struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    struct hf_message *m = &r->message;

    if (hf_incoming_gives(r, HF_API_N))
        return;
    if (table == NULL || m->session == 0)
        m->n = 1;
    else if (m->kind == HF_MESSAGE_ACQUIRE)
        m->n = hf_look_asked(table, m);
    else if (m->kind == HF_MESSAGE_RELEASE)
        m->n = number_of_release(r);
    else
        m->n = hf_look_meant(table, m->session, m->lane, &r->service->wants[0]);
}

/* The default is a try; but with a place to be kept it is a wait of no time. */
static enum hf_wait_kind
wait_of(const struct hf_api_body *body)
{
    if ((body->given & HF_API_WAIT) != 0)
        return body->wait;
    return body->park.ms > 0 ? HF_WAIT_LIMITED : HF_WAIT_TRY;
}

/* A wait of no time is decided at once, except in a grace. */
static bool
takes_time(const struct hf_lockspace *table, const struct hf_message *acquire)
{
    return acquire->acquire.wait == HF_WAIT_FOREVER ||
           (acquire->acquire.wait == HF_WAIT_LIMITED &&
            (acquire->acquire.remaining.ms > 0 || hf_look_gathers(table)));
}

/* A request that waits occupies its connection for as long. */
static bool
may_wait(struct hf_incoming *r)
{
    const struct hf_service_config *config = &r->service->config;
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    const struct hf_message *m = &r->message;
    uint64_t session = m->session;
    struct hf_secret secret;

    if (table == NULL || !takes_time(table, m))
        return true;
    if (r->of_key && !hf_secret_of_key(r->key, &session, &secret))
        return hf_incoming_refuse(r, HF_API_NO_MEMORY, NULL);
    if (!config->peers->has_stream(r->service->peer))
        return hf_incoming_refuse(r, HF_API_NO_ROOM,
                                  "too many requests of this connection wait");
    r->waits = config->peers->may_wait(
        r->service->peer, hf_look_waiting(table, session, m->lane, 0) != 0);
    if (r->waits)
        return true;
    hf_metrics_refused(&r->service->metrics, hf_now());
    hf_log_refused(config->log, hf_now());
    hf_incoming_refuse(
        r, HF_API_NO_ROOM,
        "too many connections wait: the others are for who does not; "
        "holdfastd has more with a larger --connections");
    return false;
}

static void
handle_acquire(struct hf_incoming *r)
{
    struct hf_service *service = r->service;
    const struct hf_api_body *body = &service->body;

    if (!hf_incoming_read_key(r) || !hf_incoming_fits_session(r) ||
        !read_wants(r))
        return;
    read_request(r);
    r->message.kind = HF_MESSAGE_ACQUIRE;
    r->message.acquire.wants = service->wants;
    r->message.acquire.wants_count = service->wants_count;
    r->message.acquire.free = body->free || r->route->kind == HF_ROUTE_WAIT;
    r->message.acquire.wait = wait_of(body);
    r->message.acquire.remaining = body->remaining;
    r->message.acquire.park = body->park;
    r->message.acquire.waited = body->waited;
    r->message.acquire.seen = body->seen;
    r->message.acquire.note = body->note;
    r->message.acquire.key = key_of(r);
    set_number(r);
    if (!may_wait(r) || !hf_incoming_may_park(r) ||
        (r->message.session == 0 && !hf_incoming_open_first(r)))
        return;
    hf_incoming_send(r);
}

/* A release that names locks is for a request that has them: a client that
 * mistakes one for another gives nothing back. */
static void
handle_release(struct hf_incoming *r)
{
    const char *why;

    if (!read_wants(r))
        return;
    read_request(r);
    r->message.kind = HF_MESSAGE_RELEASE;
    set_number(r);
    if (names_none(r))
        why = "no lock is named";
    else
        why = why_another(r);
    if (why != NULL)
        hf_incoming_refuse(r, HF_API_BAD_REQUEST, why);
    else
        hf_incoming_send(r);
}

static void
handle_change(struct hf_incoming *r)
{
    if (!read_wants(r))
        return;
    read_request(r);
    r->message.kind = HF_MESSAGE_CHANGE;
    set_number(r);
    r->message.change = r->service->wants[0];
    hf_incoming_send(r);
}

static void
handle_keep_alive(struct hf_incoming *r)
{
    read_request(r);
    r->message.kind = HF_MESSAGE_KEEP_ALIVE;
    hf_incoming_send(r);
}

/* Each is answered within its step, and all of them together. */
static void
handle_keep_alives(struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;

    if (body->sessions_count == 0) {
        hf_incoming_refuse(r, HF_API_BAD_REQUEST, "which \"sessions\"?");
        return;
    }
    if (!hf_service_batch_begin(r->service, r->http->exchange)) {
        hf_incoming_refuse(r, HF_API_NO_MEMORY, NULL);
        return;
    }
    for (size_t i = 0; i < body->sessions_count; i++) {
        const struct hf_api_alive *alive = &body->sessions[i];

        r->message = (struct hf_message){
            .kind = HF_MESSAGE_KEEP_ALIVE,
            .session = alive->session,
            .term = alive->has_term ? alive->term
                                    : hf_seat_node(r->service->seat)->term,
            .lowest = alive->lowest,
        };
        hf_secret_hash(&r->service->hasher, &alive->secret, &r->message.secret);
        hf_service_batch_add(r->service, &r->message);
    }
    hf_service_batch_end(r->service);
}

static void
handle_of_session(struct hf_incoming *r, enum hf_message_kind kind)
{
    read_request(r);
    r->message.kind = kind;
    hf_incoming_send(r);
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

/* From the body: who clears it, and why. */
static void
fill_cleared(const struct hf_incoming *r, struct hf_cleared *cleared)
{
    const struct hf_api_body *body = &r->service->body;
    const struct hf_want *lock = &r->service->wants[0];

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

/* The text of the audit is made before the clear, while all that it tells is
 * still in the table [S6]: a clear is recorded. */
static void
send_clear(struct hf_incoming *r)
{
    struct hf_lockspace *table = hf_seat_table(r->service->seat);
    uint64_t fence = r->service->body.fence;
    struct hf_served_memory memory;
    struct hf_cleared cleared = {.name = ""};
    struct hf_look_claim row;
    char audit[HF_RECORD_TEXT_MAX];

    fill_cleared(r, &cleared);
    memory.texts_len = 0;
    if (table == NULL ||
        !hf_cleared_look(table, fence, hf_wall_ms(), &memory, &cleared)) {
        hf_incoming_send(r);
        return;
    }
    r->message.clear.audit.len =
        hf_cleared_encode(&cleared, audit, sizeof(audit));
    r->message.clear.audit.at = audit;
    hf_incoming_send(r);
    r->message.clear.audit = (struct hf_bytes){NULL, 0}; /* it ends here */
    table = hf_seat_table(r->service->seat);
    if (table != NULL &&
        !hf_look_holder(table, &r->message.clear.lock, fence, &row))
        log_clear(r->service->config.log, &cleared, fence);
}

/* An operator's. */
static void
handle_clear(struct hf_incoming *r)
{
    const struct hf_api_body *body = &r->service->body;

    if (!read_wants(r))
        return;
    r->message.kind = HF_MESSAGE_CLEAR;
    r->message.clear.lock = r->service->wants[0];
    r->message.clear.fence = body->fence;
    r->message.clear.at_once = body->force || body->gone;
    if (!hf_incoming_is_sound(r))
        return;
    if (!hf_incoming_gives(r, HF_API_FENCE))
        hf_incoming_refuse(
            r, HF_API_BAD_REQUEST,
            "a clear has the \"fence\" of the grant that was shown");
    else if (!hf_text_has_word(body->reason.at, body->reason.len))
        hf_incoming_refuse(
            r, HF_API_BAD_REQUEST,
            "a clear has a \"reason\", with a letter or a digit in it");
    else
        send_clear(r);
}

/* ---- All of them --------------------------------------------------------- */

static void
handle(struct hf_incoming *r)
{
    switch (r->route->kind) {
    case HF_ROUTE_OPEN:
        hf_incoming_open(r);
        return;
    case HF_ROUTE_KEEP_ALIVE:
        handle_keep_alive(r);
        return;
    case HF_ROUTE_KEEP_ALIVES:
        handle_keep_alives(r);
        return;
    case HF_ROUTE_PAGE:
        handle_of_session(r, HF_MESSAGE_PAGE);
        return;
    case HF_ROUTE_END:
        handle_of_session(r, HF_MESSAGE_END);
        return;
    case HF_ROUTE_ACQUIRE:
    case HF_ROUTE_WAIT:
        handle_acquire(r);
        return;
    case HF_ROUTE_RELEASE:
        handle_release(r);
        return;
    case HF_ROUTE_CHANGE:
        handle_change(r);
        return;
    case HF_ROUTE_CLEAR:
        handle_clear(r);
        return;
    case HF_ROUTE_STREAM:
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
    HF_CHECK(!"these are no messages");
}

static bool
needs_session(enum hf_route_kind kind)
{
    return kind == HF_ROUTE_RELEASE || kind == HF_ROUTE_CHANGE;
}

/* ---- What each may have -------------------------------------------------- */

enum {
    OF_SESSION = HF_API_SESSION | HF_API_SECRET | HF_API_TERM | HF_API_LOWEST,
    OF_REQUEST = OF_SESSION | HF_API_LANE | HF_API_N | HF_API_A,
    OF_LOCKS = HF_API_SPACE | HF_API_NAME | HF_API_LOCKS,
    OF_OPEN = HF_API_TTL | HF_API_IF_DEAD | HF_API_WHO,
    OF_ACQUIRE = OF_REQUEST | OF_OPEN | OF_LOCKS | HF_API_MODE | HF_API_WAIT |
                 HF_API_PARK | HF_API_WAITED | HF_API_SEEN | HF_API_FREE |
                 HF_API_NOTE,
    OF_CLEAR = OF_LOCKS | HF_API_FENCE | HF_API_REASON | HF_API_WHO |
               HF_API_FORCE | HF_API_GONE,
};

/* What a line has beside; one that opens a session by itself has no key. */
enum { OF_LINE = HF_API_ID | HF_API_DO | HF_API_KEY };

static const struct hf_api_form forms[] = {
    [HF_ROUTE_OPEN] = {"a session", OF_OPEN},
    [HF_ROUTE_KEEP_ALIVE] = {"a keep-alive", OF_SESSION},
    [HF_ROUTE_KEEP_ALIVES] = {"a keep-alive of many", HF_API_SESSIONS},
    [HF_ROUTE_PAGE] = {"a page", OF_SESSION | HF_API_FENCES},
    [HF_ROUTE_END] = {"the end of a session", OF_SESSION},
    [HF_ROUTE_ACQUIRE] = {"an acquire", OF_ACQUIRE},
    [HF_ROUTE_WAIT] = {"a wait", OF_ACQUIRE},
    [HF_ROUTE_RELEASE] = {"a release", OF_REQUEST | OF_LOCKS},
    [HF_ROUTE_CHANGE] = {"a change", OF_REQUEST | OF_LOCKS},
    [HF_ROUTE_CLEAR] = {"a clear", OF_CLEAR},
};

/* False: the request is refused, and that is answered. */
static bool
read_body(struct hf_incoming *r)
{
    struct hf_service *service = r->service;
    struct hf_api_form form = forms[r->route->kind];
    struct hf_error why;
    enum hf_status status;

    if (r->http->carrier != 0)
        form.members |= OF_LINE;
    status = hf_api_body_read(&form, r->http->body,
                              r->http->fields[HF_HTTP_OPTIONAL], &service->body,
                              &why);
    r->key = hf_incoming_gives(r, HF_API_KEY)
                 ? service->body.key
                 : r->http->fields[HF_HTTP_IDEMPOTENCY_KEY];
    if (status == HF_OK)
        return true;
    if (service->body.unknown.what != NULL)
        hf_service_refuse_unknown(service, r->http->exchange,
                                  &service->body.unknown, why.text);
    else
        hf_incoming_refuse(
            r, status == HF_E_LIMIT ? HF_API_TOO_LARGE : HF_API_BAD_REQUEST,
            why.text);
    return false;
}

void
hf_service_handle(struct hf_service *service, const struct hf_route *route,
                  const struct hf_http_request *request)
{
    struct hf_incoming r = {
        .service = service,
        .route = route,
        .http = request,
    };

    if (!read_body(&r) || !hf_incoming_read_session(&r) ||
        !hf_incoming_read_secret(&r))
        return;
    if (needs_session(route->kind) && r.message.session == 0) {
        hf_incoming_refuse(&r, HF_API_BAD_REQUEST,
                           "whose it is must be said: \"session\"");
        return;
    }
    hf_secret_hash(&service->hasher, &r.secret, &r.message.secret);
    handle(&r);
}
