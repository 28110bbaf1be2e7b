#ifndef TEST_FAULT_RIG_H
#define TEST_FAULT_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "faults.h"
#include "store/store.h"
#include "support/get_one.h"

/*
 * A SQLite place that is made and destroyed for each run under a fault, and
 * the loop over the faults.  One place at a time; not thread-safe.  Verbs fail
 * the test where they cannot do what they say.
 */

enum {
    RIG_BIG = 60 * 1024, /* some 15 pages of the log */
    RIG_PLACE_SIZE = 512,
};

extern char rig_place[RIG_PLACE_SIZE]; /* as a URL */
extern char rig_big[RIG_BIG];          /* a value, new with every put_once */

void rig_make_place(void);
void rig_destroy_place(void);

/* Make the place, with a record "a", and put "fill" so often: each takes some
 * 15 pages of the log.  The caller closes the store and destroys the place. */
struct hf_store *rig_prepare(int puts);

struct hf_store *rig_open_store(void);

struct hf_instant rig_soon(void); /* ten seconds from now */
struct hf_key rig_key_of(const char *name);
struct hf_record rig_read_key(struct hf_store *store, const char *name);

struct hf_store_op rig_put(const char *name, uint64_t version,
                           const char *value, size_t len);

/* Put at the version that stands, which must apply. */
void rig_put_once(struct hf_store *store, const char *name, size_t len);

/*
 * Run with the 1st call of a kind failing, then the 2nd, ... until nothing
 * fails, and check after each run that nothing leaked.  Returns how many calls
 * of the kind a run makes.  HF_SHARE=N: of SQLite's memory, one in so many.
 */
typedef void rig_run_fn(struct fault_plan *plan);

int rig_try(enum fault_kind kind, bool persistent, rig_run_fn *run);

/* The same of every kind, once and for ever after; `what` is for people. */
void rig_try_all(const char *what, rig_run_fn *run);

#endif
