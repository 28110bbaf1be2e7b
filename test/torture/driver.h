#ifndef HF_TORTURE_DRIVER_H
#define HF_TORTURE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ledger.h"
#include "support/folder.h"

/*
 * Driver: what both experiments of the torture share.  It is the process that
 * starts the competitors, hears the words that their commands write to the
 * ledger, and reaps what it has started.
 */
struct driver {
    const char *holdfast; /* the programs */
    const char *command;  /* what `holdfast run` runs */
    const char *other;    /* the worker of sections, the shim of kills */
    char folder[FOLDER_SIZE];
    uint64_t seed;
    int words;   /* from the ledger */
    int signals; /* SIGCHLD */
};

/* HF_SEED, or one drawn now. */
uint64_t driver_seed(void);

/* Make the folder and the ledger in it, and point HOLDFAST_AT to a SQLite file
 * there; or to the place that HF_PLACE names. */
void driver_begin(struct driver *driver);

/* Remove the folder, unless HF_KEEP is set. */
void driver_end(struct driver *driver);

/* Wait for a word, for the end of a child, or for so long; at most a second. */
void driver_wait(const struct driver *driver, int64_t us);

/* The next word; false: there is none yet. */
bool driver_word(const struct driver *driver, struct ledger_word *word);

/* Reap a child that has ended: its exit code, or 128 + signal.  0: none has. */
pid_t driver_reap(const struct driver *driver, int *code);

#endif
