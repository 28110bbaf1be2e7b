#ifndef HF_STORM_PLAN_H
#define HF_STORM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Plan: what one round is to be, drawn from the seed and its number: what the
 * command does, and who is killed when.
 */

/* What a command does beside living for a while. */
enum storm_habit {
    STORM_PLAIN,
    STORM_SESSION, /* starts one in a session of its own, and waits for it */
    STORM_THREAD,  /* ends its first thread: a zombie that runs */
    STORM_TWICE,   /* forks twice and ends: its grandchild has no parent */
    STORM_HABITS
};

enum storm_victim { STORM_HOLDFAST, STORM_GUARD, STORM_COMMAND, STORM_VICTIMS };

enum storm_moment {
    STORM_AT_ANY, /* from the start on: opening, waiting, claiming */
    STORM_WHILE_RUNNING,
    STORM_AT_END, /* the command ends of itself: giving back */
    STORM_MOMENTS
};

struct storm_plan {
    unsigned lock;
    enum storm_habit habit;
    bool deaf; /* all of the command ignores TERM */
    unsigned life_ms;
    enum storm_victim victim;
    enum storm_moment moment;
    unsigned delay_us; /* from that moment to the kill */
};

#define STORM_LOCKS 3

struct storm_plan storm_plan_draw(uint64_t seed, uint32_t round);

const char *storm_victim_word(enum storm_victim victim);
const char *storm_moment_word(enum storm_moment moment);

/* One line for people. */
void storm_plan_text(const struct storm_plan *plan, char *text, size_t size);

#endif
