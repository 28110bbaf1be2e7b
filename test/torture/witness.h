#ifndef HF_TORTURE_WITNESS_H
#define HF_TORTURE_WITNESS_H

#include "history/log.h"

/*
 * Witness: what one process of the torture asks and is told, written down as a
 * history (test/history), in a file of its own.
 *
 * There is one only where HF_HISTORY names a folder; otherwise nothing is
 * written.  It is not there where processes' clocks differ, nor where a person
 * clears: the checker would have to be told of both.
 */
struct witness {
    struct history_log log;
    char session[40]; /* the process that competes, whoever writes of it */
    uint64_t n;       /* the request at work, of its only lane */
};

/* Make the file; `name` is one that no other process takes. */
void witness_open(struct witness *witness, const char *name);

/* From now on this is about the process that was begun as number `begun` of a
 * competitor, and its first request. */
void witness_be(struct witness *witness, uint32_t competitor, uint32_t begun);

/* It is about to be asked for. */
void witness_ask(const struct witness *witness);

/* What is told of it, and what it sends; a right of ms ends when this is. */
void witness_granted(const struct witness *witness, uint64_t fence,
                     int64_t right_ms);
void witness_release(const struct witness *witness);
void witness_over(const struct witness *witness);

/* It is about to be killed: whoever sees that it is gone may take its lock. */
void witness_end(const struct witness *witness);

/* It is at work at this instant: so its right lasts. */
void witness_works(const struct witness *witness);

#endif
