#ifndef HF_TEST_KILLABLE_STORE_H
#define HF_TEST_KILLABLE_STORE_H

#include "store/store.h"

/*
 * Killable store: its process dies, as by kill -9, just before or just after
 * its n-th read or commit.
 */
struct killable_plan {
    unsigned step;   /* 1: at the first; 0: never */
    bool before;     /* so that the step is not taken */
    unsigned *taken; /* borrowed: how many were */
};

/* A store on `place`.  A failure ends the test. */
struct hf_store *killable_store_open(const char *place,
                                     struct killable_plan plan);

#endif
