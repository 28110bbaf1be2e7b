#ifndef HF_CORE_LEADER_H
#define HF_CORE_LEADER_H

#include "core/contender.h"

/*
 * Leader: one wish to lead a lock server, from the first look at its head to
 * the answer that no claim and no batch of it can be applied any more.
 *
 * The head is a lock's record (wire/head.h), and whether to read, claim, beat
 * or give back is a contender's to say, as of any lock.  A leader says what
 * stands in the head at each version, and so makes a journal of the beats:
 *
 *   what the contender asks       what is written
 *   claim at a version            the next fence of the version it replaces
 *   beat                          the batch that is fixed for this version
 *   delete                        a head without a node: it is never deleted
 *
 *          seek             the claim is applied, in time
 *   IDLE ---------> SEEKING ------------------------------> LEADING
 *    ^                |                                        |
 *    |                | cannot be           right over, lost,  |
 *    |      settled   v                     refused, resign    v
 *    +----------------+---------------------------- LEAVING <--+
 *
 * The promises [J1, J4, L1, L4].  All writes that expect one version carry the
 * same: a batch is fixed when the first of them is sent, and what is decided
 * later waits for the next.  A batch is said to be applied if a write that
 * carried it was, or if a read shows this claim with one beat more; each once,
 * in order, and only while this node leads.  A batch that was refused, and is
 * not there, ends the leadership.  Whatever is unknown, a head without a node
 * has the next fence of the last batch known to be applied: if one more was, it
 * finds another version, and is put again with that one's.  It never has a
 * lower one than the head that it replaces.
 *
 * What was forgotten [L6].  A place that lost what was granted in it may be
 * asked for that again while its holders still believe in it.  So whoever
 * notices owes the place a grace: for the longest ttl that anybody was
 * promised, and the leader's own beyond it, nothing is granted.  The debt is
 * paid by a head that says so: every put, a claim, a beat or a head without a
 * node, says how much is left, so that whoever leads next goes on from there.
 * A head whose grace is too short is claimed at once, whoever leads by it.
 *
 * Why no right is counted here: no answer of a lock server rests on its clock
 * [J2], so when leading ends by time is the keeper's, by the proofs it has.
 *
 * Not thread-safe.  Plain data: copying with `=` is a snapshot.  No I/O, no
 * allocation, no clock.
 */

/* What stands in a head beside the record of a lock. */
struct hf_head_state {
    bool led;                   /* it has a node */
    bool forgot;                /* of a read: what was granted is lost [L6] */
    uint64_t next_fence;        /* 0: there is no head */
    uint64_t service;           /* its id; 0, of a read: it is to be new */
    struct hf_duration max_ttl; /* the longest that anybody was promised */
    struct hf_duration grace;   /* for so long nothing is granted [L6] */
    int64_t begun_ms; /* when the service was, in Unix time; 0: nobody knows;
                         of a read, where there is no head: now [L5] */
};

enum hf_leader_state {
    HF_LEADER_IDLE,
    HF_LEADER_SEEKING, /* looks, waits, claims, confirms */
    HF_LEADER_LEADING,
    HF_LEADER_LEAVING, /* puts the head without a node, or looks at it */
};

struct hf_leader_config {
    struct hf_terms terms; /* HF_TAKEOVER; an idle leader beats each `beat` */
    struct hf_duration grace;   /* see struct hf_contender_config */
    struct hf_duration max_ttl; /* the longest that it promises anybody */
    uint64_t seed;              /* random: the claims' ids come from it */
};

/* The batch that hangs on the head, at one version of it. */
struct hf_leader_batch {
    uint64_t version; /* that is expected; 0: none is fixed */
    uint64_t number;  /* its owner's; 0: it is empty, and told to nobody */
    uint64_t next_fence;
    struct hf_duration max_ttl;
    struct hf_duration grace;
    bool refused; /* unless a read shows that it is there */
};

struct hf_leader {
    struct hf_leader_config config;
    enum hf_leader_state state;
    struct hf_contender contender;
    struct hf_leader_batch batch; /* fixed last */
    uint64_t
        next_fence;   /* in the head as it is known to be, or to be claimed */
    uint64_t applied; /* the batch that HF_LEADER_APPLIED tells of */
    struct hf_instant now;
    uint64_t service;              /* its id, as far as it is known; 0 */
    int64_t begun_ms;              /* as in the head */
    struct hf_duration max_ttl;    /* as in the head, or to be put in it */
    struct hf_instant grace_until; /* as the head that is claimed says */
    bool forgot;                   /* as the head says that was read last */
    bool owes;                     /* a grace, because of a loss at: */
    struct hf_instant owed_at;
    struct hf_outbox outbox; /* what is told, before what is asked */
    bool asks;
};

enum hf_leader_effect_kind {
    HF_LEADER_ASK,     /* a question to the store */
    HF_LEADER_FIX,     /* say what the next write carries: hf_leader_fix, before
                          the next effect is taken */
    HF_LEADER_LEADS,   /* from now on, in this term */
    HF_LEADER_APPLIED, /* a batch, by its number */
    HF_LEADER_OVER,    /* not from now on */
    HF_LEADER_ENDED,   /* IDLE: no claim and no batch can be applied any more;
                          a head without a node might, where nothing else was
                          written since */
};

struct hf_leader_effect {
    enum hf_leader_effect_kind kind;
    union {
        struct {
            struct hf_request request;
            struct hf_head_state head; /* of a write: for the value of ops[0] */
            uint64_t batch; /* whose records go with it: for each sending the
                               same; 0: none */
        } ask;
        uint64_t term;
        uint64_t applied;
        enum hf_status ended; /* HF_OK, or why it could not lead or go on */
    };
};

void hf_leader_init(struct hf_leader *l, const struct hf_leader_config *config);

/* IDLE: begin to seek.  Drain hf_leader_next before the next step. */
void hf_leader_seek(struct hf_leader *l, struct hf_instant now);

/* Apply one event: ANSWER, PROCESSES, HINT, WRITE (what is to be written should
 * be, at once), CLOCK, RELEASE (resign, or give up), WENT_BACK. */
void hf_leader_step(struct hf_leader *l, struct hf_event event);

/* A read was answered: by `sight`, and of a lock by what else is in it.  A head
 * without a node is absent to whoever wants to lead [L4], and one whose grace
 * is too short to whoever owes one [L6]. */
void hf_leader_found(struct hf_leader *l, struct hf_instant now,
                     uint64_t number, struct hf_sight sight,
                     struct hf_head_state head);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_leader_next(struct hf_leader *l, struct hf_leader_effect *effect);

/* After HF_LEADER_FIX: the next write carries batch `number`, and makes the
 * next fence `next_fence`, which never falls; or nothing, if `number` is 0. */
void hf_leader_fix(struct hf_leader *l, uint64_t number, uint64_t next_fence);

/* LEADING, and all was loaded: the longest ttl of what is granted.  Now it is
 * known how long the grace is that it may owe. */
void hf_leader_loaded(struct hf_leader *l, struct hf_duration longest);

/* Until when nothing may be granted, as far as it is known [L6]. */
struct hf_instant hf_leader_grace_until(const struct hf_leader *l);

/* How long its last write took that was answered. */
struct hf_duration hf_leader_took(const struct hf_leader *l);

/* Would HF_ON_WRITE make it write? */
bool hf_leader_may_write(const struct hf_leader *l);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_leader_deadline(const struct hf_leader *l);

#endif
