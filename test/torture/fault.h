#ifndef HF_TORTURE_FAULT_H
#define HF_TORTURE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Fault: the one misfortune, if any, that befalls one try at one section.
 * Drawn from a seed, so that a run can be repeated, as far as processes can.
 */

enum fault {
    FAULT_NONE,
    /* Done by the section itself, in its middle. */
    FAULT_KILL_HOLDFAST,
    FAULT_KILL_HOLDFAST_DEAF, /* and the command ignores TERM */
    FAULT_KILL_GUARD,
    FAULT_KILL_COMMAND,
    FAULT_FREEZE, /* all three, past the ttl */
    /* Done by the driver, at any moment: waiting, claiming, giving back; in
     * the order of enum victim. */
    FAULT_STRIKE_HOLDFAST,
    FAULT_STRIKE_GUARD,
    FAULT_STRIKE_COMMAND,
    FAULTS,
};

/* A number that looks random, from the seed and the try. */
uint64_t fault_random(uint64_t seed, uint32_t competitor, uint32_t seq,
                      uint32_t attempt);

/* Of 1,000 tries, `slow` are frozen, which holds up all others for a ttl, and
 * `slow` have a command that is deaf to TERM, which does so for its grace. */
enum fault fault_draw(uint64_t random, unsigned slow);

/* When the driver strikes, in ms after the try began. */
int64_t fault_strike_ms(uint64_t random);

const char *fault_word(enum fault fault);

/* The fault of that word; FAULTS when there is none. */
enum fault fault_of_word(const char *word);

#endif
