#ifndef TALE_DRAFTS_LINES_H
#define TALE_DRAFTS_LINES_H

#include "tale/riak/riak.h"
#include "tale/specimen/atomic.h"
#include "tale/specimen/specimen.h"

/* What a draft is made of: its lines, its state and its settings. */

/* What a worker has read, for the lines that decide. */
struct draft_sight {
    uint8_t me; /* its own ID */
    struct key_answer answer;
};

enum draft_verb {
    DRAFT_READ,
    DRAFT_WRITE,
    DRAFT_MOVE_ON_IF,
    DRAFT_PROCESS, /* to completion */
    DRAFT_REMOVE,
};

/* What a write carries besides the ID. */
enum draft_stamp {
    DRAFT_NO_STAMP,
    DRAFT_TIME,    /* of the worker's clock, when the write is issued */
    DRAFT_ID_TIME, /* the ID in the timestamp's place */
};

struct draft_line {
    unsigned number; /* in the document */
    enum draft_verb verb;
    const char *says;                              /* the line, for people */
    bool (*when)(const struct draft_sight *sight); /* DRAFT_MOVE_ON_IF */
    enum draft_stamp stamp;                        /* DRAFT_WRITE */
    bool untold; /* DRAFT_PROCESS: begins with the line before it, as the
                    document does not list it among the events */
    bool again;  /* on an error it is done again, until there is none */
};

struct draft {
    const struct draft_line *lines;
    unsigned count;
};

#define DRAFT_TEXT(lines)                                                      \
    (&(const struct draft){lines, sizeof(lines) / sizeof((lines)[0])})

/* The state of a draft: who is at which line, and the key. */
struct draft_state {
    struct cast cast;
    uint8_t clock;                   /* timestamps taken so far */
    uint8_t removed;                 /* whose lock was removed: 1 << who */
    uint8_t waits[TOLD_WORKERS_MAX]; /* for the answer to its line: 1, and
                                        what a read must not find: 2 << who */
    union {
        struct atomic atomic;
        struct riak riak;
    } key; /* of the run's kind; the state ends with it */
};

/* The settings of drafts; those after DRAFT_ON are Riak's, by its names. */
enum {
    DRAFT_MULT,
    DRAFT_SPLIT,
    DRAFT_IF_ABSENT,
    DRAFT_SKEW,
    DRAFT_PACE,
    DRAFT_ON,
    DRAFT_PRECHECK,
    DRAFT_DELETE_MODE,
};

/*
 * Free: everybody may do anything at any time.  Turns: a worker begins when
 * those before it have ended, and nothing is under way any more but what a
 * fallback may hand over, some day.  Calm: so does each request, and a node
 * goes down only then; whatever is found has nothing to do with requests that
 * overtake each other.
 */
enum draft_pace { DRAFT_FREE, DRAFT_TURNS, DRAFT_CALM };

enum { DRAFT_CHOICES = 7 };

/* ---- What the lines ask ------------------------------------------------- */

/* The lock exists. */
bool draft_sees_lock(const struct draft_sight *sight);

/* It exists without this worker's ID: with another's. */
bool draft_sees_other(const struct draft_sight *sight);

bool draft_sees_siblings(const struct draft_sight *sight);

/* No timestamp is before this worker's. */
bool draft_is_earliest(const struct draft_sight *sight);

#endif
