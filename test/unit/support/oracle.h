#ifndef HF_TEST_ORACLE_H
#define HF_TEST_ORACLE_H

#include "core/lockspace.h"

/*
 * Oracle: the rules of a lockspace in the plainest way that can be: arrays of
 * everything, and each question answered by looking at all of it.  It says what
 * the machine must answer to an event.
 */
enum {
    ORACLE_SESSIONS = 6,
    ORACLE_LANES = 3, /* of a session, numbered from 0 */
    ORACLE_NAMES = 6,
    ORACLE_GRANTS = 24, /* of a lane */
    ORACLE_ANSWERS = 256,
};

enum oracle_mode { ORACLE_NOTHING, ORACLE_SHARED, ORACLE_EXCLUSIVE };

struct oracle_timer {
    int64_t at; /* 0: none */
    uint64_t turn;
};

struct oracle_grant {
    bool on;
    bool revoked;
    bool handed;
    uint64_t n;
    uint64_t fence; /* 0: granted in this step, the machine's is not known */
    uint64_t stream;
    uint8_t modes[ORACLE_NAMES];
};

enum oracle_state { O_OVER, O_WAITING, O_PARKED, O_GRANTED, O_LEFT };

struct oracle_lane {
    bool known;
    enum oracle_state state;
    enum hf_over over;
    uint64_t n, a;
    /* While it waits. */
    uint8_t modes[ORACLE_NAMES];
    bool free;
    bool placed;    /* in line: not gathered */
    uint64_t order; /* of its place, or of its coming */
    int64_t since;
    int64_t wait_end;
    int64_t park; /* as its newest attempt asked; 0: not */
    uint64_t stream;
    struct oracle_timer timer; /* PARKED: none until it is told */
    uint64_t told_by;          /* PARKED: the mark of its answer */
    struct oracle_grant grants[ORACLE_GRANTS];
};

struct oracle_session {
    bool open;
    bool suspected;
    bool refuse;
    bool of_key;
    bool of_acquire;
    bool asked; /* with its key: these */
    bool asked_free;
    uint8_t asked_modes[ORACLE_NAMES];
    int64_t ttl;
    int64_t heard;
    unsigned messages;   /* of it */
    int64_t ended_until; /* of a key, and ended: remembered until then */
    uint64_t lowest;
    struct oracle_timer timer;
    struct oracle_lane lanes[ORACLE_LANES];
};

struct oracle_message {
    enum hf_message_kind kind;
    uint64_t stream;
    unsigned session;
    unsigned lane;
    uint64_t n, a, lowest;
    uint8_t modes[ORACLE_NAMES];
    bool free;
    enum hf_wait_kind wait;
    int64_t remaining;
    int64_t park;
    int64_t waited;
    int64_t ttl; /* OPEN, and ACQUIRE with a key */
    bool refuse; /* the same */
    bool of_key; /* the same; what is not given is as it was: */
    bool no_ttl, no_refuse, no_modes;
    bool of_acquire; /* OPEN */
    bool late;       /* OPEN: of a session that is remembered as ended */
    uint64_t fence;  /* CLEAR, oracle_handed */
    bool cut;        /* oracle_stream_ends: its connection broke */
    bool at_once;    /* CLEAR */
};

struct oracle_answer {
    uint64_t stream;
    enum hf_answer_kind kind;
    enum hf_over over;
    uint64_t fence;
    struct hf_fence_sum held;
    int64_t silent; /* NOT_SUSPECTED, and so: */
    int64_t rest;
    struct oracle_grant *grant; /* a new one, which is to learn its fence */
    struct oracle_lane *parked; /* by it, and is to learn its mark */
};

struct oracle {
    int64_t now;
    int64_t blocking;
    int64_t resume_grace;
    int64_t gather_from;
    int64_t gather_until;
    int64_t begun_at; /* the service: nobody waits since before it */
    uint64_t turns;
    uint64_t orders;
    struct oracle_session sessions[ORACLE_SESSIONS];
    struct oracle_answer answers[ORACLE_ANSWERS];
    unsigned answers_count;
    unsigned deadlocks; /* said, ever */
    unsigned lost;      /* parked places, ever */
    unsigned ungranted; /* grants that were kept, and not asked for, ever */
    unsigned polls;     /* places that were kept though a wait was over, ever */
    unsigned done;      /* sessions that ended with their last release, ever */
    unsigned unread; /* sessions that ended as nobody had read of them, ever */
};

/* One event each; answers are those of this event alone. */
void oracle_message(struct oracle *o, const struct oracle_message *m);
void oracle_stream_ends(struct oracle *o, const struct oracle_message *m);
void oracle_handed(struct oracle *o, const struct oracle_message *m);
void oracle_unread(struct oracle *o, unsigned session);
void oracle_clock(struct oracle *o);
void oracle_applied(struct oracle *o, uint64_t through);
void oracle_nothing(struct oracle *o); /* it only carries an instant */

/* The grant of a lane's request n, revoked or not; NULL: none. */
struct oracle_grant *oracle_grant(struct oracle *o, unsigned session,
                                  unsigned lane, uint64_t n);

#endif
