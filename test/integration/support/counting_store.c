#include "counting_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "support/forward_store.h"

struct counting {
    struct forward_store forward;
    struct counts *counts; /* borrowed */
};

static void
note_write(struct counts *counts, const struct hf_store_op *op,
           struct hf_instant now)
{
    size_t index = strtoul(op->key.name + strlen("lock-"), NULL, 10);
    struct hf_instant *last = &counts->last[index];
    int64_t gap_ms = last->ms == 0 ? 0 : hf_between(*last, now).ms;

    HF_CHECK(index < COUNTING_LOCKS_MAX);
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
    struct counting *counting = (struct counting *)(void *)store;
    struct hf_instant began = hf_now();

    forward_store_commit(store, groups, count, until, error);
    note_commit(counting->counts, groups, count, began);
}

struct hf_store *
counting_store_open(const char *place, struct counts *counts)
{
    static const struct hf_store_methods changed = {.commit = commit};
    struct counting *counting =
        forward_store_open(place, sizeof(*counting), &changed);

    HF_CHECK(counting != NULL);
    counting->counts = counts;
    pthread_mutex_init(&counts->mutex, NULL);
    return &counting->forward.base;
}

struct counting_sums
counting_take(struct counts *counts)
{
    struct counting_sums sums;

    pthread_mutex_lock(&counts->mutex);
    sums = counts->sums;
    counts->sums = (struct counting_sums){0};
    pthread_mutex_unlock(&counts->mutex);
    return sums;
}
