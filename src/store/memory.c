#include "store/memory.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "store/pause.h"
#include "store/rule.h"

/*
 * One table a name.  Its rows are kept in the order of their keys' bytes; a
 * row is never changed but replaced as a whole, so that a group is prepared
 * with all it needs before the first of its rows is touched.
 *
 * One mutex over all tables: calls are short, and this store is for tests and
 * for what may be lost.
 *
 * Tables live on the C library's heap and not on a store's: a table outlives
 * the store that made it, whose allocator may be gone by then.
 */
struct row {
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
    bool exists; /* false: a tombstone */
    size_t value_len;
    const char *space; /* these three point into `text` */
    const char *name;
    const char *value;
    char text[];
};

struct table {
    struct table *next;
    char *name;            /* owned */
    struct memory *stores; /* those open on it */
    struct row **rows;     /* owned, sorted */
    size_t rows_count;
    size_t rows_max;
    uint64_t floor;
};

struct memory {
    struct hf_store base;
    struct table *table; /* shared */
    struct memory *next; /* on the same table */
    int woken_fd;        /* owned; an eventfd: a commit happened */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct table *tables; /* under mutex, as all they hold */

static struct memory *
memory_of(struct hf_store *store)
{
    return (struct memory *)store;
}

static void
lock(void)
{
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
}

static void
unlock(void)
{
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
}

/* ---- Rows ---------------------------------------------------------------- */

static int
compare(struct hf_key key, const struct row *row)
{
    int order = strcmp(key.space, row->space);

    return order != 0 ? order : strcmp(key.name, row->name);
}

/* The first row that is not before the key. */
static size_t
position(const struct table *table, struct hf_key key)
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
stands_at(const struct table *table, struct hf_key key, size_t index)
{
    return index < table->rows_count && compare(key, table->rows[index]) == 0;
}

static struct hf_rule_found
find(const struct table *table, struct hf_key key)
{
    size_t index = position(table, key);
    const struct row *row;

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

static struct row *
make_row(struct hf_key key, const char *value, size_t value_len)
{
    size_t space_size = strlen(key.space) + 1;
    size_t name_size = strlen(key.name) + 1;
    size_t size = sizeof(struct row) + space_size + name_size + value_len;
    struct row *row = hf_calloc(&hf_alloc_libc, size, 1);

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
reserve(struct table *table, size_t more)
{
    size_t rows_max = table->rows_max * 2 + more;
    struct row **rows;

    if (table->rows_max - table->rows_count >= more)
        return true;
    rows = hf_calloc(&hf_alloc_libc, rows_max, sizeof(struct row *));
    if (rows == NULL)
        return false;
    if (table->rows_count > 0)
        memcpy(rows, table->rows, table->rows_count * sizeof(struct row *));
    hf_free(&hf_alloc_libc, table->rows);
    table->rows = rows;
    table->rows_max = rows_max;
    return true;
}

static void
remove_at(struct table *table, size_t index)
{
    size_t behind = table->rows_count - index - 1;

    hf_free(&hf_alloc_libc, table->rows[index]);
    memmove(table->rows + index, table->rows + index + 1,
            behind * sizeof(struct row *));
    table->rows_count--;
}

/* Takes `row`; the room for it is reserved. */
static void
place_row(struct table *table, struct row *row)
{
    struct hf_key key = {row->space, row->name};
    size_t index = position(table, key);

    if (stands_at(table, key, index)) {
        hf_free(&hf_alloc_libc, table->rows[index]);
    } else {
        HF_CHECK(table->rows_count < table->rows_max);
        memmove(table->rows + index + 1, table->rows + index,
                (table->rows_count - index) * sizeof(struct row *));
        table->rows_count++;
    }
    table->rows[index] = row;
}

/* ---- Open and close ------------------------------------------------------ */

static struct table *
open_table(const char *name)
{
    struct table *table = tables;

    while (table != NULL && strcmp(table->name, name) != 0)
        table = table->next;
    if (table != NULL)
        return table;

    table = hf_new(&hf_alloc_libc, struct table);
    if (table == NULL)
        return NULL;
    table->name = hf_copy(&hf_alloc_libc, name);
    if (table->name == NULL) {
        hf_free(&hf_alloc_libc, table);
        return NULL;
    }
    table->floor = (uint64_t)hf_wall_us();
    table->next = tables;
    tables = table;
    return table;
}

static void
free_table(struct table *table)
{
    struct table **link = &tables;

    while (*link != table)
        link = &(*link)->next;
    *link = table->next;

    for (size_t i = 0; i < table->rows_count; i++)
        hf_free(&hf_alloc_libc, table->rows[i]);
    hf_free(&hf_alloc_libc, table->rows);
    hf_free(&hf_alloc_libc, table->name);
    hf_free(&hf_alloc_libc, table);
}

static void
close_memory(struct hf_store *store)
{
    struct memory *memory = memory_of(store);
    struct memory **link;

    lock();
    link = &memory->table->stores;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    if (memory->table->stores == NULL)
        free_table(memory->table);
    unlock();

    close(memory->woken_fd);
    hf_free(store->alloc, memory);
}

/* ---- Reads --------------------------------------------------------------- */

static void
show(const struct row *row, struct hf_record *record)
{
    size_t kept = row->value_len < sizeof(record->value)
                      ? row->value_len
                      : sizeof(record->value);

    record->exists = row->exists;
    record->version = row->version;
    record->token = row->token;
    record->stamp_ms = row->stamp_ms;
    record->value_len = row->value_len;
    memcpy(record->value, row->value, kept);
}

static enum hf_status
get(struct hf_store *store, struct hf_key key, struct hf_instant until,
    struct hf_record *record, struct hf_error *error)
{
    const struct table *table = memory_of(store)->table;
    size_t index;

    (void)until;
    (void)error;
    lock();
    index = position(table, key);
    if (stands_at(table, key, index) && table->rows[index]->exists) {
        show(table->rows[index], record);
    } else {
        record->exists = false;
        record->version = find(table, key).version;
        record->token = 0;
        record->stamp_ms = 0;
        record->value_len = 0;
    }
    unlock();
    return HF_OK;
}

/* The callback runs without the mutex, on a copy, so that it may be slow, and
 * may use another store. */
static bool
show_next(const struct table *table, const struct hf_store_scan *scan,
          const char *after, char **name, struct hf_record *record)
{
    size_t prefix_len = strlen(scan->prefix);
    const char *start = scan->prefix;
    struct hf_key key = {scan->space, start};
    const struct row *row;
    size_t index;

    if (after != NULL && strcmp(after, start) >= 0)
        key.name = after;
    index = position(table, key);
    for (; index < table->rows_count; index++) {
        row = table->rows[index];
        if (strcmp(row->space, scan->space) != 0 ||
            strncmp(row->name, scan->prefix, prefix_len) != 0)
            return false;
        if (row->exists && (after == NULL || strcmp(row->name, after) > 0)) {
            show(row, record);
            *name = hf_copy(&hf_alloc_libc, row->name);
            return true;
        }
    }
    return false;
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *scan,
     hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    const struct table *table = memory_of(store)->table;
    enum hf_status status = HF_OK;
    struct hf_record record;
    char *last = NULL;
    bool more = true;

    for (size_t i = 0; more && i < scan->limit; i++) {
        char *name = NULL;

        lock();
        more = show_next(table, scan, last != NULL ? last : scan->after, &name,
                         &record);
        unlock();
        if (more && name == NULL) {
            status = hf_fail(error, HF_E_NOMEM, "no memory for a lock's name");
            break;
        }
        hf_free(&hf_alloc_libc, last);
        last = name;
        more = more && row(ctx, name, &record);
    }
    hf_free(&hf_alloc_libc, last);
    return status;
}

/* ---- Commit -------------------------------------------------------------- */

/* A group that is ready to be applied: nothing in it can fail any more. */
struct staged {
    struct row *rows[HF_GROUP_OPERATIONS_MAX]; /* owned; NULL: erase */
};

static void
unstage(struct staged *staged)
{
    for (size_t i = 0; i < HF_GROUP_OPERATIONS_MAX; i++)
        hf_free(&hf_alloc_libc, staged->rows[i]);
}

static enum hf_status
stage(struct table *table, const struct hf_store_group *group,
      const struct hf_rule_found *found, struct staged *staged,
      struct hf_error *error)
{
    if (!reserve(table, group->ops_count))
        goto fail;
    for (size_t i = 0; i < group->ops_count; i++) {
        const struct hf_store_op *op = &group->ops[i];
        bool put = op->kind == HF_PUT;
        struct row *row;

        if (op->kind == HF_ERASE)
            continue;
        row =
            make_row(op->key, put ? op->value : NULL, put ? op->value_len : 0);
        if (row == NULL)
            goto fail;
        row->exists = put;
        row->version = found[i].version + 1;
        row->token = op->new_generation ? row->version : found[i].token;
        row->stamp_ms = hf_wall_ms();
        staged->rows[i] = row;
    }
    return HF_OK;

fail:
    return hf_fail(error, HF_E_NOMEM, "no memory for a group of a commit");
}

/* Put the staged rows in; returns the version above which the floor must be
 * on account of what was erased, or 0. */
static uint64_t
apply(struct table *table, struct hf_store_group *group,
      const struct hf_rule_found *found, struct staged *staged)
{
    uint64_t erased = 0;

    for (size_t i = 0; i < group->ops_count; i++) {
        struct hf_store_op *op = &group->ops[i];
        struct row *row = staged->rows[i];

        if (row != NULL) {
            op->version = row->version;
            place_row(table, row);
            staged->rows[i] = NULL;
        } else {
            op->version = 0;
            if (found[i].present)
                remove_at(table, position(table, op->key));
            if (found[i].present && found[i].version > erased)
                erased = found[i].version;
        }
    }
    group->verdict = HF_APPLIED;
    return erased;
}

static uint64_t
try_group(struct table *table, struct hf_store_group *group,
          struct hf_error *error)
{
    struct hf_rule_found found[HF_GROUP_OPERATIONS_MAX];
    struct staged staged = {{NULL}};
    uint64_t erased = 0;

    if (hf_rule_admit(group, error) != HF_OK)
        return 0;
    for (size_t i = 0; i < group->ops_count; i++) {
        found[i] = find(table, group->ops[i].key);
        if (!hf_rule_applies(&group->ops[i], &found[i])) {
            group->verdict = HF_REFUSED;
            group->refused_at = i;
            return 0;
        }
        if (hf_rule_grow(&group->ops[i], &found[i], error) != HF_OK)
            return 0;
    }
    if (stage(table, group, found, &staged, error) == HF_OK)
        erased = apply(table, group, found, &staged);
    unstage(&staged);
    return erased;
}

static void
wake_others(const struct table *table)
{
    for (struct memory *m = table->stores; m != NULL; m = m->next)
        HF_CHECK(eventfd_write(m->woken_fd, 1) == 0);
}

static void
commit(struct hf_store *store, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    struct table *table = memory_of(store)->table;
    uint64_t erased = 0;

    (void)until;
    lock();
    for (size_t i = 0; i < groups_count; i++) {
        uint64_t version = try_group(table, &groups[i], error);

        if (version > erased)
            erased = version;
    }
    /* Only now: every group is judged by the floor the commit began with. */
    if (erased >= table->floor)
        table->floor = erased + 1;
    wake_others(table);
    unlock();
}

/* ---- Wait and purge ------------------------------------------------------ */

static bool
any_changed(struct memory *memory, const struct hf_store_watch *watches,
            size_t watches_count)
{
    bool changed = false;
    eventfd_t count;

    lock();
    eventfd_read(memory->woken_fd, &count); /* EAGAIN: nothing to drain */
    for (size_t i = 0; i < watches_count && !changed; i++)
        changed =
            find(memory->table, watches[i].key).version != watches[i].version;
    unlock();
    return changed;
}

static void
wait_for_change(struct hf_store *store, const struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct memory *memory = memory_of(store);

    while (!any_changed(memory, watches, watches_count)) {
        struct pollfd fds[] = {
            {.fd = wake_fd, .events = POLLIN},
            {.fd = memory->woken_fd, .events = POLLIN},
        };

        if (poll(fds, 2, hf_pause_ms(until, -1)) < 0 && errno != EINTR)
            return;
        if (fds[0].revents != 0 || hf_reached(hf_now(), until))
            return;
    }
}

static bool
may_go(const struct row *row, int64_t before_ms)
{
    bool marker = strcmp(row->space, HF_RULE_MARKERS) == 0;

    return (!row->exists || marker) && row->stamp_ms <= before_ms;
}

static enum hf_status
purge(struct hf_store *store, struct hf_duration age, size_t limit,
      size_t *purged, struct hf_error *error)
{
    struct table *table = memory_of(store)->table;
    int64_t before_ms = hf_rule_purge_before(age);
    uint64_t highest = 0;
    size_t kept = 0;
    size_t gone = 0;

    (void)error;
    lock();
    for (size_t i = 0; i < table->rows_count; i++) {
        struct row *row = table->rows[i];

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
    if (highest >= table->floor)
        table->floor = highest + 1;
    if (gone > 0)
        wake_others(table);
    unlock();

    *purged = gone;
    return HF_OK;
}

static const struct hf_store_methods methods = {
    .close = close_memory,
    .get = get,
    .scan = scan,
    .commit = commit,
    .wait = wait_for_change,
    .purge = purge,
};

enum hf_status
hf_memory_open(const char *name, const struct hf_alloc *alloc,
               struct hf_store **store, struct hf_error *error)
{
    struct memory *memory = hf_new(alloc, struct memory);
    enum hf_status status;

    if (memory == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open memory:%s", name);
    memory->base = (struct hf_store){.methods = &methods, .alloc = alloc};

    memory->woken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (memory->woken_fd < 0) {
        status = hf_fail(error, HF_E_LIMIT,
                         "no descriptor left to open memory:%s", name);
        goto fail;
    }

    lock();
    memory->table = open_table(name);
    if (memory->table != NULL) {
        memory->next = memory->table->stores;
        memory->table->stores = memory;
    }
    unlock();
    if (memory->table == NULL) {
        status = hf_fail(error, HF_E_NOMEM, "no memory for memory:%s", name);
        goto fail;
    }
    *store = &memory->base;
    return HF_OK;

fail:
    if (memory->woken_fd >= 0)
        close(memory->woken_fd);
    hf_free(alloc, memory);
    return status;
}
