#ifndef HF_TEST_COUNTING_STORE_H
#define HF_TEST_COUNTING_STORE_H

#include <pthread.h>

#include "store/store.h"

/*
 * Counting store: it counts its commits and the beats in them, and times
 * the beats of locks named "lock-0", "lock-1", ...
 */

#define COUNTING_LOCKS_MAX 5000

struct counting_sums {
    uint64_t commits;
    uint64_t beats;       /* groups that put a record of the same generation */
    size_t most_beats;    /* in one commit */
    int64_t worst_gap_ms; /* between two applied writes of one lock */
    int64_t worst_commit_ms;
};

struct counts {
    pthread_mutex_t mutex;
    struct counting_sums sums;
    struct hf_instant last[COUNTING_LOCKS_MAX]; /* applied; zero: none */
};

/* A store on `place`; counts go to `counts`, which is borrowed.  A failure
 * ends the test. */
struct hf_store *counting_store_open(const char *place, struct counts *counts);

/* The sums since the last call; any thread. */
struct counting_sums counting_take(struct counts *counts);

#endif
