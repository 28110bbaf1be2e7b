#ifndef HF_TORTURE_COMPETITOR_H
#define HF_TORTURE_COMPETITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/words.h>

#include "base/clock.h"
#include "fault.h"
#include "witness.h"

/*
 * Competitor: one of those that compete in the torture, and what is known of
 * it: a `holdfast run` for each try at a section, or one process that uses
 * libholdfast and is begun anew when it was killed.
 */

/* What all competitors have in common. */
struct competitor_terms {
    const char *holdfast; /* the programs */
    const char *section;
    const char *worker;
    const char *folder; /* the ledger's, and of all other files */
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    unsigned slow; /* see fault_draw */
    uint64_t seed;
    uint32_t sections;       /* of each competitor */
    struct witness *witness; /* of what the driver asks for others */
};

/* A section freezes itself: it tells, and then stops, sooner or later. */
enum competitor_frost {
    COMPETITOR_RUNS,
    COMPETITOR_FREEZES, /* it told that it will stop */
    COMPETITOR_FROZEN,  /* all its processes have stopped */
    COMPETITOR_THAWS,   /* its command goes on, the others do not yet */
};

struct competitor {
    uint32_t number;
    bool library;
    const char *const *clock; /* assignments that move its clocks, or NULL */
    uint32_t seq;             /* the section it is at: so many are done */
    uint32_t attempt;         /* at it */
    uint32_t begun;           /* processes so far */
    pid_t pid;                /* 0: over */
    bool clearing;            /* pid is a `holdfast clear` */
    enum fault fault;         /* of this try */
    struct hf_instant strike_at;
    enum competitor_frost frost;
    pid_t pids[3]; /* the frozen: command, guard, holdfast */
    uint64_t frozen_fence;
    struct hf_instant frozen_at;
};

/* Start the next try, or the rest of the sections. */
void competitor_start(const struct competitor_terms *terms,
                      struct competitor *competitor);

/*
 * Start a `holdfast clear`, as a person would after an exit code of 73 who
 * looks no longer than half a ttl, and so clears only whoever is gone: one who
 * is only suspected would have to be watched for a whole ttl.
 */
void competitor_clear(const struct competitor_terms *terms,
                      struct competitor *competitor);

/* Kill whom the fault names, if it is there; false when not.  A clear is told
 * to end. */
bool competitor_strike(const struct competitor_terms *terms,
                       struct competitor *competitor);

/* It told that it will stop: remember who, and see whether they have. */
void competitor_freeze(struct competitor *competitor, const int32_t *pids,
                       uint64_t fence);
void competitor_look_frozen(struct competitor *competitor);

/* Let the frozen go on: the command alone, then the others. */
void competitor_thaw_command(struct competitor *competitor);
void competitor_thaw_rest(struct competitor *competitor);

/* Print what its last process said. */
void competitor_show_output(const struct competitor_terms *terms,
                            const struct competitor *competitor);

#endif
