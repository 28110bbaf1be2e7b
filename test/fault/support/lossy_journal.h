#ifndef TEST_FAULT_LOSSY_JOURNAL_H
#define TEST_FAULT_LOSSY_JOURNAL_H

#include <pthread.h>

#include "journal/journal.h"
#include "lossy.h"

/*
 * Lossy journal: a journal whose replies are lost by the plan of a lossy sea
 * (lossy.h).  `at` counts writes, or, if BLIND, all that reads: the head,
 * chunks, table locks, and what secures a term.  A write that is late is
 * applied, as it was sent, through a journal of the sea's own.
 *
 * Threads: a sea may be used by any; each journal by one at a time, as always.
 */

struct lossy_journal_sea {
    struct lossy_plan plan;
    pthread_mutex_t mutex; /* guards all below */
    unsigned operations;
    unsigned writes;
    unsigned reads;
    unsigned losses; /* replies lost so far */
    struct lossy_write *kept;
    struct hf_journal *behind; /* owned: by which it is applied */
};

void lossy_journal_init(struct lossy_journal_sea *sea, const char *place,
                        const struct lossy_plan *plan);
void lossy_journal_fini(struct lossy_journal_sea *sea); /* after its journals */

/* As hf_journal_open.  The sea outlives it. */
enum hf_status lossy_journal_open(struct lossy_journal_sea *sea,
                                  const char *place,
                                  const struct hf_alloc *alloc,
                                  struct hf_journal **journal,
                                  struct hf_error *error);

/* Apply what is still kept.  From now on nothing is lost. */
void lossy_journal_end(struct lossy_journal_sea *sea);

#endif
