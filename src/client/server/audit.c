#include "client/entry.h"
#include "client/server/queries.h"
#include "wire/api_ask.h"
#include "wire/json_slice.h"

/* What was cleared by hand: one page, lock by lock. */

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    const struct hf_query *asked = query->query;
    const struct hf_settings *settings = &asked->settings;

    hf_text_addf(&question->path, "/v1/audit?limit=%zu",
                 asked->limit < 1000 ? asked->limit : 1000);
    if (settings->space != NULL) {
        hf_text_add(&question->path, "&space=");
        hf_api_ask_escape(&question->path, settings->space);
    }
    if (settings->name != NULL) {
        hf_text_add(&question->path, "&name=");
        hf_api_ask_escape(&question->path, settings->name);
    }
    hf_server_query_add_after(query, &question->path);
}

static void
read_entry(struct hf_bytes row, struct hf_audit_entry *entry)
{
    if (hf_entry_read(row, entry))
        return;
    *entry = (struct hf_audit_entry){.corrupt = true};
    hf_json_slice_show(hf_json_slice(row, "record"), entry->cleared.name,
                       sizeof(entry->cleared.name));
}

static bool
add_entry(struct hf_server_query *query, struct hf_bytes bytes)
{
    int64_t since_ms = query->query->since_ms;
    struct hf_view *row =
        hf_view_new(query->server->client->alloc, HF_VIEW_ENTRY);

    if (row == NULL)
        return hf_server_query_add(query, NULL);
    read_entry(bytes, &row->entry);
    if (since_ms != 0 && row->entry.stamp_ms < since_ms) {
        hf_view_free(row);
        return true;
    }
    return hf_server_query_add(query, row);
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_bytes entries = hf_json_slice(body, "cleared");
    struct hf_bytes entry;
    size_t at = 0;

    if (status != 200) {
        hf_server_query_refused(query, status, body);
        return;
    }
    while (hf_json_slice_next(entries, &at, &entry))
        if (!add_entry(query, entry))
            return;
    hf_server_query_turn(query, body, NULL);
}

const struct hf_server_query_kind hf_server_audit = {ask, take, NULL, false};
