#ifndef TALE_SPECIMEN_LOCKS_H
#define TALE_SPECIMEN_LOCKS_H

#include "tale/specimen/specimen.h"

/*
 * Locks: the table of a lock that is kept in a database.
 *
 *   name     token    owner   beat
 *   lock     2        1       fresh, or stale
 *   reclaim  1
 *
 * Specimens touch it through statements alone.  While searching, a statement
 * is done on the rows in the state; while a schedule is replayed on a place,
 * the place does the same one, and compares what comes of it.  What a step
 * does is one transaction.
 *
 * Plain bytes without padding: equal tables are equal bytes.
 */

enum locks_name { LOCKS_LOCK, LOCKS_RECLAIM, LOCKS_NAMES };

struct locks_row {
    uint8_t there; /* 1: it is */
    uint8_t token;
    uint8_t owner; /* its ID; 0: a process that is gone, or nobody */
    uint8_t stale; /* 1: its heartbeat is old; 0 where there is none */
};

struct locks {
    struct locks_row rows[LOCKS_NAMES];
};

/* Columns, as a set. */
enum { LOCKS_TOKEN = 1, LOCKS_OWNER = 2, LOCKS_BEAT = 4 };

enum locks_verb {
    LOCKS_SELECT,
    LOCKS_INSERT, /* unless a row of that name is there */
    LOCKS_UPDATE,
    LOCKS_DELETE,
    LOCKS_DELETE_ALL, /* of every name */
};

struct locks_statement {
    enum locks_verb verb;
    enum locks_name name;
    unsigned set; /* of an insert or update: columns, as in `row`; a beat that
                     is set is that of now */
    struct locks_row row;
    unsigned where; /* of all but an insert: columns that must be as in
                       `match`, and the name */
    struct locks_row match;
};

struct locks_answer {
    unsigned rows;        /* seen or changed */
    struct locks_row row; /* the one seen */
};

/* Do a statement of `worker`'s, or SPECIMEN_WORLD's: a person's. */
struct locks_answer locks_do(struct scene *scene, struct locks *locks,
                             unsigned worker,
                             const struct locks_statement *statement);

/* The same, of a statement that is written where it is done. */
#define LOCKS_DO(scene, locks, worker, ...)                                    \
    locks_do((scene), (locks), (worker),                                       \
             &(const struct locks_statement){__VA_ARGS__})

/* Time passes, so that every heartbeat is old that is not updated. */
void locks_pass_time(struct scene *scene, struct locks *locks);

/*
 * A place that holds the table of a schedule while it is told.  Statements
 * come in the order in which the model did them, with what came of it there;
 * a place that finds a difference sets `stopped`, and the tale ends.
 */
struct locks_place {
    /* The table as it is before the first step. */
    void (*start)(struct locks_place *place, const struct locks *locks);
    void (*run)(struct locks_place *place, unsigned worker,
                const struct locks_statement *statement,
                struct locks_answer answer);
    void (*pass_time)(struct locks_place *place);
    /* A step has ended, which told the events from `first` on. */
    void (*end)(struct locks_place *place, const struct told *told,
                unsigned first, const struct locks *locks);
    bool stopped;
};

#endif
