#ifndef HF_JOURNAL_SQLITE_FOLD_H
#define HF_JOURNAL_SQLITE_FOLD_H

#include <pthread.h>

#include "base/monitor.h"
#include "store/sqlite_db.h"

/*
 * Fold: a thread that folds a log into its file by a connection of its own, so
 * that no batch waits for that.
 *
 *   ask, after a commit:   so many pages of the log are not in the file
 *   hold:                  what is committed from here on is not folded
 *
 * It folds some time after the last ask, or at once when there is much.  A log
 * begins anew when a commit finds all of it folded, which a busy server seldom
 * leaves time for: then its owner folds the rest, at a bound of his.
 *
 * Zero is one that was not started, which does nothing.  Threads: all functions
 * are one thread's, its owner's.
 */
struct hf_fold {
    bool started;
    pthread_t thread;
    char path[HF_PLACE_MAX + 1];
    struct hf_sqlite_db db; /* the thread's own */
    struct hf_monitor monitor;
    struct hf_condition changed; /* under it, all below */
    bool stopping;
    bool folds;     /* a pass is under way */
    uint64_t pages; /* that are to be folded; 0: none */
};

/* Start, or go on.  False: the system has no thread to give. */
bool hf_fold_start(struct hf_fold *fold, const char *path);

/* Wait for its pass to end, and close what it has open.  May be called twice.
 */
void hf_fold_stop(struct hf_fold *fold);

void hf_fold_ask(struct hf_fold *fold, uint64_t pages);

/* Until the next ask.  Waits for a pass that is under way. */
void hf_fold_hold(struct hf_fold *fold);

#endif
