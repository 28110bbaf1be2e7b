#ifndef LAB_SERVER_WAITING_H
#define LAB_SERVER_WAITING_H

#include "lab/server/waiting_world.h"

/*
 * Waiting: one lock server, one lock, and clients that ask it for the lock over
 * streams which break, are half open, late, or carry a message twice.
 *
 * The server is the lockspace of src/core, exactly as it is.  A client is as
 * small as it can be: it asks, asks again with the next attempt when it must
 * [R6], gives up or gives back whenever it likes, and then sends `release`
 * until it is answered [R5].  What keeps its session alive is not looked at
 * here: each tick a keep-alive of each client arrives, unless it is dead or cut
 * off.
 *
 * A step is: a client asks, gives up, gives back, asks again because nothing
 * came back · a message arrives · the server learns that a stream has ended ·
 * a batch is applied, and with it all answers that are due are handed over and
 * heard · the server looks at its clock · a cut is healed · a process begins
 * anew where one ended · a message that nobody waits for is lost · a tick.
 *
 * A fault is: a message that is late · one that is sent twice, of which the
 * second may arrive at any time · a stream that breaks, seen by its client or
 * by the server first · an answer that is lost · a client that is cut off · one
 * that dies.
 *
 * Time is urgent: it does not pass while a message that is not late is under
 * way, or the end of a stream that was hung up, while an answer is due, or the
 * server's clock.  That a stream broke, or its client died, the server may
 * learn at any time, or never.
 */

enum waiting_act {
    WAITING_ASK,
    WAITING_GIVE_UP,
    WAITING_RELEASE,
    WAITING_RETRY,
    WAITING_HEAL,
    WAITING_ANEW,
    /* of a stream */
    WAITING_ARRIVE,
    WAITING_END,
    WAITING_DROP,
    /* of the server */
    WAITING_BATCH,
    WAITING_CLOCK,
    WAITING_CLOCK_ENDS, /* sessions end before waits do */
    WAITING_TICK,
    /* faults; of a client */
    WAITING_CRASH,
    WAITING_CUT,
    /* of a stream */
    WAITING_LATE,
    WAITING_TWICE,
    WAITING_BREAK,
    WAITING_CLOSE,
    WAITING_LOSE,
    WAITING_ACTS,
};

/* Must the machine be told the time? */
bool waiting_is_due(const struct waiting_world *world);

void waiting_start(struct waiting_world *world,
                   const struct waiting_config *config);

/* What the machine is asked of a config. */
struct snapshot_config waiting_snapshot(const struct waiting_config *config);

/* `who` is a client; of a stream, client * WAITING_STREAMS + its index. */
bool waiting_is_of_stream(enum waiting_act act);
bool waiting_is_fault(enum waiting_act act);

bool waiting_allowed(const struct waiting_world *world, enum waiting_act act,
                     unsigned who);
void waiting_apply(struct waiting_world *world, enum waiting_act act,
                   unsigned who);

#endif
