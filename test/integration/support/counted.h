#ifndef HF_TEST_COUNTED_H
#define HF_TEST_COUNTED_H

#include <pthread.h>

#include "store/store.h"

/*
 * Counted: a store that counts its commits and the beats in them, and times
 * the beats of locks named "lock-0", "lock-1", ...
 */

#define COUNTED_LOCKS_MAX 5000

struct counted_sums {
    uint64_t commits;
    uint64_t beats;       /* groups that put a record of the same generation */
    size_t most_beats;    /* in one commit */
    int64_t worst_gap_ms; /* between two applied writes of one lock */
    int64_t worst_commit_ms;
};

struct counts {
    pthread_mutex_t mutex;
    struct counted_sums sums;
    struct hf_instant last[COUNTED_LOCKS_MAX]; /* applied; zero: none */
};

/* A store on `place`; counts go to `counts`, which is borrowed.  A failure
 * ends the test. */
struct hf_store *counted_open(const char *place, struct counts *counts);

/* The sums since the last call; any thread. */
struct counted_sums counted_take(struct counts *counts);

#endif
