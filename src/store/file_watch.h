#ifndef HF_STORE_FILE_WATCH_H
#define HF_STORE_FILE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/checkup.h"
#include "base/clock.h"

/*
 * File watch: to sleep until somebody rings at a file, or one of several files
 * is moved, removed or given other permissions.
 *
 * To ring is to open the file and to close it again: the kernel tells all who
 * watch it (inotify, IN_CLOSE), in every process.  The end of a process that
 * had it open rings, too.
 *
 * A process has one inotify instance, however many watches it has, and none
 * while it has no watch: a user has only 128 of them for all that he runs.
 * Whichever thread sleeps reads what has come, and passes on what is for the
 * others.  What was started before a fork is dead in the child.
 *
 * Zero is a watch that is not started.  Threads: one at a time on each watch;
 * what the watches of a process share is guarded here.
 */

enum { HF_FILE_WATCH_FILES_MAX = 3 };

struct hf_file_watch {
    struct hf_file_watch *next; /* of those of this process */
    bool started;
    unsigned generation; /* of the process in which it was */
    int told_fd;         /* an eventfd, owned: something was told */
    int events_fd;       /* the instance that all share, borrowed */
    int numbers[HF_FILE_WATCH_FILES_MAX]; /* as inotify calls the files */
    size_t numbers_count;
};

/*
 * Start, or go on: true if it is started in this very process.  It is told when
 * somebody rings at paths[0], and when one of the files that are under `paths`
 * now loses its name.  *watch must not move until it is stopped.
 *
 * False: the kernel will not tell (no instance, no watch or no descriptor is
 * left, or a file is not there), and nothing was started.
 */
bool hf_file_watch_start(struct hf_file_watch *watch, const char *const *paths,
                         size_t count);

/* May be called twice, and for a watch that a fork left behind. */
void hf_file_watch_stop(struct hf_file_watch *watch);

/* Forget what was told so far.  Call it before looking at the files. */
void hf_file_watch_forget(struct hf_file_watch *watch);

/*
 * Sleep until something was told that is not forgotten, until `until`, or until
 * wake_fd (-1: none) is readable, whatever is first.  True when it was wake_fd.
 * A signal may end it early.  The watch is started.
 */
bool hf_file_watch_sleep(struct hf_file_watch *watch, struct hf_instant until,
                         int wake_fd);

/* Why a watch could not be started just now, as far as is known, and what to
 * do. */
void hf_file_watch_explain(struct hf_checkup *checkup);

/* Ring at a file.  If that fails, the waiters are not told. */
void hf_file_watch_ring(const char *path);

#endif
