#ifndef TALE_PLACE_LOCKS_SQLITE_H
#define TALE_PLACE_LOCKS_SQLITE_H

#include <stdio.h>

#include "tale/specimen/locks.h"

/*
 * The table of a specimen in a real SQLite database: a connection for each
 * worker and one for the person, so that the transactions of its steps are
 * real ones.  Each statement's answer is compared with the model's, and the
 * table's content after each step.
 *
 * One at a time in one thread; the memory is the caller's.
 */

enum { LOCKS_SQLITE_CONNECTIONS = TOLD_WORKERS_MAX + 1 };

struct sqlite3;

struct locks_sqlite {
    struct locks_place place; /* first, so that it is one */
    struct sqlite3 *connections[LOCKS_SQLITE_CONNECTIONS];
    FILE *to;        /* borrowed: what is done is told here */
    unsigned now;    /* the schedule's clock */
    unsigned active; /* whose transaction is open, plus 1; 0: nobody's */
    bool differs;    /* from the model */
    bool failed;     /* the database did; `why` says so */
    char why[400];   /* "the model says ..., the database says ..." */
    char log[4096];  /* of this step */
    size_t log_len;
    unsigned told; /* events, so far */
};

/*
 * Open a place as holdfast names them, "sqlite:PATH".  The file is made if it
 * is not there, and taken if it is empty; anything else is left as it is.
 *
 * HF_E_CORRUPT: there is something in it already.  HF_E_INVALID, HF_E_DENIED,
 * HF_E_UNAVAILABLE, HF_E_NOMEM: it is no such place, or cannot be made.
 */
HF_MUST_USE enum hf_status locks_sqlite_open(struct locks_sqlite *self,
                                             const char *place, FILE *to,
                                             struct hf_error *error);

void locks_sqlite_close(struct locks_sqlite *self);

#endif
