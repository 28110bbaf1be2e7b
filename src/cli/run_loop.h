#ifndef HF_CLI_RUN_LOOP_H
#define HF_CLI_RUN_LOOP_H

#include <holdfast/holdfast.h>

#include "target.h"

/*
 * The main job: hold a lock while a command runs.
 *
 *                granted            the command's end,       settled, or
 *     CLAIMING ----------> HOLDING  and all it left          given up
 *        |                  |   |-------(KEEPING)---> RELEASING ---> OVER
 *        |                  |   |                         ^           ^
 *        |   the guard died |   | lost                    |           |
 *        |                  v   v                none left|           |
 *        |                 KILLING -----------------------+           |
 *        | ended without a grant                                      |
 *        +------------------------------------------------------------+
 *
 * KEEPING, with --hold-at-least, lasts for that long from the grant; a signal
 * to stop ends it, and so does the loss of the lock.
 *
 * One thread, and one loop: it waits for whatever comes first, a notice of the
 * lock, a word of the guard, a signal or an instant, and then looks what is to
 * be done.  Opening the place comes before the loop (run_open.c).
 */

/* Under one grant, as a lock server has it. */
enum { HF_RUN_NAMES_MAX = 64 };

/* The order of `holdfast run`; strings are borrowed from argv, and NULL
 * where the option was not given. */
struct hf_run_order {
    struct hf_cli_target target;             /* of the first name */
    const char *names[HF_RUN_NAMES_MAX + 1]; /* NULL at the end */
    bool shared;
    enum hf_if_dead if_dead;
    bool try_only; /* -n */
    const char *wait;
    bool waits_for_suspected;
    const char *ttl;
    const char *beat;
    const char *grace;
    const char *reason;
    struct hf_duration hold_at_least; /* from the grant */
    bool leave;        /* what the command leaves when it ends by itself */
    int64_t busy_exit; /* of a lock not acquired in time; -1: the usual one */
    bool quiet;     /* say nothing of what goes well, or of a lock that was not
                       acquired in time */
    int json_fd;    /* gets the object of --json; -1: none was named */
    char **command; /* NULL at the end */
};

/* Do it, and return the exit code.  Called once, before any thread exists. */
int hf_run_loop(const struct hf_run_order *order);

#endif
