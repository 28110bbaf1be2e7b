#include "client/query.h"

#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "base/text.h"
#include "client/client.h"

/* A query, as holdfast.h has it: checked here, done by the place behind it. */

#define ROWS_DEFAULT 100
#define ROWS_MAX     10000

static bool
is_ours(const struct hf_query *query)
{
    return query != NULL && hf_client_is_ours(query->handle.client);
}

static const struct hf_query_methods *
methods_of(const struct hf_query *query)
{
    return query->handle.client->backend->methods->queries;
}

/* It is going on; or has ended, and is kept by the place for its view. */
static bool
is_begun(const struct hf_query *query)
{
    return query->handle.behind != NULL;
}

static bool
is_running(const struct hf_query *query)
{
    return query->handle.started && !query->handle.ended;
}

static bool
has_pages(enum hf_query_kind kind)
{
    return kind == HF_LIST || kind == HF_AUDIT || kind == HF_SESSIONS;
}

/* ---- As a handle --------------------------------------------------------- */

static struct hf_query *
query_of(struct hf_handle *handle)
{
    return (struct hf_query *)handle;
}

static enum hf_state
state_of(const struct hf_handle *handle)
{
    if (handle->ended)
        return HF_STATE_ENDED;
    return handle->started ? HF_STATE_WAITING : HF_STATE_NEW;
}

static void
cancel(struct hf_handle *handle)
{
    struct hf_query *query = query_of(handle);

    if (is_running(query) && is_begun(query))
        methods_of(query)->cancel(handle->client->backend, query);
}

/* Nothing of it needs to be settled. */
static void
obey(struct hf_handle *handle, enum hf_handle_order order)
{
    (void)order;
    cancel(handle);
}

void
hf_query_free_rows(struct hf_view **rows)
{
    while (*rows != NULL) {
        struct hf_view *row = *rows;

        *rows = row->next;
        hf_view_free(row);
    }
}

static void
destroy(struct hf_handle *handle)
{
    const struct hf_alloc *alloc = handle->client->alloc;
    struct hf_query *query = query_of(handle);

    if (is_begun(query))
        methods_of(query)->forget(handle->client->backend, query);
    hf_handle_remove(handle);
    hf_query_free_rows(&query->rows);
    hf_settings_fini(&query->settings, alloc);
    hf_free(alloc, query->prefix);
    hf_free(alloc, query->cursor);
    hf_free(alloc, query);
}

static const struct hf_handle_methods as_handle = {
    .state = state_of,
    .obey = obey,
    .settle = cancel,
    .destroy = destroy,
};

/* ---- Making and setting -------------------------------------------------- */

enum hf_status
hf_query_new(struct hf_client *client, enum hf_query_kind kind,
             struct hf_query **query, struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);
    struct hf_query *made;

    if (status != HF_OK)
        return status;
    if ((unsigned)kind > HF_SESSIONS)
        return hf_fail(error, HF_E_INVALID, "there is no such kind of query");
    made = hf_new(client->alloc, struct hf_query);
    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    made->kind = kind;
    made->limit = ROWS_DEFAULT;
    hf_client_enter(client);
    hf_handle_add(&made->handle, client, &as_handle);
    hf_client_leave(client);
    *query = made;
    return HF_OK;
}

static enum hf_status
check_prefix(const char *prefix, struct hf_error *error)
{
    return strlen(prefix) <= HF_NAME_MAX
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "the prefix is longer than any name");
}

/* Which kinds take which option. */
#define OF(kind) (1u << (kind))
#define PAGED    (OF(HF_LIST) | OF(HF_AUDIT) | OF(HF_SESSIONS))

static const struct hf_option option_rows[] = {
    HF_OPTION(TEXT, HF_SPACE, struct hf_query, settings.space,
              .scopes =
                  OF(HF_LIST) | OF(HF_EXAMINE) | OF(HF_CLEAR) | OF(HF_AUDIT),
              .check = hf_settings_check_space),
    HF_OPTION(TEXT, HF_NAME, struct hf_query, settings.name,
              .scopes = OF(HF_EXAMINE) | OF(HF_CLEAR) | OF(HF_AUDIT),
              .check = hf_settings_check_name),
    HF_OPTION(TEXT, HF_PREFIX, struct hf_query, prefix, .scopes = OF(HF_LIST),
              .check = check_prefix),
    HF_OPTION(NUMBER, HF_LIMIT, struct hf_query, limit, .scopes = PAGED,
              .least = 1, .most = ROWS_MAX,
              .wants = "is no number from 1 to 10000"),
    HF_OPTION(TEXT, HF_CURSOR, struct hf_query, cursor, .scopes = PAGED),
    HF_OPTION(NUMBER, HF_SINCE, struct hf_query, since_ms,
              .scopes = OF(HF_AUDIT)),
    HF_OPTION(DURATION, HF_WATCH, struct hf_query, watch,
              .scopes = OF(HF_EXAMINE), .most = INT64_MAX),
    HF_OPTION(TEXT, HF_REASON, struct hf_query, settings.reason,
              .scopes = OF(HF_CLEAR)),
    HF_OPTION(FLAG, HF_FORCE, struct hf_query, force, .scopes = OF(HF_CLEAR)),
    HF_OPTION(NUMBER, HF_FENCE, struct hf_query, fence, .scopes = OF(HF_CLEAR),
              .least = 1),
};

enum hf_status
hf_query_set(struct hf_query *query, const char *option, const char *text,
             struct hf_error *error)
{
    struct hf_options options = HF_OPTIONS(option_rows);
    struct hf_client *client;
    enum hf_status status;

    if (query == NULL || option == NULL || text == NULL)
        return hf_fail(error, HF_E_INVALID,
                       "a query, an option and a text are needed");
    options.scope = OF(query->kind);
    client = query->handle.client;
    status = hf_client_may_call(client, error);
    if (status != HF_OK)
        return status;
    hf_client_enter(client);
    if (is_running(query))
        status = hf_fail(error, HF_E_INVALID, "the query is going on");
    else if (query->handle.ended && !has_pages(query->kind))
        status = hf_fail(error, HF_E_INVALID, "the query has ended");
    else
        status = hf_options_set(
            &options, query, "such a query has",
            &(struct hf_option_given){option, text, client->alloc}, error);
    hf_client_leave(client);
    return status;
}

void
hf_query_set_user(struct hf_query *query, void *user)
{
    if (!is_ours(query))
        return;
    hf_client_enter(query->handle.client);
    query->handle.user = user;
    hf_client_leave(query->handle.client);
}

/* ---- Asking -------------------------------------------------------------- */

static enum hf_status
may_start(const struct hf_query *query, struct hf_error *error)
{
    const struct hf_client *client = query->handle.client;
    bool named = query->kind == HF_EXAMINE || query->kind == HF_CLEAR;
    const char *reason = query->settings.reason;

    if (client->backend == NULL)
        return hf_fail(error, HF_E_INVALID, "the client is not open");
    if (client->closing)
        return hf_fail(error, HF_E_CANCELLED, "the client is being closed");
    if (is_running(query) || (query->handle.ended && !has_pages(query->kind)))
        return hf_fail(error, HF_E_INVALID, "the query was started already");
    if (named && query->settings.name == NULL)
        return hf_fail(error, HF_E_INVALID, "no name was given");
    if (query->kind != HF_CLEAR)
        return HF_OK;
    if (client->look_only)
        return hf_fail(error, HF_E_DENIED, "%s was opened to look only",
                       client->place);
    if (reason == NULL || !hf_text_has_word(reason, strlen(reason)))
        return hf_fail(error, HF_E_INVALID,
                       "a reason is needed to clear a lock, with a letter or a "
                       "digit in it");
    return HF_OK;
}

/* A table knows nothing of a server's locks, and would call them free. */
static bool
is_of_locks(enum hf_query_kind kind)
{
    return kind == HF_LIST || kind == HF_EXAMINE || kind == HF_SESSIONS;
}

static enum hf_status
start(struct hf_query *query, struct hf_error *error)
{
    const struct hf_client *client = query->handle.client;

    if (client->served.status != HF_OK && is_of_locks(query->kind))
        return hf_fail(error, client->served.status, "%s", client->served.text);
    return methods_of(query)->start(client->backend, query, error);
}

enum hf_status
hf_query_start(struct hf_query *query, struct hf_error *error)
{
    struct hf_client *client;
    enum hf_status status;

    if (query == NULL)
        return hf_fail(error, HF_E_INVALID, "there is no such query");
    client = query->handle.client;
    status = hf_client_may_call(client, error);
    if (status != HF_OK)
        return status;
    hf_client_enter(client);
    status = may_start(query, error);
    if (status == HF_OK) {
        hf_query_free_rows(&query->rows);
        hf_handle_silence(&query->handle);   /* of the page before */
        if (query->status == HF_E_CANCELLED) /* that cancel is over */
            atomic_store(&query->handle.order, HF_ORDER_NONE);
        query->handle.started = true;
        query->handle.ended = false;
        query->status = HF_OK;
        status = start(query, error);
        if (status != HF_OK)
            query->handle.started = false;
        else if (atomic_load(&query->handle.order) != HF_ORDER_NONE)
            cancel(&query->handle);
    }
    hf_client_leave(client);
    return status;
}

enum hf_state
hf_query_state(const struct hf_query *query)
{
    enum hf_state state;

    if (!is_ours(query))
        return HF_STATE_ENDED;
    hf_client_enter(query->handle.client);
    state = state_of(&query->handle);
    hf_client_leave(query->handle.client);
    return state;
}

static bool
is_over(const struct hf_handle *handle)
{
    return handle->ended || !handle->started;
}

bool
hf_query_wait(struct hf_query *query, struct hf_duration limit)
{
    bool over;

    if (!is_ours(query))
        return true;
    hf_client_enter(query->handle.client);
    over = hf_handle_wait(&query->handle, is_over, limit);
    hf_client_leave(query->handle.client);
    return over;
}

/* ---- The answer ---------------------------------------------------------- */

void
hf_query_ended(struct hf_query *query, enum hf_status status,
               const struct hf_error *error, struct hf_view *rows)
{
    query->status = status;
    query->error = (struct hf_error){.status = HF_OK};
    if (error != NULL)
        query->error = *error;
    query->rows = rows;
    hf_client_ended(query->handle.client, &query->handle);
}

enum hf_status
hf_query_error(const struct hf_query *query, struct hf_error *error)
{
    enum hf_status status;

    if (!is_ours(query))
        return hf_client_may_call(query == NULL ? NULL : query->handle.client,
                                  error);
    hf_client_enter(query->handle.client);
    status = query->status;
    if (status != HF_OK)
        (void)hf_fail(error, status, "%s", query->error.text);
    hf_client_leave(query->handle.client);
    return status;
}

struct hf_view *
hf_query_view(const struct hf_query *query)
{
    struct hf_view *view = NULL;
    struct hf_client *client;

    if (!is_ours(query))
        return NULL;
    client = query->handle.client;
    hf_client_enter(client);
    if (is_begun(query))
        view = methods_of(query)->watch(client->backend, query);
    hf_client_leave(client);
    return view;
}

struct hf_view *
hf_query_next(struct hf_query *query)
{
    struct hf_view *row;

    if (!is_ours(query))
        return NULL;
    hf_client_enter(query->handle.client);
    row = query->rows;
    if (row != NULL) {
        query->rows = row->next;
        row->next = NULL;
    }
    hf_client_leave(query->handle.client);
    return row;
}

const char *
hf_query_cursor(const struct hf_query *query)
{
    const char *cursor = "";

    if (!is_ours(query))
        return "";
    hf_client_enter(query->handle.client);
    if (query->cursor != NULL)
        cursor = query->cursor;
    hf_client_leave(query->handle.client);
    return cursor;
}

uint64_t
hf_query_id(const struct hf_query *query)
{
    return is_ours(query) ? query->handle.id : 0;
}

/* ---- The end ------------------------------------------------------------- */

void
hf_query_cancel(struct hf_query *query)
{
    if (is_ours(query))
        hf_handle_signal(&query->handle, HF_ORDER_CANCEL);
}

void
hf_query_free(struct hf_query *query)
{
    struct hf_client *client;

    if (!is_ours(query))
        return;
    client = query->handle.client;
    hf_client_enter(client);
    query->handle.freed = true;
    hf_handle_silence(&query->handle);
    if (is_running(query))
        cancel(&query->handle);
    else
        destroy(&query->handle);
    hf_client_leave(client);
}
