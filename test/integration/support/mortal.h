#ifndef HF_TEST_MORTAL_H
#define HF_TEST_MORTAL_H

#include "store/store.h"

/*
 * Mortal: a store whose process dies, as by kill -9, just before or just after
 * its n-th read or write.
 */
struct mortal_plan {
    unsigned step; /* 1: at the first */
    bool before;   /* so that the step is not taken */
};

/* A store on `place`.  A failure ends the test. */
struct hf_store *mortal_open(const char *place, struct mortal_plan plan);

#endif
