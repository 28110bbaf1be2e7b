#include "tale/timelock/timelock.h"

/*
 * The rules of docs/protocol.md, in the same small world: a request has a name,
 * and each sending of it a number (R3); its place is kept for two messages'
 * time after a blocking timeout (W2); a stream's end drops the request that was
 * heard on it (W5); the deadline is the client's (W3), which releases what it
 * wants no more (R5).  Messages take up to 5 s, and may overtake each other.
 */
const struct specimen specimen_holdfast_waiting = {
    .name = "holdfast-waiting",
    .about = "what Holdfast's server and clients do instead",
    .source = "docs/protocol.md, waiting and requests",
    .workers = 3,
    .faults = 1,
    .defaults =
        {TIMELOCK_IDLES(30), [TIMELOCK_BLOCKING] = 20, [TIMELOCK_AT_MOST] = 45,
         [TIMELOCK_DEADLINE] = DEADLINE_CLOCK, [TIMELOCK_NETWORK] = 5,
         [TIMELOCK_KNOWN] = KNOWN_BY_ATTEMPT, [TIMELOCK_ENDED] = ENDED_LEFT,
         [TIMELOCK_PLACE] = 10, [TIMELOCK_LEAVES] = LEAVES_RELEASES,
         [TIMELOCK_FAULT] = FAULT_BREAKS},
    TIMELOCK_SPECIMEN,
};
