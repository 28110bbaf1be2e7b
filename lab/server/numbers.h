#ifndef LAB_SERVER_NUMBERS_H
#define LAB_SERVER_NUMBERS_H

#include "lab/codec.h"

/*
 * Numbers: those of one sort that stand in many places of a world, of which
 * only the order matters.  Each becomes its rank among all of them, where it
 * stands; 0 stays 0.
 */

enum { NUMBERS_MAX = 256 };

struct numbers {
    uint64_t *at[NUMBERS_MAX];
    unsigned count;
};

/* NULL: that one stays as it is. */
void numbers_add(struct numbers *numbers, uint64_t *at);

/* A number of that sort, which is evaluated while the codec ranks. */
#define CODE_NUMBER(codec, sort, field)                                        \
    do {                                                                       \
        if ((codec)->ranks)                                                    \
            numbers_add((sort), &(field));                                     \
        else                                                                   \
            CODE((codec), (field));                                            \
    } while (0)

/* The lowest becomes `first`, the next one more, ...  Returns what is above
 * all. */
uint64_t numbers_settle(const struct numbers *numbers, uint64_t first);

/* Of those that are only told apart: each is numbered as it first appears, from
 * 1. */
void numbers_name(const struct numbers *numbers);

#endif
