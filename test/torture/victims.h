#ifndef HF_TORTURE_VICTIMS_H
#define HF_TORTURE_VICTIMS_H

#include <stdbool.h>
#include <sys/types.h>

/* Victims: the three processes of one `holdfast run`, any of which the driver
 * kills with -9. */

enum victim { VICTIM_HOLDFAST, VICTIM_GUARD, VICTIM_COMMAND, VICTIMS };

struct victims {
    pid_t holdfast; /* the driver's child, not yet reaped */
    pid_t guard;    /* as last looked for; 0: none */
    pid_t command;  /* the guard's child */
};

/* Look for the guard and the command, which takes some milliseconds. */
void victims_look(struct victims *victims);

/* Kill one of them: its pid, or 0 when there is no such process (any more). */
pid_t victims_kill(const struct victims *victims, enum victim victim);

#endif
