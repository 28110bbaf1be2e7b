#ifndef HF_TORTURE_PLAN_H
#define HF_TORTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "victims.h"

/*
 * Plan: one round of the experiment of kills, drawn from the seed and its
 * number: what the command does, and who is killed when.
 */

/* What a command does beside living for a while. */
enum round_habit {
    ROUND_PLAIN,
    ROUND_SESSION, /* starts one in a session of its own, and waits for it */
    ROUND_THREAD,  /* ends its first thread: a zombie that runs */
    ROUND_TWICE,   /* forks twice and ends: its grandchild has no parent */
    ROUND_HABITS
};

enum round_moment {
    ROUND_AT_ANY, /* from the start on: opening, waiting, claiming */
    ROUND_WHILE_RUNNING,
    ROUND_AT_END, /* the command ends of itself: giving back */
    ROUND_MOMENTS
};

struct round_plan {
    unsigned lock;
    enum round_habit habit;
    bool deaf; /* all of the command ignores TERM */
    unsigned life_ms;
    enum victim victim;
    enum round_moment moment;
    unsigned delay_us; /* from that moment to the kill */
};

#define ROUND_LOCKS 3

struct round_plan round_plan_draw(uint64_t seed, uint32_t round);

const char *victim_word(enum victim victim);
const char *round_moment_word(enum round_moment moment);

/* One line for people. */
void round_plan_text(const struct round_plan *plan, char *text, size_t size);

#endif
