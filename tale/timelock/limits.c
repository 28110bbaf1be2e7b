#include "tale/timelock/timelock.h"

/* Requests that say for how long they want to block: because their worker does
 * not want to wait for longer, or because no stream lasts longer. */

/* "They will actually behave like BLOCK_INDEFINITELY requests": T = 30k, so the
 * blocking timeout is 30 s here, and the margin above it. */
const struct specimen specimen_at_most_anew = {
    .name = "at-most-anew",
    .about = "each retry blocks for at most 45 s again",
    .expect = SPECIMEN_LATE,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults =
        {TIMELOCK_IDLES(35), [TIMELOCK_BLOCKING] = 30, [TIMELOCK_AT_MOST] = 45},
    TIMELOCK_SPECIMEN,
};

/* Alternative 5: "it requires clients to know what the aforementioned
 * 'appropriate length' should be". */
const struct specimen specimen_truncate_idle = {
    .name = "truncate-idle",
    .about = "clients that ask for 30 s at a time, of a server that idles 20 s",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(20), [TIMELOCK_TRUNCATE] = 30},
    TIMELOCK_SPECIMEN,
};

/* "Suitably accounting for network overheads": the idle timeout that the
 * client knows is its own, and a message takes 5 s. */
const struct specimen specimen_truncate_network = {
    .name = "truncate-network",
    .about = "clients that ask for 25 s at a time, and listen for 30 s",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(60), [TIMELOCK_TRUNCATE] = 25,
                 [TIMELOCK_PATIENCE] = 30, [TIMELOCK_NETWORK] = 5},
    TIMELOCK_SPECIMEN,
};
