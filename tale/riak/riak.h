#ifndef TALE_RIAK_RIAK_H
#define TALE_RIAK_RIAK_H

#include <holdfast/words.h>

#include "tale/specimen/key.h"

/*
 * Riak: one key in a simulated cluster, by the rules of riak_kv.
 *
 * The key has N partitions.  The primary of a partition is a node that may go
 * down; while it is down a fallback, which is always up, stands in for it and
 * hands what it got over some time after the primary came back.  A request is
 * issued, and then arrives at each partition in a step of its own: a write
 * first at a coordinator, any node of the preference list.  The answer comes
 * as soon as enough replicas were heard; what was under way goes on, and
 * nothing that was stored is ever taken back.
 *
 * A version vector is the set of the writes it has seen, one bit each, and a
 * dot is one write.  That says what counters a node would say, as every
 * object that comes into being at a node counts under a new name there
 * (riak_kv's key epochs).
 *
 * Where this is kinder or plainer than Riak: a replica receives (w) and
 * stores (dw) in one step; servers' clocks agree, but for the one named slow;
 * a message to a node that is down is lost, and never comes twice; the read
 * that a remove without a context makes for itself repairs nothing.
 *
 * pw_precheck: Riak refuses a write, storing nothing, when it *knows* that
 * fewer than pw primaries are up (riak); the tale tells that it is stored at
 * whatever is up, and then answered with an error (seed).
 *
 * One thread; a riak is plain data, copied with `=`, and tidied after each
 * step, so that riaks that behave alike are mostly the same bytes.
 */

enum {
    RIAK_N_MAX = 4,
    RIAK_WRITES_MAX = 8, /* told apart at a time: two for each worker */
    RIAK_OPS_MAX = 6,    /* under way at a time, answered or not */
};

/* A quorum is a number, or one of these; `one` is 1. */
enum { RIAK_QUORUM = -1, RIAK_ALL = -2 };

enum riak_delete_mode { RIAK_KEEP, RIAK_IMMEDIATE, RIAK_LATER };
enum riak_precheck { RIAK_AS_RIAK, RIAK_AS_SEED };
enum riak_coordinator { RIAK_ANY, RIAK_FIRST };

struct riak_config {
    int n_val; /* 1 to RIAK_N_MAX */
    int r, w, pr, pw, dw;
    bool allow_mult;
    bool last_write_wins;
    bool notfound_ok;
    bool read_repair;
    enum riak_delete_mode delete_mode;
    enum riak_precheck pw_precheck;
    enum riak_coordinator coordinator; /* any of the list; or its first,
                                          which orders all writes */
    int slow_clock; /* the primary whose clock is far behind; 0: none */
};

/* What Riak has for a bucket type: n_val=3, quorums, siblings. */
extern const struct riak_config riak_config_default;

/* Set what `name` names; HF_E_INVALID changes nothing. */
enum hf_status riak_config_set(struct riak_config *config, const char *name,
                               const char *value, struct hf_error *error);

/* HF_E_INVALID when the settings cannot go together. */
enum hf_status riak_config_check(const struct riak_config *config,
                                 struct hf_error *error);

/* The same as numbers, the quorums spelled out. */
struct riak_rules {
    uint8_t n : 4;
    uint8_t slow_clock : 4;
    uint8_t r : 4;
    uint8_t pr : 4;
    uint8_t w : 4;
    uint8_t pw : 4;
    uint8_t dw : 4;
    uint8_t allow_mult : 1;
    uint8_t last_write_wins : 1;
    uint8_t notfound_ok : 1;
    uint8_t read_repair : 1;
    uint8_t delete_mode : 2;
    uint8_t as_seed : 1;
    uint8_t first : 1; /* the coordinator is the first of the list */
};

struct riak_object {
    uint8_t siblings; /* the writes whose values it has */
    uint8_t clock;    /* the writes it has seen; 0: no object */
};

/* A request, or what is left of one after its answer. */
struct riak_op {
    uint8_t kind : 4;
    uint8_t owner : 4;         /* the worker's number; 0: nobody waits */
    uint8_t to : 4;            /* partitions where it has yet to arrive */
    uint8_t fallback : 4;      /* those where a fallback stands in */
    uint8_t lost : 4;          /* those where it met a node that was down */
    uint8_t deleted : 4;       /* a read: those that answered a tombstone */
    struct riak_object object; /* a read: merged so far; a write: sent */
    uint8_t extra[RIAK_N_MAX]; /* a read: each clock heard; a write before
                                  its coordinator: id, stamp, context */
};

struct riak_worker {
    uint8_t state;
    uint8_t siblings; /* of the answer */
    uint8_t context;  /* of the last read */
};

struct riak {
    struct riak_rules rules;
    struct key_value
        writes[RIAK_WRITES_MAX]; /* oldest first; id 0: tombstone */
    uint8_t slow;                /* those a slow clock stamped */
    uint8_t down : 4;            /* primaries */
    uint8_t spare : 4;
    uint8_t reaping : 4; /* primaries told to reap */
    uint8_t doomed : 4;  /* those whose tombstone goes when its time is over */
    struct riak_object home[RIAK_N_MAX]; /* at each primary */
    struct riak_object away[RIAK_N_MAX]; /* at each fallback */
    struct riak_worker workers[KEY_WORKERS_MAX];
    struct riak_op ops[RIAK_OPS_MAX]; /* used ones first */
};

/* What a step is; the `code` of a key_step. */
enum riak_happening_kind {
    RIAK_COORDINATES,   /* a write reaches its coordinator */
    RIAK_WRITE_ARRIVES, /* at one more replica; a repair is one, too */
    RIAK_READ_ARRIVES,  /* at a replica, which answers */
    RIAK_LOOKS_BACK,    /* after a remove: a read of all, to reap */
    RIAK_HANDS_OFF,     /* a fallback, to its primary */
    RIAK_REAPS,         /* the order to reap reaches a primary */
    RIAK_FORGETS,       /* a primary whose tombstone's time is over */
    RIAK_GOES_DOWN,     /* a fault */
    RIAK_COMES_BACK,
};

/* A step in words of the story: who waits for it, what, where. */
struct riak_happening {
    enum riak_happening_kind kind;
    unsigned worker;        /* from 0; KEY_WORKERS_MAX: nobody waits */
    unsigned partition;     /* from 0 */
    bool fallback;          /* at the fallback of the partition */
    bool lost;              /* the node is down: it never arrives */
    bool refused;           /* by pw_precheck: nothing is stored */
    struct key_value value; /* of a write; id 0: a tombstone */
};

/* An empty key, every node up.  `config` passes riak_config_check. */
void riak_init(struct riak *riak, const struct riak_config *config);

/* Is there room for one more request?  There will be: what takes it ends by
 * steps that are always possible. */
bool riak_ready(const struct riak *riak);

/*
 * Worker `worker` (from 0) sends a request; it has no other, and riak_ready.
 * Of writes and removes at most RIAK_WRITES_MAX may be told apart by anything:
 * two for each of four workers never are more.
 */
void riak_issue(struct riak *riak, unsigned worker, struct key_request request);

/* What may happen now, the requests of the lowest worker first; the count. */
unsigned riak_steps(const struct riak *riak,
                    struct key_step steps[KEY_STEPS_MAX]);

/* Do one of these. */
void riak_step(struct riak *riak, struct key_step step);

/* Who waits for one of these, from 0; KEY_WORKERS_MAX: nobody does. */
unsigned riak_step_worker(const struct riak *riak, struct key_step step);

/* Say what one of these is, before it is done. */
struct riak_happening riak_describe(const struct riak *riak,
                                    struct key_step step);

/* Is the worker's answer there? */
bool riak_answered(const struct riak *riak, unsigned worker);

/*
 * Take it; false when there is none.  A tombstone among siblings counts as
 * one, with id 0, after the values; of more than KEY_SIBLINGS_MAX the rest is
 * left out.  A remove without a context is KEY_NOT_FOUND when its own read
 * finds nothing.
 */
bool riak_answer(struct riak *riak, unsigned worker, struct key_answer *answer);

/* The worker writes no more: forget the context of its last read. */
void riak_done(struct riak *riak, unsigned worker);

#endif
