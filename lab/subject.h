#ifndef LAB_SUBJECT_H
#define LAB_SUBJECT_H

#include "lab/server/grants.h"
#include "lab/server/waiting_world.h"
#include "lab/service/world.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

/*
 * Subject: a world as the verbs of holdfast-lab know it, be it one of table
 * locks (world/) or one of the lock server's machine (server/).  A copy of its
 * config, so that it may have other numbers; plain data.
 */
struct subject {
    struct kind_world server; /* no kind: of table locks.  Its config is the
                                 one below once subject_system was asked */
    union {
        struct kind_config world;
        struct waiting_config waiting;
        struct grants_config grants;
        struct service_config service;
    };
    struct world_config table;
};

/* All there are, in the order of the list. */
unsigned subject_count(void);
struct subject subject_at(unsigned index);

/* The world of that name; false: there is none. */
bool subject_find(const char *name, struct subject *subject);

/* One of table locks. */
struct subject subject_of_table(const struct world_config *config);

const char *subject_name(const struct subject *subject);
const char *subject_about(const struct subject *subject);
const char *subject_expect(const struct subject *subject);
unsigned subject_workers(const struct subject *subject);

/* The most that it can have. */
unsigned subject_workers_max(const struct subject *subject);

/* It has so many workers, or clients, from here on; 0: as many as before. */
void subject_set_workers(struct subject *subject, unsigned workers);

/* Is it too large to be searched, and only walked through? */
bool subject_is_whole(const struct subject *subject);

/* Are some alike?  And from here on none are: each has a name. */
bool subject_is_alike(const struct subject *subject);
void subject_tell_apart(struct subject *subject);

/* Are there orders of events that can be left out? */
bool subject_is_reduced(const struct subject *subject);

/* To be searched; `subject` must outlive it, where it is. */
struct explore_system subject_system(struct subject *subject, bool reduced);

/* As walk_at_random. */
const char *subject_walk(struct subject *subject, struct walk *walk);

/* "takeover:2:begin1,serve1,...": the world, its workers, the actions. */
void subject_line(const struct subject *subject, const uint16_t *schedule,
                  size_t len, struct hf_text *text);

/* Read such a line.  Returns the number of actions, at most `max`, or -1 with
 * a clause in *why. */
int subject_parse(const char *line, struct subject *subject, uint16_t *schedule,
                  size_t max, const char **why);

/* The proofs, in the order of the list. */
unsigned subject_proofs_count(void);
const struct worlds_proof *subject_proof(unsigned index);

/* The proof of that world with so many; NULL: it is none of the list. */
const struct worlds_proof *
subject_find_proof(const char *world, unsigned workers, unsigned faults);

#endif
