#include "client/server/queries.h"

#include <string.h>

#include "base/fail.h"
#include "client/server/trouble.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"
#include "wire/json.h"

/* How often each node is asked if none answers; and for how many pauses, if
 * none knows a leader: a new one leads within seconds. */
enum { ROUNDS = 2, LEADERLESS_MAX = 40 };

static const struct hf_duration pause_of_leaders = {250};
static const struct hf_duration at_once = {0};

/* A node that takes longer is taken for dead.  A busy node writes a page of the
 * audit in a fifth of this. */
static const struct hf_duration patience = {5000};

static struct hf_server_query *
query_of(const struct hf_query *query)
{
    return query->handle.behind;
}

/* ---- The end ------------------------------------------------------------- */

static bool
has_view(const struct hf_query *query)
{
    return query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
}

static void
free_query(struct hf_server_query *query)
{
    hf_view_free(query->seen);
    hf_view_free(query->kept);
    hf_free(query->server->client->alloc, query);
}

/* A query that has a view stays until it is forgotten.  That may happen in
 * here. */
static void
end(struct hf_server_query *query)
{
    struct hf_query *ended = query->page.query;
    bool stays = has_view(ended);

    hf_list_remove(&query->server->queries, &query->link);
    hf_node_call_cancel(&query->call);
    if (!stays)
        ended->handle.behind = NULL;
    hf_query_page_end(&query->page, query->error.status, &query->error);
    if (!stays)
        free_query(query);
}

/* ---- For the kinds ------------------------------------------------------- */

void
hf_server_query_again(struct hf_server_query *query, struct hf_duration pause)
{
    query->again_at = hf_after(hf_now(), pause);
}

void
hf_server_query_refused(struct hf_server_query *query, int status,
                        struct hf_bytes body)
{
    struct hf_server *server = query->server;
    struct hf_api_reply *reply = &server->reply;

    if (hf_api_reply_read(status, body, reply, NULL) == HF_OK &&
        reply->answer.kind == HF_ANSWER_NOT_LEADING &&
        hf_server_say_leader(server, reply->leader, body, &query->error))
        return;
    (void)hf_api_reply_problem(status, body, &query->error);
    if (status == 400)
        query->error.status = HF_E_INVALID;
    else if (status == 403)
        query->error.status = HF_E_DENIED;
}

void
hf_server_query_check_grace(struct hf_server_query *query, struct hf_bytes body)
{
    (void)hf_server_say_grace(query->server,
                              hf_after(hf_now(), hf_server_read_grace(body)),
                              HF_LATER_FORGOTTEN, &query->error);
}

/* ---- Answers ------------------------------------------------------------- */

static void
next_node(struct hf_server *server, unsigned node)
{
    server->node =
        node != 0 ? node : server->node % server->addresses.count + 1;
}

/* A kind has handled an answer.  If it did not ask for more, the query ends. */
static void
end_or_go_on(struct hf_server_query *query)
{
    if (query->page.failed || query->again_at.ms == HF_NEVER.ms)
        end(query);
}

static void
ask_another_node(struct hf_server_query *query)
{
    struct hf_server *server = query->server;

    next_node(server, 0);
    query->is_unsure = query->is_clearing;
    if (++query->failures < ROUNDS * server->addresses.count) {
        hf_server_query_again(query, at_once);
        return;
    }
    hf_server_say_trouble(server, &query->error);
    if (query->is_clearing)
        query->error.status = HF_E_UNKNOWN;
}

static void
on_no_answer(struct hf_server_query *query)
{
    if (query->kind->fail != NULL)
        query->kind->fail(query);
    else
        ask_another_node(query);
    end_or_go_on(query);
}

/* The node may have named the leader.  False: no node has led for too long. */
static bool
on_not_leading(struct hf_server_query *query, const struct hf_api_reply *reply)
{
    struct hf_server *server = query->server;

    query->failures = 0;
    if (query->leaderless++ >= LEADERLESS_MAX)
        return false;
    next_node(server, hf_addresses_of(&server->addresses, reply->leader));
    hf_server_query_again(query, pause_of_leaders);
    return true;
}

/* A JSON text that was cut short must not be taken for a whole page. */
static bool
is_whole(const struct hf_server_query *query,
         const struct hf_http_answer *answer)
{
    struct hf_server *server = query->server;
    const struct hf_address *node =
        &server->addresses.each[query->asked_node - 1];

    if (answer->status != 200 || hf_json_is_whole(answer->body))
        return true;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE,
                  "%s: it gave no whole answer", node->authority);
    return false;
}

static void
answered(struct hf_node_call *call, const struct hf_http_answer *answer)
{
    struct hf_server_query *query =
        HF_CONTAINER(call, struct hf_server_query, call);
    struct hf_api_reply *reply = &query->server->reply;

    if (answer == NULL || !is_whole(query, answer)) {
        on_no_answer(query);
        return;
    }
    if (answer->status == 503 && query->kind->fail == NULL &&
        hf_api_reply_read(answer->status, answer->body, reply, NULL) == HF_OK &&
        reply->answer.kind == HF_ANSWER_NOT_LEADING &&
        on_not_leading(query, reply))
        return;
    query->failures = query->leaderless = 0;
    if (query->probe == HF_PROBE_INFO)
        hf_text_show(query->between, sizeof(query->between), answer->between.at,
                     answer->between.len);
    query->kind->take(query, answer->status, answer->body);
    end_or_go_on(query);
}

/* ---- Asking -------------------------------------------------------------- */

static void
ask(struct hf_server_query *query)
{
    struct hf_server *server = query->server;
    struct hf_server_question question = {
        .node = server->node,
        .method = "GET",
        .patience = patience,
    };

    query->again_at = HF_NEVER;
    hf_text_init(&question.path, server->path, sizeof(server->path));
    hf_text_init(&question.body, server->body, sizeof(server->body));
    query->kind->ask(query, &question);
    query->late_at = hf_after(hf_now(), question.patience);
    query->asked_node = question.node;
    query->was_silent = false;
    if (hf_node_call_ask(server, &query->call,
                         &(struct hf_node_call_request){
                             .node = question.node,
                             .method = question.method,
                             .path = question.path.at,
                             .body = question.body.at,
                             .secret = question.secret,
                         },
                         &server->trouble) != HF_OK)
        on_no_answer(query);
}

enum hf_status
hf_server_queries_start(struct hf_server *server, struct hf_query *query,
                        const struct hf_server_query_kind *kind,
                        struct hf_error *error)
{
    const struct hf_alloc *alloc = server->client->alloc;
    struct hf_server_query *made = hf_new(alloc, struct hf_server_query);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    *made = (struct hf_server_query){
        .kind = kind,
        .server = server,
        .query = query,
        .call.answered = answered,
        .began_at = hf_now(),
        .fence = (uint64_t)query->fence,
        .node = 1,
    };
    status = hf_query_page_begin(&made->page, query, error);
    if (status != HF_OK) {
        hf_free(alloc, made);
        return status;
    }
    made->until = hf_after(made->began_at, query->watch);
    query->handle.behind = made;
    hf_list_add(&server->queries, &made->link);
    /* The loop asks, so that the query cannot end before this returns. */
    made->again_at = made->began_at;
    return HF_OK;
}

void
hf_server_queries_cancel(struct hf_backend *backend, struct hf_query *query)
{
    enum hf_status status =
        query_of(query)->is_clearing ? HF_E_UNKNOWN : HF_E_CANCELLED;

    (void)backend;
    (void)hf_fail(&query_of(query)->error, status, "%s",
                  hf_status_sentence(status));
    end(query_of(query));
}

void
hf_server_queries_forget(struct hf_backend *backend, struct hf_query *query)
{
    (void)backend;
    free_query(query_of(query));
    query->handle.behind = NULL;
}

struct hf_view *
hf_server_queries_watch(struct hf_backend *backend,
                        const struct hf_query *query)
{
    struct hf_server *server = hf_server_of(backend);
    const struct hf_error *trouble =
        server->trouble.status == HF_OK ? NULL : &server->trouble;

    if (!has_view(query))
        return NULL;
    if (query_of(query)->seen != NULL)
        return hf_views_copy(server, query_of(query)->seen);
    if (query_of(query)->kept != NULL)
        return hf_views_copy(server, query_of(query)->kept);
    return hf_views_nobody(server, hf_settings_space(&query->settings),
                           query->settings.name, trouble);
}

/* ---- Time ---------------------------------------------------------------- */

static bool
is_late(const struct hf_server_query *query, struct hf_instant now)
{
    return query->call.connection != NULL && hf_reached(now, query->late_at);
}

static void
give_up_waiting(struct hf_server_query *query)
{
    struct hf_server *server = query->server;
    const char *node = server->addresses.each[query->asked_node - 1].authority;

    hf_node_call_overdue(&query->call);
    hf_node_call_cancel(&query->call);
    query->was_silent = true;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE, "%s: no answer", node);
    on_no_answer(query);
}

/* If the nodes are of two services, one answer is half the truth.  So all are
 * asked for their service first [S7: nodes of two services].  A doctor tells of
 * each node. */
static bool
needs_one_service(const struct hf_server_query *query)
{
    return query->server->addresses.count > 1 && !query->kind->of_each_node;
}

static bool
waits_for_services(const struct hf_server_query *query)
{
    return needs_one_service(query) &&
           query->server->services.verdict == HF_SERVICES_UNHEARD;
}

static void
ask_one_service(struct hf_server_query *query)
{
    if (needs_one_service(query) &&
        hf_server_services_trouble(query->server, &query->error))
        end(query);
    else
        ask(query);
}

bool
hf_server_queries_want_services(const struct hf_server *server)
{
    HF_EACH(const struct hf_server_query, query, &server->queries, link)
        if (needs_one_service(query))
            return true;
    return false;
}

void
hf_server_queries_tick(struct hf_server *server, struct hf_instant now)
{
    struct hf_link *link = server->queries.first;

    while (link != NULL) {
        struct hf_server_query *query =
            HF_CONTAINER(link, struct hf_server_query, link);

        link = link->next; /* it may be gone */
        if (hf_reached(now, query->again_at) && waits_for_services(query))
            continue;
        if (hf_reached(now, query->again_at))
            ask_one_service(query);
        else if (is_late(query, now))
            give_up_waiting(query);
    }
}

struct hf_instant
hf_server_queries_deadline(const struct hf_server *server)
{
    struct hf_instant deadline = HF_NEVER;

    HF_EACH(const struct hf_server_query, query, &server->queries, link) {
        if (query->call.connection != NULL)
            deadline = hf_earlier(deadline, query->late_at);
        else if (!waits_for_services(query))
            deadline = hf_earlier(deadline, query->again_at);
    }
    return deadline;
}
