#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "client/table/state.h"
#include "wire/record.h"

/* One page of a list of locks. */

/* ---- Where a listing goes on --------------------------------------------- */

/*
 * Behind the last name that was listed.  Another program may have written names
 * that are longer than a lock's may be.  Of such a name the position has only
 * the beginning, and how many names with that beginning were listed.
 *
 * As a cursor: "L", the count, ":", and the bytes of the name in hexadecimal.
 */
struct list_position {
    uint64_t longer_count;
    size_t len;
    char name[HF_NAME_MAX + 1]; /* any bytes, and a NUL */
};

static bool
read_cursor(const char *cursor, struct list_position *position)
{
    char *end;

    *position = (struct list_position){.len = 0};
    if (cursor[0] != 'L' || !isdigit((unsigned char)cursor[1]))
        return false;
    errno = 0;
    position->longer_count = strtoull(cursor + 1, &end, 10);
    if (errno != 0 || *end != ':')
        return false;
    return hf_hex_read_string((struct hf_bytes){end + 1, strlen(end + 1)},
                              position->name, HF_NAME_MAX, &position->len);
}

static void
write_cursor(const struct list_position *position, char *cursor, size_t size)
{
    int head = snprintf(cursor, size, "L%" PRIu64 ":", position->longer_count);

    hf_hex_write(position->name, position->len, cursor + head,
                 size - (size_t)head);
}

/* Is it longer than a lock's name, and begins with the name of this
 * position? */
static bool
is_longer(const struct list_position *position, const char *name,
          size_t name_len)
{
    return position->len == HF_NAME_MAX && name_len > HF_NAME_MAX &&
           memcmp(name, position->name, HF_NAME_MAX) == 0;
}

static void
move(struct list_position *position, const char *name, size_t name_len)
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

/* ---- Rows ---------------------------------------------------------------- */

struct listing {
    struct hf_job *job;
    struct hf_store_scan scan;
    struct list_position from;
    struct list_position reached;
    uint64_t passed; /* how many of from.longer_count this page has passed */
    size_t count;
};

static bool
add_row(void *ctx, const char *name, size_t name_len,
        const struct hf_record *record)
{
    struct listing *listing = ctx;
    struct hf_view *row;
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
    row = hf_query_page_add(&listing->job->page, HF_VIEW_ROW);
    if (row == NULL)
        return false;
    meta.corrupt = record->value_len >= sizeof(record->value) ||
                   hf_record_decode(record->value, record->value_len, &value,
                                    NULL) != HF_OK;
    hf_record_describe(&meta, &value, &row->row);
    move(&listing->reached, name, name_len);
    return ++listing->count < listing->job->limit;
}

enum hf_status
hf_job_list(struct hf_job *job, struct hf_store *store, struct hf_error *error)
{
    char *cursor = job->page.cursor;
    struct listing listing = {
        .job = job,
        .scan = {.space = job->space[0] == '\0' ? "default" : job->space,
                 .prefix = job->name,
                 .limit = SIZE_MAX}, /* add_row counts */
    };
    enum hf_status status;

    if (cursor[0] != '\0') {
        if (!read_cursor(cursor, &listing.from))
            return hf_fail(error, HF_E_INVALID,
                           "the cursor is not of a listing of locks");
        listing.scan.after = listing.from.name;
        listing.scan.after_len = listing.from.len;
        listing.reached = listing.from;
    }
    status =
        hf_store_scan(store, &listing.scan, hf_after(hf_now(), HF_JOB_PATIENCE),
                      add_row, &listing, error);
    if (status == HF_OK && listing.count > 0)
        write_cursor(&listing.reached, cursor, HF_CURSOR_SIZE);
    return status;
}
