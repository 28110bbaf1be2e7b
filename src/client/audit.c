#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "client/client.h"
#include "client/wait.h"
#include "wire/record.h"

/* What was cleared by hand: hf_audit. */

/* After the first `given` entries of that instant, in the store's order. */
struct position {
    int64_t stamp_ms;
    uint64_t given;
};

/* A cursor's bytes: whose it is, and the position. */
enum { MARK = 'A', CURSOR_LEN = 1 + sizeof(struct position) };

_Static_assert(1 + sizeof(struct position) <= HF_CURSOR_MAX,
               "a cursor holds every position");

/*
 * The store has the entries in the order of their locks' names.  Of all that
 * come after `from`, the earliest are kept, sorted, those of one instant in the
 * order in which they were met.
 */
struct audit {
    const struct hf_audit_query *query;
    struct position from;
    uint64_t passed; /* of from.given */
    struct hf_audit_entry *entries;
    size_t room;
    size_t count;
};

static void
decode(const char *name, size_t name_len, const struct hf_record *record,
       struct hf_audit_entry *entry)
{
    if (record->value_len >= sizeof(record->value) ||
        hf_audit_decode(record->value, record->value_len, entry, NULL) !=
            HF_OK) {
        *entry = (struct hf_audit_entry){.corrupt = true};
        hf_text_show(entry->cleared.name, sizeof(entry->cleared.name), name,
                     name_len);
    }
    entry->stamp_ms = record->stamp_ms;
}

static bool
is_asked_for(const struct hf_audit_query *query,
             const struct hf_audit_entry *entry)
{
    const struct hf_description *cleared = &entry->cleared;

    if (entry->corrupt)
        return query->space == NULL && query->name == NULL;
    return (query->space == NULL ||
            strcmp(query->space, cleared->space) == 0) &&
           (query->name == NULL || strcmp(query->name, cleared->name) == 0);
}

/* Behind those that are not later; the latest gives way where there is no
 * room. */
static void
keep(struct audit *audit, const struct hf_audit_entry *entry)
{
    size_t at = audit->count;

    if (audit->count < audit->room)
        audit->count++;
    else
        at--;
    for (; at > 0 && audit->entries[at - 1].stamp_ms > entry->stamp_ms; at--)
        audit->entries[at] = audit->entries[at - 1];
    audit->entries[at] = *entry;
}

static bool
add_entry(void *ctx, const char *name, size_t name_len,
          const struct hf_record *record)
{
    struct audit *audit = ctx;
    int64_t stamp_ms = record->stamp_ms;
    bool full = audit->count == audit->room;
    struct hf_audit_entry entry;

    if (stamp_ms < audit->from.stamp_ms ||
        (audit->query->since_ms != 0 && stamp_ms < audit->query->since_ms))
        return true;
    if (full && stamp_ms >= audit->entries[audit->count - 1].stamp_ms &&
        stamp_ms > audit->from.stamp_ms)
        return true;
    decode(name, name_len, record, &entry);
    if (!is_asked_for(audit->query, &entry))
        return true;
    if (stamp_ms == audit->from.stamp_ms && audit->passed < audit->from.given)
        audit->passed++;
    else if (!full || stamp_ms < audit->entries[audit->count - 1].stamp_ms)
        keep(audit, &entry);
    return true;
}

static enum hf_status
scan(struct hf_store *store, void *ctx, struct hf_error *error)
{
    static const struct hf_store_scan all = {
        .space = "!audit",
        .prefix = "",
        .limit = SIZE_MAX,
    };

    return hf_store_scan(store, &all, add_entry, ctx, error);
}

/* HF_E_INVALID: nothing that there is. */
static enum hf_status
read_query(const struct hf_audit_query *query, struct audit *audit,
           struct hf_error *error)
{
    const struct hf_cursor *cursor = query->cursor;

    audit->query = query;
    if (cursor != NULL && cursor->len > 0) {
        if (cursor->len != CURSOR_LEN || cursor->bytes[0] != MARK)
            return hf_fail(error, HF_E_INVALID,
                           "the cursor is not of a listing of the audit");
        memcpy(&audit->from, cursor->bytes + 1, sizeof(audit->from));
    }
    return hf_wait_check_key(query->space,
                             query->name == NULL ? "-" : query->name, error);
}

static void
move_cursor(const struct audit *audit, struct hf_cursor *cursor)
{
    struct position reached = {.stamp_ms =
                                   audit->entries[audit->count - 1].stamp_ms};

    if (reached.stamp_ms == audit->from.stamp_ms)
        reached.given = audit->from.given;
    for (size_t i = 0; i < audit->count; i++)
        reached.given += audit->entries[i].stamp_ms == reached.stamp_ms;
    cursor->bytes[0] = MARK;
    memcpy(cursor->bytes + 1, &reached, sizeof(reached));
    cursor->len = CURSOR_LEN;
}

enum hf_status
hf_audit(struct hf_client *client, const struct hf_audit_query *query,
         struct hf_audit_entry *entries, size_t *count, struct hf_error *error)
{
    static const struct hf_audit_query everything;
    const struct hf_audit_query *q = query == NULL ? &everything : query;
    struct audit audit = {
        .from = {.stamp_ms = INT64_MIN},
        .entries = entries,
        .room = *count,
    };
    struct hf_job job = {.run = scan, .ctx = &audit};
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK)
        status = read_query(q, &audit, error);
    if (status != HF_OK)
        return status;
    if (*count == 0)
        return HF_OK;
    status = hf_client_run(client, &job, error);
    if (status != HF_OK)
        return status;
    if (q->cursor != NULL && audit.count > 0)
        move_cursor(&audit, q->cursor);
    *count = audit.count;
    return HF_OK;
}
