#ifndef HF_TEST_CAST_H
#define HF_TEST_CAST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/holdfast.h>

/*
 * Cast: processes that use libholdfast as they are told, one lock each, and
 * tell what happens to them.  The test itself has no client and no threads, so
 * that it may fork at any time.  Whatever should not happen ends the test.
 */

enum cast_word {
    CAST_SEES,    /* it waits, and sees a holder with this fence */
    CAST_GRANTED, /* it holds, with this fence */
    CAST_ENDED,   /* its wait ended otherwise: `outcome` */
    CAST_RELEASED,
    CAST_FAILED, /* `outcome` is an enum hf_status */
};

struct cast_news {
    uint64_t fence;
    uint32_t word; /* enum cast_word */
    int32_t outcome;
    int64_t at_us; /* CLOCK_MONOTONIC, when it happened */
};

struct actor {
    pid_t pid;
    int orders;    /* to it */
    int news;      /* from it */
    uint64_t sees; /* the fence of the holder it told of last */
};

/* A process with a client of its own, on HOLDFAST_AT. */
void cast_start(struct actor *actor);

/* Begin to acquire `name`; news follow. */
void cast_acquire(struct actor *actor, const char *name,
                  enum hf_if_dead if_dead);

/* Release what it holds; then, if `and_end`, end in the same breath. */
void cast_release(const struct actor *actor, bool and_end);

/* The next of its news that is not CAST_SEES. */
struct cast_news cast_next(struct actor *actor);

/* Of two, whichever is granted or ends first, and what it told. */
struct cast_news cast_first(struct actor *one, struct actor *other,
                            struct actor **first);

/* Until it has told this, with at least this fence.  CAST_SEES counts also if
 * it was read before; any other news that is not this ends the test. */
struct cast_news cast_expect(struct actor *actor, enum cast_word word,
                             uint64_t fence);

/* Is there news that waits to be read? */
bool cast_has_news(const struct actor *actor);

/* Kill it with -9, and reap it. */
void cast_kill(struct actor *actor);

/* Tell it to end, and reap it. */
void cast_end(struct actor *actor);

int64_t cast_now_us(void);

#endif
