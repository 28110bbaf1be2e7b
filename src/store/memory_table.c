#include "store/memory_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"

/* ---- Rows ---------------------------------------------------------------- */

static int
compare(struct hf_key key, const struct hf_memory_row *row)
{
    int order = strcmp(key.space, row->space);

    return order != 0 ? order : strcmp(key.name, row->name);
}

size_t
hf_memory_table_position(const struct hf_memory_table *table, struct hf_key key)
{
    size_t low = 0;
    size_t high = table->rows_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(key, table->rows[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
stands_at(const struct hf_memory_table *table, struct hf_key key, size_t index)
{
    return index < table->rows_count && compare(key, table->rows[index]) == 0;
}

struct hf_rule_found
hf_memory_table_find(const struct hf_memory_table *table, struct hf_key key)
{
    size_t index = hf_memory_table_position(table, key);
    const struct hf_memory_row *row;

    if (!stands_at(table, key, index))
        return (struct hf_rule_found){.version = table->floor};

    row = table->rows[index];
    return (struct hf_rule_found){
        .present = true,
        .exists = row->exists,
        .version = row->version,
        .token = row->token,
    };
}

static struct hf_memory_row *
make_row(struct hf_key key, const char *value, size_t value_len)
{
    size_t space_size = strlen(key.space) + 1;
    size_t name_size = strlen(key.name) + 1;
    size_t size =
        sizeof(struct hf_memory_row) + space_size + name_size + value_len;
    struct hf_memory_row *row = hf_calloc(&hf_alloc_libc, size, 1);

    if (row == NULL)
        return NULL;
    memcpy(row->text, key.space, space_size);
    memcpy(row->text + space_size, key.name, name_size);
    if (value_len > 0)
        memcpy(row->text + space_size + name_size, value, value_len);
    row->space = row->text;
    row->name = row->text + space_size;
    row->value = row->name + name_size;
    row->value_len = value_len;
    return row;
}

static bool
reserve(struct hf_memory_table *table, size_t more)
{
    size_t rows_max = table->rows_max * 2 + more;
    struct hf_memory_row **rows;

    if (table->rows_max - table->rows_count >= more)
        return true;
    rows = hf_calloc(&hf_alloc_libc, rows_max, sizeof(struct hf_memory_row *));
    if (rows == NULL)
        return false;
    if (table->rows_count > 0)
        memcpy(rows, table->rows,
               table->rows_count * sizeof(struct hf_memory_row *));
    hf_free(&hf_alloc_libc, table->rows);
    table->rows = rows;
    table->rows_max = rows_max;
    return true;
}

static void
remove_at(struct hf_memory_table *table, size_t index)
{
    size_t behind = table->rows_count - index - 1;

    hf_free(&hf_alloc_libc, table->rows[index]);
    memmove(table->rows + index, table->rows + index + 1,
            behind * sizeof(struct hf_memory_row *));
    table->rows_count--;
}

/* Takes over `row`; its room is reserved. */
static void
place_row(struct hf_memory_table *table, struct hf_memory_row *row)
{
    struct hf_key key = {row->space, row->name};
    size_t index = hf_memory_table_position(table, key);

    if (stands_at(table, key, index)) {
        hf_free(&hf_alloc_libc, table->rows[index]);
    } else {
        HF_CHECK(table->rows_count < table->rows_max);
        memmove(table->rows + index + 1, table->rows + index,
                (table->rows_count - index) * sizeof(struct hf_memory_row *));
        table->rows_count++;
    }
    table->rows[index] = row;
}

/* ---- Groups -------------------------------------------------------------- */

/* A group that is ready to apply: nothing in it can fail any more. */
struct staged {
    int64_t now_us; /* the source of its versions and stamps */
    size_t count;   /* number of its operations that have a row, or none: */
    struct hf_memory_row
        *rows[HF_GROUP_OPERATIONS_MAX]; /* owned; NULL: erase */
};

static void
unstage(struct staged *staged)
{
    for (size_t i = 0; i < staged->count; i++)
        hf_free(&hf_alloc_libc, staged->rows[i]);
}

static enum hf_status
stage(struct hf_memory_table *table, const struct hf_store_group *group,
      const struct hf_rule_found *found, struct staged *staged,
      struct hf_error *error)
{
    if (!reserve(table, group->ops_count))
        goto fail;
    for (size_t i = 0; i < group->ops_count; i++) {
        const struct hf_store_op *op = &group->ops[i];
        bool put = op->kind == HF_PUT;
        struct hf_memory_row *row;

        staged->rows[staged->count++] = NULL;
        if (op->kind == HF_ERASE)
            continue;
        row =
            make_row(op->key, put ? op->value : NULL, put ? op->value_len : 0);
        if (row == NULL)
            goto fail;
        row->exists = put;
        row->version = hf_rule_next(&found[i], staged->now_us);
        row->token = op->new_generation ? row->version : found[i].token;
        row->stamp_ms = staged->now_us / 1000;
        staged->rows[i] = row;
    }
    return HF_OK;

fail:
    return hf_fail(error, HF_E_NOMEM, "no memory for a group of a commit");
}

/* Put the staged rows in.  Returns the highest version erased, above which the
 * floor must be raised; or 0. */
static uint64_t
apply(struct hf_memory_table *table, struct hf_store_group *group,
      const struct hf_rule_found *found, struct staged *staged)
{
    uint64_t erased = 0;

    for (size_t i = 0; i < group->ops_count; i++) {
        struct hf_store_op *op = &group->ops[i];
        struct hf_memory_row *row = staged->rows[i];

        if (row != NULL) {
            op->version = row->version;
            place_row(table, row);
            staged->rows[i] = NULL;
        } else {
            op->version = 0;
            if (found[i].present)
                remove_at(table, hf_memory_table_position(table, op->key));
            if (found[i].present && found[i].version > erased)
                erased = found[i].version;
        }
    }
    group->verdict = HF_APPLIED;
    return erased;
}

uint64_t
hf_memory_table_try(struct hf_memory_table *table, struct hf_store_group *group,
                    struct hf_error *error)
{
    struct hf_rule_found found[HF_GROUP_OPERATIONS_MAX];
    struct staged staged;
    uint64_t erased = 0;

    staged.count = 0;
    if (hf_rule_admit(group, error) != HF_OK)
        return 0;
    for (size_t i = 0; i < group->ops_count; i++) {
        found[i] = hf_memory_table_find(table, group->ops[i].key);
        if (!hf_rule_applies(&group->ops[i], &found[i])) {
            group->verdict = HF_REFUSED;
            group->refused_at = i;
            return 0;
        }
        if (hf_rule_grow(&group->ops[i], &found[i], error) != HF_OK)
            return 0;
    }
    if (hf_rule_clock(&staged.now_us, error) == HF_OK &&
        stage(table, group, found, &staged, error) == HF_OK)
        erased = apply(table, group, found, &staged);
    unstage(&staged);
    return erased;
}

static bool
may_go(const struct hf_memory_row *row, int64_t before_ms)
{
    bool marker = strcmp(row->space, HF_RULE_MARKERS) == 0;

    return (!row->exists || marker) && row->stamp_ms <= before_ms;
}

void
hf_memory_table_count(const struct hf_memory_table *table, int64_t old_ms,
                      struct hf_inspect_leftovers *left, uint64_t *newest)
{
    *left = (struct hf_inspect_leftovers){.oldest_ms = INT64_MAX};
    *newest = table->floor;
    for (size_t i = 0; i < table->rows_count; i++) {
        const struct hf_memory_row *row = table->rows[i];

        if (row->version > *newest)
            *newest = row->version;
        if (!may_go(row, INT64_MAX))
            continue;
        left->tombstones += !row->exists;
        left->markers += row->exists;
        left->old += row->stamp_ms <= old_ms;
        if (row->stamp_ms < left->oldest_ms)
            left->oldest_ms = row->stamp_ms;
    }
}

size_t
hf_memory_table_purge(struct hf_memory_table *table, int64_t before_ms,
                      size_t limit)
{
    uint64_t highest = 0;
    size_t kept = 0;
    size_t gone = 0;

    for (size_t i = 0; i < table->rows_count; i++) {
        struct hf_memory_row *row = table->rows[i];

        if (gone == limit || !may_go(row, before_ms)) {
            table->rows[kept++] = row;
            continue;
        }
        if (row->version > highest)
            highest = row->version;
        hf_free(&hf_alloc_libc, row);
        gone++;
    }
    table->rows_count = kept;
    hf_memory_table_raise(table, highest);
    return gone;
}

void
hf_memory_table_raise(struct hf_memory_table *table, uint64_t above)
{
    if (above >= table->floor)
        table->floor = above + 1;
}

void
hf_memory_table_fini(struct hf_memory_table *table)
{
    for (size_t i = 0; i < table->rows_count; i++)
        hf_free(&hf_alloc_libc, table->rows[i]);
    hf_free(&hf_alloc_libc, table->rows);
    *table = (struct hf_memory_table){.rows_count = 0};
}
