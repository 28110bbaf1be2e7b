#ifndef TALE_SPECIMEN_TOLD_H
#define TALE_SPECIMEN_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/text.h"

/*
 * Told: the schedule of a specimen as a list of events, for all who show it:
 * as sentences, as JSON, as a picture.  Plain data; allocates nothing.
 */

enum {
    TOLD_WORKERS_MAX = 4,
    TOLD_EVENTS_MAX = 256,
    TOLD_NOBODY = TOLD_WORKERS_MAX, /* as the worker of an event */
    TOLD_HOLDS_MAX = 240,           /* four replicas with four siblings each */
};

/* Where a worker stands after an event. */
enum where {
    WHERE_OUTSIDE,
    WHERE_INSIDE,   /* processes the data set */
    WHERE_PAUSED,   /* inside, but nothing of it runs */
    WHERE_DONE,     /* has processed it */
    WHERE_MOVED_ON, /* to another data set */
    WHERE_CRASHED,
};

enum told_kind {
    TOLD_READ,
    TOLD_ISSUE, /* a write or remove that starts now and arrives later */
    TOLD_WRITE, /* it arrives, or is done at once */
    TOLD_REMOVE,
    TOLD_GRANT,  /* what was asked for before, and waited there, is given */
    TOLD_ARRIVE, /* at a replica */
    TOLD_SERVER, /* a replica does something by itself */
    TOLD_DOWN,   /* a replica, which is away until TOLD_UP */
    TOLD_UP,
    TOLD_START, /* the critical section */
    TOLD_END,
    TOLD_WORK, /* something inside it */
    TOLD_PAUSE,
    TOLD_WAKE,
    TOLD_CRASH,
    TOLD_WORLD,   /* time, a clock, a server, a person */
    TOLD_CLOSING, /* the closing words; nothing more happens */
};

struct told_event {
    unsigned number; /* 1, 2, ... */
    unsigned worker; /* 0, 1, ..., or TOLD_NOBODY */
    enum told_kind kind;
    unsigned issue;   /* number of the TOLD_ISSUE that this completes, or is
                         an arrival of; or 0 */
    unsigned line;    /* of the specimen's text, that does it; or 0 */
    unsigned replica; /* 1, 2, ...: where it is; or 0 */
    bool fallback;    /* at what stands in for that replica */
    bool fault;
    bool error;                      /* the worker's answer was an error */
    bool lost;                       /* what was asked for did not happen, or
                                        has not arrived */
    uint8_t where[TOLD_WORKERS_MAX]; /* each worker, afterwards */
    char sentence[120];
    char holds[TOLD_HOLDS_MAX]; /* what the store holds afterwards */
};

struct told {
    struct told_event events[TOLD_EVENTS_MAX];
    unsigned count;
    unsigned steps;       /* of the schedule, that were done */
    unsigned operations;  /* reads, writes and removes; a split one once */
    bool short_of_room;   /* there was more than TOLD_EVENTS_MAX */
    bool closes_nobody;   /* the closing words will say that all moved on */
    const char *violated; /* the property that the last step breaks */
    char holds[TOLD_HOLDS_MAX]; /* what the store holds at first */
};

/* Add an event and its sentence, without a full stop; the event is for the
 * caller to complete, and valid as long as the list. */
HF_PRINTF(4, 5)
struct told_event *told_add(struct told *told, enum told_kind kind,
                            unsigned worker, const char *format, ...);

/* "read", "write", ...: as in JSON. */
const char *told_kind_word(enum told_kind kind);

/* "outside", "inside", ... */
const char *told_where_word(enum where where);

#endif
