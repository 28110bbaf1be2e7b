#ifndef TALE_CASES_HEARTBEAT_H
#define TALE_CASES_HEARTBEAT_H

#include "tale/specimen/locks.h"
#include "tale/specimen/specimen.h"

/*
 * AtlasDB's lock with a heartbeat: a row that says whose it is, and when its
 * holder last beat.  What its specimens have in common.
 */

struct heartbeat {
    struct cast cast; /* line 1: the worker suspects the holder */
    struct locks locks;
    uint8_t reported; /* 1: an operator knows */
};

enum { HEARTBEAT_GO_ON, HEARTBEAT_PAUSE, HEARTBEAT_WAKE };

/* What all of them do alike: pause and wake, acquire what is free, release.
 * False when nothing of it is possible. */
bool heartbeat_act(struct scene *scene, struct heartbeat *s, unsigned who,
                   unsigned choice);

/* Tell that the worker has the lock. */
bool heartbeat_enter(struct scene *scene, struct heartbeat *s, unsigned who,
                     const char *how);

/* The ID of the holder; 0: there is none. */
unsigned heartbeat_holder(const struct heartbeat *s);

/* Suspect the holder, after a time in which no heartbeat came; false when he
 * is running, and beats. */
bool heartbeat_suspect(struct scene *scene, struct heartbeat *s, unsigned who);

void heartbeat_show(const struct specimen_run *run, const void *state,
                    struct hf_text *text);
const struct locks *heartbeat_locks(const void *state);

#define HEARTBEAT_SPECIMEN                                                     \
    .source = "AtlasDB, decision 8: heartbeats for lock holders",              \
    .workers = 2, .faults = 1, .choices = 3, .size = sizeof(struct heartbeat), \
    .show = heartbeat_show, .locks = heartbeat_locks

#endif
