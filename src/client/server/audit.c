#include <string.h>

#include "base/text.h"
#include "client/describe.h"
#include "client/server/queries.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/cleared.h"
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
    hf_text_add(&question->path, "&after=");
    if (asked->cursor != NULL)
        hf_api_ask_escape(&question->path, asked->cursor);
}

/* ---- An entry ------------------------------------------------------------ */

static void
show(char *to, size_t size, struct hf_bytes text)
{
    hf_text_show(to, size, text.at, text.len);
}

/* What was cleared, by the note that its holder left, or by what it said of
 * itself. */
static void
describe(const struct hf_cleared *cleared, struct hf_description *record)
{
    const struct hf_record_meta meta = {
        .space = cleared->space,
        .name = cleared->name,
        .name_len = strlen(cleared->name),
        .exists = true,
        .version = cleared->grant.loaded.fence,
        .token = cleared->grant.loaded.fence,
        .stamp_ms = cleared->silent_ms < 0
                        ? 0
                        : cleared->by.since_ms - cleared->silent_ms,
    };
    struct hf_bytes note = cleared->grant.loaded.note;
    struct hf_value value = {
        .terms = {cleared->session.if_dead, cleared->session.ttl, {0}},
    };

    if (hf_record_decode(note.at, note.len, &value, NULL) != HF_OK) {
        show(value.owner.user, sizeof(value.owner.user), cleared->session.who);
        show(value.owner.reason, sizeof(value.owner.reason), note);
    }
    hf_describe(&meta, &value, record);
    record->since_ms = cleared->grant.since_ms;
}

/* A server knows who clears by one text: "ann@db1". */
static void
part(struct hf_audit_entry *entry)
{
    char *host = strrchr(entry->user, '@');

    if (entry->host[0] != '\0' || host == NULL)
        return;
    *host = '\0';
    hf_text_show(entry->host, sizeof(entry->host), host + 1, strlen(host + 1));
}

static bool
read_served(struct hf_bytes row, struct hf_audit_entry *entry)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_cleared cleared;

    if (hf_cleared_decode(row, &memory, &cleared, NULL) != HF_OK)
        return false;
    *entry = (struct hf_audit_entry){
        .stamp_ms = cleared.by.since_ms,
        .asked_ms = cleared.by.since_ms,
        .forced = cleared.forced,
    };
    memcpy(entry->host, cleared.by.host, sizeof(entry->host));
    memcpy(entry->user, cleared.by.user, sizeof(entry->user));
    part(entry);
    memcpy(entry->command, cleared.by.command, sizeof(entry->command));
    memcpy(entry->reason, cleared.by.reason, sizeof(entry->reason));
    describe(&cleared, &entry->cleared);
    return true;
}

/* Of a server's clear, or of a table's that stood there before. */
static void
read_entry(struct hf_bytes row, struct hf_audit_entry *entry)
{
    if (read_served(row, entry) ||
        hf_audit_decode(row.at, row.len, entry, NULL) == HF_OK)
        return;
    *entry = (struct hf_audit_entry){.corrupt = true};
    hf_json_slice_show(hf_json_slice(row, "record"), entry->cleared.name,
                       sizeof(entry->cleared.name));
}

/* ---- A page -------------------------------------------------------------- */

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
    const struct hf_alloc *alloc = query->server->client->alloc;
    struct hf_bytes entries = hf_json_slice(body, "cleared");
    char after[2 * HF_NAME_COMPANION_SIZE + 1];
    struct hf_bytes entry;
    struct hf_error error;
    size_t at = 0;

    if (status != 200) {
        hf_server_query_refused(query, status, body);
        return;
    }
    while (hf_json_slice_next(entries, &at, &entry))
        if (!add_entry(query, entry))
            return;
    hf_json_slice_show(hf_json_slice(body, "after"), after, sizeof(after));
    if (after[0] != '\0' &&
        hf_settings_keep(&query->query->cursor, alloc, after, &error) != HF_OK)
        hf_server_query_end(query, HF_E_NOMEM, &error);
    else if (query->rows == NULL && after[0] != '\0')
        query->again_at = hf_now(); /* all of that page is too old */
    else
        hf_server_query_end(query, HF_OK, NULL);
}

const struct hf_server_query_kind hf_server_audit = {ask, take, NULL};
