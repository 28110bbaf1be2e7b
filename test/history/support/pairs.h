#ifndef HF_TEST_HISTORY_PAIRS_H
#define HF_TEST_HISTORY_PAIRS_H

#include "history/history.h"

/*
 * Pairs: of every two requests that want one lock, what the promises say of
 * these two.  It sorts nothing and remembers nothing, and takes n * n: what
 * history/check.c finds is held against it.
 */

/* What is broken at the earliest, as bits: several may be at one instant. */
enum pairs_broken {
    PAIRS_OVERLAP = 1,
    PAIRS_OVERRIDDEN = 2,
    PAIRS_FENCES = 4,
    PAIRS_UNTRUE_NO = 8,
};

struct pairs_found {
    unsigned broken; /* 0: nothing */
    int64_t at_ns;
};

void pairs_look(const struct history *history, struct pairs_found *found);

#endif
