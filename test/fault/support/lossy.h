#ifndef HF_TEST_LOSSY_H
#define HF_TEST_LOSSY_H

#include <pthread.h>

#include "base/arena.h"
#include "store/store.h"

/*
 * Lossy: stores whose replies are lost by plan.
 *
 * A *sea* lies between any number of stores and the place they share; their
 * operations are counted together, in the order in which they reach it.  At
 * the write that the plan names, the answer is *unknown*: the write was
 * applied, or never will be, or is kept and applied later, as it was sent,
 * through the place's own commit, so that the versions decide.  Or the answer
 * is true, and of no use: nothing was done, or it comes too late.
 *
 * Threads: a sea may be used by any; each store by one at a time, as always.
 */

enum lossy_how {
    LOSSY_APPLIED,     /* the write is applied, its answer lost */
    LOSSY_DROPPED,     /* the write is lost: it is never applied */
    LOSSY_LATER,       /* the write is late: see `later` */
    LOSSY_BLIND,       /* no write: the read of that number fails */
    LOSSY_UNAVAILABLE, /* the write is not done, which is said */
    LOSSY_SLOW,        /* the write is applied, which is said when `until` is
                          over */
};

struct lossy_plan {
    enum lossy_how how;
    unsigned at;     /* the number of the first write (BLIND: read) lost; the
                       first of all is 1 */
    unsigned count;  /* how many in a row are lost */
    unsigned later;  /* a late write is applied before the read or write that
                       comes so many after it; 0: when the sea ends */
    bool then_blind; /* the first read after a loss fails, too */
};

struct lossy_sea {
    struct lossy_plan plan;
    pthread_mutex_t mutex; /* guards all below */
    struct hf_store *inner;
    unsigned operations;
    unsigned writes;
    unsigned reads;
    unsigned losses;        /* replies lost so far */
    bool blind;             /* the next read fails */
    bool waited_to_the_end; /* a late write was not due before the end */
    struct kept *kept;      /* late writes, newest first */
    struct hf_arena arena;  /* what they are made of */
};

/* A sea before `place`; HF_OK, or as hf_store_open says. */
HF_MUST_USE enum hf_status lossy_sea_open(struct lossy_sea *sea,
                                          const char *place,
                                          const struct lossy_plan *plan);

/* A store on `place`, across the sea; NULL: it cannot be opened.  Close it with
 * hf_store_close, before the sea. */
struct hf_store *lossy_open(struct lossy_sea *sea, const char *place);

/* Apply what is still kept.  From now on nothing is lost. */
void lossy_sea_end(struct lossy_sea *sea);

/* The number of records in a space, tombstones not counted. */
size_t lossy_sea_records(struct lossy_sea *sea, const char *space);

/* The token of a record as it is in the place; 0 where there is none. */
uint64_t lossy_sea_token(struct lossy_sea *sea, struct hf_key key);

void lossy_sea_close(struct lossy_sea *sea);

/* "the write 3 and 1 more, applied 2 operations later": for messages. */
const char *lossy_plan_text(const struct lossy_plan *plan, char *buffer,
                            size_t size);

#endif
