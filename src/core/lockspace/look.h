#ifndef HF_CORE_LOCKSPACE_LOOK_H
#define HF_CORE_LOCKSPACE_LOOK_H

#include "core/lockspace.h"
#include "core/pool/strings.h"

/*
 * Look: what stands in a lockspace, for people and for records, row by row.
 *
 * Nothing is copied but the row.  A cursor is 0 at first.  Those over names and
 * sessions stay good across steps: what is there all the while is seen once.
 * All else is good until the next step.  Texts are read by hf_look_text.
 */

/* Why a request waits. */
enum hf_look_why {
    HF_LOOK_HOLDS,     /* it does not wait */
    HF_LOOK_HELD,      /* a grant of this name conflicts */
    HF_LOOK_BEHIND,    /* a request before it in line conflicts */
    HF_LOOK_ELSEWHERE, /* another of its names is blocked */
    HF_LOOK_PARKED,    /* only its client, who must ask again */
    HF_LOOK_GRACE,     /* only the grace after a start */
};

/* How long it grants nothing because it has forgotten what was granted before
 * [L6], as of the last step; 0: it grants. */
struct hf_duration hf_look_withheld(const struct hf_lockspace *ls);

/* Are places taken again after a takeover, as of the last step?  Then no wait
 * is timed [L5]. */
bool hf_look_gathers(const struct hf_lockspace *ls);

struct hf_look_claim {
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t fence;    /* 0: waits */
    enum hf_mode mode; /* of a row of a name */
    bool free;         /* an onlooker: waits until the name is free */
    enum hf_look_why why;
    bool parked; /* kept for this long, once its answer is out: */
    struct hf_duration kept;
    struct hf_duration age; /* how long it waits or holds */
    struct hf_string note;
    struct hf_string who;
};

struct hf_look_session {
    uint64_t id;
    struct hf_secret_hash secret;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    bool suspected;
    bool of_acquire; /* an acquire opened it, under this leader [S8] */
    bool heard;      /* since this node leads */
    struct hf_instant heard_at;     /* last message, or the begin of this
                                   leadership */
    struct hf_duration silent;      /* since then, at the last step */
    struct hf_duration silent_from; /* as its record is to say [S10] */
    uint64_t grants;
    uint32_t waiters;
    uint32_t revoked; /* grants that were cleared and not released yet */
    uint32_t lanes;
    struct hf_string who;
};

struct hf_look_name {
    uint32_t number; /* for hf_look_holders and hf_look_line */
    struct hf_string space;
    struct hf_string name;
    uint32_t holders;
    uint32_t waiters;
    bool exclusive_waits; /* in line, also parked; onlookers do not count */
};

/* How much stands in all of it. */
struct hf_look_totals {
    uint32_t sessions;
    uint32_t locks;   /* names that are held or waited for */
    uint64_t holders; /* of each name */
    uint32_t waiters; /* requests */
};
struct hf_look_totals hf_look_totals(const struct hf_lockspace *ls);

/* Sessions: how many are open, and the maximum. */
struct hf_look_room {
    uint32_t sessions;
    uint32_t most;
    bool is_short; /* more than three quarters are open */
};
struct hf_look_room hf_look_room(const struct hf_lockspace *ls);

/* Copy what fits; return the whole length. */
size_t hf_look_text(const struct hf_lockspace *ls, struct hf_string text,
                    char *to, size_t size);

bool hf_look_sessions(const struct hf_lockspace *ls, uint32_t *cursor,
                      struct hf_look_session *row);
bool hf_look_names(const struct hf_lockspace *ls, uint32_t *cursor,
                   struct hf_look_name *row);

/* Find a lock by its name, if it is held or waited for. */
bool hf_look_find(struct hf_lockspace *ls, const struct hf_want *lock,
                  struct hf_look_name *row);

/* Walk over the holders of a name; and over its line in order, onlookers last.
 */
bool hf_look_holders(const struct hf_lockspace *ls, uint32_t name,
                     uint32_t *cursor, struct hf_look_claim *row);

/* The holder with that fence, if it holds that lock. */
bool hf_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                    uint64_t fence, struct hf_look_claim *row);

bool hf_look_line(const struct hf_lockspace *ls, uint32_t name,
                  uint32_t *cursor, struct hf_look_claim *row);

/* The session or grant that a change puts, by its number; and the grant's
 * names, last asked first. */
void hf_look_session_at(const struct hf_lockspace *ls, uint32_t number,
                        struct hf_look_session *row);
void hf_look_grant_at(const struct hf_lockspace *ls, uint32_t number,
                      struct hf_look_claim *row);
bool hf_look_grant_names(const struct hf_lockspace *ls, uint32_t number,
                         uint32_t *cursor, struct hf_look_name *row,
                         enum hf_mode *mode);
struct hf_string hf_look_audit_at(const struct hf_lockspace *ls,
                                  uint32_t number);

/* The number of a grant by its fence, and of a session by its id, for the calls
 * above.  0: there is none. */
uint32_t hf_look_fence(struct hf_lockspace *ls, uint64_t fence);
uint32_t hf_look_session(struct hf_lockspace *ls, uint64_t id);

/* The number of what a lane's request n holds. */
uint32_t hf_look_held(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
                      uint64_t n);

/* The number of what a lane waits for, also if its stream has ended.  0: it
 * does not wait, or n is neither 0 nor its request. */
uint32_t hf_look_waiting(struct hf_lockspace *ls, uint64_t session,
                         uint64_t lane, uint64_t n);

/* The request of its lane that a message means which names locks but no number.
 * An acquire: the request for just these names if it is not over, else the next
 * one.  Other messages: the last request that holds the lock, else the lane's
 * last. */
uint64_t hf_look_asked(struct hf_lockspace *ls,
                       const struct hf_message *acquire);
uint64_t hf_look_meant(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
                       const struct hf_want *lock);

#endif
