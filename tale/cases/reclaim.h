#ifndef TALE_CASES_RECLAIM_H
#define TALE_CASES_RECLAIM_H

#include "tale/specimen/locks.h"
#include "tale/specimen/specimen.h"

/*
 * The locks table of the global-refdb: a row with a heartbeat, and a token
 * that changes with each new holder.  What its specimens have in common; each
 * of them breaks up one transaction.
 */

struct table {
    struct cast cast;
    struct locks locks;
    uint8_t tokens;                 /* given so far */
    uint8_t taken;                  /* old token that was reclaimed last */
    uint8_t old[TOLD_WORKERS_MAX];  /* token that each has read */
    uint8_t mine[TOLD_WORKERS_MAX]; /* token of each one's lock */
};

enum {
    TABLE_BEGIN,
    TABLE_RECLAIM,
    TABLE_RECLAIM_2,
    TABLE_CLEAN_UP,
    TABLE_HELD,
    TABLE_CLOSE,
    TABLE_END,
};

enum { TABLE_GO_ON, TABLE_PAUSE, TABLE_WAKE };

/* What all of them do alike; false when nothing of it is possible.  Workers
 * insert a lock that is not there, read a stale one, pass on a fresh one,
 * pause and wake (if `pauses`), and close in one transaction. */
bool table_act(struct scene *scene, struct table *s, unsigned who,
               unsigned choice);

/* The worker does what it does in TABLE_PAUSE and TABLE_WAKE. */
bool table_rest(struct scene *scene, struct table *s, unsigned who,
                unsigned choice);

/* Refresh the old lock with a new token: reclaimed; false where the columns
 * `where` are not those of the old token, stale. */
bool table_take(struct scene *scene, struct table *s, unsigned who,
                unsigned where);

/* It has lost: it moves on, or stops. */
void table_give_up(struct table *s, unsigned who);

/* Read the token of the lock; 0: there is none. */
uint8_t table_read_token(struct scene *scene, struct table *s, unsigned who);

/* Done, if the lock could be deleted where the columns `where` are the
 * worker's own. */
bool table_delete(struct scene *scene, struct table *s, unsigned who,
                  unsigned where);

/* The reclaim-lock, RECLAIM_Told; false where there is one. */
bool table_insert_marker(struct scene *scene, struct table *s, unsigned who);
void table_delete_marker(struct scene *scene, struct table *s, unsigned who);

void table_show(const struct specimen_run *run, const void *state,
                struct hf_text *text);
bool table_is_left(const struct specimen_run *run, const void *state);
const struct locks *table_locks(const void *state);

#define TABLE_SPECIMEN                                                         \
    .source = "the Spanner global-refdb of Gerrit", .workers = 2,              \
    .choices = 3, .size = sizeof(struct table), .show = table_show,            \
    .is_left = table_is_left, .locks = table_locks

#endif
