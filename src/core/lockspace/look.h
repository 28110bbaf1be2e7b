#ifndef HF_CORE_LOCKSPACE_LOOK_H
#define HF_CORE_LOCKSPACE_LOOK_H

#include "core/lockspace.h"
#include "core/lockspace/texts.h"

/*
 * Look: what stands in a lockspace, for people and for records, row by row.
 *
 * Nothing is copied but the row.  A cursor is 0 at first.  Those over names and
 * sessions stay good across steps: what is there all the while is seen once.
 * All else is good until the next step.  Texts are read by hf_look_text.
 */

/* Why a request waits. */
enum hf_look_why {
    HF_LOOK_HOLDS,     /* it does not */
    HF_LOOK_HELD,      /* a grant of this name is in its way */
    HF_LOOK_BEHIND,    /* one that came before it is */
    HF_LOOK_ELSEWHERE, /* another of its names is */
    HF_LOOK_PARKED,    /* nothing but its client, which has to ask again */
    HF_LOOK_GRACE,     /* nothing but the grace after a start */
};

/* For how long it grants nothing to anybody, for it has forgotten what was
 * granted before it [L6], as of the last step; 0: it grants. */
struct hf_duration hf_look_withheld(const struct hf_lockspace *ls);

/* Are places taken again, as of the last step?  Then none is timed [L5]. */
bool hf_look_gathers(const struct hf_lockspace *ls);

struct hf_look_claim {
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t fence;    /* 0: it waits */
    enum hf_mode mode; /* of a row of a name */
    bool free;         /* only waits until it is free */
    enum hf_look_why why;
    bool parked; /* and is kept for so long, once told: */
    struct hf_duration kept;
    struct hf_duration age; /* since it began to wait, or to hold */
    struct hf_texts_ref note;
    struct hf_texts_ref who;
};

struct hf_look_session {
    uint64_t id;
    struct hf_secret_hash secret;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    bool suspected;
    bool of_acquire;            /* opened it, under this leader [S8] */
    bool heard;                 /* since this node leads */
    struct hf_instant heard_at; /* or since when it leads */
    struct hf_duration silent;  /* since then, at the last step */
    uint64_t grants;
    uint32_t waiters;
    uint32_t revoked; /* that were cleared, and not released yet */
    uint32_t lanes;
    struct hf_texts_ref who;
};

struct hf_look_name {
    uint32_t number; /* for hf_look_holders and hf_look_line */
    struct hf_texts_ref space;
    struct hf_texts_ref name;
    uint32_t holders;
    uint32_t waiters;
    bool exclusive_waits; /* in line, be it parked; no onlooker counts */
};

/* How much stands in all of it. */
struct hf_look_totals {
    uint32_t sessions;
    uint32_t locks;   /* names that somebody holds or waits for */
    uint64_t holders; /* of each name each */
    uint32_t waiters; /* requests */
};
struct hf_look_totals hf_look_totals(const struct hf_lockspace *ls);

/* Of sessions: how many are open, and may be. */
struct hf_look_room {
    uint32_t sessions;
    uint32_t most;
    bool is_short; /* more than three quarters of these */
};
struct hf_look_room hf_look_room(const struct hf_lockspace *ls);

/* Copy what fits and return the whole length. */
size_t hf_look_text(const struct hf_lockspace *ls, struct hf_texts_ref text,
                    char *to, size_t size);

bool hf_look_sessions(const struct hf_lockspace *ls, uint32_t *cursor,
                      struct hf_look_session *row);
bool hf_look_names(const struct hf_lockspace *ls, uint32_t *cursor,
                   struct hf_look_name *row);

/* The name of a lock, if anybody holds it or waits for it. */
bool hf_look_find(struct hf_lockspace *ls, const struct hf_want *lock,
                  struct hf_look_name *row);

/* Who holds a name; and who is in line for it, the first comes first, and after
 * them those who only wait until it is free. */
bool hf_look_holders(const struct hf_lockspace *ls, uint32_t name,
                     uint32_t *cursor, struct hf_look_claim *row);

/* The one of that fence, if it holds that lock. */
bool hf_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                    uint64_t fence, struct hf_look_claim *row);

bool hf_look_line(const struct hf_lockspace *ls, uint32_t name,
                  uint32_t *cursor, struct hf_look_claim *row);

/* What a change puts, by its number; and its names, one by one, from the last
 * that was asked for to the first. */
void hf_look_session_at(const struct hf_lockspace *ls, uint32_t number,
                        struct hf_look_session *row);
void hf_look_grant_at(const struct hf_lockspace *ls, uint32_t number,
                      struct hf_look_claim *row);
bool hf_look_grant_names(const struct hf_lockspace *ls, uint32_t number,
                         uint32_t *cursor, struct hf_look_name *row,
                         enum hf_mode *mode);
struct hf_texts_ref hf_look_audit_at(const struct hf_lockspace *ls,
                                     uint32_t number);

/* Of a grant, by its fence, and of its session, by its id: its number, for the
 * above.  0: there is none. */
uint32_t hf_look_fence(struct hf_lockspace *ls, uint64_t fence);
uint32_t hf_look_session(struct hf_lockspace *ls, uint64_t id);

/* Of what a lane's request n holds: its number likewise. */
uint32_t hf_look_held(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
                      uint64_t n);

/* Of what a lane waits for, be it listened to or not: its number likewise.  0:
 * it waits for nothing, or for another request than n, unless that is 0. */
uint32_t hf_look_waiting(struct hf_lockspace *ls, uint64_t session,
                         uint64_t lane, uint64_t n);

/* Which request of its lane a message means that names locks, and no number.
 * An acquire: the one that asked for just these and is not over, else the next.
 * Any other: the last that holds the lock, else the lane's last. */
uint64_t hf_look_asked(struct hf_lockspace *ls,
                       const struct hf_message *acquire);
uint64_t hf_look_meant(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
                       const struct hf_want *lock);

#endif
