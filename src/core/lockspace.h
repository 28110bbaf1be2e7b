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

/* Maxima.  A request above one is answered LIMIT or OVER; nothing is lost. */
struct hf_lockspace_limits {
    uint32_t sessions;
    uint32_t keys;    /* sessions with a key, and ended ones that are remembered
                      [R3]; may be 0 */
    uint32_t lanes;   /* in all */
    uint32_t claims;  /* requests and grants, with grants whose records are
                        still to be deleted */
    uint32_t waiters; /* requests that wait; a part of `claims` */
    uint32_t names;   /* names that are held or waited for */
    uint32_t spaces;  /* at most UINT16_MAX */
    uint32_t parts;   /* names of all claims; each claim has one reserved */
    uint32_t texts; /* pieces of HF_STRINGS_PIECE bytes, for names and notes */
    uint32_t session_lanes;
    uint32_t session_waiters;
    uint32_t session_grants; /* of one session, waiting requests included: so
                                a grant never fails by this */
    uint32_t space_waiters;  /* waiting names of one space */
    uint32_t space_grants;   /* held and waiting names of one space */
    uint32_t request_names;
    uint32_t search;       /* steps of one search for a cycle */
    uint32_t record_bytes; /* largest record of a grant or a session */
};

struct hf_lockspace_config {
    struct hf_lockspace_limits limits;
    struct hf_duration blocking; /* the idle timeout less its margin [W2] */
    /* How long a parked place is kept once its answer is out; a request may ask
     * for more [W2]. */
    struct hf_duration resume_grace;
    struct hf_duration takeover_grace; /* less than `blocking`; 0: none [L5] */
    struct hf_duration ttl_max; /* the longest ttl that a session may ask for */
    uint64_t seed;              /* for the random part of timeouts and pauses */
    uint64_t hash_seed; /* secret and random: a client that knew it could
                           choose numbers of one long chain */
};

/* ---- Events -------------------------------------------------------------- */

/* The hash of a secret; the server never has the secret. */
struct hf_secret_hash {
    uint8_t bytes[32];
};

/* A name, and how it is wanted. */
struct hf_want {
    struct hf_bytes space;
    struct hf_bytes name;
    enum hf_mode mode;
};

/* An acquire with an idempotency key: the key's session may exist already.  A
 * member that is not given keeps its value [R3]. */
struct hf_of_key {
    bool given; /* the acquire has a key */
    bool ttl_given;
    bool if_dead_given;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    uint64_t any_mode; /* a bit for each want without a mode, from the lowest */
};

enum hf_wait_kind {
    HF_WAIT_TRY,     /* do not wait: answer at once [W4] */
    HF_WAIT_LIMITED, /* as long as `remaining` */
    HF_WAIT_FOREVER,
};

enum hf_message_kind {
    HF_MESSAGE_OPEN,
    HF_MESSAGE_KEEP_ALIVE,
    HF_MESSAGE_PAGE, /* the client's fences, one page at a time: after an
                        ALIVE with another sum [S4] */
    HF_MESSAGE_ACQUIRE,
    HF_MESSAGE_RELEASE,
    HF_MESSAGE_CHANGE, /* from exclusive to shared [W7] */
    HF_MESSAGE_END,
    HF_MESSAGE_CLEAR, /* by an operator: no session, no term [S6] */
};

/* A message, and the stream that gets its answer. */
struct hf_message {
    enum hf_message_kind kind;
    uint64_t stream; /* not 0, never used again */
    uint64_t session;
    uint64_t term;
    struct hf_secret_hash secret;
    uint64_t lowest; /* lanes below are forgotten [R2] */
    uint64_t lane;
    uint64_t n;
    uint64_t a;
    union {
        struct {
            struct hf_duration ttl;
            enum hf_if_dead if_dead;
            struct hf_bytes who;
            bool of_key;      /* has an idempotency key: its request may come
                            again, late */
            uint64_t address; /* the client's address as a number; 0: unknown
                                 [S9] */
            bool of_acquire;  /* an acquire opens it: it ends with its last
                                release [S8] */
        } open;               /* with the session's id and secret */
        struct {
            const struct hf_want *wants; /* borrowed for the call */
            size_t wants_count;
            bool free; /* wait until the names are free; hold nothing and
                          block nobody [R1] */
            enum hf_wait_kind wait;
            struct hf_duration remaining;
            /* For a client that polls: how long its place is kept after the
             * timeout; 0: not [W2]. */
            struct hf_duration park;
            struct hf_duration waited; /* waited before, at another leader
                                          [L5] */
            uint64_t seen; /* the highest fence that its client has seen */
            struct hf_bytes note;
            struct hf_of_key key;
        } acquire;
        struct hf_want change; /* the mode is ignored: it becomes shared */
        struct {
            struct hf_want lock;
            uint64_t fence;
            bool at_once;          /* also if its holder is not silent [S6] */
            struct hf_bytes audit; /* the audit record: who clears, and why */
        } clear;
    };
};

/* A session, and a grant, as the store has them. */
struct hf_loaded_session {
    uint64_t id;
    struct hf_secret_hash secret;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    struct hf_bytes who;
    /* Silent since the service had served for so long; 0: heard in the term
     * that wrote the record [S10]. */
    struct hf_duration silent_from;
    struct hf_duration silent; /* counted up to the load; not in the record */
};

struct hf_loaded_grant {
    uint64_t fence;
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    const struct hf_want *wants; /* borrowed for the call */
    size_t wants_count;
    struct hf_duration age; /* how long it is held; shown to people */
    struct hf_bytes note;
};

enum hf_lockspace_event_kind {
    HF_SPACE_LOAD_SESSION, /* LOADING: all sessions, then all grants [L2] */
    HF_SPACE_LOAD_GRANT,   /* in the order of their fences */
    HF_SPACE_SERVE,
    HF_SPACE_MESSAGE,
    HF_SPACE_STREAM_ENDED, /* the stream of an acquire ended [W5] */
    HF_SPACE_HANDED,       /* an answer GRANTED was handed to the kernel [W5] */
    HF_SPACE_UNREAD, /* the client closed its connection without reading the
                        answer that named its session [W5] */
    HF_SPACE_BATCH,  /* the verdict on a batch; an unknown one needs no event,
                       since the same bytes are sent again [J4] */
    HF_SPACE_CLOCK,
    HF_SPACE_LOOK, /* only sets the time of ages and silences for a view;
                      nothing ends */
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
            uint64_t next_fence; /* from the loaded head */
            uint64_t wall_us;
            struct hf_instant hold_until; /* nothing is granted before [L6] */
            struct hf_duration batch;  /* about how long a batch takes [L5] */
            struct hf_duration age;    /* the age of the service; 0: unknown
                                       [L5] */
            struct hf_duration served; /* how long the service has served
                                          [S10] */
        } serve;
        struct hf_message message;
        struct {
            uint64_t stream;
            uint64_t session;
            uint64_t lane;
            uint64_t n;     /* HANDED */
            uint64_t fence; /* HANDED: the grant's fence */
            bool cut; /* STREAM_ENDED: the connection broke, and the client
                         may come back */
        } request;    /* STREAM_ENDED, HANDED; UNREAD: of its session */
        struct {
            uint64_t number;
            enum hf_verdict verdict; /* HF_APPLIED or HF_REFUSED */
        } batch;
        struct hf_instant read_until; /* CLOCK: what arrived before this was
                                         handed over; not after `at` */
    };
};

/* ---- Effects ------------------------------------------------------------- */

/* Why a request is over for good. */
enum hf_over {
    HF_OVER_NEVER_ASKED,
    HF_OVER_RELEASED,
    HF_OVER_HELD, /* a try, and the lock is held */
    HF_OVER_ALREADY_HELD,
    HF_OVER_DEADLOCK,
    HF_OVER_LIMIT,
    HF_OVER_INVALID, /* no name, a name twice, or other names than before */
    HF_OVER_FREE,    /* an onlooker: the names are free */
    HF_OVER_CLEARED,
    HF_OVER_FORGOTTEN, /* a lane below the lowest, or a request before the
                          lane's last */
};

/* Why an answer is LATER. */
enum hf_later {
    HF_LATER_AGAIN,     /* its place was lost */
    HF_LATER_FORGOTTEN, /* the server has forgotten its grants [L6] */
    HF_LATER_LEADER,    /* places are taken again after a takeover [L5] */
    HF_LATER_PLACE,     /* parked places that block it are kept [W2] */
};

enum hf_answer_kind {
    HF_ANSWER_OPENED,
    HF_ANSWER_ALIVE,
    HF_ANSWER_GONE,   /* the session does not exist, or not any more */
    HF_ANSWER_DENIED, /* wrong secret */
    HF_ANSWER_TERM,   /* wrong term: nothing was changed [R4] */
    HF_ANSWER_PAGE,   /* the client asks hf_lockspace_believes for each fence */
    HF_ANSWER_GRANTED,
    HF_ANSWER_OVER,
    HF_ANSWER_BLOCKING_TIMEOUT, /* ask again: the place is kept [W2] */
    HF_ANSWER_SUPERSEDED,       /* another attempt gets the answer [R3] */
    HF_ANSWER_LATER, /* a grace stands in the way, or the place was lost: ask
                        again; nothing is decided */
    HF_ANSWER_BUSY,  /* the lane's former request is not over [R2] */
    HF_ANSWER_LIMIT, /* no room for a session, a lane or an audit: nothing
                        was kept, and nothing is decided */
    HF_ANSWER_RELEASED,
    HF_ANSWER_CHANGED,
    HF_ANSWER_ENDED,
    HF_ANSWER_CLEARED,
    HF_ANSWER_NOT_HELD, /* a change or a clear of a grant that is not there */
    HF_ANSWER_NOT_SUSPECTED, /* a clear without `at_once`: the holder is not
                                silent, nothing was taken [S6] */
    HF_ANSWER_OTHER,         /* the key belongs to another request: nothing was
                        changed, and no session was kept alive [R3] */
    HF_ANSWER_NOT_LEADING,   /* mark 0: may be sent at once */
};

/* An answer to be written to `stream` once a batch that reaches `mark` is
 * applied [J2]: so an answer never precedes its record.  Marks only grow:
 * waiting answers are a queue.  Mark 0: at once. */
struct hf_answer {
    enum hf_answer_kind kind;
    uint64_t stream;
    uint64_t mark;
    union {
        uint64_t fence;    /* GRANTED */
        enum hf_over over; /* OVER */
        struct {
            uint64_t session;         /* its holder; OPENED: the new session */
            struct hf_duration ttl;   /* ALIVE: the session's ttl */
            struct hf_fence_sum held; /* ALIVE: see hf_lockspace_held */
            uint32_t revoked;         /* ALIVE: see hf_lockspace_revoked */
            bool at_once; /* ALIVE: places are taken again, come back at once
                             [L5] */
        } alive;
        struct {
            uint64_t position; /* at most this many are before it */
            struct hf_duration remaining;
            struct hf_duration park; /* how long the place is kept; 0: as
                                        long as the wait lasts */
        } blocked;
        uint64_t pause_us; /* TERM: the pause before the client asks again */
        struct {
            struct hf_duration grace; /* LATER: how long the grace lasts; 0:
                                         it is over */
            enum hf_later cause;
        };
        struct {
            struct hf_duration silent; /* since its last message, or since
                                          this node leads */
            /* What is left of its ttl; 0: it is over, and the next CLOCK will
             * judge it. */
            struct hf_duration rest;
        } suspected; /* NOT_SUSPECTED */
    };
};

/* ---- Calls --------------------------------------------------------------- */

/* Are all limits and durations within what the machine supports? */
bool hf_lockspace_valid(const struct hf_lockspace_config *config);

/* How many bytes a block needs; the config is valid. */
size_t hf_lockspace_size(const struct hf_lockspace_config *config);

/* Make a machine of a zeroed, aligned block: LOADING. */
struct hf_lockspace *
hf_lockspace_init(void *block, const struct hf_lockspace_config *config);

/* Apply one event.  Drain hf_lockspace_next before the next call. */
void hf_lockspace_step(struct hf_lockspace *ls,
                       const struct hf_lockspace_event *event);

/* Take the oldest answer not yet taken; false when there is none left. */
bool hf_lockspace_next(struct hf_lockspace *ls, struct hf_answer *answer);

/* Is it SERVING?  Not after a load that failed (grants that conflict, exceed
 * the limits or are out of order), and not when it is OVER.  Then the shell
 * answers NOT_LEADING to all streams, instead of all answers that were not
 * released [J4]. */
bool hf_lockspace_serving(const struct hf_lockspace *ls);

/* When to send the next CLOCK, or HF_NEVER.  It may be in the past: time is
 * judged once all that arrived before was read.  A step ends one silent session
 * at most. */
struct hf_instant hf_lockspace_deadline(const struct hf_lockspace *ls);

/* ---- The next batch ------------------------------------------------------ */

struct hf_budget {
    uint32_t operations; /* at least 2 */
    size_t bytes;        /* at least twice limits.record_bytes */
};

enum hf_change_kind {
    HF_CHANGE_PUT_SESSION,
    HF_CHANGE_DELETE_SESSION,
    HF_CHANGE_PUT_GRANT, /* also again, after its mode was lowered */
    HF_CHANGE_DELETE_GRANT,
    HF_CHANGE_PUT_AUDIT, /* after the delete of the cleared grant, in the
                            same batch */
};

struct hf_change {
    enum hf_change_kind kind;
    uint64_t key; /* a session's id, or a grant's fence */
    /* For hf_look_session_at and hf_look_grant_at until the next step, and for
     * hf_look_audit_at until the next change is taken. */
    uint32_t number;
};

struct hf_batch {
    uint64_t number;     /* from 1, without a gap */
    uint64_t through;    /* once applied, answers with marks up to this may be
                         sent */
    uint64_t next_fence; /* for the head */
    uint32_t operations;
    size_t bytes; /* upper bound of all records put */
};

/* Are there changes in no batch yet? */
bool hf_lockspace_pending(const struct hf_lockspace *ls);

/* Begin the next batch [J1], take its changes until there are none or the
 * budget is used, and fix it.  From then on it is under way until its BATCH
 * event.  Only while SERVING, and with no batch under way. */
void hf_lockspace_begin(struct hf_lockspace *ls, struct hf_budget budget);
bool hf_lockspace_take(struct hf_lockspace *ls, struct hf_change *change);
void hf_lockspace_fix(struct hf_lockspace *ls, struct hf_batch *batch);

/* ---- Looking ------------------------------------------------------------- */

/* Does that session hold a grant with that fence?  For the answer to a page. */
bool hf_lockspace_believes(struct hf_lockspace *ls, uint64_t session_id,
                           uint64_t fence);

/* The fences of a session's grants: *cursor is 0 at first; false: no more.
 * Valid until the next answer is taken: a grant of this step counts once its
 * answer was taken. */
bool hf_lockspace_held(struct hf_lockspace *ls, uint64_t session_id,
                       uint32_t *cursor, uint64_t *fence);

/* The fences of a session's cleared grants that it has not released: *cursor is
 * 0 at first, then the grant's number for hf_look_audit_at; false: no more.
 * Until the next step. */
bool hf_lockspace_revoked(struct hf_lockspace *ls, uint64_t session_id,
                          uint32_t *cursor, uint64_t *fence);

/* The cycle that a request closed in this step: the number of its lanes, each
 * waiting for the next and the last for the first, and one lane by its index.
 * 0: no cycle, or a repeated message. */
struct hf_cycle_lane {
    uint64_t session;
    uint64_t lane;
};
uint32_t hf_lockspace_cycle_len(const struct hf_lockspace *ls);
struct hf_cycle_lane hf_lockspace_cycle_lane(const struct hf_lockspace *ls,
                                             uint32_t index);

/* Counters since the start, for tests and metrics. */
struct hf_lockspace_counts {
    uint64_t probes; /* entries visited in chains */
    uint64_t moves;  /* of nodes in heaps */
    uint64_t links;  /* links of lists and heaps, set or followed */
    uint64_t grants;
    uint64_t searches; /* searches for a cycle */
    uint64_t searched; /* steps of all searches */
};
struct hf_lockspace_counts hf_lockspace_counts(const struct hf_lockspace *ls);

#endif
