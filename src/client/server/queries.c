#include "client/server/queries.h"

#include <string.h>

#include "base/fail.h"
#include "client/server/methods.h"
#include "client/server/trouble.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"
#include "wire/json_slice.h"
#include "wire/name.h"

/* Of nodes that do not answer each is asked so often, and of those that know no
 * leader for so many pauses: a new one leads within seconds. */
enum { ROUNDS = 2, LEADERLESS_MAX = 40 };

/* The longest is a record's name, in digits. */
enum { CURSOR_SIZE = 2 * HF_NAME_COMPANION_SIZE + 1 };

static const struct hf_duration pause_of_leaders = {250};

/* A node that takes longer for an answer is not there; it is five times what a
 * busy one takes to write a page of the audit. */
static const struct hf_duration patience = {5000};

static struct hf_server_query *
at(const struct hf_query *query)
{
    return query->handle.behind;
}

/* ---- The end ------------------------------------------------------------- */

void
hf_server_query_drop(struct hf_server_query *query)
{
    while (query->rows != NULL) {
        struct hf_view *row = query->rows;

        query->rows = row->next;
        hf_view_free(row);
    }
    query->last = &query->rows;
}

static bool
has_view(const struct hf_query *query)
{
    return query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
}

static void
free_query(struct hf_server_query *query)
{
    query->query->handle.behind = NULL;
    hf_server_query_drop(query);
    hf_view_free(query->seen);
    hf_view_free(query->kept);
    hf_free(query->server->client->alloc, query);
}

void
hf_server_query_end(struct hf_server_query *query, enum hf_status status,
                    const struct hf_error *error)
{
    struct hf_query *ended = query->query;
    struct hf_view *rows = query->rows;

    hf_list_remove(&query->server->queries, &query->link);
    hf_call_cancel(&query->call);
    if (status != HF_OK) {
        hf_server_query_drop(query);
        rows = NULL;
    }
    query->rows = NULL;
    if (!has_view(ended))
        free_query(query); /* of these there is nothing to look at */
    hf_query_ended(ended, status, error, rows);
}

void
hf_server_query_refused(struct hf_server_query *query, int status,
                        struct hf_bytes body)
{
    struct hf_error error;
    enum hf_status refused = hf_api_reply_problem(status, body, &error);

    if (status == 400)
        refused = error.status = HF_E_INVALID;
    else if (status == 403)
        refused = error.status = HF_E_DENIED;
    hf_server_query_end(query, refused, &error);
}

bool
hf_server_query_add(struct hf_server_query *query, struct hf_view *row)
{
    struct hf_error error;

    if (row == NULL) {
        (void)hf_fail(&error, HF_E_NOMEM, "out of memory");
        hf_server_query_end(query, HF_E_NOMEM, &error);
        return false;
    }
    *query->last = row;
    query->last = &row->next;
    return true;
}

/* A server that knows no end is none: of a page it says where the next one
 * begins, which is not where it began itself. */
static bool
is_astray(const struct hf_query *asked, struct hf_bytes said, const char *after)
{
    return hf_json_slice_inside(said).len != strlen(after) ||
           (after[0] != '\0' && asked->cursor != NULL &&
            strcmp(after, asked->cursor) == 0);
}

bool
hf_server_query_at_end(const struct hf_server_query *query)
{
    const char *cursor = query->query->cursor;

    return cursor != NULL && strcmp(cursor, HF_SERVER_QUERY_END) == 0;
}

void
hf_server_query_add_after(const struct hf_server_query *query,
                          struct hf_text *path)
{
    hf_text_add(path, "&after=");
    if (query->query->cursor != NULL && !hf_server_query_at_end(query))
        hf_api_ask_escape(path, query->query->cursor);
}

void
hf_server_query_turn(struct hf_server_query *query, struct hf_bytes page,
                     const char *at_end)
{
    struct hf_query *asked = query->query;
    struct hf_bytes said = hf_json_slice(page, "after");
    enum hf_status status = HF_OK;
    char after[CURSOR_SIZE];
    const char *kept;
    struct hf_error error;

    hf_json_slice_show(said, after, sizeof(after));
    kept = after[0] != '\0' ? after : at_end;
    if (is_astray(asked, said, after))
        status = hf_fail(&error, HF_E_CORRUPT,
                         "the server said where the list goes on so that "
                         "nobody can ask for it");
    else if (kept != NULL)
        status = hf_settings_keep(&asked->cursor, query->server->client->alloc,
                                  kept, &error);
    if (status == HF_OK && query->rows == NULL && after[0] != '\0')
        query->again_at = hf_now();
    else
        hf_server_query_end(query, status, status == HF_OK ? NULL : &error);
}

void
hf_server_query_end_knowing(struct hf_server_query *query, struct hf_bytes body)
{
    struct hf_error error;
    uint64_t grace_ms;

    if (hf_json_slice_number(hf_json_slice(body, "grace_ms"), &grace_ms) &&
        grace_ms <= INT64_MAX &&
        hf_server_say_grace(
            query->server,
            hf_after(hf_now(), (struct hf_duration){(int64_t)grace_ms}),
            HF_LATER_FORGOTTEN, &error))
        hf_server_query_end(query, HF_E_UNAVAILABLE, &error);
    else
        hf_server_query_end(query, HF_OK, NULL);
}

/* ---- Answers ------------------------------------------------------------- */

static void
next_node(struct hf_server *server, unsigned node)
{
    server->node =
        node != 0 ? node : server->node % server->addresses.count + 1;
}

static void
on_no_answer(struct hf_server_query *query)
{
    struct hf_server *server = query->server;
    struct hf_error error;

    if (query->kind->fail != NULL) {
        query->kind->fail(query);
        return;
    }
    next_node(server, 0);
    query->is_unsure = query->is_clearing;
    if (++query->failures >= ROUNDS * server->addresses.count) {
        hf_server_say_trouble(server, &error);
        error.status = query->is_clearing ? HF_E_UNKNOWN : HF_E_UNAVAILABLE;
        hf_server_query_end(query, error.status, &error);
        return;
    }
    query->again_at = hf_now();
}

/* It may name who leads. */
static bool
on_not_leading(struct hf_server_query *query, const struct hf_api_reply *reply)
{
    struct hf_server *server = query->server;

    query->failures = 0;
    if (query->leaderless++ >= LEADERLESS_MAX)
        return false;
    next_node(server, hf_addresses_of(&server->addresses, reply->leader));
    query->again_at = hf_after(hf_now(), pause_of_leaders);
    return true;
}

/* What is cut within is not to be taken for the rest. */
static bool
is_whole(const struct hf_server_query *query,
         const struct hf_http_answer *answer)
{
    struct hf_server *server = query->server;
    const struct hf_address *node =
        &server->addresses.each[query->asked_node - 1];

    if (answer->status != 200 || hf_json_slice_whole(answer->body))
        return true;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE,
                  "%s: it gave no whole answer", node->authority);
    return false;
}

static void
answered(struct hf_call *call, const struct hf_http_answer *answer)
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
    if (hf_call_ask(server, &query->call,
                    &(struct hf_call_request){
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
    struct hf_server_query *made =
        hf_new(server->client->alloc, struct hf_server_query);

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    *made = (struct hf_server_query){
        .kind = kind,
        .server = server,
        .query = query,
        .call.answered = answered,
        .last = &made->rows,
        .began_at = hf_now(),
        .fence = query->fence,
        .node = 1,
    };
    made->until = hf_after(made->began_at, query->watch);
    query->handle.behind = made;
    hf_list_add(&server->queries, &made->link);
    /* The loop asks: nothing may end before this returns. */
    made->again_at = made->began_at;
    return HF_OK;
}

void
hf_server_queries_cancel(struct hf_backend *backend, struct hf_query *query)
{
    enum hf_status status = HF_E_CANCELLED;
    struct hf_error error;

    (void)backend;
    if (at(query)->is_clearing)
        status = HF_E_UNKNOWN;
    (void)hf_fail(&error, status, "%s", hf_status_sentence(status));
    hf_server_query_end(at(query), status, &error);
}

void
hf_server_queries_forget(struct hf_backend *backend, struct hf_query *query)
{
    (void)backend;
    free_query(at(query));
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
    if (at(query)->seen != NULL)
        return hf_views_copy(server, at(query)->seen);
    if (at(query)->kept != NULL)
        return hf_views_copy(server, at(query)->kept);
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

    hf_call_overdue(&query->call);
    hf_call_cancel(&query->call);
    query->was_silent = true;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE, "%s: no answer", node);
    on_no_answer(query);
}

/* What one node answers says nothing of another service: so all are asked who
 * they are first [S7].  The doctor tells of each. */
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
    struct hf_error error;

    if (needs_one_service(query) &&
        hf_server_services_trouble(query->server, &error))
        hf_server_query_end(query, HF_E_UNAVAILABLE, &error);
    else
        ask(query);
}

bool
hf_server_queries_want_services(const struct hf_server *server)
{
    for (struct hf_link *link = server->queries.first; link != NULL;
         link = link->next)
        if (needs_one_service(HF_CONTAINER(link, struct hf_server_query, link)))
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

    for (struct hf_link *link = server->queries.first; link != NULL;
         link = link->next) {
        const struct hf_server_query *query =
            HF_CONTAINER(link, struct hf_server_query, link);

        if (query->call.connection != NULL)
            deadline = hf_earlier(deadline, query->late_at);
        else if (!waits_for_services(query))
            deadline = hf_earlier(deadline, query->again_at);
    }
    return deadline;
}
