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

/* The members of a head that a lock's record does not have. */
struct hf_head_state {
    bool led;            /* it names a node */
    bool forgot;         /* a read: the grants are lost [L6] */
    uint64_t next_fence; /* 0: there is no head */
    uint64_t service;    /* id of the service; 0: a read found none, so it is
                         new */
    struct hf_duration max_ttl; /* the longest ttl promised to any client */
    struct hf_duration grace;   /* how long nothing is granted [L6] */
    struct hf_duration served;  /* how long leaders have served [S10] */
    int64_t begun_ms; /* Unix time of the service's begin; 0: unknown; a read
                         without a head: now [L5] */
};

enum hf_leader_state {
    HF_LEADER_IDLE,
    HF_LEADER_SEEKING, /* looks, waits, claims, confirms */
    HF_LEADER_LEADING,
    HF_LEADER_LEAVING, /* puts the head without a node, or reads whether it
                          is so */
};

struct hf_leader_config {
    struct hf_terms terms;      /* HF_TAKEOVER; an idle leader writes the head
                              each `beat` */
    struct hf_duration grace;   /* see struct hf_contender_config */
    struct hf_duration max_ttl; /* the longest ttl that it promises to any
                                   client */
    uint64_t seed;              /* random: the source of the claims' ids */
};

/* The batch written together with one version of the head. */
struct hf_leader_batch {
    uint64_t version; /* the version it expects; 0: no batch is fixed */
    uint64_t number;  /* its owner's number; 0: an empty batch, which nobody
                        is told of */
    uint64_t next_fence;
    struct hf_duration max_ttl;
    struct hf_duration grace;
    bool refused; /* it was refused; a read may show that it was applied
                     before */
};

struct hf_leader {
    struct hf_leader_config config;
    enum hf_leader_state state;
    struct hf_contender contender;
    struct hf_leader_batch batch; /* fixed last */
    uint64_t next_fence; /* in the head as known, or as it will be claimed */
    uint64_t applied;    /* the batch that the effect HF_LEADER_APPLIED names */
    struct hf_instant now;
    uint64_t service; /* id of the service as far as known; 0: unknown */
    int64_t begun_ms; /* as in the head */
    struct hf_duration max_ttl;     /* as in the head, or as it will be put */
    struct hf_duration served;      /* as in the head that was read, or fixed */
    struct hf_instant served_until; /* counted up to then; HF_NEVER: it does not
                                       serve */
    struct hf_instant grace_until;  /* of the head that is claimed */
    bool forgot; /* the head read last says that grants were lost */
    bool owes;   /* it owes a grace, because of a loss at: */
    struct hf_instant owed_at;
    struct hf_outbox outbox; /* effects; notices come before questions */
    bool asks;
};

enum hf_leader_effect_kind {
    HF_LEADER_ASK,     /* a question to the store */
    HF_LEADER_FIX,     /* call hf_leader_fix before the next effect is taken: it
                      says what the next write carries */
    HF_LEADER_LEADS,   /* leads from now on, in this term */
    HF_LEADER_APPLIED, /* a batch was applied, by its number */
    HF_LEADER_OVER,    /* does not lead any more */
    /* IDLE: no claim or batch of its own can be applied any more; only a head
     * without a node might still be, if nothing else was written. */
    HF_LEADER_ENDED,
};

struct hf_leader_effect {
    enum hf_leader_effect_kind kind;
    union {
        struct {
            struct hf_request request;
            struct hf_head_state head; /* for a write: state for the value of
                                          ops[0] */
            uint64_t batch; /* the batch whose records go with the write, the
                               same for each retry; 0: none */
        } ask;
        uint64_t term;
        uint64_t applied;
        enum hf_status ended; /* HF_OK, or why it could not lead, or go on */
    };
};

void hf_leader_init(struct hf_leader *l, const struct hf_leader_config *config);

/* IDLE: begin to seek.  Drain hf_leader_next before the next step. */
void hf_leader_seek(struct hf_leader *l, struct hf_instant now);

/* Apply one event: ANSWER, PROCESSES, HINT, WRITE (write at once), CLOCK,
 * RELEASE (resign, or stop seeking), WENT_BACK. */
void hf_leader_step(struct hf_leader *l, struct hf_event event);

/* A read was answered: `sight` is the record, `head` its other members.  A head
 * without a node counts as absent for a candidate [L4], and so does one whose
 * grace is too short for a node that owes one [L6]. */
void hf_leader_found(struct hf_leader *l, struct hf_instant now,
                     uint64_t number, struct hf_sight sight,
                     struct hf_head_state head);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_leader_next(struct hf_leader *l, struct hf_leader_effect *effect);

/* After HF_LEADER_FIX: the next write carries batch `number`, and raises the
 * next fence to `next_fence`, which never falls; number 0: it carries nothing.
 */
void hf_leader_fix(struct hf_leader *l, uint64_t number, uint64_t next_fence);

/* LEADING: everything is loaded, and `longest` is the longest ttl of a session.
 * Now the length of an owed grace is known, and what is served is counted. */
void hf_leader_loaded(struct hf_leader *l, struct hf_instant now,
                      struct hf_duration longest);

/* Nothing may be granted before this, as far as is known [L6]. */
struct hf_instant hf_leader_grace_until(const struct hf_leader *l);

/* How long its last answered write took. */
struct hf_duration hf_leader_took(const struct hf_leader *l);

/* Would the event WRITE make it write? */
bool hf_leader_may_write(const struct hf_leader *l);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_leader_deadline(const struct hf_leader *l);

#endif
