#ifndef HF_TEST_SIMULATE_SERVER_SHAPE_H
#define HF_TEST_SIMULATE_SERVER_SHAPE_H

#include "core/node.h"
#include "core/session.h"

/* What a world is like: all of it follows from the seed. */
struct shape {
    struct hf_node_config node;
    struct hf_session_config session; /* of a takeover session */
    unsigned names;
    unsigned drift;    /* of a thousand: how wrong a clock's rate is, at most */
    unsigned pairs;    /* so many clients have a session of each kind */
    unsigned refusing; /* so many others have one of HF_REFUSE alone */
    int64_t network_ms;     /* a message takes so long at most */
    int64_t store_ms;       /* and a way to or from the store */
    int64_t load_ms;        /* a load, beside these */
    int64_t wake_ms;        /* a hint that the head was written */
    int64_t act_ms;         /* a user does something once in so long */
    int64_t faults_ms;      /* so long goes the world with faults */
    unsigned trouble;       /* of a thousand messages meet some */
    unsigned store_trouble; /* likewise, of calls */
    int64_t fate_ms;        /* something happens once in so long; 0: nothing */
    bool clears;
    bool restores;
    bool removes;
    bool looks;        /* who waits is shown a holder, be it true or not */
    bool kills_leader; /* once, and nothing else goes wrong */
};

struct shape shape_small(uint64_t seed);

/* As it is used: ttls of half a minute, and a leader that dies once. */
struct shape shape_failover(uint64_t seed);

/* What a failover took. */
struct failover {
    int64_t died_at;    /* the leader; 0: it has not yet */
    uint64_t term;      /* the next leader's; 0: there is none yet */
    int64_t led_at;     /* its claim was confirmed */
    int64_t loaded_at;  /* and it served */
    int64_t granted_at; /* and told somebody so; 0: not yet */
    int64_t commit_ms;  /* what the batch took that has the grant */
    int64_t last_beat;  /* the last write of the head before the death */
    unsigned holders;   /* sessions that held something then */
};

#endif
