#include "store/memory.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"
#include "store/memory_table.h"
#include "store/pause.h"
#include "store/rule.h"
#include "store/url.h"

/* Generous, since nothing is waited for.  The same as SQLite's, so tests in
 * memory hold for a file. */
static const struct hf_store_limits limits = {
    .max_operations = 10000,
    .max_bytes = (size_t)16 << 20,
    .max_calls = 1,
};

/* One table for each name, and one mutex for all: calls are short, and this
 * store is for tests and for data that may be lost. */
struct shared {
    struct shared *next;
    char *name;            /* owned */
    struct memory *stores; /* stores that are open on it */
    struct hf_memory_table table;
};

struct memory {
    struct hf_store base;
    struct shared *shared; /* with all stores of one name */
    struct memory *next;   /* in shared->stores */
    int woken_fd;          /* owned; an eventfd: a commit happened */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct shared *names; /* under the mutex, with all they point to */

static struct memory *
memory_of(struct hf_store *store)
{
    return (struct memory *)store;
}

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

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

/* A fork copies the tables.  It must not do so in the middle of a change, nor
 * copy a locked mutex that no thread of the child would unlock. */
static void
watch_forks(void)
{
    (void)pthread_atfork(lock, unlock, unlock);
}

/* ---- Open and close ------------------------------------------------------ */

static struct shared *
open_shared(const char *name, int64_t now_us)
{
    struct shared *shared = names;

    while (shared != NULL && strcmp(shared->name, name) != 0)
        shared = shared->next;
    if (shared != NULL)
        return shared;

    shared = hf_new(&hf_alloc_libc, struct shared);
    if (shared == NULL)
        return NULL;
    shared->name = hf_copy(&hf_alloc_libc, name);
    if (shared->name == NULL) {
        hf_free(&hf_alloc_libc, shared);
        return NULL;
    }
    shared->table.floor = (uint64_t)now_us;
    shared->next = names;
    names = shared;
    return shared;
}

static void
close_shared(struct shared *shared)
{
    struct shared **link = &names;

    while (*link != shared)
        link = &(*link)->next;
    *link = shared->next;

    hf_memory_table_fini(&shared->table);
    hf_free(&hf_alloc_libc, shared->name);
    hf_free(&hf_alloc_libc, shared);
}

static void
close_memory(struct hf_store *store)
{
    struct memory *memory = memory_of(store);
    struct memory **link;

    lock();
    link = &memory->shared->stores;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    if (memory->shared->stores == NULL)
        close_shared(memory->shared);
    unlock();

    close(memory->woken_fd);
    hf_free(store->alloc, memory);
}

/* ---- Reads --------------------------------------------------------------- */

static void
show(const struct hf_memory_row *row, struct hf_record *record)
{
    size_t kept = row->value_len < sizeof(record->value)
                      ? row->value_len
                      : sizeof(record->value);

    record->exists = row->exists;
    record->version = row->version;
    record->token = row->token;
    record->stamp_ms = row->stamp_ms;
    record->stood.ms = 0;
    record->value_len = row->value_len;
    memcpy(record->value, row->value, kept);
}

static void
show_key(const struct hf_memory_table *table, struct hf_key key,
         struct hf_record *record)
{
    struct hf_rule_found found = hf_memory_table_find(table, key);

    if (found.exists) {
        show(table->rows[hf_memory_table_position(table, key)], record);
        return;
    }
    record->exists = false;
    record->version = found.version;
    record->token = 0;
    record->stamp_ms = 0;
    record->stood.ms = 0;
    record->value_len = 0;
}

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    const struct hf_memory_table *table = &memory_of(store)->shared->table;
    struct hf_record record;

    (void)until;
    (void)error;
    lock();
    for (size_t i = 0; i < keys_count; i++) {
        show_key(table, keys[i], &record);
        found(ctx, i, &record);
    }
    unlock();
    return HF_OK;
}

/* The callback runs without the mutex and on a copy: it may be slow, and may
 * use another store. */
static bool
show_next(const struct hf_memory_table *table, const struct hf_store_scan *scan,
          char **name, struct hf_record *record)
{
    struct hf_key key = {scan->space, scan->prefix};
    const struct hf_memory_row *row;
    size_t index;

    /* Only up to the first NUL of `after`: that is never too far. */
    if (scan->after != NULL && strcmp(scan->after, scan->prefix) >= 0)
        key.name = scan->after;
    index = hf_memory_table_position(table, key);
    for (; index < table->rows_count; index++) {
        size_t name_len;

        row = table->rows[index];
        name_len = strlen(row->name);
        if (strcmp(row->space, scan->space) != 0 ||
            !hf_rule_has_prefix(scan, row->name, name_len))
            return false;
        if (row->exists && hf_rule_comes_after(scan, row->name, name_len)) {
            show(row, record);
            *name = hf_copy(&hf_alloc_libc, row->name);
            return true;
        }
    }
    return false;
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *scan,
     struct hf_instant until, hf_store_row_fn *row, void *ctx,
     struct hf_error *error)
{
    const struct hf_memory_table *table = &memory_of(store)->shared->table;
    struct hf_store_scan rest = *scan;
    enum hf_status status = HF_OK;
    struct hf_record record;
    char *last = NULL;
    bool more = true;

    (void)until;
    for (size_t i = 0; more && i < scan->limit; i++) {
        char *name = NULL;

        lock();
        more = show_next(table, &rest, &name, &record);
        unlock();
        if (more && name == NULL) {
            status = hf_fail(error, HF_E_NOMEM, "no memory for a lock's name");
            break;
        }
        hf_free(&hf_alloc_libc, last);
        last = name;
        if (!more)
            break;
        rest.after = name;
        rest.after_len = strlen(name);
        more = row(ctx, name, rest.after_len, &record);
    }
    hf_free(&hf_alloc_libc, last);
    return status;
}

/* ---- Commit -------------------------------------------------------------- */

static void
wake_all(const struct shared *shared)
{
    for (struct memory *m = shared->stores; m != NULL; m = m->next)
        HF_CHECK(eventfd_write(m->woken_fd, 1) == 0);
}

static void
commit(struct hf_store *store, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    struct shared *shared = memory_of(store)->shared;
    uint64_t erased = 0;

    (void)until;
    lock();
    for (size_t i = 0; i < groups_count; i++) {
        uint64_t version =
            hf_memory_table_try(&shared->table, &groups[i], error);

        if (version > erased)
            erased = version;
    }
    hf_memory_table_raise(&shared->table, erased);
    wake_all(shared);
    unlock();
}

/* ---- Wait and purge ------------------------------------------------------ */

/* Look once, and name the keys that changed.  The next look needs a commit
 * after this one. */
static bool
look(struct memory *memory, struct hf_store_watch *watches,
     size_t watches_count)
{
    bool changed = false;
    eventfd_t count;

    atomic_fetch_add(&memory->base.looks, 1);
    lock();
    eventfd_read(memory->woken_fd, &count); /* EAGAIN: nothing to drain */
    for (size_t i = 0; i < watches_count; i++) {
        struct hf_rule_found found =
            hf_memory_table_find(&memory->shared->table, watches[i].key);

        watches[i].changed = found.version != watches[i].version;
        changed |= watches[i].changed;
    }
    unlock();
    return changed;
}

static void
wait_for_change(struct hf_store *store, struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct memory *memory = memory_of(store);

    while (!look(memory, watches, watches_count)) {
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
is_woken(struct hf_store *store, struct hf_instant until)
{
    (void)store;
    (void)until;
    return true;
}

static enum hf_status
purge(struct hf_store *store, struct hf_duration age, size_t limit,
      struct hf_instant until, size_t *purged, struct hf_error *error)
{
    struct shared *shared = memory_of(store)->shared;

    (void)until;
    (void)error;
    lock();
    *purged =
        hf_memory_table_purge(&shared->table, hf_rule_purge_before(age), limit);
    wake_all(shared);
    unlock();
    return HF_OK;
}

/* ---- Inspect ------------------------------------------------------------- */

static void
count(struct memory *memory, struct hf_inspect_leftovers *left,
      uint64_t *newest)
{
    lock();
    hf_memory_table_count(&memory->shared->table, hf_inspect_old_ms(), left,
                          newest);
    unlock();
}

static void
inspect(struct hf_store *store, struct hf_instant until,
        hf_store_checkup_fn *tell, void *ctx)
{
    struct hf_checkup schema = {.check = "schema"};
    struct hf_checkup rights = {.check = "rights"};
    struct hf_checkup durability = {.check = "durability"};
    struct hf_checkup clock = {.check = "clock"};
    struct hf_checkup leftovers = {.check = "leftovers"};
    struct hf_checkup wakeup = {.check = "wakeup"};
    struct hf_inspect_leftovers left = {0};
    uint64_t newest = 0;

    (void)until;
    count(memory_of(store), &left, &newest);
    hf_checkup_add(&schema, "a table of this very version, which made it");
    hf_checkup_add(&rights, store->use == HF_STORE_TO_LOOK
                                ? "opened to look only"
                                : "any thread of this process may write it");
    hf_checkup_add(&durability, "memory: gone with this process, and seen by "
                                "no other");
    hf_checkup_warn(&durability, "name a file: sqlite:/path/locks.db");
    hf_inspect_clock(newest, &clock);
    hf_inspect_leftovers(&left, &leftovers);
    hf_checkup_add(&wakeup, "a commit wakes who waits, at once");
    tell(ctx, &schema);
    tell(ctx, &rights);
    tell(ctx, &durability);
    tell(ctx, &clock);
    tell(ctx, &leftovers);
    tell(ctx, &wakeup);
}

static const struct hf_store_methods methods = {
    .close = close_memory,
    .get = get,
    .scan = scan,
    .commit = commit,
    .wait = wait_for_change,
    .is_woken = is_woken,
    .purge = purge,
    .inspect = inspect,
};

/* ---- Its kind ------------------------------------------------------------ */

static enum hf_status
parse(const char *rest, struct hf_place *place, struct hf_error *error)
{
    struct hf_text name;
    struct hf_text text;
    enum hf_status status;

    if (strchr(rest, '?') != NULL)
        return hf_fail(error, HF_E_INVALID, "a memory place has no options");

    hf_text_init(&name, place->path, sizeof(place->path));
    status = hf_url_decode(rest, strlen(rest), &name, error);
    if (status != HF_OK)
        return status;

    hf_text_init(&text, place->text, sizeof(place->text));
    hf_text_add(&text, "memory:");
    hf_url_encode(&text, place->path);
    return HF_OK;
}

static enum hf_status
open_memory(const struct hf_place *place, enum hf_store_use use,
            const struct hf_alloc *alloc, struct hf_store **store,
            struct hf_error *error)
{
    const char *name = place->path;
    struct memory *memory;
    int64_t now_us = 0;
    enum hf_status status = hf_rule_clock(&now_us, error);

    if (status != HF_OK)
        return status;
    pthread_once(&watch_once, watch_forks);
    memory = hf_new(alloc, struct memory);
    if (memory == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open memory:%s", name);
    memory->base = (struct hf_store){
        .methods = &methods,
        .alloc = alloc,
        .use = use,
        .place = *place,
        .limits = limits,
    };

    memory->woken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (memory->woken_fd < 0) {
        status = hf_fail(error, HF_E_LIMIT,
                         "no descriptor left to open memory:%s", name);
        goto fail;
    }

    lock();
    memory->shared = open_shared(name, now_us);
    if (memory->shared != NULL) {
        memory->next = memory->shared->stores;
        memory->shared->stores = memory;
    }
    unlock();
    if (memory->shared == NULL) {
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

static void
blame(const struct hf_place *place, const struct hf_error *error,
      struct hf_checkup *checkup)
{
    (void)place;
    hf_checkup_add(checkup, "%s", error->text);
    hf_checkup_fail(checkup, "name another place");
}

static void
neighbours(const struct hf_place *place, struct hf_checkup *checkup)
{
    (void)place;
    hf_checkup_add(checkup, "a place in memory has none");
}

const struct hf_store_kind hf_memory_kind = {
    .scheme = "memory:",
    .quicker = "put the place on a quicker disk",
    .busy = "see what keeps its disk busy: iostat -x 1 5",
    .keeps_nothing = true,
    .parse = parse,
    .open = open_memory,
    .blame = blame,
    .neighbours = neighbours,
};
