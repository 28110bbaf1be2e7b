#ifndef HF_CORE_LOCKSPACE_H
#define HF_CORE_LOCKSPACE_H

#include <holdfast/holdfast.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "core/fence_sum.h"
#include "core/op.h"

/*
 * Lockspace: the lock server's own machine.  It decides who is granted which
 * names, who waits behind whom, whose session is over, and what must be written
 * before anybody may be told.  docs/protocol.md has its rules, by the names
 * that stand here in brackets.
 *
 * The machine itself:
 *
 *              serve             a batch was refused, or stop
 *   LOADING ----------> SERVING ------------------------------> OVER
 *
 * A lane, which is one thread of control of a session, and its last request:
 *
 *         +--------------- larger n, or a greater attempt of LEFT
 *         |          +-----------------------------+
 *         v          v  blocking timeout, or cut   |
 *   +-> WAITING -----+------------------------> PARKED
 *   |     |  | stream ended                its grace over |
 *   |     |  +----------------------> LEFT <--------------+
 *   |     | free, and first in line    ^
 *   |     v                            | no answer was handed: stream ended, or
 *   |  GRANTED ------------------------+ cut, and not asked for in its grace
 *   |     | release, end, clear
 *   |     v
 *   +-- OVER <------- release and end from every state
 *
 * The promises: nothing that conflicts is granted at once; nobody is passed by
 * a later request that conflicts with it; a request is granted once at most,
 * and never after its release was answered; an answer is due only when the
 * store has everything it rests on; a limit refuses what is new and never takes
 * what is there, but sessions that hold nothing and wait for nothing [S9].
 *
 * Time comes with the events, and silence with CLOCK alone: what is to be ended
 * for it is, by the instant up to which all that has arrived was handed over
 * [S2].  So who reads late, as after a pause, loses no session that was alive.
 *
 * Memory: one block of hf_lockspace_size() bytes, the caller's, zeroed before
 * init; linked by numbers, so that memcpy is a snapshot.  Not thread-safe.  No
 * I/O, no allocation, no clock.
 */

struct hf_lockspace;

/* Maxima: going over one is an answer, and loses nothing. */
struct hf_lockspace_limits {
    uint32_t sessions;
    uint32_t keys;    /* sessions that belong to one, and those of them that
                         were ended and are remembered [R3]; may be 0 */
    uint32_t lanes;   /* in all */
    uint32_t claims;  /* requests and grants in all, and grants whose records
                         are still to be deleted */
    uint32_t waiters; /* of these, requests that wait */
    uint32_t names;   /* that anybody holds or waits for */
    uint32_t spaces;  /* that these are in, at most UINT16_MAX */
    uint32_t parts;   /* names of all claims; one is kept for each claim */
    uint32_t texts;   /* pieces of HF_TEXTS_PIECE bytes, of names and notes */
    uint32_t session_lanes;
    uint32_t session_waiters;
    uint32_t session_grants; /* with its waiters, each of which may be granted:
                                so a grant never fails */
    uint32_t space_waiters;  /* names waited for in one space */
    uint32_t space_grants;   /* names held in one space, and waited for */
    uint32_t request_names;
    uint32_t search;       /* steps of one search for a cycle */
    uint32_t record_bytes; /* of one grant's record, or one session's */
};

struct hf_lockspace_config {
    struct hf_lockspace_limits limits;
    struct hf_duration blocking;       /* idle timeout less its margin [W2] */
    struct hf_duration resume_grace;   /* of a parked place, once told, unless
                                          its request asks for more [W2] */
    struct hf_duration takeover_grace; /* less than blocking; 0: none [L5] */
    struct hf_duration ttl_max;        /* that a session may ask for */
    uint64_t seed;      /* of the random part of timeouts and pauses */
    uint64_t hash_seed; /* random, and known to nobody: who could reckon with
                           it would choose numbers that make long chains */
};

/* ---- Events -------------------------------------------------------------- */

/* What is known of a secret: never the secret itself. */
struct hf_secret_hash {
    uint8_t bytes[32];
};

/* A name that is asked for. */
struct hf_want {
    struct hf_bytes space;
    struct hf_bytes name;
    enum hf_mode mode;
};

/* What an acquire with a key asks of the key's session, which may be there
 * already: what is not given is as it was [R3]. */
struct hf_of_key {
    bool given; /* it has a key */
    bool ttl_given;
    bool if_dead_given;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    uint64_t any_mode; /* a bit for each want that says none, from the lowest */
};

enum hf_wait_kind {
    HF_WAIT_TRY,     /* not at all [W4] */
    HF_WAIT_LIMITED, /* as long as `remaining` */
    HF_WAIT_FOREVER,
};

enum hf_message_kind {
    HF_MESSAGE_OPEN,
    HF_MESSAGE_KEEP_ALIVE,
    HF_MESSAGE_PAGE, /* of what a client believes in: an ALIVE was not of as
                        much [S4] */
    HF_MESSAGE_ACQUIRE,
    HF_MESSAGE_RELEASE,
    HF_MESSAGE_CHANGE, /* exclusive to shared [W7] */
    HF_MESSAGE_END,
    HF_MESSAGE_CLEAR, /* an operator's: no session, no term [S6] */
};

/* A message, and the stream that its answer goes to. */
struct hf_message {
    enum hf_message_kind kind;
    uint64_t stream; /* not 0, and never used again */
    uint64_t session;
    uint64_t term;
    struct hf_secret_hash secret;
    uint64_t lowest; /* lane that holds or asks [R2] */
    uint64_t lane;
    uint64_t n;
    uint64_t a;
    union {
        struct {
            struct hf_duration ttl;
            enum hf_if_dead if_dead;
            struct hf_bytes who;
            bool of_key;      /* what is asked of it may come once more, late */
            uint64_t address; /* that it comes from, as a number; 0: not known
                                 [S9] */
            bool of_acquire;  /* opens it: it ends with its last release [S8] */
        } open; /* with the id and the secret that the session gets */
        struct {
            const struct hf_want *wants; /* borrowed for the call */
            size_t wants_count;
            bool free; /* wait until it would be granted, hold nothing, and
                          conflict with nobody [R1] */
            enum hf_wait_kind wait;
            struct hf_duration remaining;
            struct hf_duration park;   /* for so long its place is kept when
                                          that is over, for who polls; 0: it
                                          is left [W2] */
            struct hf_duration waited; /* elsewhere, before [L5] */
            uint64_t seen; /* the highest fence of it that its client knows */
            struct hf_bytes note;
            struct hf_of_key key;
        } acquire;
        struct hf_want change; /* the mode says nothing: it is lowered */
        struct {
            struct hf_want lock;
            uint64_t fence;
            bool at_once; /* whether its holder was silent or not [S6] */
            struct hf_bytes audit; /* a record: who clears it, and why */
        } clear;
    };
};

/* A grant as its record has it; what is in a record of its session. */
struct hf_loaded_session {
    uint64_t id;
    struct hf_secret_hash secret;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    struct hf_bytes who;
};

struct hf_loaded_grant {
    uint64_t fence;
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    const struct hf_want *wants; /* borrowed for the call */
    size_t wants_count;
    struct hf_duration age; /* held for so long, for people */
    struct hf_bytes note;
};

enum hf_lockspace_event_kind {
    HF_SPACE_LOAD_SESSION, /* LOADING: all sessions, then [L2] */
    HF_SPACE_LOAD_GRANT,   /* all grants, in the order of their fences */
    HF_SPACE_SERVE,
    HF_SPACE_MESSAGE,
    HF_SPACE_STREAM_ENDED, /* that of an acquire [W5] */
    HF_SPACE_HANDED,       /* a GRANTED of it was handed to the kernel [W5] */
    HF_SPACE_UNREAD, /* its client closed the connection, and had not read the
                        answer that told it of its session [W5] */
    HF_SPACE_BATCH,  /* what became of a batch; an unknown one needs no
                              event: the same bytes are sent again [J4] */
    HF_SPACE_CLOCK,
    HF_SPACE_LOOK, /* somebody looks at it: ages and silences are of this
                      instant, and nothing ends */
    HF_SPACE_STOP,
};

struct hf_lockspace_event {
    enum hf_lockspace_event_kind kind;
    struct hf_instant at;
    union {
        struct hf_loaded_session session;
        struct hf_loaded_grant grant;
        struct {
            uint64_t term;
            uint64_t next_fence; /* of the head that was loaded */
            uint64_t wall_us;
            struct hf_instant hold_until; /* nothing is granted before [L6] */
            struct hf_duration batch;     /* that one takes, about [L5] */
            struct hf_duration age; /* of the service; 0: not known [L5] */
        } serve;
        struct hf_message message;
        struct {
            uint64_t stream;
            uint64_t session;
            uint64_t lane;
            uint64_t n;     /* HANDED */
            uint64_t fence; /* HANDED: of the grant that was */
            bool cut;       /* STREAM_ENDED: its connection broke, and its
                               client may come back */
        } request;          /* STREAM_ENDED, HANDED; UNREAD: its session */
        struct {
            uint64_t number;
            enum hf_verdict verdict; /* HF_APPLIED or HF_REFUSED */
        } batch;
        struct hf_instant read_until; /* CLOCK: what arrived before it was
                                         handed over; not after `at` */
    };
};

/* ---- Effects ------------------------------------------------------------- */

/* Why a request is over, for ever. */
enum hf_over {
    HF_OVER_NEVER_ASKED,
    HF_OVER_RELEASED,
    HF_OVER_HELD, /* a try */
    HF_OVER_ALREADY_HELD,
    HF_OVER_DEADLOCK,
    HF_OVER_LIMIT,
    HF_OVER_INVALID, /* no name, one name twice, or others than it asked for
                        before */
    HF_OVER_FREE,    /* what was waited for came: it is free */
    HF_OVER_CLEARED,
    HF_OVER_FORGOTTEN, /* a lane below the lowest, or an older n */
};

/* What *later* is for. */
enum hf_later {
    HF_LATER_AGAIN,     /* its place was lost */
    HF_LATER_FORGOTTEN, /* the server forgot what it granted [L6] */
    HF_LATER_LEADER,    /* places are taken again after a change [L5] */
    HF_LATER_PLACE,     /* places in its way are kept for who asks again [W2] */
};

enum hf_answer_kind {
    HF_ANSWER_OPENED,
    HF_ANSWER_ALIVE,
    HF_ANSWER_GONE,   /* there is no such session, or no more */
    HF_ANSWER_DENIED, /* not with this secret */
    HF_ANSWER_TERM,   /* of another term: nothing was changed [R4] */
    HF_ANSWER_PAGE,   /* see hf_lockspace_believes */
    HF_ANSWER_GRANTED,
    HF_ANSWER_OVER,
    HF_ANSWER_BLOCKING_TIMEOUT, /* ask again [W2] */
    HF_ANSWER_SUPERSEDED,       /* another attempt is listened to [R3] */
    HF_ANSWER_LATER, /* a grace stands in the way, or a place was lost: ask
                        again, nothing is settled */
    HF_ANSWER_BUSY,  /* the lane's former request is not over [R2] */
    HF_ANSWER_LIMIT, /* no room for a session, a lane, or what the audit is to
                        say: nothing was remembered, and nothing is settled */
    HF_ANSWER_RELEASED,
    HF_ANSWER_CHANGED,
    HF_ANSWER_ENDED,
    HF_ANSWER_CLEARED,
    HF_ANSWER_NOT_HELD,      /* a change, or a clear, of what is not there */
    HF_ANSWER_NOT_SUSPECTED, /* a clear: nothing was taken [S6] */
    HF_ANSWER_OTHER,         /* the key is another request's: nothing was
                                changed, and nobody was heard of [R3] */
    HF_ANSWER_NOT_LEADING,   /* due at once: its mark is 0 */
};

/* To be written to `stream` when a batch that reaches `mark` is applied [J2].
 * Marks only grow, so whoever keeps answers keeps them in a line; one of mark 0
 * is due at once. */
struct hf_answer {
    enum hf_answer_kind kind;
    uint64_t stream;
    uint64_t mark;
    union {
        uint64_t fence;    /* GRANTED */
        enum hf_over over; /* OVER */
        struct {
            uint64_t session; /* that has it; HF_ANSWER_OPENED: the new one */
            struct hf_duration ttl;   /* ALIVE: its own, as it was opened */
            struct hf_fence_sum held; /* ALIVE: see hf_lockspace_held */
            uint32_t revoked;         /* ALIVE: see hf_lockspace_revoked */
            bool at_once; /* ALIVE: places are taken again after it [L5] */
        } alive;
        struct {
            uint64_t position; /* at most so many are before it */
            struct hf_duration remaining;
            struct hf_duration park; /* it is kept for so long, whatever
                                        remains; 0: if anything does */
        } blocked;
        uint64_t pause_us; /* TERM: before asking again */
        struct {
            struct hf_duration grace; /* LATER: it lasts so long, or is over */
            enum hf_later cause;
        };
        struct {
            struct hf_duration silent; /* or not heard since it leads */
            struct hf_duration rest; /* of its ttl; 0: it is over, and the CLOCK
                                        that judges it is still to come */
        } suspected;                 /* NOT_SUSPECTED */
    };
};

/* ---- Calls --------------------------------------------------------------- */

/* Are they within bounds that the machine can keep? */
bool hf_lockspace_valid(const struct hf_lockspace_config *config);

/* How many bytes a block needs; the config is valid. */
size_t hf_lockspace_size(const struct hf_lockspace_config *config);

/* Make the block, aligned for any object and zeroed, a machine: LOADING. */
struct hf_lockspace *
hf_lockspace_init(void *block, const struct hf_lockspace_config *config);

/* Apply one event.  Drain hf_lockspace_next before the next call. */
void hf_lockspace_step(struct hf_lockspace *ls,
                       const struct hf_lockspace_event *event);

/* Take the oldest answer not yet taken; false when there is none left. */
bool hf_lockspace_next(struct hf_lockspace *ls, struct hf_answer *answer);

/* Is it SERVING?  Not after a load that cannot be: grants that conflict, too
 * many or too large for the limits, out of order; nor once it is OVER.  Then
 * whoever keeps answers that were not due, and the streams of those that wait,
 * tells all of them NOT_LEADING [J4]. */
bool hf_lockspace_serving(const struct hf_lockspace *ls);

/* When to send the next CLOCK, or HF_NEVER.  It may have passed: what is due is
 * done once all that arrived before it was read, and a step ends one session at
 * most. */
struct hf_instant hf_lockspace_deadline(const struct hf_lockspace *ls);

/* ---- The next batch ------------------------------------------------------ */

struct hf_budget {
    uint32_t operations; /* at least 2 */
    size_t bytes;        /* at least twice limits.record_bytes */
};

enum hf_change_kind {
    HF_CHANGE_PUT_SESSION,
    HF_CHANGE_DELETE_SESSION,
    HF_CHANGE_PUT_GRANT, /* also anew, with a mode that was lowered */
    HF_CHANGE_DELETE_GRANT,
    HF_CHANGE_PUT_AUDIT, /* of a grant that was cleared, behind its delete, if
                            it has one: never parted */
};

struct hf_change {
    enum hf_change_kind kind;
    uint64_t key;    /* a session's id, or a grant's fence */
    uint32_t number; /* of what is put: hf_look_session_at, hf_look_grant_at,
                        until the next step; hf_look_audit_at, until the next
                        change is taken */
};

struct hf_batch {
    uint64_t number;     /* from 1, without a gap */
    uint64_t through;    /* answers of marks up to this are due when applied */
    uint64_t next_fence; /* for the head */
    uint32_t operations;
    size_t bytes; /* at most: of all records put */
};

/* Are there changes that are not in any batch yet? */
bool hf_lockspace_pending(const struct hf_lockspace *ls);

/*
 * Begin the next batch [J1], take its changes one by one until there is none
 * left within the budget, then fix it: from there it is under way until its
 * BATCH event.  SERVING, and none is under way.
 */
void hf_lockspace_begin(struct hf_lockspace *ls, struct hf_budget budget);
bool hf_lockspace_take(struct hf_lockspace *ls, struct hf_change *change);
void hf_lockspace_fix(struct hf_lockspace *ls, struct hf_batch *batch);

/* ---- Looking ------------------------------------------------------------- */

/* Does that session hold a grant of that fence?  For the answer to a page. */
bool hf_lockspace_believes(struct hf_lockspace *ls, uint64_t session_id,
                           uint64_t fence);

/* The fences of a session's grants: *cursor is 0 at first; false: no more.
 * Until the next answer is taken: those of this step are there once they were
 * told. */
bool hf_lockspace_held(struct hf_lockspace *ls, uint64_t session_id,
                       uint32_t *cursor, uint64_t *fence);

/* The fences of a session that were cleared and not yet released: *cursor is 0
 * at first, then the number of each grant, for hf_look_audit_at; false: no
 * more.  Until the next step. */
bool hf_lockspace_revoked(struct hf_lockspace *ls, uint64_t session_id,
                          uint32_t *cursor, uint64_t *fence);

/* The lanes of the cycle that a request closed in this step, which is told so,
 * each waiting for the next and the last for the first: how many, and each by
 * its index.  0: none did; who is told once more is not told which. */
struct hf_cycle_lane {
    uint64_t session;
    uint64_t lane;
};
uint32_t hf_lockspace_cycle_len(const struct hf_lockspace *ls);
struct hf_cycle_lane hf_lockspace_cycle_lane(const struct hf_lockspace *ls,
                                             uint32_t index);

/* What was done, ever: for tests and metrics. */
struct hf_lockspace_counts {
    uint64_t probes; /* entries looked at in chains */
    uint64_t moves;  /* of nodes in heaps */
    uint64_t links;  /* of lists and lanes, set or followed */
    uint64_t grants;
    uint64_t searches; /* for a cycle */
    uint64_t searched; /* steps of these */
};
struct hf_lockspace_counts hf_lockspace_counts(const struct hf_lockspace *ls);

/* Is everything as it must be?  Walks all of it: for tests and the lab; aborts
 * where not. */
void hf_lockspace_check(struct hf_lockspace *ls);

#endif
