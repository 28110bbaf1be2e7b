#ifndef LAB_SERVER_SNAPSHOT_H
#define LAB_SERVER_SNAPSHOT_H

#include "core/lockspace.h"

/*
 * Snapshot: a lockspace as few numbers, the same for lockspaces that behave the
 * same, and a lockspace made from them again.
 *
 * The machine is one block, linked by numbers that depend on all that ever
 * happened: which slot was free, how many marks were given out.  None of that
 * changes what it does.  What does is here: who holds what, who stands before
 * whom, which attempt is listened to, and how long until it is told the time.
 *
 * The clients of a world have one session each, of the id 1, 2, ..., and in it
 * one lane.  What is told by a number that only grows (n, a, fences) is copied
 * as it is: the world gives ranks to its own and to these at once.
 *
 * Left out, because a world takes each batch whole and at once: the order of
 * changes and sweeps, marks, what was deleted and is not yet written.  Left
 * out, because nothing decides by it: counts, what was searched, since when,
 * the turns by which a position is told.
 */

enum {
    SNAPSHOT_CLIENTS = 4,
    SNAPSHOT_NAMES = 3,
    SNAPSHOT_CLAIMS = 4, /* of a lane: more than it is asked for */
    SNAPSHOT_NEVER = 0xff,
};

/* The instant at which a machine stands that was made from a snapshot.  Where a
 * tick is a millisecond, no timeout has a random part; else one that ends
 * between two ticks ends at the later. */
#define SNAPSHOT_NOW ((struct hf_instant){1000000})

enum snapshot_claim_state {
    SNAPSHOT_NONE,
    SNAPSHOT_GATHERED, /* in a takeover grace: has no place yet */
    SNAPSHOT_WAITING,
    SNAPSHOT_HELD,
    SNAPSHOT_REVOKED,
};

struct snapshot_claim {
    uint8_t state; /* an enum snapshot_claim_state */
    uint8_t n;
    uint8_t fence;  /* of what is held */
    uint8_t place;  /* how long a line of those before it is, from 1; equal
                       ones want nothing of each other, or both only wait until
                       it is free.  GATHERED: its rank */
    uint8_t stream; /* that it is answered on; 0: none */
    uint8_t timer;  /* ticks until it is parked, or loses its place; NEVER: no
                       batch has let its timeout out yet */
    uint8_t limit;  /* ticks until what remains of its wait is over */
    uint8_t waited; /* GATHERED: ticks.  HELD, but cut off before it was told:
                       ticks until it is given back, and one */
    uint8_t modes[SNAPSHOT_NAMES]; /* an enum hf_mode + 1; 0: not this one */
    uint8_t flags;
};

struct snapshot_client {
    uint8_t session; /* its state; 0: there is none */
    uint8_t silent;  /* ticks since it was heard */
    uint8_t recorded;
    uint8_t loaded; /* what it has to do for its record [S10], in bits */
    uint8_t timer;  /* 0: at the end of its ttl, or before; else how much later
                      it is told the time; NEVER */
    uint8_t lane;   /* 1: it is known */
    uint8_t state;
    uint8_t over;
    uint8_t n;
    uint8_t a;
    struct snapshot_claim claims[SNAPSHOT_CLAIMS]; /* the oldest first */
};

struct snapshot {
    uint8_t next_fence;
    uint8_t gathers; /* ticks of a takeover grace that are left */
    uint8_t holds;   /* ticks in which nothing is granted that are left */
    struct snapshot_client clients[SNAPSHOT_CLIENTS];
};

/* What a world of so many clients asks of its machine. */
struct snapshot_config {
    struct hf_lockspace_config lockspace;
    unsigned clients;
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    struct hf_duration tick; /* zero: a millisecond */
};

/* A lockspace in the lab: large enough for any world. */
enum { SNAPSHOT_BLOCK = 8192 };

struct snapshot_block {
    _Alignas(64) uint8_t bytes[SNAPSHOT_BLOCK];
};

/* The limits of a lockspace in the lab, none of which is ever met, and times of
 * so many ticks. */
struct hf_lockspace_config snapshot_lockspace(unsigned blocking,
                                              unsigned resume_grace,
                                              unsigned takeover_grace);

/* The name of that number, in the one space that there is. */
struct hf_want snapshot_want(unsigned name, enum hf_mode mode);

/* A snapshot of it as it stands at that instant, of which it may not have been
 * told yet.  No batch of it is under way, and nothing of it is untold. */
void snapshot_take(const struct hf_lockspace *ls,
                   const struct snapshot_config *config, struct hf_instant now,
                   struct snapshot *snapshot);

/*
 * Of what is due at one instant a machine does first what was set first, and a
 * session's timer may be as early as it likes.  A snapshot shows neither: so
 * before it is told the time an order is chosen: which client's session is the
 * first of those, and whether sessions come before waits.
 */
void snapshot_order_timers(struct hf_lockspace *ls, struct hf_instant now,
                           unsigned first, bool sessions_first);

/* A lockspace like that, in the block. */
struct hf_lockspace *snapshot_build(const struct snapshot *snapshot,
                                    const struct snapshot_config *config,
                                    struct snapshot_block *block);

#endif
