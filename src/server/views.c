#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "server/parts.h"
#include "wire/api_look.h"
#include "wire/api_why.h"

/* Requests that only look are answered at once, as this node sees it. */

/* Default number of holders, and of waiters, of one lock that are shown; and
 * the waiters among which a requester is looked for. */
#define ROWS_DEFAULT 100
#define IN_LINE_MAX  1000

/* Default number of rows of a list; and the names that are looked at for it, of
 * which a prefix may leave none. */
#define LIST_LIMIT 100
#define LOOKS_MAX  1000
#define LIST_END   64 /* bytes that end it */

static const char *const states[] = {
    [HF_NODE_FOLLOWING] = "following", [HF_NODE_LOADING] = "loading",
    [HF_NODE_SERVING] = "serving",     [HF_NODE_DRAINING] = "draining",
    [HF_NODE_LEAVING] = "resigning",   [HF_NODE_ENDED] = "ended",
};

static void
say(struct hf_service *service, const struct hf_http_request *request,
    int status, struct hf_text *text)
{
    struct hf_bytes body = hf_service_line(text);

    HF_CHECK(!hf_text_cut(text));
    hf_service_reply(service, request->exchange, status, body);
}

/* ---- Locks --------------------------------------------------------------- */

static struct hf_bytes
space_of(const struct hf_route *route)
{
    return route->space.is_given
               ? (struct hf_bytes){route->space.at, route->space.len}
               : (struct hf_bytes){"default", 7};
}

/* False: none asks, or it is not among the first. */
static bool
find_asker(const struct hf_lockspace *table, const struct hf_route *route,
           const struct hf_look_name *row, struct hf_api_asker *asker)
{
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    for (uint64_t at = 1; route->asker != 0 && at <= IN_LINE_MAX &&
                          hf_look_line(table, row->number, &cursor, &claim);
         at++)
        if (claim.session == route->asker && claim.lane == route->lane) {
            *asker = (struct hf_api_asker){at, claim.why};
            return true;
        }
    return false;
}

/* Nothing tells who holds what a server has forgotten [L6]: it waits. */
static void
refuse_unheld(struct hf_service *service, uint64_t exchange)
{
    int64_t grace_ms = hf_seat_grace(service->seat).ms;
    char why[160] = "nobody holds it, and nobody waits for it";

    if (grace_ms > 0)
        snprintf(why, sizeof(why),
                 "this server has forgotten what it had granted: for %" PRId64
                 " s somebody may hold it, of whom nothing is known",
                 (grace_ms + 999) / 1000);
    hf_service_refuse(service, exchange, HF_API_NO_RESOURCE, why);
}

static void
show_lock(struct hf_service *service, struct hf_lockspace *table,
          const struct hf_route *route, const struct hf_http_request *request)
{
    const struct hf_want lock = {
        space_of(route), {route->name.at, route->name.len}, HF_EXCLUSIVE};
    size_t rows_max = route->limit == 0 || route->limit > ROWS_DEFAULT
                          ? ROWS_DEFAULT
                          : (size_t)route->limit;
    struct hf_look_name row;
    struct hf_api_asker asker;
    struct hf_text text;

    if (!hf_look_find(table, &lock, &row)) {
        refuse_unheld(service, request->exchange);
        return;
    }
    hf_text_init(&text, service->text, sizeof(service->text));
    if (route->kind == HF_ROUTE_WHY)
        hf_api_why(table, &row, rows_max, &text);
    else
        hf_api_look_lock(table, &row, rows_max,
                         find_asker(table, route, &row, &asker) ? &asker : NULL,
                         &text);
    say(service, request, 200, &text);
}

/* Is it of the space, and does its name begin so? */
static bool
is_asked_for(const struct hf_lockspace *table, const struct hf_route *route,
             const struct hf_look_name *row)
{
    char space[HF_SPACE_MAX + 1];
    char name[HF_NAME_MAX + 1];
    size_t space_len = hf_look_text(table, row->space, space, sizeof(space));
    size_t name_len = hf_look_text(table, row->name, name, sizeof(name));

    return (!route->space.is_given ||
            (space_len == route->space.len &&
             memcmp(space, route->space.at, space_len) == 0)) &&
           name_len >= route->prefix.len &&
           memcmp(name, route->prefix.at, route->prefix.len) == 0;
}

/* A cursor is a place in the machine: opaque, and good while it runs.  False:
 * this is none. */
static bool
read_cursor(struct hf_bytes after, uint32_t *cursor)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < after.len && sum <= UINT32_MAX; i++) {
        if (after.at[i] < '0' || after.at[i] > '9')
            return false;
        sum = sum * 10 + (uint64_t)(after.at[i] - '0');
    }
    *cursor = (uint32_t)sum;
    return sum <= UINT32_MAX;
}

/* Where the page begins; false: the request was refused. */
static bool
take_cursor(struct hf_service *service, const struct hf_route *route,
            const struct hf_http_request *request, uint32_t *cursor)
{
    if (read_cursor(route->after, cursor))
        return true;
    hf_service_refuse(service, request->exchange, HF_API_BAD_REQUEST,
                      "after is no cursor of a page");
    return false;
}

/* No list has what a server has forgotten [L6]: it waits. */
static void
add_grace(const struct hf_service *service, struct hf_text *text)
{
    int64_t grace_ms = hf_seat_grace(service->seat).ms;

    if (grace_ms > 0)
        hf_text_addf(text, ",\"grace_ms\":%" PRId64, grace_ms);
}

/* There is room for what ends it. */
static void
begin_list(struct hf_service *service, const char *of, struct hf_text *text)
{
    hf_text_init(text, service->text, sizeof(service->text) - LIST_END);
    hf_text_addf(text, "{\"%s\":[", of);
}

/* `cursor` is where the next page begins; 0: there is none. */
static void
end_list(struct hf_service *service, const struct hf_http_request *request,
         struct hf_text *text, uint32_t cursor)
{
    text->size += LIST_END;
    hf_text_add(text, "]");
    add_grace(service, text);
    if (cursor != 0)
        hf_text_addf(text, ",\"after\":\"%" PRIu32 "\"", cursor);
    hf_text_add(text, "}");
    say(service, request, 200, text);
}

static void
list(struct hf_service *service, struct hf_lockspace *table,
     const struct hf_route *route, const struct hf_http_request *request)
{
    uint64_t limit = route->limit > 0 ? route->limit : LIST_LIMIT;
    uint32_t cursor;
    struct hf_look_name row;
    struct hf_text text;
    uint64_t count = 0;
    bool more = true;

    if (!take_cursor(service, route, request, &cursor))
        return;
    begin_list(service, "locks", &text);
    for (int looks = 0; looks < LOOKS_MAX && count < limit &&
                        text.size - text.len > HF_API_LOOK_LOCK_MAX;
         looks++) {
        more = hf_look_names(table, &cursor, &row);
        if (!more)
            break;
        if (!is_asked_for(table, route, &row))
            continue;
        if (count++ > 0)
            hf_text_add(&text, ",");
        hf_api_look_lock(table, &row, 1, NULL, &text);
    }
    end_list(service, request, &text, more ? cursor : 0);
}

/* ---- Sessions ------------------------------------------------------------ */

/* Who they are, and what they have; never the proof of it. */
static void
list_sessions(struct hf_service *service, struct hf_lockspace *table,
              const struct hf_route *route,
              const struct hf_http_request *request)
{
    uint64_t limit = route->limit > 0 ? route->limit : LIST_LIMIT;
    uint32_t cursor = 0;
    struct hf_look_session row;
    struct hf_text text;
    uint64_t count = 0;
    bool more = true;

    if (!take_cursor(service, route, request, &cursor))
        return;
    begin_list(service, "sessions", &text);
    while (count < limit && text.size - text.len > HF_API_LOOK_SESSION_MAX) {
        more = hf_look_sessions(table, &cursor, &row);
        if (!more)
            break;
        hf_text_add(&text, count++ > 0 ? "," : "");
        hf_api_look_session(table, &row, &text);
    }
    end_list(service, request, &text, more ? cursor : 0);
}

/* ---- The server ---------------------------------------------------------- */

/* By this a client knows two nodes of one service; and what the service
 * promises. */
static void
add_service(const struct hf_service *service, struct hf_text *text)
{
    const struct hf_node *node = hf_seat_node(service->seat);
    uint64_t id = hf_seat_service(service->seat);

    if (id != 0)
        hf_text_addf(text, ",\"service\":\"%016" PRIx64 "\"", id);
    else
        hf_text_add(text, ",\"service\":null");
    hf_text_addf(text,
                 ",\"max_ttl_ms\":%" PRId64 ",\"grace_ms\":%" PRId64
                 ",\"log_bytes\":%" PRIu64,
                 node->config.leader.max_ttl.ms,
                 hf_seat_grace(service->seat).ms,
                 hf_seat_log(service->seat).bytes);
}

/* How soon a request that waits is answered, and what would cut it later [W2]:
 * no stream is silent for too long. */
static void
add_limits(const struct hf_service *service, struct hf_text *text)
{
    hf_text_addf(text,
                 ",\"idle_timeout_ms\":%" PRId64 ",\"blocking_ms\":%" PRId64,
                 service->config.idle_timeout.ms,
                 service->config.seat.node.lockspace.blocking.ms);
}

/* Where the leader is, perhaps here; "": not known. */
static const char *
leader_of(const struct hf_service *service)
{
    return hf_seat_table(service->seat) != NULL ? service->config.seat.address
                                                : hf_seat_leader(service->seat);
}

/* The nodes that it knows of: itself, and the leader. */
static void
add_nodes(const struct hf_service *service, struct hf_text *text)
{
    const char *own = service->config.seat.address;
    const char *leader = leader_of(service);

    hf_text_add(text, ",\"nodes\":[");
    hf_text_add_json(text, own, strlen(own));
    if (leader[0] != '\0' && strcmp(leader, own) != 0) {
        hf_text_add(text, ",");
        hf_text_add_json(text, leader, strlen(leader));
    }
    hf_text_add(text, "]");
}

/* The client's address as this node sees it.  A client with another address
 * knows that something stands between. */
static void
add_client(const struct hf_service *service, struct hf_text *text)
{
    hf_text_add(text, ",\"client\":\"");
    service->config.peers->name(service->peer, text);
    hf_text_add(text, "\"");
}

/* Where too many connections wait. */
static void
add_refused(const struct hf_service *service, struct hf_text *text)
{
    int64_t since_ms = hf_metrics_refused_ms(&service->metrics, hf_now());

    if (since_ms >= 0)
        hf_text_addf(text, ",\"refused_ms\":%" PRId64, since_ms);
}

/* The leader alone has any. */
static void
add_room(const struct hf_lockspace *table, struct hf_text *text)
{
    struct hf_look_room room;

    if (table == NULL)
        return;
    room = hf_look_room(table);
    hf_text_addf(text, ",\"sessions\":%" PRIu32 ",\"sessions_most\":%" PRIu32,
                 room.sessions, room.most);
}

static void
info(struct hf_service *service, const struct hf_http_request *request)
{
    const struct hf_node *node = hf_seat_node(service->seat);
    const char *leader = leader_of(service);
    struct hf_error trouble;
    struct hf_text text;

    hf_text_init(&text, service->text, sizeof(service->text));
    hf_text_addf(&text, "{\"state\":\"%s\",\"term\":%" PRIu64 ",\"leader\":",
                 states[node->state], node->term);
    hf_text_add_json(&text, leader, strlen(leader));
    hf_text_add(&text, ",\"trouble\":");
    if (hf_seat_trouble(service->seat, &trouble) == HF_OK)
        hf_text_add(&text, "null");
    else
        hf_text_add_json(&text, trouble.text, strlen(trouble.text));
    add_service(service, &text);
    add_limits(service, &text);
    add_nodes(service, &text);
    add_client(service, &text);
    add_refused(service, &text);
    add_room(hf_seat_table(service->seat), &text);
    hf_text_add(&text, "}");
    say(service, request, 200, &text);
}

/* A node is ready if it leads, or knows the leader; or, if that is asked, only
 * if it leads. */
static void
health(struct hf_service *service, const struct hf_route *route,
       const struct hf_http_request *request)
{
    bool leads = hf_seat_table(service->seat) != NULL;
    bool ready =
        leads || (!route->leader && hf_seat_leader(service->seat)[0] != '\0');
    bool good = route->kind == HF_ROUTE_HEALTH || ready;
    struct hf_text text;

    hf_text_init(&text, service->text, sizeof(service->text));
    hf_text_addf(&text, "{\"ok\":%s,\"state\":\"%s\",\"grace_ms\":%" PRId64 "}",
                 good ? "true" : "false",
                 states[hf_seat_node(service->seat)->state],
                 hf_seat_grace(service->seat).ms);
    say(service, request, good ? 200 : 503, &text);
}

static void
metrics(struct hf_service *service, const struct hf_http_request *request)
{
    static const struct hf_http_header headers[] = {
        {"content-type", {"text/plain; version=0.0.4; charset=utf-8", 40}},
        {"cache-control", {"no-store", 8}},
    };
    struct hf_http_reply reply = {
        .status = 200,
        .headers = headers,
        .headers_count = sizeof(headers) / sizeof(headers[0]),
    };
    struct hf_text text;

    service->metrics.responses[reply.status]++;
    hf_text_init(&text, service->text, sizeof(service->text));
    hf_metrics_write(&service->metrics, service->seat, &text);
    reply.body = (struct hf_bytes){text.at, hf_text_kept(&text)};
    (void)hf_http_reply(service->config.http, request->exchange, &reply);
}

/* Only the leader knows. */
static bool
is_of_table(enum hf_route_kind kind)
{
    return kind == HF_ROUTE_LIST || kind == HF_ROUTE_SESSIONS ||
           kind == HF_ROUTE_SHOW || kind == HF_ROUTE_WHY;
}

void
hf_service_show(struct hf_service *service, const struct hf_route *route,
                const struct hf_http_request *request)
{
    struct hf_lockspace *table;

    if (is_of_table(route->kind))
        hf_service_step(service, &(struct hf_node_event){.kind = HF_NODE_LOOK});
    table = hf_seat_table(service->seat);
    if (is_of_table(route->kind) && table == NULL)
        hf_service_not_leading(service, request->exchange);
    else if (route->kind == HF_ROUTE_LIST)
        list(service, table, route, request);
    else if (route->kind == HF_ROUTE_SESSIONS)
        list_sessions(service, table, route, request);
    else if (route->kind == HF_ROUTE_SHOW || route->kind == HF_ROUTE_WHY)
        show_lock(service, table, route, request);
    else if (route->kind == HF_ROUTE_INFO)
        info(service, request);
    else if (route->kind == HF_ROUTE_HEALTH || route->kind == HF_ROUTE_READY)
        health(service, route, request);
    else
        metrics(service, request);
}
