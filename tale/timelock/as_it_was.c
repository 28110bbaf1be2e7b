#include "tale/timelock/timelock.h"

/*
 * The server as it was: when a stream has been idle for 30 s it is closed, but
 * the request on it still blocks, and keeps its thread.
 */

const struct specimen specimen_ghost_grant = {
    .name = "ghost-grant",
    .about = "a request is granted after its client has stopped listening",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(30)},
    TIMELOCK_SPECIMEN,
};

/* "Since we retry every 30 seconds by default but only 'service' one request
 * every 2 minutes and 5 seconds, we accumulate a backlog of requests", even
 * where nobody holds the lock for longer than a stream may idle. */
const struct specimen specimen_ghost_backlog = {
    .name = "ghost-backlog",
    .about = "retries come each 30 s, and one is served in 2 min 5 s",
    .expect = SPECIMEN_BACKLOG,
    .only = SPECIMEN_BACKLOG,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_HOLD] = 30},
    TIMELOCK_SPECIMEN,
};

/* "Eventually, all server threads on the leader node would be busy handling
 * lock requests that had timed out." */
const struct specimen specimen_ghost_leader = {
    .name = "ghost-leader",
    .about = "all threads of the leader are kept by requests of one worker",
    .expect = SPECIMEN_LEADER,
    .only = SPECIMEN_LEADER,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_HOLD] = 30},
    TIMELOCK_SPECIMEN,
};
