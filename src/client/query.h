#ifndef HF_CLIENT_QUERY_H
#define HF_CLIENT_QUERY_H

#include "client/handle.h"
#include "client/settings.h"
#include "client/view.h"

/*
 * A query: a handle with what is asked of the place, and the rows of the
 * answer.  Texts are checked when they are set; what belongs together, at the
 * start.
 */
struct hf_query {
    struct hf_handle handle;
    enum hf_query_kind kind;
    struct hf_settings settings; /* space, name and reason; name NULL: none */
    char *prefix;                /* owned; NULL: every name */
    char *cursor;                /* owned; NULL: from the start */
    int64_t limit;
    int64_t since_ms;
    struct hf_duration watch;
    bool force;
    int64_t fence; /* 0: whoever has it */

    struct hf_view *rows; /* owned; of a page that has ended */
    enum hf_status status;
    struct hf_error error;
};

/* For a place: it has ended so; takes the rows.  Entered. */
void hf_query_ended(struct hf_query *query, enum hf_status status,
                    const struct hf_error *error, struct hf_view *rows);

/* Free all of them; *rows is NULL then. */
void hf_query_free_rows(struct hf_view **rows);

#endif
