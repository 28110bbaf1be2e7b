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
    uint32_t wishes; /* lock requests, with those that only wait to be
                        settled */
    uint32_t nodes;  /* of the server, at most HF_SERVICES_NODES_MAX */
    uint32_t page;   /* fences in a message [S4] */
};

struct hf_session_config {
    struct hf_session_limits limits;
    struct hf_terms terms;     /* see hf_terms_valid; a keep-alive is sent each
                              beat */
    struct hf_duration grace;  /* a right shorter than this is not granted */
    struct hf_duration margin; /* see hf_margin */
    /* The longest silence of a waiting request: above the server's idle timeout
     * [W2]; a server that tells a longer one is believed. */
    struct hf_duration silence;
    uint64_t seed; /* for the random part of pauses [R6] */
};

/* Made by the client for its session; the server keeps only the hash. */
struct hf_secret {
    uint8_t bytes[16];
};

/* ---- Events -------------------------------------------------------------- */

enum hf_session_event_kind {
    HF_SESSION_WANT,     /* begin a request: hf_session_room must be true */
    HF_SESSION_RELEASE,  /* give the lock back, or stop waiting */
    HF_SESSION_CHANGE,   /* lower one of its names from exclusive to shared
                          [W7] */
    HF_SESSION_LEAVE,    /* keep the grant on the server without renewing it: an
                         operator will clear it */
    HF_SESSION_END,      /* give everything back, and end the session */
    HF_SESSION_SEEN,     /* a look showed who blocks a request */
    HF_SESSION_SERVICES, /* what the nodes say of their service [S7]; before
                            the first, they are taken as one service */
    HF_SESSION_ANSWER,
    HF_SESSION_STREAM_ENDED, /* no answer came, and none can come */
    HF_SESSION_CLOCK,
};

struct hf_session_event {
    enum hf_session_event_kind kind;
    struct hf_instant at;
    union {
        struct {
            uint64_t id;    /* not 0, and not that of a request whose end was
                            not told yet */
            uint64_t label; /* requests with one label share a lane; 0: a
                               lane of its own.  A hash of a word will do */
            bool free;      /* only wait until the names are free */
            bool fail_suspected; /* see struct hf_wait */
            enum hf_wait_kind wait;
            struct hf_instant deadline; /* a try has one too */
            /* How long to wait for the first answer [W3]: a wait lasts at least
             * until then or until that answer; a try that hears nothing for so
             * long ends.  0: only the deadline counts. */
            struct hf_duration patience;
        } want;
        struct {
            uint64_t id;
            unsigned index;            /* CHANGE: index of the name, below 64 */
            struct hf_blocker blocker; /* SEEN */
        } wish; /* RELEASE, CHANGE, LEAVE, SEEN; ignored if that request has
                   ended */
        struct {
            const uint64_t *each; /* one struct hf_services_node for each
                                     node; borrowed for the call */
            enum hf_services_verdict verdict;
        } services;
        struct {
            struct hf_answer answer; /* as the server gave it, without its
                                        mark */
            uint32_t leader; /* NOT_LEADING: the node that leads; 0: unknown */
            uint64_t term;   /* OPENED, TERM: the leader's */
            struct hf_secret secret; /* OPENED */
            uint64_t service; /* OPENED: the leader's service; 0: not told */
            struct hf_duration blocking; /* OPENED: the server's idle
                                            timeout, see silence; or 0 */
            const uint64_t *fences; /* ALIVE: cleared ones; PAGE: those that
                                       do not exist */
            size_t fences_count;
            const uint64_t *held; /* ALIVE: all its grants; NULL: only their
                                     sum is known; borrowed like fences */
            size_t held_count;
            struct hf_blocker blocker; /* OVER, HELD: the holder */
        } answer;
        struct {
            uint64_t stream; /* STREAM_ENDED */
            bool is_cut;     /* a proxy or firewall ended the stream: the server
                            itself is there */
        } broken;
    };
};

/* ---- Effects ------------------------------------------------------------- */

enum hf_session_effect_kind {
    HF_SESSION_TELL,
    HF_SESSION_CLOSE, /* the answer on that stream is not wanted any more */
    HF_SESSION_SEND,
};

/* News of a request, as of a lock in holdfast.h. */
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
    /* Add the names and the note of this request; 0: none.  An OPEN needs the
     * client's identity, a PAGE the fences of hf_session_page. */
    uint64_t id;
    unsigned index;          /* CHANGE: index of the name */
    struct hf_secret secret; /* sent instead of its hash */
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

/* Are all limits and durations within what the machine supports? */
bool hf_session_valid(const struct hf_session_config *config);

/* How many bytes a block needs; the config is valid. */
size_t hf_session_size(const struct hf_session_config *config);

/* Make a machine of a zeroed, aligned block.  Node 1 is asked first. */
struct hf_session *hf_session_init(void *block,
                                   const struct hf_session_config *config);

/* Apply one event.  Drain hf_session_next before the next call. */
void hf_session_step(struct hf_session *s,
                     const struct hf_session_event *event);

/* Take the next effect; false when there is none left. */
bool hf_session_next(struct hf_session *s, struct hf_session_effect *effect);

/* When to send the next CLOCK, or HF_NEVER. */
struct hf_instant hf_session_deadline(const struct hf_session *s);

/* Is there room for one more request? */
bool hf_session_room(const struct hf_session *s);

/* Does the request still wait? */
bool hf_session_waits(const struct hf_session *s, uint64_t id);

/* Is nothing of any request left at the server, and can nothing come there
 * late? */
bool hf_session_settled(const struct hf_session *s);

/* May that node answer for the session, as far as is known [S7]? */
bool hf_session_may_ask(const struct hf_session *s, uint32_t node);

/* Is nothing asked for, and nothing being given back?  Then it only renews. */
bool hf_session_at_rest(const struct hf_session *s);

/* Has it ended? */
bool hf_session_over(const struct hf_session *s);

/* Is the lock held at `now`?  HF_GRANTED, HF_IN_DOUBT, HF_LOST or HF_NOT_HELD,
 * as by hf_lock_check. */
enum hf_outcome hf_session_holds(const struct hf_session *s, uint64_t id,
                                 struct hf_instant now);

/* The proved end of the right; it may have passed. */
struct hf_instant hf_session_right(const struct hf_session *s);

/* The fences of the page to be sent: *cursor is 0 at first; false: no more.
 * Until the next step. */
bool hf_session_page(const struct hf_session *s, uint32_t *cursor,
                     uint64_t *fence);

#endif
