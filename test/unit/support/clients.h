#ifndef HF_TEST_CLIENTS_H
#define HF_TEST_CLIENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/types.h>

#include "support/locks.h"

/*
 * Clients: libholdfast as its callers have it (support/locks.h), in this
 * process and in others.
 *
 * Time is real here, and short; every wait is for what must happen.
 */

/* The shortest life that leaves room for three beats. */
#define SHORT_TTL    "700ms"
#define SHORT_TTL_MS 700

/* A SQLite file of its own, for more than one process. */
struct file_place {
    char folder[40];
    char url[80];
};

void make_place(struct file_place *place);
void remove_place(const struct file_place *place);

/* A child that holds `name` and then dies without a word; still a zombie. */
HF_TEST_OPTIONS pid_t hold_and_die(const char *place, const char *name, ...);

/* A child that holds `name` and waits to be killed. */
HF_TEST_OPTIONS pid_t hold_until_killed(const char *place, const char *name,
                                        ...);

/* Kill it, and wait until it is gone. */
void kill_holder(pid_t child);

#endif
