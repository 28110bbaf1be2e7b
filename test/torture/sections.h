#ifndef HF_TORTURE_SECTIONS_H
#define HF_TORTURE_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <holdfast/words.h>

#include "driver.h"

/*
 * Sections: sixteen processes compete for one lock, three of four with
 * `holdfast run`, the others with libholdfast, while holdfast, its guard or
 * its command are killed with -9, one of them a round, and all three are
 * stopped past the ttl.  What is then true is said in judge.h.
 *
 * clocks: the wall clocks of some are a day ahead or behind (libfaketime with
 * FAKETIME_DONT_FAKE_MONOTONIC: that no decision rests on them), of others so
 * is every clock (without it: that no two processes' clocks are compared).
 *
 * history: all that is asked and told is written down, too, as a history.
 */
struct sections_mode {
    const char *word;
    enum hf_if_dead if_dead;
    uint32_t sections; /* of each competitor, unless HF_SECTIONS says */
    unsigned slow;     /* see fault_draw */
    bool clocks;
    bool history;
};

/* Run it, and judge: the exit code.  `self` answers `self moved`: clocks.h. */
int sections_run(struct driver *driver, const struct sections_mode *mode,
                 const char *self);

#endif
