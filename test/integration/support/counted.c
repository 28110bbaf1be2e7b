#include "counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

struct counted {
    struct hf_store base;
    struct hf_store *inner; /* owned */
    struct counts *counts;  /* borrowed */
};

static struct counted *
counted_of(struct hf_store *store)
{
    return (struct counted *)(void *)store;
}

static void
close_counted(struct hf_store *store)
{
    hf_store_close(counted_of(store)->inner);
    hf_free(store->alloc, counted_of(store));
}

static enum hf_status
get(struct hf_store *store, struct hf_key key, struct hf_instant until,
    struct hf_record *record, struct hf_error *error)
{
    return hf_store_get(counted_of(store)->inner, key, until, record, error);
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *what,
     hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    return hf_store_scan(counted_of(store)->inner, what, row, ctx, error);
}

static void
note_write(struct counts *counts, const struct hf_store_op *op,
           struct hf_instant now)
{
    size_t index = strtoul(op->key.name + strlen("lock-"), NULL, 10);
    struct hf_instant *last = &counts->last[index];
    int64_t gap_ms = last->ms == 0 ? 0 : hf_between(*last, now).ms;

    HF_CHECK(index < COUNTED_LOCKS_MAX);
    if (!op->new_generation && gap_ms > counts->sums.worst_gap_ms)
        counts->sums.worst_gap_ms = gap_ms;
    *last = now;
}

static void
note_commit(struct counts *counts, const struct hf_store_group *groups,
            size_t count, struct hf_instant began)
{
    struct hf_instant now = hf_now();
    int64_t took_ms = hf_between(began, now).ms;
    size_t beats = 0;

    pthread_mutex_lock(&counts->mutex);
    for (size_t i = 0; i < count; i++) {
        const struct hf_store_op *op = &groups[i].ops[0];

        if (op->kind != HF_PUT || groups[i].verdict != HF_APPLIED)
            continue;
        beats += !op->new_generation;
        note_write(counts, op, now);
    }
    counts->sums.commits++;
    counts->sums.beats += beats;
    if (beats > counts->sums.most_beats)
        counts->sums.most_beats = beats;
    if (took_ms > counts->sums.worst_commit_ms)
        counts->sums.worst_commit_ms = took_ms;
    pthread_mutex_unlock(&counts->mutex);
}

static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    struct counted *counted = counted_of(store);
    struct hf_instant began = hf_now();

    hf_store_commit(counted->inner, groups, count, until, error);
    note_commit(counted->counts, groups, count, began);
}

static void
wait_for_change(struct hf_store *store, const struct hf_store_watch *watches,
                size_t count, struct hf_instant until, int wake_fd)
{
    hf_store_wait(counted_of(store)->inner, watches, count, until, wake_fd);
}

static enum hf_status
purge(struct hf_store *store, struct hf_duration age, size_t limit,
      size_t *purged, struct hf_error *error)
{
    return hf_store_purge(counted_of(store)->inner, age, limit, purged, error);
}

static const struct hf_store_methods methods = {
    .close = close_counted,
    .get = get,
    .scan = scan,
    .commit = commit,
    .wait = wait_for_change,
    .purge = purge,
};

struct hf_store *
counted_open(const char *place, struct counts *counts)
{
    struct counted *counted = hf_new(&hf_alloc_libc, struct counted);

    HF_CHECK(counted != NULL);
    counted->base =
        (struct hf_store){.methods = &methods, .alloc = &hf_alloc_libc};
    counted->counts = counts;
    pthread_mutex_init(&counts->mutex, NULL);
    HF_CHECK(hf_store_open(place, &hf_alloc_libc, &counted->inner, NULL) ==
             HF_OK);
    return &counted->base;
}

struct counted_sums
counted_take(struct counts *counts)
{
    struct counted_sums sums;

    pthread_mutex_lock(&counts->mutex);
    sums = counts->sums;
    counts->sums = (struct counted_sums){0};
    pthread_mutex_unlock(&counts->mutex);
    return sums;
}
