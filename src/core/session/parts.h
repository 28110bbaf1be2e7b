#ifndef HF_CORE_SESSION_PARTS_H
#define HF_CORE_SESSION_PARTS_H

#include "base/check.h"
#include "core/lockspace/chains.h"
#include "core/lockspace/earliest.h"
#include "core/lockspace/slots.h"
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
 *   slots, chains, earliest, rows    know of no lock
 *
 * Beside them check.c is for tests.
 *
 * An entry is named by its number in its pool; 0 is none.  The first four bytes
 * of an entry are the link of its chain, or of the free ones.
 */

/* Messages of the session's own that are out at once: those that are overdue
 * may yet be answered, and count. */
#define HF_ERRANDS_MAX 4

enum hf_lease_state {
    HF_LEASE_NONE,    /* there is no session that we would speak for */
    HF_LEASE_OPENING, /* asked for one */
    HF_LEASE_MEETING, /* this leader is to say that it knows us, and ours */
    HF_LEASE_OPEN,
    HF_LEASE_ENDING, /* it is to end, and all that it has with it */
    HF_LEASE_OVER,
};

/* How much is left of the right, for those who hold something. */
enum hf_lease_trust {
    HF_TRUST_CERTAIN,
    HF_TRUST_AT_RISK, /* a grace, or less */
    HF_TRUST_OVER,
};

/* A message of the session's own: open, keep-alive, page, end. */
struct hf_errand {
    uint64_t stream; /* 0: no message is out */
    enum hf_message_kind kind;
    uint32_t node;
    struct hf_instant sent_at;
    bool untold;  /* it is to be taken as an effect */
    bool overdue; /* counted as a failure, and its answer still counts */
};

enum hf_wish_state {
    HF_WISH_FREE, /* the slot is */
    HF_WISH_QUEUED,
    HF_WISH_ASKING,
    HF_WISH_CONFIRMING,
    HF_WISH_HELD,
    HF_WISH_IN_DOUBT,
    HF_WISH_SETTLING,
    HF_WISH_SETTLED, /* its end is only to be told */
};

/* The rows that a wish stands in. */
enum hf_row_kind {
    HF_ROW_MATES, /* of its lane's queue; or of all that is granted */
    HF_ROW_WORK,  /* of those that are ready to send, or have sent */
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
    uint32_t node; /* that its message went to */
    uint64_t id;
    uint64_t n; /* of its request, and the last attempt */
    uint64_t a;
    uint64_t stream; /* of its message that is out; 0: none */
    uint64_t fence;
    uint64_t granted_by;         /* the newest stream when its grant came */
    uint64_t changing;           /* bits of the names to be lowered */
    struct hf_instant deadline;  /* of the wait; no retry moves it [W3] */
    struct hf_duration patience; /* for its first answer; 0: it came, or none is
                                    waited for */
    struct hf_instant wanted_at; /* when its wait began */
    struct hf_instant heard_by;  /* ... it ends unless something was heard */
    struct hf_instant asked_at;  /* for the first time */
    struct hf_instant due;       /* a message is overdue, or a pause over */
    struct hf_instant alive_at;  /* a holder was last seen that lives */
    struct hf_row_links links[HF_ROW_KINDS];
    uint16_t news;
    uint8_t lowering; /* the name that a CHANGE which is out is about */
    uint8_t state;
    uint8_t wait;
    uint8_t status;
    uint8_t outcome;
    uint8_t limit_status; /* what its deadline ends it with, by what was seen of
                             its blocker */
    uint8_t limit_outcome;
    bool free : 1;
    bool asked : 1;   /* an acquire of its request was sent, in this session */
    bool ready : 1;   /* in the row of those that are ready to send */
    bool limited : 1; /* was told that there is no room */
    bool again : 1;   /* once it is settled, it is asked for anew */
    bool ended : 1;   /* for its user, though it may not be settled */
    bool tried : 1;   /* a try that waits for the end of a dead holder */
    bool fail_suspected : 1;
    bool suspected : 1; /* its blocker is, and that was told */
    bool cut : 1;       /* its last message without an answer was */
};

struct hf_wish_lane {
    uint32_t chain;  /* by label */
    uint32_t asking; /* the wish whose request is not answered for good */
    uint64_t number;
    uint64_t label;
    uint64_t n;            /* of its last request */
    struct hf_row queue;   /* that will ask after it */
    uint32_t wishes_count; /* of all that are not settled */
};

struct hf_session {
    struct hf_session_config config;
    struct hf_instant now;
    struct hf_nodes nodes;
    enum hf_services_verdict services; /* ONE: something may be asked for */
    uint64_t last_stream;
    uint64_t randoms;

    /* The lease. */
    enum hf_lease_state state;
    enum hf_lease_trust trust; /* as was told */
    uint64_t id;
    struct hf_secret secret;
    uint64_t term;
    struct hf_duration silence; /* a waiting request is answered before [W2] */
    struct hf_instant right_until;
    struct hf_instant alive_at; /* comparing: when the keep-alive was sent whose
                                   answer is compared */
    struct hf_instant say_at;   /* nothing of its own before */
    struct hf_instant ask_at;   /* no request before [R6] */
    struct hf_instant heard_at; /* when a node answered last, whatever */
    uint64_t highest;           /* fence that was ever granted to it */
    bool comparing;      /* what is believed in is being told, in pages */
    bool is_last;        /* no session follows it */
    bool limited;        /* there was no room for a session */
    uint32_t page_first; /* the first granted wish not yet compared */
    uint32_t page_end;   /* the first that is not in the page; 0: all are */
    struct hf_errand errands[HF_ERRANDS_MAX];

    /* Wishes. */
    struct hf_slots wishes;
    struct hf_chains by_id;
    struct hf_chains by_stream;
    struct hf_chains by_fence;
    struct hf_earliest timers;
    struct hf_row granted; /* CONFIRMING, HELD, IN_DOUBT */
    struct hf_row ready;   /* to send, as soon as it may be */
    struct hf_row sent;    /* with a stream */
    struct hf_row news;
    uint32_t untold; /* the first in `sent` that was not taken as an effect */
    uint32_t confirming_count;
    uint32_t unsettled_count;

    /* Lanes. */
    struct hf_slots lanes;
    struct hf_chains by_label;
    struct hf_earliest used; /* by their numbers */
    struct hf_earliest idle;
    uint64_t last_lane;
    uint64_t lowest; /* that was told [R2] */

    /* Streams to be closed. */
    struct hf_slots closing; /* of uint64_t, as an array */
    uint32_t closing_count;
};

static inline struct hf_wish *
hf_wish_at(const struct hf_session *s, uint32_t number)
{
    return hf_slots_at(s, &s->wishes, number);
}

static inline struct hf_wish_lane *
hf_wish_lane_at(const struct hf_session *s, uint32_t number)
{
    return hf_slots_at(s, &s->lanes, number);
}

/* Wishes are found by ids, streams and fences. */
static inline uint64_t
hf_wish_hash(uint64_t number)
{
    return hf_chains_mix(number, 0);
}

static inline bool
hf_wish_is_granted(const struct hf_wish *wish)
{
    return wish->state == HF_WISH_CONFIRMING || wish->state == HF_WISH_HELD ||
           wish->state == HF_WISH_IN_DOUBT;
}

/* Does its user wait for it? */
static inline bool
hf_wish_waits(const struct hf_wish *wish)
{
    return wish->state == HF_WISH_QUEUED || wish->state == HF_WISH_ASKING ||
           wish->state == HF_WISH_CONFIRMING || wish->again;
}

/* Nobody waits any more for what may come on it. */
static inline void
hf_session_close(struct hf_session *s, uint64_t stream)
{
    uint64_t *streams = hf_slots_at(s, &s->closing, 1);

    HF_CHECK(s->closing_count < s->closing.max);
    streams[s->closing_count++] = stream;
}

/* May anything be asked for, or a grant be taken [S7]? */
static inline bool
hf_session_is_of_one(const struct hf_session *s)
{
    return s->services == HF_SERVICES_ONE;
}

/* Something random up to `most`. */
static inline int64_t
hf_session_random(struct hf_session *s, int64_t most)
{
    uint64_t random = hf_chains_mix(++s->randoms, s->config.seed);

    return (int64_t)(random % ((uint64_t)most + 1));
}

/* A random one, so that not all come back at once [R6]. */
static inline struct hf_duration
hf_session_pause(struct hf_session *s)
{
    return (struct hf_duration){250 + hf_session_random(s, 500)};
}

/* A pause that a server asks for, up to what it may be silent for at all. */
static inline struct hf_duration
hf_session_bounded(const struct hf_session *s, struct hf_duration pause)
{
    return pause.ms < s->config.silence.ms ? pause : s->config.silence;
}

/* No answer of use came on that stream, from that node. */
static inline void
hf_session_failed(struct hf_session *s, uint32_t node, uint64_t stream)
{
    const struct hf_nodes_failure failure = {node, stream, s->last_stream};

    if (hf_nodes_failed(&s->nodes, &failure))
        s->nodes.pause_end = hf_after(s->now, hf_session_pause(s));
}

/* How long a message is waited for that nothing holds up.  So short that three
 * of them to a dead node leave half of the right for the others; and an answer
 * that comes later still counts. */
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
