#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "client/server/queries.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/cleared.h"
#include "wire/json.h"

/*
 * The lists of a server, page by page and in its own order: the locks of a
 * space that are held, or kept for the first in line; the sessions; and the
 * audit.
 */

/* Rows of a page; a server accepts no more. */
enum { LIMIT_MAX = 1000 };

/* Our own cursor behind the last row; the server never sees it. */
static const char at_end[] = "end";

struct listing_kind {
    void (*add_path)(const struct hf_query *query, struct hf_text *path);
    const char *rows; /* the member of the answer with the rows */
    void (*add_row)(struct hf_server_query *query, struct hf_bytes row);
    bool has_end; /* no rows are added behind the last one later */
    bool forgets; /* in a grace a lock that is not listed may be held */
};

/* ---- Locks --------------------------------------------------------------- */

static void
add_locks_path(const struct hf_query *query, struct hf_text *path)
{
    hf_text_add(path, "/v1/locks?space=");
    hf_api_ask_escape(path, hf_settings_space(&query->settings));
    hf_text_add(path, "&prefix=");
    hf_api_ask_escape(path, query->prefix == NULL ? "" : query->prefix);
    hf_text_add(path, "&");
}

/* A row for the first holder, or for the first in line that it is kept for.  If
 * there is neither, there is no row. */
static void
add_lock(struct hf_server_query *query, struct hf_bytes lock)
{
    struct hf_api_seen seen;
    struct hf_api_claim claim;
    struct hf_view *row;
    bool is_held;
    size_t at = 0;

    if (!hf_api_seen_read(lock, &seen))
        return;
    is_held = hf_api_seen_next(seen.holders, &at, &claim);
    if (!is_held && !hf_views_first(&seen, &claim))
        return;
    row = hf_views_claim(query->server, &seen, &claim, is_held ? 0 : 1);
    if (row != NULL) {
        struct hf_description record = row->diagnosis.record;

        row->kind = HF_VIEW_ROW;
        row->row = record;
    }
    (void)hf_query_page_take(&query->page, row);
}

/* ---- Sessions ------------------------------------------------------------ */

static void
add_sessions_path(const struct hf_query *query, struct hf_text *path)
{
    (void)query;
    hf_text_add(path, "/v1/sessions?");
}

static void
add_session(struct hf_server_query *query, struct hf_bytes bytes)
{
    struct hf_view *row = hf_query_page_add(&query->page, HF_VIEW_SESSION);

    if (row != NULL)
        hf_api_seen_read_session(bytes, &row->session);
}

/* ---- The audit ----------------------------------------------------------- */

static void
add_audit_path(const struct hf_query *query, struct hf_text *path)
{
    const struct hf_settings *settings = &query->settings;

    hf_text_add(path, "/v1/audit?");
    if (settings->space != NULL) {
        hf_text_add(path, "space=");
        hf_api_ask_escape(path, settings->space);
        hf_text_add(path, "&");
    }
    if (settings->name != NULL) {
        hf_text_add(path, "name=");
        hf_api_ask_escape(path, settings->name);
        hf_text_add(path, "&");
    }
}

static void
add_entry(struct hf_server_query *query, struct hf_bytes bytes)
{
    struct hf_audit_entry entry = {.corrupt = true};
    struct hf_view *row;

    if (!hf_cleared_read_entry(bytes, &entry))
        hf_json_show(hf_json_member(bytes, "record"), entry.cleared.name,
                     sizeof(entry.cleared.name));
    if (query->query->since_ms != 0 && entry.stamp_ms < query->query->since_ms)
        return;
    row = hf_query_page_add(&query->page, HF_VIEW_ENTRY);
    if (row != NULL)
        row->entry = entry;
}

/* ---- All of them --------------------------------------------------------- */

static const struct listing_kind *
listing_of(const struct hf_server_query *query)
{
    static const struct listing_kind locks = {
        .add_path = add_locks_path,
        .rows = "locks",
        .add_row = add_lock,
        .has_end = true,
        .forgets = true,
    };
    static const struct listing_kind sessions = {
        .add_path = add_sessions_path,
        .rows = "sessions",
        .add_row = add_session,
        .has_end = true,
    };
    static const struct listing_kind audit = {
        .add_path = add_audit_path,
        .rows = "cleared",
        .add_row = add_entry,
    };

    if (query->query->kind == HF_LIST)
        return &locks;
    return query->query->kind == HF_SESSIONS ? &sessions : &audit;
}

static bool
is_at_end(const struct hf_server_query *query)
{
    return strcmp(query->page.cursor, at_end) == 0;
}

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    int64_t limit = query->query->limit;

    listing_of(query)->add_path(query->query, &question->path);
    hf_text_addf(&question->path, "limit=%" PRId64 "&after=",
                 limit < LIMIT_MAX ? limit : (int64_t)LIMIT_MAX);
    if (!is_at_end(query))
        hf_api_ask_escape(&question->path, query->page.cursor);
}

/* The next page must begin elsewhere than this one, or the listing would never
 * end. */
static bool
is_bad_cursor(const struct hf_server_query *query, struct hf_bytes said,
              const char *after)
{
    return hf_json_inside(said).len != strlen(after) ||
           (after[0] != '\0' && strcmp(after, query->page.cursor) == 0);
}

/* A page was read.  If it has no row that was asked for, read the next one. */
static void
next_page(struct hf_server_query *query, struct hf_bytes body)
{
    const struct listing_kind *listing = listing_of(query);
    struct hf_query_page *page = &query->page;
    struct hf_bytes said = hf_json_member(body, "after");
    char after[HF_CURSOR_SIZE];

    hf_json_show(said, after, sizeof(after));
    if (is_bad_cursor(query, said, after))
        (void)hf_fail(&query->error, HF_E_CORRUPT,
                      "the server said where the list goes on so that nobody "
                      "can ask for it");
    else if (after[0] != '\0')
        memcpy(page->cursor, after, sizeof(after));
    else if (listing->forgets && page->rows == NULL)
        hf_server_query_check_grace(query, body);
    else if (listing->has_end)
        memcpy(page->cursor, at_end, sizeof(at_end));
    if (query->error.status == HF_OK && after[0] != '\0' && page->rows == NULL)
        hf_server_query_again(query, (struct hf_duration){0});
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    const struct listing_kind *listing = listing_of(query);
    struct hf_bytes rows = hf_json_member(body, listing->rows);
    struct hf_bytes row;
    size_t at = 0;

    if (status != 200) {
        hf_server_query_refused(query, status, body);
        return;
    }
    if (is_at_end(query)) {
        if (listing->forgets)
            hf_server_query_check_grace(query, body);
        return;
    }
    while (!query->page.failed && hf_json_next(rows, &at, &row))
        listing->add_row(query, row);
    next_page(query, body);
}

const struct hf_server_query_kind hf_server_listing = {ask, take, NULL, false};
