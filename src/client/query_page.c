#include "client/query_page.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/options.h"
#include "client/client.h"

enum hf_status
hf_query_page_begin(struct hf_query_page *page, struct hf_query *query,
                    struct hf_error *error)
{
    int len = snprintf(page->cursor, sizeof(page->cursor), "%s",
                       query->cursor == NULL ? "" : query->cursor);

    page->alloc = query->handle.client->alloc;
    page->query = query;
    page->rows = NULL;
    page->last = &page->rows;
    page->failed = false;
    if (len >= (int)sizeof(page->cursor))
        return hf_fail(error, HF_E_INVALID, "the cursor is no listing's");
    return HF_OK;
}

struct hf_view *
hf_query_page_add(struct hf_query_page *page, enum hf_view_kind kind)
{
    struct hf_view *row = hf_view_new(page->alloc, kind);

    return hf_query_page_take(page, row) ? row : NULL;
}

bool
hf_query_page_take(struct hf_query_page *page, struct hf_view *row)
{
    if (row == NULL) {
        page->failed = true;
        return false;
    }
    *page->last = row;
    page->last = &row->next;
    return true;
}

void
hf_query_page_drop(struct hf_query_page *page)
{
    hf_query_free_rows(&page->rows);
    page->last = &page->rows;
}

/* For the next start of the query. */
static enum hf_status
keep(const struct hf_query_page *page, struct hf_error *error)
{
    if (page->failed)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    if (page->cursor[0] == '\0')
        return HF_OK;
    return hf_option_copy(&page->query->cursor, page->alloc, page->cursor,
                          error);
}

void
hf_query_page_end(struct hf_query_page *page, enum hf_status status,
                  const struct hf_error *error)
{
    struct hf_query *query = page->query;
    struct hf_view *rows;
    struct hf_error why;

    if (query == NULL) {
        hf_query_page_drop(page);
        return;
    }
    if (status == HF_OK) {
        status = keep(page, &why);
        error = &why;
    }
    if (status != HF_OK)
        hf_query_page_drop(page);
    rows = page->rows;
    page->rows = NULL;
    hf_query_ended(query, status, status == HF_OK ? NULL : error, rows);
}
