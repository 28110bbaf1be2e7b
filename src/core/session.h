#ifndef HF_CORE_SESSION_H
#define HF_CORE_SESSION_H

#include "core/lockspace.h"
#include "core/outcome.h"
#include "core/services.h"
#include "core/terms.h"

/*
 * Session: the client's side of the lock server's protocol.  It opens a lease,
 * keeps it alive, asks for locks until they are granted or not wanted any more,
 * and says what its user may believe, and until when.  docs/protocol.md has its
 * rules, by the names that stand here in brackets.
 *
 * The lease:
 *
 *            wanted             opened           end
 *   NONE ------------> OPENING --------> OPEN -------> ENDING -----> OVER
 *    ^                                   ^  |    end     ^  ended, gone
 *    |                 alive, and grants |  | term       |
 *    |                 compared [S4]     |  v            |
 *    +-------------------------------- MEETING ----------+
 *     gone (from OPEN, too), or idle past its right
 *
 * (Where nothing was asked yet, end goes straight to OVER.  Where a limit of
 * the server's keeps all out and nothing is held, OPEN goes by ENDING to NONE.)
 *
 * A wish, which is what the user wants of one lock, or of several at once:
 *
 *            its lane is free         granted      certain
 *   QUEUED -----------------> ASKING --------> CONFIRMING --> HELD <-> IN_DOUBT
 *     |                       |    |               |            |    (refuse) |
 *     | release, deadline     |    | release,      | the same   | release,    |
 *     |               over, or|    | deadline      |            | lost        |
 *     |           never asked |    v               v            v             |
 *     |                       |  SETTLING <-----------------------------------+
 *     |                       v    | released, gone
 *     +-------------------> SETTLED
 *
 * (A grant that was never told and is not there makes it QUEUED again, and so
 * do two services [S7]; what is gone with its session is SETTLED at once.)
 *
 * The promises: at instant t the user is told of nothing as held but what no
 * other client can be granted before t, or, in a session of HF_REFUSE, without
 * a clear; for the right is counted from the sending of the last message that
 * was answered *alive* [S1].  While its nodes are not known to be of one
 * service it asks for nothing, and takes no grant; what is held stays with the
 * service that gave it [S7]. No grant is taken after the wish's deadline, but
 * as its first answer, and no deadline ends a wish before its time [W3]. Nobody
 * walks away: what was asked is released until that is answered, or its session
 * is over [R5].
 *
 * Names, notes and who it is for are not its business: the sender adds them to
 * the message that names the wish.
 *
 * Memory: one block of hf_session_size() bytes, the caller's, zeroed before
 * init; linked by numbers, so that memcpy is a snapshot.  Not thread-safe.  No
 * I/O, no allocation, no clock.
 */

struct hf_session;

struct hf_session_limits {
    uint32_t wishes; /* with those that are only being settled */
    uint32_t nodes;  /* of the server: HF_SERVICES_NODES_MAX at most */
    uint32_t page;   /* fences in a message [S4] */
};

struct hf_session_config {
    struct hf_session_limits limits;
    struct hf_terms terms;      /* see hf_terms_valid; how often: the beat */
    struct hf_duration grace;   /* a right shorter than this is not granted */
    struct hf_duration margin;  /* see hf_margin */
    struct hf_duration silence; /* a waiting request is answered before: longer
                                   than the server's idle timeout [W2], unless
                                   the server tells of a longer one */
    uint64_t seed;              /* of the random part of pauses [R6] */
};

/* Given with the session; the server keeps its hash alone. */
struct hf_secret {
    uint8_t bytes[16];
};

/* ---- Events -------------------------------------------------------------- */

enum hf_session_event_kind {
    HF_SESSION_WANT,    /* there is room: see hf_session_room */
    HF_SESSION_RELEASE, /* give it back, or give it up */
    HF_SESSION_CHANGE,  /* one of its names: from exclusive to shared [W7] */
    HF_SESSION_LEAVE,   /* hold on to it, and say no more of it: a grant that is
                           for a person to clear */
    HF_SESSION_END,     /* give all back, and be over */
    HF_SESSION_SEEN,    /* a look showed who stands in the way of a wish */
    HF_SESSION_SERVICES, /* what its nodes say of themselves [S7]; until it is
                            told, they are of one service */
    HF_SESSION_ANSWER,
    HF_SESSION_STREAM_ENDED, /* without an answer, and none can come */
    HF_SESSION_CLOCK,
};

struct hf_session_event {
    enum hf_session_event_kind kind;
    struct hf_instant at;
    union {
        struct {
            uint64_t id;    /* of the wish: not 0, and of no other that was not
                               told to have ended */
            uint64_t label; /* wishes of one label are one lane; 0: its own.  As
                               a hash of a word it is as good as that */
            bool free;      /* only wait until it would be granted */
            bool fail_suspected; /* see struct hf_wait */
            enum hf_wait_kind wait;
            struct hf_instant deadline;  /* also a try has one */
            struct hf_duration patience; /* for its first answer [W3]: a wait
                                            lasts until that, or for so long; a
                                            try ends if nothing at all was heard
                                            for so long.  0: its deadline is
                                            all */
        } want;
        struct {
            uint64_t id;
            unsigned index;            /* CHANGE: of the name, below 64 */
            struct hf_blocker blocker; /* SEEN */
        } wish; /* RELEASE, CHANGE, LEAVE, SEEN; one that has ended is ignored
                 */
        struct {
            const uint64_t *each; /* of each node: struct hf_services_node;
                                     borrowed for the call */
            enum hf_services_verdict verdict;
        } services;
        struct {
            struct hf_answer answer; /* as the server gave it, without a mark */
            uint32_t leader;         /* NOT_LEADING: named; 0: none is known */
            uint64_t term;           /* OPENED, TERM: the leader's */
            struct hf_secret secret; /* OPENED */
            uint64_t service;        /* OPENED: the leader's; 0: not said */
            struct hf_duration blocking; /* OPENED: see silence; or 0 */
            const uint64_t *fences;      /* ALIVE: revoked; PAGE: not there */
            size_t fences_count;
            const uint64_t *held; /* ALIVE: all that are; NULL: their sum alone
                                     is told; borrowed as fences are */
            size_t held_count;
            struct hf_blocker blocker; /* OVER, HELD: who holds it */
        } answer;
        struct {
            uint64_t stream; /* STREAM_ENDED */
            bool is_cut; /* what is between us ended it: the server is there */
        } broken;
    };
};

/* ---- Effects ------------------------------------------------------------- */

enum hf_session_effect_kind {
    HF_SESSION_TELL,
    HF_SESSION_CLOSE, /* nobody waits for what may come on that stream */
    HF_SESSION_SEND,
};

/* A wish to look at: what is new of it, as of a lock (holdfast.h). */
struct hf_session_notice {
    uint64_t id;
    unsigned news; /* bits of enum hf_news */
    enum hf_state state;
    enum hf_status status;   /* ENDED: HF_OK, or why there is no outcome */
    enum hf_outcome outcome; /* ENDED, HF_OK; or LOST */
    uint64_t fence;          /* once granted */
};

struct hf_session_send {
    uint32_t node; /* from 1 */
    uint64_t id;   /* of the wish whose names and note are to be added; 0: none.
                      An OPEN needs who it is, a PAGE its fences:
                      hf_session_page */
    unsigned index;          /* CHANGE: of which name */
    struct hf_secret secret; /* in the place of its hash in the message */
    struct hf_message message;
};

struct hf_session_effect {
    enum hf_session_effect_kind kind;
    union {
        struct hf_session_notice tell;
        uint64_t stream; /* CLOSE */
        struct hf_session_send send;
    };
};

/* ---- Calls --------------------------------------------------------------- */

/* Are they within bounds that the machine can keep? */
bool hf_session_valid(const struct hf_session_config *config);

/* How many bytes a block needs; the config is valid. */
size_t hf_session_size(const struct hf_session_config *config);

/* Make the block, aligned for any object and zeroed, a machine.  Asked first is
 * node 1. */
struct hf_session *hf_session_init(void *block,
                                   const struct hf_session_config *config);

/* Apply one event.  Drain hf_session_next before the next call. */
void hf_session_step(struct hf_session *s,
                     const struct hf_session_event *event);

/* Take the next effect; false when there is none left. */
bool hf_session_next(struct hf_session *s, struct hf_session_effect *effect);

/* When to send the next CLOCK, or HF_NEVER. */
struct hf_instant hf_session_deadline(const struct hf_session *s);

/* May one more be wanted? */
bool hf_session_room(const struct hf_session *s);

/* Does its user wait for it? */
bool hf_session_waits(const struct hf_session *s, uint64_t id);

/* Is nothing of any wish at the server, nor can come there? */
bool hf_session_settled(const struct hf_session *s);

/* May that node speak for its session, as far as is known [S7]? */
bool hf_session_may_ask(const struct hf_session *s, uint32_t node);

/* Does it nothing but hold what was granted: is nothing asked for, nor on its
 * way back? */
bool hf_session_at_rest(const struct hf_session *s);

/* Has it ended? */
bool hf_session_over(const struct hf_session *s);

/* Is it held at `now`?  HF_GRANTED, HF_IN_DOUBT, HF_LOST or HF_NOT_HELD, as
 * hf_lock_check has it. */
enum hf_outcome hf_session_holds(const struct hf_session *s, uint64_t id,
                                 struct hf_instant now);

/* The end of the right, as far as it is proved; it may have passed. */
struct hf_instant hf_session_right(const struct hf_session *s);

/* The fences of the page that is to be sent: *cursor is 0 at first; false: no
 * more.  Until the next step. */
bool hf_session_page(const struct hf_session *s, uint32_t *cursor,
                     uint64_t *fence);

/* Is everything as it must be?  Walks all of it: for tests and the lab; aborts
 * where not. */
void hf_session_check(const struct hf_session *s);

#endif
