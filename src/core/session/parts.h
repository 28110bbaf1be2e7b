#ifndef HF_CORE_SESSION_PARTS_H
#define HF_CORE_SESSION_PARTS_H

#include "base/check.h"
#include "core/pool/index.h"
#include "core/pool/pool.h"
#include "core/pool/timers.h"
#include "core/session.h"
#include "core/session/nodes.h"

/*
 * What a session is made of, and who calls whom: down, and never up.
 *
 *   session.c       the machine: events, and what is said to whom
 *      |
 *   lease.c         to open, to renew, to compare, to end [S]
 *      |
 *   wishes.c        the life of one wish [R W]
 *      |    \     \
 *      |     \   blockers.c   who stands in the way, and what is said of it
 *   lanes.c  messages.c     who asks [R2]; what is out [R3]
 *      |      |   |
 *      |      | nodes.c     which node is asked [R6]
 *      |      |
 *      |    patience.c      when a wish ends by time [W3]
 *      |
 *   rows, and core/pool             know of no lock
 *
 * Beside them check.c is for tests.
 *
 * An entry is named by its number in its pool; 0 is none.  The first four bytes
 * of an entry are the link of its chain, or of the free ones.
 */

/* The session's own messages that are out at once.  An overdue one still counts
 * if it is answered. */
#define HF_ERRANDS_MAX 4

enum hf_lease_state {
    HF_LEASE_NONE,    /* no session */
    HF_LEASE_OPENING, /* OPEN was sent */
    HF_LEASE_MEETING, /* the new leader must confirm that it knows the
                         session and its grants */
    HF_LEASE_OPEN,
    HF_LEASE_ENDING, /* END was sent */
    HF_LEASE_OVER,
};

/* How much is left of the right, if anything is held. */
enum hf_lease_trust {
    HF_TRUST_CERTAIN,
    HF_TRUST_AT_RISK, /* at most a grace is left */
    HF_TRUST_OVER,
};

/* A message of the session itself: open, keep-alive, page or end. */
struct hf_errand {
    uint64_t stream; /* 0: free */
    enum hf_message_kind kind;
    uint32_t node;
    struct hf_instant sent_at;
    bool untold;  /* not yet taken as an effect */
    bool overdue; /* counted as a failure; a late answer still counts */
};

enum hf_wish_state {
    HF_WISH_FREE, /* free slot */
    HF_WISH_QUEUED,
    HF_WISH_ASKING,
    HF_WISH_CONFIRMING,
    HF_WISH_HELD,
    HF_WISH_IN_DOUBT,
    HF_WISH_SETTLING,
    HF_WISH_SETTLED, /* its user is still to be told its end */
};

/* The lists that a request may be in. */
enum hf_row_kind {
    HF_ROW_MATES, /* the queue of its lane, or all grants */
    HF_ROW_WORK,  /* those ready to send, or sent */
    HF_ROW_NEWS,
    HF_ROW_KINDS,
};

struct hf_row_links {
    uint32_t prev;
    uint32_t next;
};

struct hf_row {
    uint32_t first;
    uint32_t last;
    uint32_t count;
};

struct hf_wish {
    uint32_t chain; /* by id */
    uint32_t by_stream;
    uint32_t by_fence;
    uint32_t lane;
    uint32_t node; /* that its message was sent to */
    uint64_t id;
    uint64_t n; /* number of its request, and of the last attempt */
    uint64_t a;
    uint64_t stream; /* of the message that is out; 0: none */
    uint64_t fence;
    uint64_t granted_by;         /* newest stream when the grant came */
    uint64_t changing;           /* a bit for each name to be lowered */
    struct hf_instant deadline;  /* end of the wait; a retry does not move it
                                   [W3] */
    struct hf_duration patience; /* for the first answer; 0: it came, or is
                                    not waited for */
    struct hf_instant wanted_at; /* begin of the wait */
    struct hf_instant heard_by;  /* it ends at this time unless something was
                                   heard */
    struct hf_instant asked_at;  /* first time */
    struct hf_instant due; /* when its message is overdue, or its pause over */
    struct hf_instant alive_at; /* last time that a holder was seen alive */
    struct hf_row_links links[HF_ROW_KINDS];
    uint16_t news;
    uint8_t lowering; /* index of the name of the CHANGE that is out */
    uint8_t state;
    uint8_t wait;
    uint8_t status;
    uint8_t outcome;
    uint8_t limit_status; /* how its deadline ends it, by what was seen of
                             its blocker */
    uint8_t limit_outcome;
    bool free : 1;
    bool asked : 1;   /* an acquire of this request was sent in this session */
    bool ready : 1;   /* in the row `ready` */
    bool limited : 1; /* was answered that there is no room */
    bool again : 1;   /* will be asked anew once it is settled */
    bool ended : 1;   /* its user was told its end; settling may go on */
    bool tried : 1;   /* a try that waits for the end of a dead holder */
    bool fail_suspected : 1;
    bool suspected : 1; /* its user was told that the holder is suspected */
    bool cut : 1;       /* its last message was cut off without an answer */
};

struct hf_wish_lane {
    uint32_t chain;  /* by label */
    uint32_t asking; /* the request without its final answer; 0: none */
    uint64_t number;
    uint64_t label;
    uint64_t n;            /* number of its last request */
    struct hf_row queue;   /* requests that will ask after that one */
    uint32_t wishes_count; /* those not settled */
};

struct hf_session {
    struct hf_session_config config;
    struct hf_instant now;
    struct hf_nodes nodes;
    enum hf_services_verdict services; /* ONE: requests may be sent */
    uint64_t last_stream;
    uint64_t randoms;

    /* The lease. */
    enum hf_lease_state state;
    enum hf_lease_trust trust; /* as was told to users */
    uint64_t id;
    struct hf_secret secret;
    uint64_t term;
    struct hf_duration silence; /* the longest silence of a waiting request
                                   [W2] */
    struct hf_instant right_until;
    struct hf_instant alive_at; /* comparing: when the keep-alive was sent
                                   whose answer is being compared */
    struct hf_instant say_at;   /* no message of its own before */
    struct hf_instant ask_at;   /* no request is sent before this [R6] */
    struct hf_instant heard_at; /* last answer of any node */
    uint64_t highest;           /* highest fence ever granted to it */
    bool comparing;             /* its grants are being compared page by page */
    bool is_last;               /* no session follows it */
    bool limited;               /* the server had no room for a session */
    uint32_t page_first;        /* first grant not compared yet */
    uint32_t page_end;          /* first grant behind the page; 0: none */
    struct hf_errand errands[HF_ERRANDS_MAX];

    /* Wishes. */
    struct hf_pool wishes;
    struct hf_index by_id;
    struct hf_index by_stream;
    struct hf_index by_fence;
    struct hf_timers timers;
    struct hf_row granted; /* CONFIRMING, HELD, IN_DOUBT */
    struct hf_row ready;   /* to be sent as soon as allowed */
    struct hf_row sent;    /* whose message is out */
    struct hf_row news;
    uint32_t untold; /* first in `sent` that was not taken as an effect */
    uint32_t confirming_count;
    uint32_t unsettled_count;

    /* Lanes. */
    struct hf_pool lanes;
    struct hf_index by_label;
    struct hf_timers used; /* lanes in use, by number */
    struct hf_timers idle;
    uint64_t last_lane;
    uint64_t lowest; /* the lowest lane that the server was told [R2] */

    /* Streams whose answers are not wanted any more. */
    struct hf_pool closing; /* of uint64_t, as an array */
    uint32_t closing_count;
};

static inline struct hf_wish *
hf_wish_at(const struct hf_session *s, uint32_t number)
{
    return hf_pool_at(s, &s->wishes, number);
}

static inline struct hf_wish_lane *
hf_wish_lane_at(const struct hf_session *s, uint32_t number)
{
    return hf_pool_at(s, &s->lanes, number);
}

/* The hash of an id, a stream or a fence. */
static inline uint64_t
hf_wish_hash(uint64_t number)
{
    return hf_index_mix(number, 0);
}

static inline bool
hf_wish_is_granted(const struct hf_wish *wish)
{
    return wish->state == HF_WISH_CONFIRMING || wish->state == HF_WISH_HELD ||
           wish->state == HF_WISH_IN_DOUBT;
}

/* Does its user still wait? */
static inline bool
hf_wish_waits(const struct hf_wish *wish)
{
    return wish->state == HF_WISH_QUEUED || wish->state == HF_WISH_ASKING ||
           wish->state == HF_WISH_CONFIRMING || wish->again;
}

/* The answer on that stream is not wanted any more. */
static inline void
hf_session_close(struct hf_session *s, uint64_t stream)
{
    uint64_t *streams = hf_pool_at(s, &s->closing, 1);

    HF_CHECK(s->closing_count < s->closing.max);
    streams[s->closing_count++] = stream;
}

/* May requests be sent and grants be taken [S7]? */
static inline bool
hf_session_is_of_one(const struct hf_session *s)
{
    return s->services == HF_SERVICES_ONE;
}

/* A random number up to `most`. */
static inline int64_t
hf_session_random(struct hf_session *s, int64_t most)
{
    uint64_t random = hf_index_mix(++s->randoms, s->config.seed);

    return (int64_t)(random % ((uint64_t)most + 1));
}

/* A random pause, so that clients do not come back all at once [R6]. */
static inline struct hf_duration
hf_session_pause(struct hf_session *s)
{
    return (struct hf_duration){250 + hf_session_random(s, 500)};
}

/* A pause that the server asks for, at most as long as it may be silent. */
static inline struct hf_duration
hf_session_bounded(const struct hf_session *s, struct hf_duration pause)
{
    return pause.ms < s->config.silence.ms ? pause : s->config.silence;
}

/* No useful answer came from that node on that stream. */
static inline void
hf_session_failed(struct hf_session *s, uint32_t node, uint64_t stream)
{
    const struct hf_nodes_failure failure = {node, stream, s->last_stream};

    if (hf_nodes_failed(&s->nodes, &failure))
        s->nodes.pause_end = hf_after(s->now, hf_session_pause(s));
}

/* How long to wait for an answer that should come at once.  Three times this at
 * a dead node leave half of the right for the other nodes; a later answer still
 * counts. */
static inline struct hf_duration
hf_session_patience(const struct hf_session *s)
{
    const struct hf_terms *terms = &s->config.terms;
    int64_t useful_ms =
        terms->ttl.ms - s->config.margin.ms - s->config.grace.ms;

    return (struct hf_duration){
        useful_ms / 6 > terms->beat.ms ? useful_ms / 6 : terms->beat.ms};
}

#endif
