#ifndef HF_CORE_LOCKSPACE_PARTS_H
#define HF_CORE_LOCKSPACE_PARTS_H

#include "core/lockspace.h"
#include "core/pool/index.h"
#include "core/pool/pool.h"
#include "core/pool/strings.h"
#include "core/pool/timers.h"

/*
 * What a lockspace is made of, and who calls whom: down, and never up.
 *
 *   lockspace.c             the machine: events, time, sessions [S R4 L2]
 *      |        \
 *   requests.c  load.c       a message for a lane [R W L5 L6]; a new leader
 *      |   \     |
 *      |   keys.c|           what a key stands for [R3]
 *      |     \   |
 *      |   claims.c          the life of one request
 *      |      |   \
 *   cycle.c   |    \         who waits for whom [W6]
 *             |     \
 *   line.c  journal.c        who may go [W1]; what must be written [J]
 *      |      |
 *   onlookers.c              who only waits until it is free [R1]
 *             |
 *   names.c  owners.c        spaces and names; sessions and lanes
 *             |
 *   list, and core/pool                     know of no lock
 *
 * Beside them idle.c finds sessions that make room [S9], and look.c reads for
 * people.
 *
 * An entry is named by its number in its pool; 0 is none.  A parameter `number`
 * is that of what the file is about.  The first four bytes of an entry are the
 * link of its chain, or of the free ones.
 */

enum hf_session_state {
    HF_SESSION_FREE, /* free slot */
    HF_SESSION_LIVE,
    HF_SESSION_SUSPECTED, /* refuse, silent for its ttl, holds something [S5] */
    HF_SESSION_OVER,      /* waits only for its record to be deleted */
};

enum hf_lane_state {
    HF_LANE_OVER,
    HF_LANE_WAITING,
    HF_LANE_PARKED,
    HF_LANE_GRANTED,
    HF_LANE_LEFT,
};

enum hf_claim_state {
    HF_CLAIM_FREE,
    HF_CLAIM_ASKED,   /* has no place in line yet */
    HF_CLAIM_WAITING, /* in line; its lane is WAITING or PARKED */
    HF_CLAIM_HELD,
    HF_CLAIM_REVOKED, /* cleared; its session is told until its release [S6] */
    HF_CLAIM_ENDED, /* waits only for an answer or a record to be dealt with */
};

/* A place in a doubly linked list. */
struct hf_links {
    uint32_t prev;
    uint32_t next;
};

struct hf_ls_list {
    uint32_t first;
    uint32_t last;
};

/* What the next batch must do with a record. */
enum hf_ls_pending {
    HF_PENDING_NOTHING,
    HF_PENDING_PUT,
    HF_PENDING_DELETE,
    HF_PENDING_SWEEP,   /* delete when there is nothing better to do [S3] */
    HF_PENDING_SILENCE, /* a session: put the begin of its silence [S10] */
};

struct hf_pending_change {
    struct hf_links links;
    uint64_t mark; /* the mark when it was decided */
};

struct hf_ls_session {
    uint32_t chain;
    uint32_t lanes; /* root of the heap of its lanes: the lowest number */
    uint64_t id;
    uint64_t lowest; /* lanes below are forgotten [R2] */
    struct hf_instant heard_at;
    struct hf_duration ttl;
    struct hf_fence_sum held; /* sum of the fences of its grants */
    struct hf_pending_change change;
    struct hf_string who;
    struct hf_ls_list waiting; /* its waiting claims, in order of arrival */
    struct hf_ls_list grants;  /* its HELD claims whose answer was sent */
    struct hf_ls_list revoked;
    uint32_t lanes_count;
    uint32_t waiters_count;
    uint32_t revoked_count;
    uint8_t state;
    uint8_t if_dead;
    uint8_t pending;
    uint8_t heard;    /* messages from it so far, counted up to two: enough to
                      know [W5] */
    bool recorded;    /* has a record in the store or in the batch under way */
    bool unheard;     /* no message since it was loaded */
    bool says_silent; /* its record may have the begin of a silence [S10] */
    bool of_key;
    bool of_acquire; /* an acquire opened it, under this leader [S8] */
    bool asked; /* has asked for something with its key: the next two are set */
    uint64_t asked_names;  /* hash of the names asked for, independent of
                             order */
    uint64_t asked_shared; /* a bit for each shared name, in the order of
                              their hashes */
    uint64_t address;      /* the address that opened it; 0: unknown */
    struct hf_secret_hash secret;
};

/* A session with a key that has ended: it is not opened again. */
struct hf_ls_ended {
    uint32_t chain;
    uint64_t id;
};

struct hf_ls_lane {
    uint32_t chain;
    uint32_t left; /* lanes with higher numbers, as a skew heap */
    uint32_t right;
    uint32_t session;
    uint64_t number;
    uint64_t n;
    uint64_t a;
    uint32_t current;       /* claim of request n; 0: none */
    struct hf_ls_list held; /* claims that are HELD or REVOKED, oldest first */
    uint32_t seen;          /* number of the last search that visited it */
    uint8_t state;
    uint8_t over; /* why it is over */
};

struct hf_ls_claim {
    uint32_t chain; /* by fence */
    uint32_t older; /* chain by lane and n, of claims that are not the lane's
                       last */
    uint64_t n;
    union {
        struct hf_instant wait_end; /* waiting: the end of what its client
                                       said remains */
        uint64_t fence;             /* granted: its fence */
    };
    struct hf_instant since; /* begin of the wait or of the hold */
    uint64_t stream; /* of its newest attempt; 0: the stream has ended */
    union {
        struct hf_pending_change change; /* granted: its change of the record */
        struct {
            uint64_t told_by; /* undelivered: mark of the timeout's answer */
            struct hf_duration park; /* park duration that its newest attempt
                                        asked for; 0: none */
        };
    };
    uint32_t lane;
    uint32_t parts;
    struct hf_links mates; /* among the held claims of its lane, or the
                              waiting ones of its session */
    struct hf_links work;  /* in one list: ready, to be answered, undelivered;
                             or held or revoked of its session */
    uint32_t note;         /* cleared: text of the audit record */
    uint16_t note_len;
    uint16_t parts_count;
    uint16_t blocked; /* how many of its parts are blocked in line */
    uint8_t state;
    uint8_t pending;
    uint8_t telling;   /* answer to be sent: an enum hf_answer_kind + 1; 0:
                        none */
    uint8_t over;      /* if that answer is OVER: why */
    bool listed : 1;   /* is in `ready`; an onlooker: in `kept` of one of its
                        names */
    bool looks_on : 1; /* an onlooker: waits until its names are free, holds
                          and blocks nothing */
    bool handed : 1;   /* an answer GRANTED was handed to the kernel */
    bool stored : 1;   /* its record was put into a batch */
    bool is_old : 1;   /* reachable by `older` */
    bool cleared : 1;  /* cleared by an operator, and its audit is in no batch
                         yet */
    bool untold : 1;   /* parked, and no batch has released that answer yet */
};

/* One name of a claim.  The first part has the number of its claim, so it is
 * found without reading the claim. */
struct hf_ls_part {
    uint32_t chain; /* of shared holders: by lane and name */
    uint32_t claim;
    uint32_t name;
    uint32_t next; /* next part of the same claim */
    struct hf_links links;
    uint32_t turn; /* place in line: a counter of the name */
    uint8_t mode;
    bool clear; /* in line: no conflict of this name blocks it; an onlooker:
                   nothing of the line does */
    bool keeps; /* an onlooker: is kept by this name */
};

struct hf_ls_name {
    uint32_t chain;
    uint32_t hash;
    uint32_t text;
    uint16_t text_len;
    uint16_t space;
    struct hf_ls_list line;   /* waiting parts in order */
    uint32_t first_exclusive; /* first exclusive part in `line` */
    uint32_t holders; /* first part that holds it; an exclusive holder is the
                         only one */
    uint32_t holders_count;
    uint32_t waiters_count; /* all waiting parts: in line, not placed yet,
                               and onlookers */
    uint32_t onlookers;     /* entry in the onlookers' pool; 0: none */
    uint32_t turns;
};

/* Is a name in the list `freed`, and at which end? */
enum hf_freed {
    HF_NOT_FREED,
    HF_FREED_FIRST, /* keeps an onlooker that waits for this name alone */
    HF_FREED_LAST,
};

/* The onlookers of one name. */
struct hf_ls_onlookers {
    uint32_t count;         /* their parts, with those not placed yet */
    struct hf_ls_list all;  /* their parts in order of arrival */
    uint32_t first_behind;  /* in `all`: the first that came later than the
                              head of the line */
    struct hf_ls_list kept; /* claims that nothing in line blocks, kept while
                            another lane holds this name */
    struct hf_links freed;  /* link of the list of names whose `kept` must be
                              looked at */
    uint8_t freed_as;       /* an enum hf_freed */
};

struct hf_ls_space {
    uint32_t chain;
    uint32_t names_count;
    struct hf_string text;
    uint32_t waiters_count;
    uint32_t grants_count;
};

/* A step of a search: the lane, and the step it was reached from. */
struct hf_ls_step {
    uint32_t lane;
    uint32_t from;
};

enum hf_lockspace_state {
    HF_LOCKSPACE_LOADING,
    HF_LOCKSPACE_SERVING,
    HF_LOCKSPACE_OVER,
};

struct hf_lockspace {
    struct hf_lockspace_config config;
    enum hf_lockspace_state state;
    struct hf_instant now;
    bool load_failed;

    struct hf_pool sessions;
    struct hf_pool ended;
    struct hf_pool lanes;
    struct hf_pool claims;
    struct hf_pool parts; /* without the parts that share a claim's number */
    struct hf_pool names;
    struct hf_pool onlookers;
    struct hf_pool spaces;
    struct hf_pool texts;
    struct hf_index sessions_by_id;
    struct hf_index ended_by_id;
    struct hf_index lanes_by_number;
    struct hf_index claims_by_fence;
    struct hf_index claims_by_n; /* claims that are not their lane's last */
    struct hf_index shared_by_lane;
    struct hf_index names_by_text;
    struct hf_index spaces_by_text;
    struct hf_timers timers;   /* items: sessions, claims, ended sessions */
    struct hf_timers gathered; /* claims not placed yet, by the begin of
                                    their wait [L5] */
    struct hf_pool search;     /* struct hf_ls_step, as an array */

    uint64_t term;
    uint64_t next_fence;
    uint64_t term_answers;
    uint64_t randoms;
    struct hf_instant served_at;
    struct hf_instant gather_until; /* until then places are taken again
                                       after a takeover [L5] */
    struct hf_instant begun_at;     /* no wait is older than the service */
    struct hf_instant hold_until;
    uint32_t waiters_count;
    uint32_t kept_count;    /* grants kept for clients that were cut off [W5] */
    uint32_t opens_left;    /* sessions that may be opened before the next look
                            for idle ones [S9] */
    uint32_t of_keys_count; /* sessions that are not over and have a key */
    uint32_t last_space;    /* last space asked for: a cache of one */
    struct hf_ls_list ready;
    struct hf_ls_list freed;  /* names, linked by `freed` of their onlookers */
    struct hf_ls_list untold; /* parked claims by the mark of their answer [W2,
                              J2] */

    /* Answers of the present step. */
    struct hf_answer replies[2];
    uint32_t replies_first;
    uint32_t replies_count;
    struct hf_ls_list telling;
    uint32_t search_number;
    uint32_t cycle_first; /* its first entry in `search` */
    uint32_t cycle_len;

    /* The journal: what the next batches carry. */
    uint64_t marks;
    struct hf_ls_list changes;
    struct hf_ls_list sweeps;
    struct hf_ls_list silences;     /* sessions, silent since the load [S10] */
    struct hf_duration silent_from; /* what their records are to say */
    uint32_t silences_left;         /* of the batch */
    uint64_t batch_number;          /* number of the batch begun last */
    uint64_t batch_settled;
    uint64_t batch_through; /* last mark in the batch fixed last */
    uint64_t through;       /* last mark that was applied */
    bool batch_open;
    struct hf_budget batch_left;
    struct hf_budget batch_given;
    uint32_t batch_audit; /* the claim whose audit was taken last */

    struct hf_lockspace_counts counts;
};

static inline struct hf_ls_session *
hf_session_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *none = hf_pool_behind(ls, ls->sessions.distance);

    return &none[number];
}

static inline struct hf_ls_ended *
hf_ended_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_ended *none = hf_pool_behind(ls, ls->ended.distance);

    return &none[number];
}

static inline struct hf_ls_lane *
hf_lane_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_lane *none = hf_pool_behind(ls, ls->lanes.distance);

    return &none[number];
}

static inline struct hf_ls_claim *
hf_claim_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *none = hf_pool_behind(ls, ls->claims.distance);

    return &none[number];
}

static inline struct hf_ls_part *
hf_part_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *none = hf_pool_behind(ls, ls->parts.distance);

    return &none[number];
}

static inline struct hf_ls_name *
hf_name_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_name *none = hf_pool_behind(ls, ls->names.distance);

    return &none[number];
}

/* The onlookers of a name that has some. */
static inline struct hf_ls_onlookers *
hf_onlookers_at(const struct hf_lockspace *ls, uint32_t name)
{
    struct hf_ls_onlookers *none = hf_pool_behind(ls, ls->onlookers.distance);

    return &none[hf_name_at(ls, name)->onlookers];
}

static inline struct hf_ls_space *
hf_space_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_space *none = hf_pool_behind(ls, ls->spaces.distance);

    return &none[number];
}

static inline struct hf_string
hf_name_text(const struct hf_ls_name *name)
{
    return (struct hf_string){name->text, name->text_len};
}

/* Did the first part come before the other?  Both wait for one name.  The
 * counter wraps. */
static inline bool
hf_part_came_before(const struct hf_ls_part *one,
                    const struct hf_ls_part *other)
{
    return (int32_t)(one->turn - other->turn) < 0;
}

static inline struct hf_string
hf_claim_note(const struct hf_ls_claim *claim)
{
    return (struct hf_string){claim->note, claim->note_len};
}

/* Sessions and claims share one range of item numbers, for timers and for
 * changes.  Ended sessions follow, for timers alone. */
static inline uint32_t
hf_item_of_claim(const struct hf_lockspace *ls, uint32_t claim)
{
    return ls->config.limits.sessions + claim;
}

static inline bool
hf_item_is_claim(const struct hf_lockspace *ls, uint32_t item)
{
    return item > ls->config.limits.sessions;
}

static inline uint32_t
hf_claim_of_item(const struct hf_lockspace *ls, uint32_t item)
{
    return item - ls->config.limits.sessions;
}

static inline uint32_t
hf_item_of_ended(const struct hf_lockspace *ls, uint32_t ended)
{
    return ls->config.limits.sessions + ls->config.limits.claims + ended;
}

/* The ended session of an item; 0: it is another kind of item. */
static inline uint32_t
hf_ended_of_item(const struct hf_lockspace *ls, uint32_t item)
{
    uint32_t before = hf_item_of_ended(ls, 0);

    return item > before ? item - before : 0;
}

#endif
