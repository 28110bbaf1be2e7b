#ifndef HF_TEST_LANE_H
#define HF_TEST_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/words.h>

#include "base/clock.h"
#include "deed.h"

/*
 * Lane: one of the processes that compete in the torture, and what is known of
 * it: a `holdfast run` for each try at a section, or one process that uses
 * libholdfast and is begun anew when it was killed.
 */

/* What all lanes have in common. */
struct lane_terms {
    const char *holdfast; /* the programs */
    const char *section;
    const char *worker;
    const char *folder; /* the ledger's, and of all other files */
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    unsigned slow; /* see deed_draw */
    uint64_t seed;
    uint32_t sections; /* of each lane */
};

/* A section freezes itself: it tells, and then stops, sooner or later. */
enum lane_frost {
    LANE_RUNS,
    LANE_FREEZES, /* it told that it will stop */
    LANE_FROZEN,  /* all its processes have stopped */
    LANE_THAWS,   /* its command goes on, the others do not yet */
};

struct lane {
    uint32_t number;
    bool library;
    const char *const *clock; /* assignments that move its clocks, or NULL */
    uint32_t seq;             /* the section it is at: so many are done */
    uint32_t attempt;         /* at it */
    uint32_t begun;           /* processes so far */
    pid_t pid;                /* 0: over */
    bool clearing;            /* pid is a `holdfast clear` */
    enum deed deed;           /* of this try */
    struct hf_instant strike_at;
    enum lane_frost frost;
    pid_t pids[3]; /* the frozen: command, guard, holdfast */
    uint64_t frozen_fence;
    struct hf_instant frozen_at;
};

/* Start the next try, or the rest of the sections. */
void lane_start(const struct lane_terms *terms, struct lane *lane);

/*
 * Start a `holdfast clear`, as a person would after an exit code of 73 who
 * looks no longer than half a ttl, and so clears only whoever is gone: one who
 * is only suspected would have to be watched for a whole ttl.
 */
void lane_clear(const struct lane_terms *terms, struct lane *lane);

/* Kill whom the deed names, if it is there; false when not.  A clear is told to
 * end. */
bool lane_strike(struct lane *lane);

/* It told that it will stop: remember who, and see whether they have. */
void lane_freeze(struct lane *lane, const int32_t *pids, uint64_t fence);
void lane_look_frozen(struct lane *lane);

/* Let the frozen go on: the command alone, then the others. */
void lane_thaw_command(struct lane *lane);
void lane_thaw_rest(struct lane *lane);

/* Print what its last process said. */
void lane_show_output(const struct lane_terms *terms, const struct lane *lane);

#endif
