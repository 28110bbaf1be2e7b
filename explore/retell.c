#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "explore/explorer.h"

/*
 * Retell: the second search, for the schedule that is easiest to read.
 *
 * It runs over states to which the number of faults so far and the last actor
 * are added, one layer of steps after the other, as deep as the violation is
 * known to be.  Of each state the best way into it is kept: the one with the
 * fewest context switches, and of equal ones the first.  Which way is first is
 * told by the order of expansion: a layer is expanded in the order in which
 * its states' best ways were found, so ways are compared step by step, and
 * systems report the lowest worker's steps first.
 */

/* The best way into a state: when it was found. */
struct way {
    uint32_t found_at;
    uint32_t number;
};

_Static_assert(sizeof(struct way) + sizeof(uint16_t) == EXPLORER_WAY_SIZE,
               "a way, and its switches");

struct retelling {
    struct explore_report *report;
    size_t size;          /* of the system's state */
    uint16_t *switches;   /* owned; by number */
    struct way *ways;     /* owned; by number, until its layer is sorted */
    uint32_t steps;       /* reported so far */
    uint32_t layer_begin; /* of the layer being made */
    uint8_t faults;       /* of the state being expanded */
    uint8_t actor;        /* who led to it */
    bool last_layer;
    uint16_t best; /* switches of the best violation */
    bool found;
};

static uint16_t
count_switch(const struct explorer *explorer, const struct explore_step *step)
{
    const struct retelling *r = explorer->retelling;
    uint16_t switches = r->switches[explorer->current];

    return step->actor == r->actor ? switches : (uint16_t)(switches + 1);
}

static void
on_violation(struct explorer *explorer, const struct explore_step *step)
{
    struct retelling *r = explorer->retelling;
    uint16_t switches = count_switch(explorer, step);

    if (!r->last_layer || (r->found && switches >= r->best))
        return;
    r->found = true;
    r->best = switches;
    explorer->violator = explorer->current;
    explorer->violation = step->action;
}

static void
on_retell_step(struct explorer *explorer, const struct explore_step *step)
{
    struct retelling *r = explorer->retelling;
    uint8_t key[STATES_SIZE_MAX + 2];
    uint16_t switches = count_switch(explorer, step);
    uint8_t faults = (uint8_t)(r->faults + (step->fault ? 1 : 0));
    uint32_t number;

    r->steps++;
    if (faults > r->report->faults)
        return;
    if (step->violated != NULL) {
        if (faults == r->report->faults)
            on_violation(explorer, step);
        return;
    }
    if (r->last_layer)
        return;
    memcpy(key, step->state, r->size);
    key[r->size] = faults;
    key[r->size + 1] = step->actor;
    switch (states_add(&explorer->states, key, explorer->current, &number)) {
    case STATES_ADDED:
        r->switches[number] = switches;
        r->ways[number] = (struct way){r->steps, number};
        break;
    case STATES_SEEN:
        if (number >= r->layer_begin && switches < r->switches[number]) {
            r->switches[number] = switches;
            r->ways[number].found_at = r->steps;
            explorer->states.parent[number] = explorer->current;
        }
        break;
    case STATES_FULL:
        explorer->full = true;
        break;
    }
}

static int
compare_ways(const void *a, const void *b)
{
    const struct way *x = a;
    const struct way *y = b;

    return (x->found_at > y->found_at) - (x->found_at < y->found_at);
}

static void
expand(struct explorer *explorer, uint32_t number)
{
    struct retelling *r = explorer->retelling;
    uint8_t key[STATES_SIZE_MAX + 2];

    memcpy(key, states_at(&explorer->states, number), r->size + 2);
    r->faults = key[r->size];
    r->actor = key[r->size + 1];
    explorer->current = number;
    explorer->wants_free = true;
    explorer->wants_faults = r->faults < r->report->faults;
    explorer->system->expand(explorer->system->ctx, key, explorer);
}

static void
make_layers(struct explorer *explorer)
{
    struct retelling *r = explorer->retelling;
    uint32_t begin = 0;

    for (unsigned depth = 1; depth <= r->report->depth; depth++) {
        uint32_t end = explorer->states.count;

        r->layer_begin = end;
        r->last_layer = depth == r->report->depth;
        qsort(r->ways + begin, end - begin, sizeof(*r->ways), compare_ways);
        for (uint32_t i = 0; i < end - begin && !explorer->full; i++)
            expand(explorer, r->ways[begin + i].number);
        begin = end;
    }
}

struct retold {
    const uint8_t *child; /* the key that the step must lead to */
    uint16_t action;
    bool found;
};

static void
on_trace_step(struct explorer *explorer, const struct explore_step *step)
{
    struct retelling *r = explorer->retelling;
    struct retold *retold = (struct retold *)explorer->matching;

    if (retold->found || step->violated != NULL ||
        step->actor != retold->child[r->size + 1] ||
        r->faults + (step->fault ? 1 : 0) != retold->child[r->size] ||
        memcmp(step->state, retold->child, r->size) != 0)
        return;
    retold->found = true;
    retold->action = step->action;
}

static bool
write_schedule(struct explorer *explorer)
{
    struct explore_report *report = explorer->retelling->report;
    size_t len = report->depth;
    uint32_t at = explorer->violator;

    report->schedule = calloc(len, sizeof(*report->schedule));
    if (report->schedule == NULL)
        return false;
    report->schedule_len = len;
    report->schedule[--len] = explorer->violation;
    explorer->on_step = on_trace_step;
    while (len > 0) {
        struct retold retold = {.child = states_at(&explorer->states, at)};

        at = explorer->states.parent[at];
        explorer->matching = (struct matching *)&retold;
        expand(explorer, at);
        HF_CHECK(retold.found);
        report->schedule[--len] = retold.action;
    }
    return true;
}

bool
retell(const struct explore_system *system, struct explore_report *report,
       uint32_t states_max)
{
    struct retelling retelling = {.report = report, .size = system->state_size};
    struct explorer explorer = {
        .system = system,
        .on_step = on_retell_step,
        .retelling = &retelling,
    };
    uint8_t key[STATES_SIZE_MAX + 2] = {0};
    uint32_t number;
    bool told = false;

    if (states_max == 0)
        return false;
    retelling.switches = calloc(states_max, sizeof(uint16_t));
    retelling.ways = calloc(states_max, sizeof(struct way));
    if (retelling.switches == NULL || retelling.ways == NULL ||
        !states_open(&explorer.states, system->state_size + 2, states_max))
        goto out;

    system->start(system->ctx, key);
    key[system->state_size + 1] = UINT8_MAX; /* nobody has acted yet */
    states_add(&explorer.states, key, STATES_NONE, &number);
    make_layers(&explorer);
    if (retelling.found && !explorer.full)
        told = write_schedule(&explorer);
    states_close(&explorer.states);
out:
    free(retelling.switches);
    free(retelling.ways);
    return told;
}
