#ifndef HF_STORM_WORD_H
#define HF_STORM_WORD_H

#include <stdint.h>

/* What a command tells the storm, through a FIFO: no more than PIPE_BUF, so
 * that each is whole. */

enum storm_word_kind {
    STORM_BEGINS,   /* it has the witness file for itself */
    STORM_OVERLAPS, /* somebody else has it: two run at once */
    STORM_ENDS,     /* of itself; nothing of it is left in a moment */
};

struct storm_word {
    uint32_t kind;
    uint32_t round;
    uint64_t fence;
};

/* Names in the folder of the storm. */
#define STORM_WORDS   "words"
#define STORM_WITNESS "witness-%u" /* of a lock */

#endif
