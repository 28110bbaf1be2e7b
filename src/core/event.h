#ifndef HF_CORE_EVENT_H
#define HF_CORE_EVENT_H

#include "base/clock.h"
#include "core/op.h"

/*
 * Events go into the machines, effects come out.  Both are values: they can be
 * printed (trace.h), recorded, replayed and shuffled.  Every event carries the
 * instant at which it happened, and so tells the time.
 */

enum hf_event_kind {
    HF_ON_ACQUIRE,   /* contender: begin */
    HF_ON_EXAMINE,   /* examiner: begin */
    HF_ON_CLAIM,     /* keeper: claim this version */
    HF_ON_ANSWER,    /* the verdict on a group */
    HF_ON_FOUND,     /* what a read showed */
    HF_ON_PROCESSES, /* the holder's processes, as seen from here */
    HF_ON_HINT,      /* a good moment: to look, the record may have changed;
                       to beat, others do */
    HF_ON_WRITE,     /* keeper: there is something to carry, beat at once */
    HF_ON_CLOCK,     /* nothing but the time */
    HF_ON_WENT_BACK, /* the place is not the one that it was: what it said
                        before may not be in it, and what is out was not done */
    HF_ON_RELEASE,   /* give the lock back */
    HF_ON_CANCEL,    /* stop waiting; settle what is unsettled */
    HF_ON_ABANDON,   /* stop at once, whatever is left behind */
};

/* A claim on the lock's record at exactly this version. */
struct hf_claim {
    uint64_t id;      /* new for each version claimed */
    uint64_t version; /* absent there, or a dead holder's */
    uint64_t over;    /* token of the dead holder; 0 when absent */
};

struct hf_event {
    enum hf_event_kind kind;
    struct hf_instant at;
    union {
        struct hf_claim claim;
        struct {
            uint64_t number;
            enum hf_verdict verdict;
            uint64_t version; /* applied: the new version of ops[0]'s key */
        } answer;
        struct {
            uint64_t number;
            struct hf_sight sight;
        } found;
        struct {
            uint64_t version; /* of the record that listed the processes */
            bool gone;        /* all of them; false: one of them is there */
        } processes;
    };
};

/* What a machine tells its shell, or the keeper its contender. */
enum hf_notice_kind {
    HF_NOTICE_WAITING,   /* somebody holds it: the first sight of a record */
    HF_NOTICE_SUSPECTED, /* a refuse holder stood unchanged for its ttl */
    HF_NOTICE_GRANTED,
    HF_NOTICE_IN_DOUBT, /* refuse: the right ran out unconfirmed */
    HF_NOTICE_CERTAIN,  /* refuse: confirmed again */
    HF_NOTICE_LOST,     /* another process may hold it from now on */
    HF_NOTICE_NOT_MINE, /* keeper: the claim is settled, and was not granted */
    HF_NOTICE_SETTLED,  /* keeper: nothing of ours is, or can come, there */
    HF_NOTICE_ENDED,    /* the machine is done: read its status and outcome */
};

struct hf_effect {
    enum { HF_DO_ASK, HF_DO_NOTIFY } kind;
    union {
        struct hf_request request;
        enum hf_notice_kind notice;
    };
};

/*
 * Effects not yet taken.  A question is built from its machine when it is
 * taken, so an entry is one byte; a machine has at most one question out, and
 * says at most three things in one step.
 */
#define HF_OUTBOX_MAX 6
#define HF_OUTBOX_ASK 0xff

struct hf_outbox {
    uint8_t
        entries[HF_OUTBOX_MAX]; /* an enum hf_notice_kind, or HF_OUTBOX_ASK */
    uint8_t count;
};

void hf_outbox_add(struct hf_outbox *outbox, uint8_t entry);

static inline void
hf_outbox_notify(struct hf_outbox *outbox, enum hf_notice_kind notice)
{
    hf_outbox_add(outbox, (uint8_t)notice);
}

/* Take the oldest entry; false when there is none. */
bool hf_outbox_take(struct hf_outbox *outbox, uint8_t *entry);

static inline struct hf_event
hf_event(enum hf_event_kind kind, struct hf_instant at)
{
    return (struct hf_event){.kind = kind, .at = at};
}

static inline struct hf_event
hf_claim(struct hf_instant at, struct hf_claim claim)
{
    return (struct hf_event){.kind = HF_ON_CLAIM, .at = at, .claim = claim};
}

static inline struct hf_event
hf_answer(struct hf_instant at, uint64_t number, enum hf_verdict verdict,
          uint64_t version)
{
    return (struct hf_event){
        .kind = HF_ON_ANSWER,
        .at = at,
        .answer = {number, verdict, version},
    };
}

static inline struct hf_event
hf_found(struct hf_instant at, uint64_t number, struct hf_sight sight)
{
    return (struct hf_event){
        .kind = HF_ON_FOUND,
        .at = at,
        .found = {number, sight},
    };
}

static inline struct hf_event
hf_processes(struct hf_instant at, uint64_t version, bool gone)
{
    return (struct hf_event){
        .kind = HF_ON_PROCESSES,
        .at = at,
        .processes = {version, gone},
    };
}

#endif
