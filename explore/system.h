#ifndef EXPLORE_SYSTEM_H
#define EXPLORE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A system that can be explored, as it describes itself. */

struct explorer;

/* What one expansion may report about one step. */
struct explore_step {
    const void *state;    /* that it leads to; borrowed for the call */
    uint16_t action;      /* the system's number for what was done */
    uint8_t actor;        /* whose step it is: to count context switches */
    bool fault;           /* does it spend one? */
    uint64_t seen;        /* bits of the system's own: what it has shown to be
                             possible */
    const char *violated; /* the property it breaks, or NULL; static */
};

enum {
    EXPLORE_PARTS_MAX = 12,
    EXPLORE_FAULTS_MAX = 15,
};

struct explore_system {
    size_t state_size;
    const void *ctx;
    /* Write the first state. */
    void (*start)(const void *ctx, void *state);
    /* Report every step that is possible in `state`, lowest worker first. */
    void (*expand)(const void *ctx, const void *state,
                   struct explorer *explorer);
    /* If it is made of parts that take few values each: their sizes, which add
     * up to state_size, then 0.  See collapse.h. */
    uint16_t parts[EXPLORE_PARTS_MAX];
    /* What must have been seen, or nothing is proved. */
    uint64_t must_see;
};

#endif
