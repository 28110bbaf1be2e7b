#ifndef HF_TEST_DEED_H
#define HF_TEST_DEED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Deed: the one misfortune, if any, that befalls one try at one section.
 * Drawn from a seed, so that a run can be repeated, as far as processes can.
 */

enum deed {
    DEED_NONE,
    /* Done by the section itself, in its middle. */
    DEED_KILL_HOLDFAST,
    DEED_KILL_HOLDFAST_DEAF, /* and the command ignores TERM */
    DEED_KILL_GUARD,
    DEED_KILL_COMMAND,
    DEED_FREEZE, /* all three, past the ttl */
    /* Done by the driver, at any moment: waiting, claiming, giving back. */
    DEED_STRIKE_HOLDFAST,
    DEED_STRIKE_GUARD,
    DEED_STRIKE_COMMAND,
    DEEDS,
};

/* A number that looks random, from the seed and the try. */
uint64_t deed_random(uint64_t seed, uint32_t lane, uint32_t seq,
                     uint32_t attempt);

/* Of 1,000 tries, `slow` are frozen, which holds up all others for a ttl, and
 * `slow` have a command that is deaf to TERM, which does so for its grace. */
enum deed deed_draw(uint64_t random, unsigned slow);

/* When the driver strikes, in ms after the try began. */
int64_t deed_strike_ms(uint64_t random);

const char *deed_word(enum deed deed);

/* The deed of that word; DEEDS when there is none. */
enum deed deed_of_word(const char *word);

#endif
