#include "explore/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "explore/explorer.h"

/* Expanded between two looks at the clock and at the memory. */
#define LOOK_EVERY 4096

/* Tell the schedule by a second search only if it stays below this. */
#define RETELL_STATES_MAX UINT32_C(20000000)

static double
seconds_since(struct timespec start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) +
           (double)(now.tv_nsec - start.tv_nsec) / 1e9;
}

bool
explore_wants(const struct explorer *explorer, bool fault)
{
    return explorer->violated == NULL &&
           (fault ? explorer->wants_faults : explorer->wants_free);
}

void
explore_add(struct explorer *explorer, const struct explore_step *step)
{
    explorer->on_step(explorer, step);
}

/* ---- Layers ------------------------------------------------------------- */

/* The states of one level, by depth: layer d ends where layer d + 1 begins. */
struct level {
    uint32_t *ends; /* owned */
    unsigned count;
    unsigned size;
    uint32_t first;
};

static uint32_t
layer_begin(const struct level *level, unsigned depth)
{
    return depth == 0 ? level->first : level->ends[depth - 1];
}

static bool
add_layer(struct level *level, uint32_t end)
{
    if (level->count == level->size) {
        unsigned size = level->size == 0 ? 64 : 2 * level->size;
        uint32_t *ends = realloc(level->ends, size * sizeof(*ends));

        if (ends == NULL)
            return false;
        level->ends = ends;
        level->size = size;
    }
    level->ends[level->count++] = end;
    return true;
}

/* ---- Searching ---------------------------------------------------------- */

static void
offer(struct explorer *explorer, const uint8_t *state, uint32_t parent)
{
    uint8_t packed[STATES_SIZE_MAX];

    if (collapse_pack(&explorer->collapse, state, packed))
        states_offer(&explorer->states, packed, parent);
    else
        explorer->states.full = true;
}

static void
on_search_step(struct explorer *explorer, const struct explore_step *step)
{
    explorer->seen |= step->seen;
    if (!explore_wants(explorer, step->fault))
        return;
    explorer->transitions++;
    if (step->violated != NULL) {
        explorer->violated = step->violated;
        explorer->violator = explorer->current;
        explorer->violation = step->action;
        return;
    }
    offer(explorer, step->state, explorer->current);
}

static bool
must_end(const struct explorer *explorer)
{
    return explorer->violated != NULL || explorer->states.full ||
           explore_is_stopped(explorer->limits);
}

static uint64_t
memory_of(const struct explorer *explorer)
{
    return states_bytes(&explorer->states) +
           collapse_bytes(&explorer->collapse);
}

static void
show_progress(struct explorer *explorer, unsigned faults, unsigned depth)
{
    double seconds = seconds_since(explorer->started);

    if (!explorer->limits->progress || seconds < explorer->show_at)
        return;
    explorer->show_at = seconds + 1;
    fprintf(stderr, "\rfaults %u, layer %u: %.1f M states, %.2f M/s, %.2f GiB ",
            faults, depth, explorer->states.count / 1e6,
            explorer->states.count / 1e6 / seconds,
            (double)memory_of(explorer) / (1 << 30));
}

/* How many parts there will be, nobody knows: what they take is looked at on
 * the way. */
static void
look_at_memory(struct explorer *explorer)
{
    uint64_t most = explorer->limits->memory_max;

    if (most != 0 && memory_of(explorer) > most)
        explorer->states.full = true;
}

/* Expand the states begin..end; with `faults`, only what a fault leads to. */
static void
expand_range(struct explorer *explorer, uint32_t begin, uint32_t end,
             bool faults)
{
    const struct explore_system *system = explorer->system;
    uint8_t state[STATES_SIZE_MAX];

    explorer->wants_faults = faults;
    explorer->wants_free = !faults;
    for (uint32_t i = begin; i < end && !must_end(explorer); i++) {
        collapse_unpack(&explorer->collapse, states_at(&explorer->states, i),
                        state);
        explorer->current = i;
        system->expand(system->ctx, state, explorer);
        if ((i + 1) % LOOK_EVERY != 0)
            continue;
        look_at_memory(explorer);
        show_progress(explorer, explorer->faults, explorer->depth);
    }
    states_settle(&explorer->states);
}

/*
 * One number of faults.  A layer is what free steps lead to from the layer
 * before, and what one fault leads to from the layer before of `below`.
 */
static bool
search_level(struct explorer *explorer, const struct level *below,
             struct level *level)
{
    level->first = explorer->states.count - (below == NULL ? 1 : 0);
    if (!add_layer(level, explorer->states.count))
        return false;

    for (unsigned depth = 1; !must_end(explorer); depth++) {
        uint32_t before = explorer->states.count;
        bool more_below = below != NULL && depth <= below->count;

        explorer->depth = depth;
        expand_range(explorer, layer_begin(level, depth - 1),
                     level->ends[depth - 1], false);
        if (more_below && !must_end(explorer))
            expand_range(explorer, layer_begin(below, depth - 1),
                         below->ends[depth - 1], true);
        if (must_end(explorer))
            break;
        if (explorer->states.count == before && !more_below)
            break;
        if (!add_layer(level, explorer->states.count))
            return false;
    }
    return true;
}

static bool
search(struct explorer *explorer)
{
    struct level levels[EXPLORE_FAULTS_MAX + 1] = {0};
    uint8_t state[STATES_SIZE_MAX];
    bool ok = true;

    explorer->system->start(explorer->system->ctx, state);
    offer(explorer, state, STATES_NONE);
    states_settle(&explorer->states);
    for (unsigned faults = 0; ok && faults <= explorer->limits->faults;
         faults++) {
        explorer->faults = faults;
        ok = search_level(explorer, faults == 0 ? NULL : &levels[faults - 1],
                          &levels[faults]);
        if (must_end(explorer))
            break;
    }
    for (unsigned i = 0; i <= EXPLORE_FAULTS_MAX; i++)
        free(levels[i].ends);
    return ok;
}

/* ---- Reporting ---------------------------------------------------------- */

struct matching {
    const uint8_t *child;
    uint16_t action;
    bool found;
};

/* The action that leads from the state being expanded to a known child. */
static void
on_match_step(struct explorer *explorer, const struct explore_step *step)
{
    struct matching *matching = explorer->matching;

    if (matching->found || step->violated != NULL ||
        !explore_wants(explorer, step->fault) ||
        memcmp(step->state, matching->child, explorer->system->state_size) != 0)
        return;
    matching->found = true;
    matching->action = step->action;
}

/* How explorer->matching's child is reached: without a fault, if it can be, so
 * that no more faults are told than it takes. */
static uint16_t
match(struct explorer *explorer, const uint8_t *parent)
{
    const struct explore_system *system = explorer->system;

    explorer->wants_free = true;
    explorer->wants_faults = false;
    system->expand(system->ctx, parent, explorer);
    explorer->wants_faults = true;
    if (!explorer->matching->found)
        system->expand(system->ctx, parent, explorer);
    HF_CHECK(explorer->matching->found);
    return explorer->matching->action;
}

/* The schedule by the parents' links: of the fewest steps. */
static bool
follow_parents(struct explorer *explorer, struct explore_report *report)
{
    const struct states *states = &explorer->states;
    size_t len = 1;
    uint32_t at = explorer->violator;

    for (uint32_t i = at; states->parent[i] != STATES_NONE;
         i = states->parent[i])
        len++;
    report->schedule = calloc(len, sizeof(*report->schedule));
    if (report->schedule == NULL)
        return false;
    report->schedule_len = len;
    report->schedule[--len] = explorer->violation;
    explorer->on_step = on_match_step;
    explorer->violated = NULL;
    while (len > 0) {
        uint8_t child[STATES_SIZE_MAX];
        uint8_t parent[STATES_SIZE_MAX];
        struct matching matching = {.child = child};

        collapse_unpack(&explorer->collapse, states_at(states, at), child);
        at = states->parent[at];
        collapse_unpack(&explorer->collapse, states_at(states, at), parent);
        explorer->matching = &matching;
        report->schedule[--len] = match(explorer, parent);
    }
    return true;
}

static uint32_t
most_states(const struct collapse *collapse,
            const struct explore_limits *limits)
{
    uint64_t most = limits->states_max;
    uint64_t each = collapse->size + 16;

    if (most == 0 || most > STATES_NONE - 1)
        most = STATES_NONE - 1;
    if (limits->memory_max != 0 && most > limits->memory_max / each)
        most = limits->memory_max / each;
    return (uint32_t)most;
}

/* The same for the second search, in what the first has left: its states have
 * two bytes more, and each its best way. */
static uint32_t
most_retold(const struct explorer *explorer)
{
    uint64_t most = RETELL_STATES_MAX;
    uint64_t each = explorer->system->state_size + 2 + 16 + EXPLORER_WAY_SIZE;
    uint64_t used = memory_of(explorer);
    uint64_t all = explorer->limits->memory_max;
    uint64_t left = all > used ? all - used : 0;

    if (all != 0 && most > left / each)
        most = left / each;
    return (uint32_t)most;
}

static void
sum_up(const struct explorer *explorer, struct explore_report *report)
{
    bool stopped =
        explorer->states.full || explore_is_stopped(explorer->limits);

    report->verdict = EXPLORE_PROVED;
    if ((explorer->system->must_see & ~explorer->seen) != 0)
        report->verdict = EXPLORE_VACUOUS;
    if (stopped)
        report->verdict = EXPLORE_BOUNDED;
    if (explorer->violated != NULL)
        report->verdict = EXPLORE_VIOLATED;
    report->violated = explorer->violated;
    report->faults = explorer->faults;
    report->depth = explorer->depth;
    report->states = explorer->states.count;
    report->transitions = explorer->transitions;
    report->seconds = seconds_since(explorer->started);
    report->bytes = memory_of(explorer);
    report->seen = explorer->seen;
}

bool
explore_all(const struct explore_system *system,
            const struct explore_limits *limits, struct explore_report *report)
{
    struct explorer explorer = {
        .system = system,
        .limits = limits,
        .on_step = on_search_step,
    };
    bool ok = system->state_size <= STATES_SIZE_MAX &&
              limits->faults <= EXPLORE_FAULTS_MAX &&
              collapse_open(&explorer.collapse, system) &&
              states_open(&explorer.states, explorer.collapse.size,
                          most_states(&explorer.collapse, limits));

    *report = (struct explore_report){0};
    if (!ok)
        goto out;
    clock_gettime(CLOCK_MONOTONIC, &explorer.started);
    ok = search(&explorer);
    sum_up(&explorer, report);
    if (limits->progress)
        fputs("\r\033[K", stderr);
    if (ok && report->verdict == EXPLORE_VIOLATED &&
        !retell(system, report, most_retold(&explorer)))
        ok = follow_parents(&explorer, report);
    states_close(&explorer.states);
out:
    collapse_close(&explorer.collapse);
    return ok;
}

void
explore_report_fini(struct explore_report *report)
{
    free(report->schedule);
    *report = (struct explore_report){0};
}
