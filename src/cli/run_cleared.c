#include "report.h"
#include "run_state.h"
#include "say.h"

/*
 * Who cleared a lost lock.  A lock server tells it with the loss.  A table
 * does not, nor a server whose leader has changed since: then the audit has
 * it, by the lock and its fence.
 */

/* It only tells a person more, so we wait no longer. */
static const struct hf_duration patience = {2000};

/* The entry of that grant, in this page; *rows counts them. */
static struct hf_view *
find_entry(struct hf_query *query, uint64_t fence, size_t *rows)
{
    struct hf_view *found = NULL;
    struct hf_view *row;

    *rows = 0;
    while ((row = hf_query_next(query)) != NULL) {
        ++*rows;
        if (found == NULL && hf_report_fence(row) == fence)
            found = row;
        else
            hf_view_free(row);
    }
    return found;
}

/* Page by page; NULL: there is none, or no answer in time. */
static struct hf_view *
read_audit(struct hf_query *query, uint64_t fence)
{
    struct hf_instant until = hf_after(hf_now(), patience);
    struct hf_view *entry = NULL;
    size_t rows = 1;

    while (entry == NULL && rows > 0) {
        if (hf_query_start(query, NULL) != HF_OK ||
            !hf_query_wait(query, hf_between(hf_now(), until)) ||
            hf_query_error(query, NULL) != HF_OK)
            return NULL;
        entry = find_entry(query, fence, &rows);
    }
    return entry;
}

/* A person names one of the locks of a grant. */
static struct hf_view *
find_clearing(const struct hf_run *run, const char *name)
{
    const char *space = run->order->target.space;
    struct hf_query *query = NULL;
    struct hf_view *entry = NULL;

    if (hf_query_new(run->client, HF_AUDIT, &query, NULL) == HF_OK &&
        hf_query_set(query, HF_SPACE, space != NULL ? space : "default",
                     NULL) == HF_OK &&
        hf_query_set(query, HF_NAME, name, NULL) == HF_OK)
        entry = read_audit(query, hf_lock_fence(run->lock));
    hf_query_free(query);
    return entry;
}

static bool
was_told(const struct hf_run *run)
{
    struct hf_view *seen = hf_lock_view(run->lock);
    bool told = hf_view_number(seen, HF_FIELD_CLEARED) != 0;

    hf_view_free(seen);
    return told;
}

void
hf_run_cleared_tell(const struct hf_run *run)
{
    const char *const *names = run->order->names;
    struct hf_view *entry = NULL;

    if (run->silent || run->abandoned || was_told(run) ||
        hf_client_trouble(run->client, NULL) != HF_OK)
        return;
    for (size_t i = 0; entry == NULL && names[i] != NULL; i++)
        entry = find_clearing(run, names[i]);
    if (entry != NULL)
        hf_say("%s was cleared by %s@%s: %s", run->name.at,
               hf_report_known(entry, HF_FIELD_BY_USER),
               hf_report_known(entry, HF_FIELD_BY_HOST),
               hf_report_known(entry, HF_FIELD_BY_REASON));
    hf_view_free(entry);
}
