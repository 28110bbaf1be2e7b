#include "tale/timelock/timelock.h"

/* The blocking timeout, which the decision chose: what it cures, and what it
 * leaves. */

const struct specimen specimen_ghost_grant_blocking_timeout = {
    .name = "ghost-grant-blocking-timeout",
    .about = "the same, where no request blocks as long as a stream may idle",
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 25},
    TIMELOCK_SPECIMEN,
};

/* "This is set to be lower than the Jetty idle timeout by a margin." */
const struct specimen specimen_blocking_as_idle = {
    .name = "blocking-as-idle",
    .about = "a blocking timeout without a margin: the race may be lost",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 30},
    TIMELOCK_SPECIMEN,
};

/* "Even if we lose the race, we will still free the resources shortly
 * after." */
const struct specimen specimen_blocking_late = {
    .name = "blocking-late",
    .about = "a blocking timeout whose margin is as long as it may be late",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .faults = 1,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 25,
                 [TIMELOCK_FAULT] = FAULT_SLOW},
    TIMELOCK_SPECIMEN,
};

/* "It is possible that A would timeout and be interrupted, the lock would
 * become available and then B would grab it before A." */
const struct specimen specimen_blocking_order = {
    .name = "blocking-order",
    .about = "a request that is ended and sent again goes to the end",
    .expect = SPECIMEN_OVERTAKEN,
    .source = TIMELOCK_DECISION,
    .workers = 3,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 25},
    TIMELOCK_SPECIMEN,
};

/* A connection may break at any time, and a library that sends again tells
 * nobody; the server takes it for another request. */
const struct specimen specimen_silent_retry = {
    .name = "silent-retry",
    .about = "a library that sends again in silence when a connection breaks",
    .expect = SPECIMEN_GHOST,
    .source = TIMELOCK_DECISION,
    .workers = 2,
    .faults = 1,
    .defaults = {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 25,
                 [TIMELOCK_FAULT] = FAULT_BREAKS},
    TIMELOCK_SPECIMEN,
};
