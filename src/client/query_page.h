#ifndef HF_CLIENT_QUERY_PAGE_H
#define HF_CLIENT_QUERY_PAGE_H

#include "client/query.h"
#include "wire/name.h"

/*
 * The answer to a query, while a place puts it together: a page of rows, and
 * the cursor at which the next page begins.
 *
 * begin and end want the client entered.  Between them one thread fills the
 * page, entered or not, and leaves `query` alone.
 */

/* The longest cursor is a record's name in hexadecimal. */
enum { HF_CURSOR_SIZE = 2 * HF_NAME_COMPANION_SIZE + 1 };

struct hf_query_page {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_query *query;       /* NULL: it was cancelled */
    struct hf_view *rows;         /* owned */
    struct hf_view **last;        /* where the next row goes */
    bool failed;                  /* there was no memory for a row */

    /* Where this page begins, "": at the start; later, where the next one
     * does. */
    char cursor[HF_CURSOR_SIZE];
};

/* The first page of a query, or the next one.  HF_E_INVALID: its cursor is too
 * long for one that a place has given. */
HF_MUST_USE enum hf_status hf_query_page_begin(struct hf_query_page *page,
                                               struct hf_query *query,
                                               struct hf_error *error);

/* Add a row behind the others, and return it.  NULL: there is no memory, and
 * the query will end with that. */
struct hf_view *hf_query_page_add(struct hf_query_page *page,
                                  enum hf_view_kind kind);

/* The same with a row that was made already, which it takes.  False: the row is
 * NULL, as there was no memory to make it. */
bool hf_query_page_take(struct hf_query_page *page, struct hf_view *row);

/* Free all rows. */
void hf_query_page_drop(struct hf_query_page *page);

/* The query ends so: with the rows and the cursor, or with *error, which is
 * copied and may be NULL where all is well.  If it was cancelled, the rows are
 * freed.  The query may be gone when this returns. */
void hf_query_page_end(struct hf_query_page *page, enum hf_status status,
                       const struct hf_error *error);

#endif
