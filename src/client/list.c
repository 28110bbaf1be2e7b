#include <string.h>

#include "base/fail.h"
#include "client/client.h"
#include "client/describe.h"
#include "client/wait.h"

/* Looking at many locks: hf_list. */

/* ---- Where a listing of locks goes on ------------------------------------ */

/*
 * After the name that came last.  Another program may have written names that
 * are longer than a lock's: of them this is the beginning, and how many names
 * with that beginning have come; the names themselves would fit nowhere.
 */
struct position {
    uint64_t longer_count;
    size_t len;
    char name[HF_NAME_MAX + 1]; /* any bytes, and a NUL */
};

/* A cursor's bytes: whose it is, the count, the name. */
enum { MARK = 'L', HEAD = 1 + sizeof(uint64_t) };

_Static_assert(HEAD + HF_NAME_MAX <= HF_CURSOR_MAX,
               "a cursor holds every position");

static bool
read_cursor(const struct hf_cursor *cursor, struct position *position)
{
    *position = (struct position){.len = 0};
    if (cursor->len < HEAD || cursor->len - HEAD > HF_NAME_MAX ||
        cursor->bytes[0] != MARK)
        return false;
    memcpy(&position->longer_count, cursor->bytes + 1, sizeof(uint64_t));
    position->len = cursor->len - HEAD;
    memcpy(position->name, cursor->bytes + HEAD, position->len);
    return true;
}

static void
write_cursor(const struct position *position, struct hf_cursor *cursor)
{
    cursor->bytes[0] = MARK;
    memcpy(cursor->bytes + 1, &position->longer_count, sizeof(uint64_t));
    memcpy(cursor->bytes + HEAD, position->name, position->len);
    cursor->len = HEAD + position->len;
}

/* Is it longer than a lock's name, with the very beginning that stands here? */
static bool
is_longer(const struct position *position, const char *name, size_t name_len)
{
    return position->len == HF_NAME_MAX && name_len > HF_NAME_MAX &&
           memcmp(name, position->name, HF_NAME_MAX) == 0;
}

static void
move(struct position *position, const char *name, size_t name_len)
{
    if (is_longer(position, name, name_len)) {
        position->longer_count++;
        return;
    }
    position->longer_count = name_len > HF_NAME_MAX ? 1 : 0;
    position->len = name_len < HF_NAME_MAX ? name_len : HF_NAME_MAX;
    memcpy(position->name, name, position->len);
    position->name[position->len] = '\0';
}

/* ---- Locks --------------------------------------------------------------- */

struct listing {
    struct hf_store_scan scan;
    struct position from;
    struct position reached;
    uint64_t passed; /* of from.longer_count, in this page */
    struct hf_description *rows;
    size_t room;
    size_t count;
};

static bool
add_row(void *ctx, const char *name, size_t name_len,
        const struct hf_record *record)
{
    struct listing *listing = ctx;
    struct hf_value value;
    struct hf_record_meta meta = {
        .space = listing->scan.space,
        .name = name,
        .name_len = name_len,
        .exists = true,
        .version = record->version,
        .token = record->token,
        .stamp_ms = record->stamp_ms,
    };

    if (listing->passed < listing->from.longer_count &&
        is_longer(&listing->from, name, name_len)) {
        listing->passed++;
        return true;
    }
    meta.corrupt = record->value_len >= sizeof(record->value) ||
                   hf_record_decode(record->value, record->value_len, &value,
                                    NULL) != HF_OK;
    hf_describe(&meta, &value, &listing->rows[listing->count++]);
    move(&listing->reached, name, name_len);
    return listing->count < listing->room;
}

static enum hf_status
scan(struct hf_store *store, void *ctx, struct hf_error *error)
{
    struct listing *listing = ctx;

    return hf_store_scan(store, &listing->scan, add_row, listing, error);
}

/* What the query asks for; HF_E_INVALID: nothing that there is. */
static enum hf_status
read_query(const struct hf_list_query *query, struct listing *listing,
           struct hf_error *error)
{
    struct hf_store_scan *scan = &listing->scan;

    scan->space = query->space == NULL ? "default" : query->space;
    scan->prefix = query->prefix == NULL ? "" : query->prefix;
    scan->limit = SIZE_MAX; /* add_row counts */
    if (query->cursor != NULL && query->cursor->len > 0) {
        if (!read_cursor(query->cursor, &listing->from))
            return hf_fail(error, HF_E_INVALID,
                           "the cursor is not of a listing of locks");
        scan->after = listing->from.name;
        scan->after_len = listing->from.len;
        listing->reached = listing->from;
    }
    return hf_wait_check_key(scan->space, "-", error);
}

enum hf_status
hf_list(struct hf_client *client, const struct hf_list_query *query,
        struct hf_description *rows, size_t *count, struct hf_error *error)
{
    static const struct hf_list_query everything;
    const struct hf_list_query *q = query == NULL ? &everything : query;
    struct listing listing = {.rows = rows, .room = *count};
    struct hf_job job = {.run = scan, .ctx = &listing};
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK)
        status = read_query(q, &listing, error);
    if (status != HF_OK)
        return status;
    if (*count == 0)
        return HF_OK;
    status = hf_client_run(client, &job, error);
    if (status != HF_OK)
        return status;
    if (q->cursor != NULL && listing.count > 0)
        write_cursor(&listing.reached, q->cursor);
    *count = listing.count;
    return HF_OK;
}
