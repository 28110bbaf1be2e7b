#ifndef HF_TEST_HISTORY_LOG_H
#define HF_TEST_HISTORY_LOG_H

#include "history/note.h"

/*
 * Log: the file into which one process writes what it asks and is told.
 *
 * Each note is appended by one write, so that a process that is killed with -9
 * loses nothing that it wrote before.  A file is of one process, whose threads
 * may all use it.
 */
struct history_log {
    int fd; /* owned; -1: nothing is written */
};

/* Lines are no longer: 64 names of 80 bytes. */
#define HISTORY_LINE_MAX 8192

/* Make the file, which is not there yet.  False and errno. */
bool history_log_open(struct history_log *log, const char *path);

/* CLOCK_BOOTTIME in ns, for what is stamped before it is known. */
int64_t history_now_ns(void);

/* Append a note, stamped now, unless it has an instant.  A disk that takes no
 * more ends the program. */
void history_log_write(const struct history_log *log, struct note note);

/* Twice does nothing. */
void history_log_close(struct history_log *log);

#endif
