#ifndef HF_CLI_GUARD_H
#define HF_CLI_GUARD_H

#include <sys/types.h>

#include "guard_link.h"

/*
 * The guard: a small process between holdfast and the command.  Holdfast and
 * the guard are not both gone as long as anything of the command is left.
 *
 *              GRANT               the command ended     nothing left
 *   WAITING ----------> RUNNING ------------------------------> done
 *      |                   | holdfast died, END, or
 *      |                   | the right runs out
 *      |                   v
 *      |                ENDING: TERM at once, KILL at the end of grace,
 *      |                        for a takeover lock at the latest when the
 *      |                        right is over; again until nothing is left
 *      v holdfast died, or hung up
 *   done (nothing was started)
 *
 * With --leave, processes that a command has left after it ended by itself may
 * be let go: once, while the right lasts, and if it was not asked to stop.
 * From then on the guard does not end them.
 *
 * The guard never sees the place and has one thread.  It blocks every signal
 * that can be blocked, and hears of signals to pass on from holdfast alone.
 */

/*
 * Fork it.  In the caller: its pid, with the guard's end of the socket closed;
 * -1 and errno on failure.  Call before any thread exists.
 */
pid_t hf_guard_start(struct hf_guard_link *link,
                     const struct hf_guard_link_terms *terms);

#endif
