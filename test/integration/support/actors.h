#ifndef HF_TEST_ACTORS_H
#define HF_TEST_ACTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/holdfast.h>

/*
 * Actors: processes that use libholdfast as they are told, one lock each, and
 * tell what happens to them.  The test itself has no client and no threads, so
 * that it may fork at any time.  Whatever should not happen ends the test.
 */

enum actors_word {
    ACTORS_SEES,    /* it waits, and sees a holder with this fence */
    ACTORS_GRANTED, /* it holds, with this fence */
    ACTORS_ENDED,   /* its wait ended otherwise: `outcome` */
    ACTORS_RELEASED,
    ACTORS_FAILED, /* `outcome` is an enum hf_status */
};

struct actors_news {
    uint64_t fence;
    uint32_t word; /* enum actors_word */
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
void actors_start(struct actor *actor);

/* Begin to acquire `name`; news follow. */
void actors_acquire(struct actor *actor, const char *name,
                    enum hf_if_dead if_dead);

/* Release what it holds; then, if `and_end`, end in the same breath. */
void actors_release(const struct actor *actor, bool and_end);

/* The next of its news that is not ACTORS_SEES. */
struct actors_news actors_next(struct actor *actor);

/* Of two, whichever is granted or ends first, and what it told. */
struct actors_news actors_first(struct actor *one, struct actor *other,
                                struct actor **first);

/* Until it has told this, with at least this fence.  ACTORS_SEES counts also if
 * it was read before; any other news that is not this ends the test. */
struct actors_news actors_expect(struct actor *actor, enum actors_word word,
                                 uint64_t fence);

/* Is there news that waits to be read? */
bool actors_has_news(const struct actor *actor);

/* Kill it with -9, and reap it. */
void actors_kill(struct actor *actor);

/* Tell it to end, and reap it. */
void actors_end(struct actor *actor);

int64_t actors_now_us(void);

#endif
