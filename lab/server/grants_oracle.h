#ifndef LAB_SERVER_GRANTS_ORACLE_H
#define LAB_SERVER_GRANTS_ORACLE_H

#include "core/lockspace/parts.h"
#include "lab/server/snapshot.h"

/*
 * Oracle: who may be granted, and who waits for whom, in the plainest way that
 * there is.  A table of who holds what, a table of who waits for what and since
 * when, and each question is answered by looking at all of both.  It shares no
 * code with the machine, but the words for states and answers.
 *
 * A lane is a client's only one.  Each call is one event, and says what the
 * machine must answer to it, on which stream, in any order.
 */

/* Of each name, as in a snapshot: an enum hf_mode + 1; 0: not this one. */
struct grants_modes {
    uint8_t of[SNAPSHOT_NAMES];
};

/* Limits of the machine; 0: none that is ever met. */
struct grants_limits {
    unsigned waiters;        /* in all */
    unsigned session_grants; /* with its requests that wait */
    unsigned request_names;
    unsigned space_waiters; /* names waited for */
    unsigned space_grants;  /* names held and waited for */
    unsigned search;        /* of a cycle: it may find none where one is */
};

struct grants_grant {
    uint8_t n; /* 0: none */
    uint8_t fence;
    bool revoked;
    struct grants_modes modes;
};

struct grants_lane {
    uint8_t state; /* an enum hf_lane_state */
    uint8_t over;  /* OVER: why, an enum hf_over */
    uint8_t n;
    uint8_t a;
    bool suspected; /* its client was silent for its ttl, and holds something */
    /* While it waits: */
    uint8_t order;  /* of its place, or of its coming, among all who wait */
    uint8_t waited; /* ticks, as long as it has no place */
    bool placed;
    bool free;
    uint32_t stream; /* that it is answered on; PARKED: 0 */
    struct grants_modes wants;
    struct grants_grant grants[SNAPSHOT_CLAIMS]; /* the oldest first */
};

/* An answer that is due. */
struct grants_said {
    uint32_t stream;
    uint8_t lane;
    uint8_t kind;  /* an enum hf_answer_kind */
    uint8_t over;  /* OVER: an enum hf_over */
    uint8_t fence; /* GRANTED: 0 if it is a new one, and any */
    uint8_t n;     /* of the request that it is about */
};

enum { GRANTS_SAID_MAX = 2 * SNAPSHOT_CLIENTS };

struct grants_oracle {
    uint8_t clients;
    uint8_t gathers; /* ticks of a takeover grace that are left */
    bool misses;     /* this time the search is too short for a circle */
    uint8_t said_count;
    struct grants_limits limits;
    struct grants_lane lanes[SNAPSHOT_CLIENTS];
    struct grants_said said[GRANTS_SAID_MAX];
    uint8_t edges[SNAPSHOT_CLIENTS]; /* whom each waited for, a bit a lane, when
                                       a circle was told; 0: none was */
};

struct grants_ask {
    uint8_t n;
    uint8_t a;
    uint8_t waited; /* elsewhere, ticks */
    bool free;
    bool tries;
    uint32_t stream;
    struct grants_modes wants;
};

/* ---- Events -------------------------------------------------------------- */

void grants_oracle_ask(struct grants_oracle *oracle, unsigned who,
                       const struct grants_ask *ask);
void grants_oracle_release(struct grants_oracle *oracle, unsigned who,
                           uint8_t n, uint32_t stream);
void grants_oracle_lower(struct grants_oracle *oracle, unsigned who, uint8_t n,
                         unsigned name, uint32_t stream);
/* An operator takes the grant of that fence; no lane hears of it.  At once, or
 * only if its lane is suspected [S6]. */
void grants_oracle_clear(struct grants_oracle *oracle, uint8_t fence,
                         bool at_once, uint32_t stream);
/* Its client was silent for its ttl. */
void grants_oracle_silent(struct grants_oracle *oracle, unsigned who);
/* The time of that lane's stream is over. */
void grants_oracle_park(struct grants_oracle *oracle, unsigned who);
/* What remained of its wait is over. */
void grants_oracle_run_out(struct grants_oracle *oracle, unsigned who);
/* The stream of one that waits has ended. */
void grants_oracle_hang_up(struct grants_oracle *oracle, unsigned who);
/* So much time that all parked places are lost, and a grace is over. */
void grants_oracle_pass(struct grants_oracle *oracle);

/* ---- Questions ----------------------------------------------------------- */

bool grants_oracle_conflict(const struct grants_modes *a,
                            const struct grants_modes *b);

/* WAITING, or PARKED. */
bool grants_oracle_waits(const struct grants_lane *lane);

/* Is there an edge from the one to the other [W6]? */
bool grants_oracle_waits_for(const struct grants_oracle *oracle, unsigned from,
                             unsigned to);

/* Does anybody stand in its way? */
bool grants_oracle_is_held_up(const struct grants_oracle *oracle, unsigned who);

/* The grant of that request; NULL: none. */
const struct grants_grant *grants_oracle_grant(const struct grants_lane *lane,
                                               uint8_t n);

/* Has it a grant that is not revoked? */
bool grants_oracle_holds(const struct grants_lane *lane);

/* How many grants it has, revoked ones among them. */
unsigned grants_oracle_count(const struct grants_lane *lane);

#endif
