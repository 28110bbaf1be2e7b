#ifndef TALE_REPORT_REPORT_H
#define TALE_REPORT_REPORT_H

#include <holdfast/words.h>

#include "explore/explore.h"

/* Report: `holdfast-tale report`, from the searches to the page. */

struct report_order {
    const char *folder;           /* made if it is missing */
    const char *proofs;           /* a file, or NULL: say that there is none */
    const char *mutants;          /* a file, or NULL: say that there is none */
    struct explore_limits limits; /* but for faults and states */
};

struct report_outcome {
    unsigned specimens;
    unsigned broken; /* of them */
    unsigned proofs;
    unsigned mutants;
    bool finding; /* something is not as expected */
    bool bounded; /* a search ended before it was done */
};

/*
 * Make folder/index.html, whole or not at all.  Files that are to be read are
 * read before anything is searched.  The page says what is not as expected, and
 * so do lines on stderr.
 */
enum hf_status report_make(const struct report_order *order,
                           struct report_outcome *outcome,
                           struct hf_error *error);

#endif
