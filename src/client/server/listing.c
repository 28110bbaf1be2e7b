#include "base/fail.h"
#include "client/server/queries.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/json_slice.h"

/* The locks of a space that are held, and those that are kept for who is to ask
 * again: one page, in the server's own order. */

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    const struct hf_query *asked = query->query;

    hf_text_add(&question->path, "/v1/locks?space=");
    hf_api_ask_escape(&question->path, hf_settings_space(&asked->settings));
    hf_text_addf(&question->path, "&limit=%zu&prefix=",
                 asked->limit < 1000 ? asked->limit : 1000);
    hf_api_ask_escape(&question->path,
                      asked->prefix == NULL ? "" : asked->prefix);
    hf_server_query_add_after(query, &question->path);
}

/* Who holds it first, or whose place in line keeps it; nobody: no row. */
static bool
add_lock(struct hf_server_query *query, struct hf_bytes lock)
{
    struct hf_api_seen seen;
    struct hf_api_claim claim;
    struct hf_view *row;
    bool is_held;
    size_t at = 0;

    if (!hf_api_seen_read(lock, &seen))
        return true;
    is_held = hf_api_seen_next(seen.holders, &at, &claim);
    if (!is_held && !hf_views_first(&seen, &claim))
        return true;
    row = hf_views_claim(query->server, &seen, &claim, is_held ? 0 : 1);
    if (row != NULL) {
        struct hf_description record = row->diagnosis.record;

        row->kind = HF_VIEW_ROW;
        row->row = record;
    }
    return hf_server_query_add(query, row);
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_bytes locks = hf_json_slice(body, "locks");
    struct hf_bytes lock;
    size_t at = 0;

    if (status != 200) {
        hf_server_query_refused(query, status, body);
        return;
    }
    if (hf_server_query_at_end(query)) {
        hf_server_query_end_knowing(query, body);
        return;
    }
    while (hf_json_slice_next(locks, &at, &lock))
        if (!add_lock(query, lock))
            return;
    if (query->rows == NULL && hf_json_slice(body, "after").at == NULL)
        hf_server_query_end_knowing(query, body);
    else
        hf_server_query_turn(query, body, HF_SERVER_QUERY_END);
}

const struct hf_server_query_kind hf_server_listing = {ask, take, NULL, false};
