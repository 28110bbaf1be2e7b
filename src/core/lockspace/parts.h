#ifndef HF_CORE_LOCKSPACE_PARTS_H
#define HF_CORE_LOCKSPACE_PARTS_H

#include "core/lockspace.h"
#include "core/lockspace/chains.h"
#include "core/lockspace/earliest.h"
#include "core/lockspace/slots.h"
#include "core/lockspace/texts.h"

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
 *   slots, chains, texts, earliest, list    know of no lock
 *
 * Beside them room.c finds who makes room [S9], look.c reads for people, and
 * check.c for tests.
 *
 * An entry is named by its number in its pool; 0 is none.  A parameter `number`
 * is that of what the file is about.  The first four bytes of an entry are the
 * link of its chain, or of the free ones.
 */

enum hf_session_state {
    HF_SESSION_FREE, /* the slot is */
    HF_SESSION_LIVE,
    HF_SESSION_SUSPECTED, /* refuse, silent for its ttl, and holds [S5] */
    HF_SESSION_OVER,      /* only its record is still to be deleted */
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
    HF_CLAIM_REVOKED, /* cleared, and named until its release [S6] */
    HF_CLAIM_ENDED,   /* only an answer or a record is still to be dealt with */
};

/* A place in a doubly linked list. */
struct hf_links {
    uint32_t prev;
    uint32_t next;
};

struct hf_list {
    uint32_t first;
    uint32_t last;
};

/* What the next batch must do with a record. */
enum hf_pending {
    HF_PENDING_NOTHING,
    HF_PENDING_PUT,
    HF_PENDING_DELETE,
    HF_PENDING_SWEEP, /* delete, when there is nothing better to do [S3] */
};

struct hf_pending_change {
    struct hf_links links;
    uint64_t mark; /* when it was decided */
};

struct hf_ls_session {
    uint32_t chain;
    uint32_t lanes; /* the lowest, and by it all the others */
    uint64_t id;
    uint64_t lowest; /* what is below is forgotten [R2] */
    struct hf_instant heard_at;
    struct hf_duration ttl;
    struct hf_fence_sum held; /* grants */
    struct hf_pending_change change;
    struct hf_texts_ref who;
    struct hf_list waiting; /* claims that wait, in order of entry */
    struct hf_list grants;  /* claims that are HELD, once that was told */
    struct hf_list revoked;
    uint32_t lanes_count;
    uint32_t waiters_count;
    uint32_t revoked_count;
    uint8_t state;
    uint8_t if_dead;
    uint8_t pending;
    uint8_t heard; /* messages of it, two at most: no more is asked [W5] */
    bool recorded; /* in the store, or in a batch under way */
    bool unheard;  /* since it was loaded */
    bool of_key;
    bool of_acquire;       /* opened it, under this leader [S8] */
    bool asked;            /* something, with its key: these are known */
    uint64_t asked_names;  /* a hash of them, whatever their order */
    uint64_t asked_shared; /* a bit for each, in the order of their hashes */
    uint64_t address;      /* that it was opened from; 0: not known */
    struct hf_secret_hash secret;
};

/* A session of a key that was ended: it is not opened anew. */
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
    uint32_t current;    /* the claim of request n, if it has one */
    struct hf_list held; /* claims that are HELD or REVOKED, oldest first */
    uint32_t seen;       /* in the search of that number */
    uint8_t state;
    uint8_t over; /* why */
};

struct hf_ls_claim {
    uint32_t chain; /* by fence */
    uint32_t older; /* chain by lane and n: no longer the lane's last */
    uint64_t n;
    union {
        struct hf_instant wait_end; /* of what its client said remains */
        uint64_t fence;             /* once it was granted */
    };
    struct hf_instant since; /* waits, or holds */
    uint64_t stream;         /* of its newest attempt; 0: ended */
    union {
        struct hf_pending_change change; /* once it was granted */
        struct {
            uint64_t told_by;        /* untold: the mark of its answer */
            struct hf_duration park; /* as its newest attempt asks; 0: not */
        };
    };
    uint32_t lane;
    uint32_t parts;
    struct hf_links mates; /* of its lane's held; waiting of its session's */
    struct hf_links work;  /* ready, to be told, untold; or held, or revoked, of
                              its session */
    uint32_t note;         /* once cleared: what the audit is to say */
    uint16_t note_len;
    uint16_t parts_count;
    uint16_t blocked; /* of its parts, in line */
    uint8_t state;
    uint8_t pending;
    uint8_t telling; /* an enum hf_answer_kind + 1; 0: nothing */
    uint8_t over;    /* why, if that is told */
    bool listed : 1; /* in `ready`, of those that may go; an onlooker: in `kept`
                        of a name */
    bool looks_on : 1; /* wants to know that its names are free, and hold
                          nothing: it is in nobody's way */
    bool handed : 1;   /* some answer of GRANTED went to the kernel */
    bool stored : 1;   /* its record was put into a batch */
    bool is_old : 1;   /* in `older` */
    bool cleared : 1;  /* by an operator, and no batch has its audit yet */
    bool untold : 1;   /* parked, and no batch has let its answer out yet */
};

/* One name of a claim.  The first has the number of its claim, and no other
 * claim's has it: so it is found before the claim was read. */
struct hf_ls_part {
    uint32_t chain; /* shared and held: by lane and name */
    uint32_t claim;
    uint32_t name;
    uint32_t next; /* of the same claim */
    struct hf_links links;
    uint32_t turn; /* in line, of all turns that its name gave out */
    uint8_t mode;
    bool clear; /* in line: nothing of this name is in its way; an onlooker's:
                   nothing of its line is */
    bool keeps; /* an onlooker's: it is this name that keeps it waiting */
};

struct hf_ls_name {
    uint32_t chain;
    uint32_t hash;
    uint32_t text;
    uint16_t text_len;
    uint16_t space;
    struct hf_list line;      /* parts that wait, the first comes first */
    uint32_t first_exclusive; /* of these */
    uint32_t holders;         /* the first part; one that is exclusive is it */
    uint32_t holders_count;
    uint32_t waiters_count; /* in line, and gathered, and onlookers */
    uint32_t onlookers;     /* 0: there are none */
    uint32_t turns;
};

/* Is a name in the list `freed`, and where? */
enum hf_freed {
    HF_NOT_FREED,
    HF_FREED_FIRST, /* it keeps one who looks at it alone */
    HF_FREED_LAST,
};

/* Of a name: those who only wait until it is free. */
struct hf_ls_onlookers {
    uint32_t count;        /* of parts, gathered ones too */
    struct hf_list all;    /* parts, in the order in which they came */
    uint32_t first_behind; /* of these: it and all after it came later than the
                              first in line */
    struct hf_list kept;   /* claims that are behind nobody, and look at this
                              name for as long as another lane holds it */
    struct hf_links freed; /* of names whose `kept` are to be looked at */
    uint8_t freed_as;      /* an enum hf_freed */
};

struct hf_ls_space {
    uint32_t chain;
    uint32_t names_count;
    struct hf_texts_ref text;
    uint32_t waiters_count;
    uint32_t grants_count;
};

/* A lane in a search, and from which one it was reached. */
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

    struct hf_slots sessions;
    struct hf_slots ended;
    struct hf_slots lanes;
    struct hf_slots claims;
    struct hf_slots parts; /* but those that have their claim's number */
    struct hf_slots names;
    struct hf_slots onlookers;
    struct hf_slots spaces;
    struct hf_slots texts;
    struct hf_chains sessions_by_id;
    struct hf_chains ended_by_id;
    struct hf_chains lanes_by_number;
    struct hf_chains claims_by_fence;
    struct hf_chains claims_by_n; /* that are not their lane's last */
    struct hf_chains shared_by_lane;
    struct hf_chains names_by_text;
    struct hf_chains spaces_by_text;
    struct hf_earliest timers;   /* items: sessions, claims, ended ones */
    struct hf_earliest gathered; /* claims, by since when they wait [L5] */
    struct hf_slots search;      /* struct hf_ls_step, as an array */

    uint64_t term;
    uint64_t next_fence;
    uint64_t term_answers;
    uint64_t randoms;
    struct hf_instant served_at;
    struct hf_instant gather_until; /* places are taken again [L5] */
    struct hf_instant begun_at;     /* nobody waits since before it */
    struct hf_instant hold_until;
    uint32_t waiters_count;
    uint32_t kept_count;    /* grants of who was cut off [W5] */
    uint32_t opens_left;    /* until room is made for more sessions [S9] */
    uint32_t of_keys_count; /* sessions that are not over */
    uint32_t last_space; /* that was asked for: most often the next one, too */
    struct hf_list ready;
    struct hf_list freed;  /* names, by `freed` of their onlookers */
    struct hf_list untold; /* by the marks of their answers [W2, J2] */

    /* Answers of this step. */
    struct hf_answer replies[2];
    uint32_t replies_first;
    uint32_t replies_count;
    struct hf_list telling;
    uint32_t search_number;
    uint32_t cycle_first; /* its place in `search` */
    uint32_t cycle_len;

    /* The journal. */
    uint64_t marks;
    struct hf_list changes;
    struct hf_list sweeps;
    uint64_t batch_number; /* of the last that was begun */
    uint64_t batch_settled;
    uint64_t batch_through; /* of the last that was fixed */
    uint64_t through;       /* of the last that was applied */
    bool batch_open;
    struct hf_budget batch_left;
    struct hf_budget batch_given;
    uint32_t batch_audit; /* the claim whose audit was taken last */

    struct hf_lockspace_counts counts;
};

static inline struct hf_ls_session *
hf_session_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *none = hf_slots_behind(ls, ls->sessions.distance);

    return &none[number];
}

static inline struct hf_ls_ended *
hf_ended_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_ended *none = hf_slots_behind(ls, ls->ended.distance);

    return &none[number];
}

static inline struct hf_ls_lane *
hf_lane_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_lane *none = hf_slots_behind(ls, ls->lanes.distance);

    return &none[number];
}

static inline struct hf_ls_claim *
hf_claim_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *none = hf_slots_behind(ls, ls->claims.distance);

    return &none[number];
}

static inline struct hf_ls_part *
hf_part_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *none = hf_slots_behind(ls, ls->parts.distance);

    return &none[number];
}

static inline struct hf_ls_name *
hf_name_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_name *none = hf_slots_behind(ls, ls->names.distance);

    return &none[number];
}

/* Those of a name that has some. */
static inline struct hf_ls_onlookers *
hf_onlookers_at(const struct hf_lockspace *ls, uint32_t name)
{
    struct hf_ls_onlookers *none = hf_slots_behind(ls, ls->onlookers.distance);

    return &none[hf_name_at(ls, name)->onlookers];
}

static inline struct hf_ls_space *
hf_space_at(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_space *none = hf_slots_behind(ls, ls->spaces.distance);

    return &none[number];
}

static inline struct hf_texts_ref
hf_name_text(const struct hf_ls_name *name)
{
    return (struct hf_texts_ref){name->text, name->text_len};
}

/* Of two parts that wait for one name, the other of which is in line, or behind
 * who is.  Turns go round. */
static inline bool
hf_part_came_before(const struct hf_ls_part *one,
                    const struct hf_ls_part *other)
{
    return (int32_t)(one->turn - other->turn) < 0;
}

static inline struct hf_texts_ref
hf_claim_note(const struct hf_ls_claim *claim)
{
    return (struct hf_texts_ref){claim->note, claim->note_len};
}

/* Sessions and claims in one row of numbers: for timers, and for changes.
 * Behind them, for timers alone, sessions that were ended. */
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

/* The one that is ended; 0: the item is none. */
static inline uint32_t
hf_ended_of_item(const struct hf_lockspace *ls, uint32_t item)
{
    uint32_t before = hf_item_of_ended(ls, 0);

    return item > before ? item - before : 0;
}

#endif
