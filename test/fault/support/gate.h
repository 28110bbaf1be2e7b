#ifndef TEST_FAULT_GATE_H
#define TEST_FAULT_GATE_H

#include "base/monitor.h"
#include "journal/journal.h"
#include "store/store.h"

/*
 * Gate: a journal or a store whose calls wait, while it is shut, until they are
 * let through.
 *
 * What a test waits for is that a call has come to it: so whatever it then does
 * is done while that call is under way.
 *
 * Threads: their calls are any thread's, the functions below the test's.
 */

enum {
    GATE_WRITES = 1,
    GATE_LOADS = 2,
    GATE_READS = 4,
};

struct gate {
    struct hf_monitor monitor; /* guards all below */
    struct hf_condition changed;
    unsigned shut; /* for which calls; 0: for none */
    unsigned arrived;
    unsigned let;
    bool altered; /* a write was another after it had waited */
};

void gate_init(struct gate *gate);
void gate_fini(struct gate *gate);

/* The journal of `place`, behind it.  Close it with hf_journal_close, before
 * the gate. */
struct hf_journal *gate_journal_open(struct gate *gate, const char *place);

/* A store on `place`, of which only gets wait.  Close it as early. */
struct hf_store *gate_store_open(struct gate *gate, const char *place);

/* Calls of these kinds wait from now on; those are counted from 1. */
void gate_shut(struct gate *gate, unsigned kinds);
void gate_open(struct gate *gate);

/* How many have come since it was shut; and wait until there are so many. */
unsigned gate_arrived(struct gate *gate);
void gate_await(struct gate *gate, unsigned count);

/* Let the next of those that came, or will come, through. */
void gate_let_one(struct gate *gate);

#endif
