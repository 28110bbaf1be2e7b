#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "client/table/state.h"
#include "wire/cleared.h"

/* One page of the audit: locks that were cleared by hand. */

/* Behind the first `given` entries of that instant, in the order of the store.
 * As a cursor: "A", the instant, ":", the count. */
struct audit_position {
    int64_t stamp_ms;
    uint64_t given;
};

/*
 * The store scans the entries in the order of the locks' names.  Of those
 * behind `from` the earliest are kept, sorted by instant; entries of one
 * instant stay in the order of the store.
 */
struct audit_page {
    struct hf_job *job;
    struct audit_position from;
    uint64_t passed; /* how many of from.given were passed */
    struct hf_view **kept;
    size_t count;
};

static void
decode(const char *name, size_t name_len, const struct hf_record *record,
       struct hf_audit_entry *entry)
{
    struct hf_bytes bytes = {record->value, record->value_len};

    if (record->value_len >= sizeof(record->value) ||
        !hf_cleared_read_entry(bytes, entry)) {
        *entry = (struct hf_audit_entry){.corrupt = true};
        hf_text_show(entry->cleared.name, sizeof(entry->cleared.name), name,
                     name_len);
    }
    entry->stamp_ms = record->stamp_ms;
}

static bool
is_asked_for(const struct hf_job *job, const struct hf_audit_entry *entry)
{
    const struct hf_description *cleared = &entry->cleared;

    if (entry->corrupt)
        return job->space[0] == '\0' && job->name[0] == '\0';
    return (job->space[0] == '\0' || strcmp(job->space, cleared->space) == 0) &&
           (job->name[0] == '\0' || strcmp(job->name, cleared->name) == 0);
}

/* Insert behind those that are not later.  If the page is full, the latest
 * entry is dropped. */
static void
keep(struct audit_page *audit, const struct hf_audit_entry *entry)
{
    size_t at = audit->count;
    struct hf_view *view;

    if (audit->count == audit->job->limit) {
        view = audit->kept[--at];
    } else {
        view = hf_query_page_add(&audit->job->page, HF_VIEW_ENTRY);
        if (view == NULL)
            return;
        audit->count++;
    }
    view->entry = *entry;
    for (; at > 0 && audit->kept[at - 1]->entry.stamp_ms > entry->stamp_ms;
         at--)
        audit->kept[at] = audit->kept[at - 1];
    audit->kept[at] = view;
}

/* Would an entry of that instant be kept? */
static bool
is_early(const struct audit_page *audit, int64_t stamp_ms)
{
    return audit->count < audit->job->limit ||
           stamp_ms < audit->kept[audit->count - 1]->entry.stamp_ms;
}

static bool
add_entry(void *ctx, const char *name, size_t name_len,
          const struct hf_record *record)
{
    struct audit_page *audit = ctx;
    const struct hf_job *job = audit->job;
    int64_t stamp_ms = record->stamp_ms;
    bool at_start = stamp_ms == audit->from.stamp_ms;
    struct hf_audit_entry entry;

    if (stamp_ms < audit->from.stamp_ms ||
        (job->since_ms != 0 && stamp_ms < job->since_ms))
        return true;
    if (!at_start && !is_early(audit, stamp_ms))
        return true;
    decode(name, name_len, record, &entry);
    if (!is_asked_for(job, &entry))
        return true;
    if (at_start && audit->passed < audit->from.given)
        audit->passed++;
    else if (is_early(audit, stamp_ms))
        keep(audit, &entry);
    return !job->page.failed;
}

static void
move_cursor(struct audit_page *audit)
{
    char *cursor = audit->job->page.cursor;
    struct audit_position reached = {
        .stamp_ms = audit->kept[audit->count - 1]->entry.stamp_ms,
    };

    if (reached.stamp_ms == audit->from.stamp_ms)
        reached.given = audit->from.given;
    for (size_t i = 0; i < audit->count; i++)
        reached.given += audit->kept[i]->entry.stamp_ms == reached.stamp_ms;
    snprintf(cursor, HF_CURSOR_SIZE, "A%" PRId64 ":%" PRIu64, reached.stamp_ms,
             reached.given);
}

/* Link the rows of the page in the order of `kept`. */
static void
put_in_order(struct audit_page *audit)
{
    struct hf_query_page *page = &audit->job->page;

    page->last = &page->rows;
    for (size_t i = 0; i < audit->count; i++)
        (void)hf_query_page_take(page, audit->kept[i]);
    *page->last = NULL;
}

static bool
read_cursor(const char *cursor, struct audit_position *position)
{
    char *end;

    if (cursor[0] != 'A')
        return false;
    errno = 0;
    position->stamp_ms = strtoll(cursor + 1, &end, 10);
    if (end == cursor + 1 || *end != ':' || !isdigit((unsigned char)end[1]))
        return false;
    position->given = strtoull(end + 1, &end, 10);
    return errno == 0 && *end == '\0';
}

enum hf_status
hf_job_audit(struct hf_job *job, struct hf_store *store, struct hf_error *error)
{
    static const struct hf_store_scan all = {
        .space = "!audit",
        .prefix = "",
        .limit = SIZE_MAX,
    };
    const struct hf_alloc *alloc = job->page.alloc;
    const char *cursor = job->page.cursor;
    struct audit_page audit = {.job = job, .from = {.stamp_ms = INT64_MIN}};
    enum hf_status status;

    if (cursor[0] != '\0' && !read_cursor(cursor, &audit.from))
        return hf_fail(error, HF_E_INVALID,
                       "the cursor is not of a listing of the audit");
    audit.kept = hf_calloc(alloc, job->limit, sizeof(struct hf_view *));
    if (audit.kept == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    status = hf_store_scan(store, &all, hf_after(hf_now(), HF_JOB_PATIENCE),
                           add_entry, &audit, error);
    if (status == HF_OK && audit.count > 0)
        move_cursor(&audit);
    put_in_order(&audit);
    hf_free(alloc, audit.kept);
    return status;
}
