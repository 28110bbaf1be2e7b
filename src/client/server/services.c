#include "client/server/services.h"

#include "base/check.h"
#include "base/limits.h"
#include "wire/api_reply.h"

_Static_assert((int)HF_ADDRESSES_MAX == (int)HF_SERVICES_NODES_MAX,
               "every node can be asked");

/* The machine waits so long for an answer; a later one still counts.  A node
 * that is down is known to be so at once. */
enum { PATIENCE_MS = 1000 };

/* As often as a session is kept alive. */
enum { PAUSE_MS = 2000 };

/* A question to one node. */
struct info_call {
    struct hf_node_call call;
    struct hf_server *server;
    unsigned node;
};

static void step(struct hf_server *server, struct hf_services_event event);

/* ---- Answers ------------------------------------------------------------- */

static void
drop_call(struct hf_server *server, unsigned node)
{
    struct hf_node_call *call = server->asked[node - 1];

    if (call == NULL)
        return;
    server->asked[node - 1] = NULL;
    hf_node_call_cancel(call);
    hf_free(server->client->alloc, HF_CONTAINER(call, struct info_call, call));
}

static void
answered(struct hf_node_call *call, const struct hf_http_answer *answer)
{
    const struct info_call *asked = HF_CONTAINER(call, struct info_call, call);
    struct hf_server *server = asked->server;
    struct hf_services_event event = {
        .kind = HF_SERVICES_ANSWER,
        .at = hf_now(),
        .node = asked->node,
    };

    if (answer != NULL && answer->status == 200 &&
        !hf_api_reply_service(answer->body, &event.service, &event.max_ttl))
        event.service = 0;
    drop_call(server, asked->node);
    step(server, event);
}

/* ---- Questions ----------------------------------------------------------- */

/* False: the request cannot be sent. */
static bool
ask(struct hf_server *server, unsigned node)
{
    struct info_call *asked = hf_new(server->client->alloc, struct info_call);
    struct hf_error why;

    drop_call(server, node);
    if (asked == NULL)
        return false;
    *asked = (struct info_call){
        .call = {.answered = answered, .is_aside = true},
        .server = server,
        .node = node,
    };
    server->asked[node - 1] = &asked->call;
    if (hf_node_call_ask(server, &asked->call,
                         &(struct hf_node_call_request){
                             .node = node,
                             .method = "GET",
                             .path = "/v1/info",
                             .body = "",
                         },
                         &why) == HF_OK)
        return true;
    drop_call(server, node);
    return false;
}

static void
step(struct hf_server *server, struct hf_services_event event)
{
    struct hf_services *services = &server->services;
    struct hf_services_effect effect;
    unsigned failed[HF_SERVICES_NODES_MAX];
    unsigned failed_count = 0;
    bool changed = false;

    hf_services_step(services, &event);
    while (hf_services_next(services, &effect)) {
        if (effect.kind == HF_SERVICES_CHANGED)
            changed = true;
        else if (!ask(server, effect.node))
            failed[failed_count++] = effect.node;
    }
    for (unsigned i = 0; i < failed_count; i++)
        step(server, (struct hf_services_event){
                         .kind = HF_SERVICES_ANSWER,
                         .at = event.at,
                         .node = failed[i],
                     });
    if (changed)
        server->services_changed(server);
}

/* ---- Calls --------------------------------------------------------------- */

void
hf_server_services_init(struct hf_server *server,
                        void (*changed)(struct hf_server *server))
{
    const struct hf_services_config config = {
        .nodes = server->addresses.count,
        .patience = {PATIENCE_MS},
        .pause = {PAUSE_MS},
        .leader_ttl = {HF_LEADER_TTL_MS},
    };

    hf_services_init(&server->services, &config);
    server->services_changed = changed;
}

void
hf_server_services_fini(struct hf_server *server)
{
    for (unsigned node = 1; node <= HF_ADDRESSES_MAX; node++)
        drop_call(server, node);
}

void
hf_server_services_said(struct hf_server *server, unsigned node,
                        uint64_t service)
{
    step(server, (struct hf_services_event){
                     .kind = HF_SERVICES_SAID,
                     .at = hf_now(),
                     .node = node,
                     .service = service,
                 });
}

void
hf_server_services_tick(struct hf_server *server, bool awake,
                        struct hf_instant now)
{
    if (server->addresses.count == 1)
        return; /* there is nothing to compare */
    if (awake == server->services.awake &&
        !hf_reached(now, hf_services_deadline(&server->services)))
        return;
    step(server, (struct hf_services_event){
                     .kind = awake ? HF_SERVICES_WAKE : HF_SERVICES_REST,
                     .at = now,
                 });
}

struct hf_instant
hf_server_services_deadline(const struct hf_server *server)
{
    return server->addresses.count == 1
               ? HF_NEVER
               : hf_services_deadline(&server->services);
}
