#include "server/service.h"

#include <stdio.h>

#include "base/fail.h"
#include "server/browser.h"
#include "server/host.h"
#include "server/parts.h"

/* ---- Requests ------------------------------------------------------------ */

static const char *const methods[] = {
    [HF_HTTP_GET] = "GET",         [HF_HTTP_HEAD] = "GET",
    [HF_HTTP_POST] = "POST",       [HF_HTTP_PUT] = "PUT",
    [HF_HTTP_PATCH] = "PATCH",     [HF_HTTP_DELETE] = "DELETE",
    [HF_HTTP_OPTIONS] = "OPTIONS",
};

/* The command that the answer suggests contains a name, and nothing else. */
static void
refuse_host(struct hf_service *service, const struct hf_http_request *request)
{
    struct hf_bytes name = hf_host_name(request->fields[HF_HTTP_HOST]);
    char why[HF_HOST_MAX + 128];

    if (!hf_host_is_name(name))
        name = (struct hf_bytes){"NAME", 4};
    snprintf(why, sizeof(why),
             "the host is not one of this server's: start holdfastd with "
             "--host %.*s",
             (int)name.len, name.at);
    hf_service_refuse(service, request->exchange, HF_API_HOST, why);
}

/* There is no such path; or it has other methods, which the answer lists (RFC
 * 9110, 15.5.6). */
static void
refuse_way(struct hf_service *service, const struct hf_http_request *request,
           const struct hf_route_refusal *refusal)
{
    const char *detail =
        refusal->why.text[0] == '\0' ? NULL : refusal->why.text;
    char bytes[HF_ROUTE_METHODS_SIZE];
    struct hf_http_header allow = {"allow", {bytes, 0}};
    struct hf_text text;

    if (refusal->unknown.what != NULL) {
        hf_service_refuse_unknown(service, request->exchange, &refusal->unknown,
                                  detail);
        return;
    }
    if (refusal->problem != HF_API_NO_METHOD) {
        hf_service_refuse(service, request->exchange, refusal->problem, detail);
        return;
    }
    hf_text_init(&text, bytes, sizeof(bytes));
    hf_route_methods(request->path, &text);
    allow.value.len = hf_text_kept(&text);
    hf_service_refuse_with(service, request->exchange, refusal->problem, detail,
                           &allow);
}

/* A message, or what only looks. */
static void
handle(struct hf_service *service, const struct hf_route *route,
       const struct hf_http_request *request)
{
    service->metrics.requests[route->kind]++;
    if (route->kind == HF_ROUTE_STREAM)
        hf_service_carry(service, request);
    else if (route->kind == HF_ROUTE_AUDIT)
        hf_service_audit(service, route, request);
    else if (route->kind >= HF_ROUTE_LIST)
        hf_service_show(service, route, request);
    else
        hf_service_handle(service, route, request);
    service->current = 0;
}

static void
on_request(struct hf_service *service, const struct hf_http_request *request)
{
    const char *browser = hf_browser_why(request);
    const struct hf_route_ask ask = {
        .method = methods[request->method],
        .path = request->path,
        .query = request->query,
        .optional = request->fields[HF_HTTP_OPTIONAL],
    };
    struct hf_route route;
    struct hf_route_refusal refusal;

    if (browser != NULL) {
        hf_service_refuse(service, request->exchange, HF_API_ORIGIN, browser);
    } else if (!hf_host_is_ours(request->fields[HF_HTTP_HOST],
                                service->config.hosts)) {
        refuse_host(service, request);
    } else if (!hf_route_read(&ask, &route, &refusal)) {
        refuse_way(service, request, &refusal);
    } else {
        handle(service, &route, request);
    }
}

/* End a session that was opened for one request, and has nothing left, or is
 * unknown to its client. */
static void
end_session(struct hf_service *service, const struct hf_pending_call *of)
{
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};
    struct hf_pending_call *call = hf_pending_add(&service->pending);

    if (call == NULL)
        return; /* it ends by itself, in time */
    event.message.kind = HF_MESSAGE_END;
    event.message.stream = call->stream;
    event.message.session = of->session;
    event.message.term = hf_seat_node(service->seat)->term;
    hf_secret_hash(&service->hasher, &of->secret, &event.message.secret);
    hf_service_step(service, &event);
}

/* The kernel has all of the answer: a grant counts as told from now on [W5]: a
 * grant that is not told goes back. */
static void
on_sent(struct hf_service *service, struct hf_pending_call *call, uint64_t end)
{
    struct hf_node_event event = {.kind = HF_NODE_HANDED};
    struct hf_pending_call sent = *call;

    hf_pending_remove(&service->pending, call);
    if (sent.settled)
        end_session(service, &sent);
    if (sent.opened && !sent.keyed && !sent.settled)
        service->config.peers->opened(sent.peer, sent.session, end);
    if (sent.fence == 0)
        return;
    event.request.stream = sent.stream;
    event.request.session = sent.session;
    event.request.lane = sent.lane;
    event.request.n = sent.n;
    event.request.fence = sent.fence;
    hf_service_step(service, &event);
}

/* A client that was told of its session, or has a key, can ask again, and its
 * place is kept if its connection was cut [W5].  A session of which nobody was
 * told ends, and what nobody listens for goes back. */
static void
on_lost(struct hf_service *service, struct hf_pending_call *call, bool cut)
{
    struct hf_node_event event = {.kind = HF_NODE_STREAM_ENDED};
    struct hf_pending_call lost = *call;

    hf_service_end_wait(service, call);
    hf_pending_remove(&service->pending, call);
    if (lost.settled || lost.kind == HF_MESSAGE_OPEN ||
        (lost.opened && !lost.keyed)) {
        end_session(service, &lost);
        return;
    }
    if (lost.kind != HF_MESSAGE_ACQUIRE || (lost.answered && lost.fence == 0))
        return;
    event.request.stream = lost.stream;
    event.request.session = lost.session;
    event.request.lane = lost.lane;
    event.request.n = lost.n;
    event.request.cut = cut;
    hf_service_step(service, &event);
}

/* As the reset of a stream of HTTP/2, but that this is answered. */
static void
cancel(struct hf_service *service, uint64_t exchange)
{
    struct hf_pending_call *call = hf_pending_find(
        &service->pending, hf_http_tag_of(service->config.http, exchange));

    if (call != NULL)
        on_lost(service, call, false);
    hf_service_refuse(service, exchange, HF_API_CANCELLED, NULL);
}

static void
on_line(struct hf_service *service, const struct hf_http_request *line)
{
    struct hf_route route;
    uint64_t cancelled = 0;

    if (hf_service_read_line(service, line, &route, &cancelled))
        handle(service, &route, line);
    else if (cancelled != 0)
        cancel(service, cancelled);
}

void
hf_service_unread(struct hf_service *service, uint64_t session)
{
    struct hf_node_event event = {.kind = HF_NODE_UNREAD};

    event.request.session = session;
    hf_service_step(service, &event);
}

void
hf_service_event(struct hf_service *service, void *peer,
                 const struct hf_http_event *event)
{
    struct hf_pending_call *call =
        hf_pending_find(&service->pending, event->tag);

    service->peer = peer;
    switch (event->kind) {
    case HF_HTTP_REQUEST:
        if (event->request->carrier != 0)
            on_line(service, event->request);
        else
            on_request(service, event->request);
        break;
    case HF_HTTP_SENT:
        if (call != NULL)
            on_sent(service, call, event->end);
        break;
    case HF_HTTP_LOST:
        if (call != NULL)
            on_lost(service, call, event->cut);
        break;
    }
}

/* ---- Its life ------------------------------------------------------------ */

void
hf_service_wake(struct hf_service *service)
{
    while (hf_seat_wake(service->seat))
        hf_service_drain(service);
}

void
hf_service_turn(struct hf_service *service)
{
    hf_service_step(service, &(struct hf_node_event){.kind = HF_NODE_TURN});
}

void
hf_service_clock(struct hf_service *service, struct hf_instant read_until)
{
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_CLOCK,
                                 .read_until = read_until,
                             });
}

void
hf_service_look(struct hf_service *service)
{
    hf_seat_look(service->seat);
    hf_service_drain(service);
}

struct hf_instant
hf_service_deadline(const struct hf_service *service)
{
    return hf_seat_deadline(service->seat);
}

void
hf_service_stop(struct hf_service *service)
{
    hf_service_step(service, &(struct hf_node_event){.kind = HF_NODE_STOP});
}

bool
hf_service_has_stopped(const struct hf_service *service)
{
    return service->stopped;
}

bool
hf_service_holds(const struct hf_service *service, uint64_t session)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    uint32_t cursor = 0;
    uint64_t fence;

    return session != 0 && table != NULL &&
           hf_lockspace_held(table, session, &cursor, &fence);
}

const struct hf_seat *
hf_service_seat(const struct hf_service *service)
{
    return service->seat;
}

enum hf_status
hf_service_open(const struct hf_service_config *config, struct hf_service **out,
                struct hf_error *error)
{
    struct hf_service *service = hf_calloc(config->alloc, 1, sizeof(*service));
    enum hf_status status;

    if (service == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a service");
    service->config = *config;
    service->metrics.started_ms = hf_wall_ms();
    service->pending.alloc = config->alloc;
    service->attempts = (uint64_t)hf_wall_ms() * 1000;
    service->config.seat.audited = hf_service_audited;
    service->config.seat.ctx = service;
    status = hf_hasher_init(&service->hasher, error);
    if (status == HF_OK)
        status = hf_seat_open(&service->config.seat, &service->seat, error);
    if (status != HF_OK) {
        hf_service_close(service);
        return status;
    }
    hf_service_drain(service);
    *out = service;
    return HF_OK;
}

void
hf_service_close(struct hf_service *service)
{
    if (service == NULL)
        return;
    hf_seat_close(service->seat);
    hf_pending_fini(&service->pending);
    hf_hasher_fini(&service->hasher);
    hf_free(service->config.alloc, service);
}
