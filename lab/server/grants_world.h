#ifndef LAB_SERVER_GRANTS_WORLD_H
#define LAB_SERVER_GRANTS_WORLD_H

#include "lab/server/grants_oracle.h"
#include "lab/server/kind.h"
#include "lab/server/snapshot.h"

/* What a world of grants.h is made of: plain data. */

struct grants_config {
    struct kind_config world;
    unsigned names;
    bool names_alike; /* nobody tells these apart, either: see grants_pack.h */
    bool shared; /* names are asked for shared, too; of two names at most */
    bool frees;  /* and until free */
    bool tries;
    bool clears;     /* and what is held is not taken by time [S5] */
    bool takeover;   /* begins in a takeover grace */
    unsigned grants; /* that a lane has at most, when it asks; 0: any */
    unsigned parks;  /* places that are parked at once, at most */
    bool runs_out;   /* what remains of a wait is over before its stream is */
    struct grants_limits limits;
};

enum {
    GRANTS_SETS = 12,          /* of names and modes that may be asked for */
    GRANTS_SETS_EXCLUSIVE = 7, /* of these, the first */
};

/* Ticks: no world goes on for as long as the longer ones. */
enum {
    GRANTS_RESUME_GRACE = 1,
    GRANTS_BLOCKING = 200, /* below SNAPSHOT_NEVER */
    GRANTS_TTL = 1000,
};

/* A step's act; `who` is a lane, or 0 where it is nobody's. */
enum grants_act {
    GRANTS_WANT,
    GRANTS_TRY = GRANTS_WANT + GRANTS_SETS,
    GRANTS_FREE = GRANTS_TRY + GRANTS_SETS,
    GRANTS_BACK_1 = GRANTS_FREE + GRANTS_SETS_EXCLUSIVE, /* waited a tick */
    GRANTS_BACK_2 = GRANTS_BACK_1 + GRANTS_SETS,
    GRANTS_AGAIN = GRANTS_BACK_2 + GRANTS_SETS,
    GRANTS_AGAIN_TRY,
    GRANTS_GIVE_UP,
    GRANTS_PARK,
    GRANTS_RUN_OUT,
    GRANTS_HANG_UP,
    GRANTS_RELEASE, /* the oldest, the next, ... */
    GRANTS_LOWER = GRANTS_RELEASE + SNAPSHOT_CLAIMS, /* a, b, c */
    GRANTS_CLEAR = GRANTS_LOWER + SNAPSHOT_NAMES,    /* as GRANTS_RELEASE */
    GRANTS_CLEAR_IF = GRANTS_CLEAR + SNAPSHOT_CLAIMS,
    GRANTS_SILENT = GRANTS_CLEAR_IF + SNAPSHOT_CLAIMS,
    GRANTS_PASS,
    GRANTS_ACTS,
};

/* A world; what is not the machine comes first. */
struct grants_world {
    const struct grants_config *config;
    struct snapshot_config snapshot_config;
    const char *violated; /* by the last step */
    struct hf_instant now;
    uint32_t streams; /* that were ever used */
    struct grants_oracle oracle;
    struct snapshot snapshot; /* of the machine, after the last step */
    struct snapshot_block block;
};

static inline struct hf_lockspace *
grants_machine(struct grants_world *world)
{
    return (struct hf_lockspace *)world->block.bytes;
}

#endif
