#ifndef LAB_WORLD_WORLD_H
#define LAB_WORLD_WORLD_H

#include "core/contender.h"
#include "core/examiner.h"
#include "explore/explore.h"

/*
 * World: one lock, one linearizable store, and a few workers that want it,
 * each running the very contender and keeper of src/core.
 *
 * A step of the world is one of: a worker begins, releases or gives up; the
 * store executes the question a worker has out; an answer arrives; a write
 * that was given up applies after all; time passes, one coarse tick; a worker
 * is told the time; its shell sees the holder's process, or hints, or hands an
 * answer over again; tombstones are purged; a holder sends a write to the
 * resource that the lock is for, and it arrives; a person comes to clear what
 * is dead.  step.h does them.  A fault is one of: an answer *unknown*, having
 * applied, not applied, or applying later; *unavailable*; a read that fails; a
 * message that takes its time; a worker cut off from the store; a crash; a lock
 * abandoned; a freeze; an operator's clear; a record that is not ours.
 *
 * Time is urgent: it does not pass while a worker that is not frozen has
 * something due, nor while a message is under way.  A message that takes its
 * time is a fault (or, in a lazy world, none, as long as it is not given up as
 * overdue).
 *
 * Plain structs: copying is `=`.  What is the same for all that can follow is
 * packed into the same bytes (pack.h), which makes the space finite: versions
 * become ranks, ids are renamed, and instants are ticks from now.
 */

enum {
    WORLD_WORKERS_MAX = 4,
    WORLD_LATE_MAX = 6, /* writes that may yet apply at this version */
    WORLD_TICK_MS = 250,
    WORLD_WHO_MAX = 32, /* whom an action can be about */
};

/* The instant at which every worker's own clock stands, in any state. */
#define WORLD_NOW ((struct hf_instant){1000000})

struct world_terms {
    enum hf_if_dead if_dead;
    int ttl;   /* ticks */
    int beat;  /* ticks; 0: one */
    int grace; /* ticks */
    int limit; /* of the wait, in ticks; 0: none */
    bool try_only;
    bool fails; /* at once, when a refuse holder is suspected */
    int gains;  /* ticks that its clock gains on the others' in every ttl; below
                   0: that it loses */
};

/* What the lock is there for: see resource.h. */
enum world_resource_kind { RESOURCE_NONE, RESOURCE_FENCED, RESOURCE_UNFENCED };

struct world_config {
    const char *name;
    const char *about; /* one line */
    unsigned workers;
    struct world_terms terms[WORLD_WORKERS_MAX];
    bool lazy;      /* any message may take up to a tick, without a fault */
    bool same_host; /* a holder's process can be seen, and its end */
    bool hints;     /* at any moment a hint, or its last answer once more */
    bool suspects;  /* who is suspected is looked at, as with same_host */
    bool gives_up;  /* a worker may cancel what is not granted */
    bool hands_on;  /* one who waits ends, and another of its client goes on by
                       what it saw */
    bool returns;   /* who begins may know a tombstone, and claims there without
                       a look */
    bool purges;    /* tombstones may be purged */
    enum world_resource_kind resource; /* that holders write to */
    bool examines;   /* a person clears what is found dead: see person.h */
    bool operator;   /* a fault: a person clears the record by force */
    bool cuts;       /* a fault: a worker is cut off, until it is healed */
    bool freezes;    /* a fault: a worker is frozen, and wakes later */
    bool abandons;   /* a fault: a worker abandons what it has */
    bool foreigners; /* a fault: somebody puts a record there by hand */
    bool forgets;    /* a fault: the place goes back: see forget.h */
    int trusts;  /* ticks: the error that is promised of the store's clock, by
                   which stamps are trusted: see stamp.h; 0: they are not */
    int errs;    /* by so much it is set forward after a write, at the most */
    int latency; /* ticks that every call takes, without a fault */
    bool symmetric;     /* workers of the same terms are alike */
    bool limit_shown;   /* look for what is *not* promised: two believe */
    bool judge_stuck;   /* every fair run without faults must reach a grant */
    const char *expect; /* the property that must be violated; NULL: none */
};

/* A write on the lock, as far as the world looks at it. */
struct world_write {
    enum hf_op_kind kind;
    bool claims;      /* begins a new generation */
    bool looked;      /* a person's clear, who found the holder dead */
    bool ended;       /* its process has ended since */
    uint64_t version; /* that it expects */
    uint64_t id;
    uint64_t over;   /* the marker that rides along, or 0 */
    unsigned worker; /* who sent it; WORLD_WORKERS_MAX: nobody who lives */
    unsigned terms;  /* whose terms it carries: an index */
};

/*
 * A question on its way, or its answer on the way back.  A worker has one call
 * under way, as it was sent: what its contender asks meanwhile waits behind it,
 * and what is superseded before it was sent is never sent.
 */
struct world_mail {
    bool out;
    bool served; /* the answer is what is under way */
    bool slow;   /* time may pass before it arrives */
    bool reads;
    bool of_dead;     /* it showed a refuse lock whose process is gone */
    bool of_believer; /* or one whose holder was sure of it */
    bool went_back;   /* the place is another, as the answer says */
    unsigned age;     /* ticks since it was sent; as many as matter */
    uint64_t number;  /* of the question */
    struct world_write write; /* what it writes, if it does not read */
    enum hf_verdict verdict;
    uint64_t version;
    struct hf_sight sight; /* of a read */
};

struct world_worker {
    bool alive; /* a process is there, with a contender that was begun */
    bool frozen;
    bool cut; /* off from the store: nothing reaches it, nothing comes back */
    bool in_section; /* told granted, and neither lost nor released since */
    bool cleared;    /* its record was, by a person, who answers for it, or
                        went with the place */
    bool unaware;    /* the place is another than the one it has open */
    bool doubts;     /* told in doubt, and not certain since */
    unsigned phase;  /* of a clock that gains */
    struct hf_contender contender;
    struct world_mail mail;
};

/* The lock's key as it was before the last write. */
struct world_before {
    bool exists;
    uint64_t version;
    uint64_t token;
    uint64_t id;
    unsigned terms;
    uint64_t marker;
};

/* Somebody who clears, without force. */
struct world_person {
    bool there;
    struct hf_examiner examiner;
    struct world_mail mail;
};

/* A worker's write on the resource, as far as it is under way. */
struct world_write_out {
    bool out;
    uint64_t fence;
    unsigned grant; /* the number of the grant it was sent under; or 0 */
    unsigned holds; /* that of the worker's present grant; or 0 */
};

struct world_resource {
    uint64_t fence;  /* highest taken */
    unsigned grant;  /* latest of which a write was taken */
    unsigned grants; /* so far */
    struct world_write_out writes[WORLD_WORKERS_MAX];
};

struct world {
    const struct world_config *config;
    bool exists;
    bool foreign;     /* the record is not ours */
    uint64_t version; /* of the record, or to expect */
    uint64_t given;   /* the highest version that ever was */
    uint64_t token;
    uint64_t id;
    unsigned terms;   /* whose: an index into config->terms */
    uint64_t marker;  /* token that the marker which is there names; or 0 */
    unsigned age;     /* of the record, in ticks that the store's clock has
                         shown since its stamp; as many as matter */
    unsigned set;     /* of these, those by which it was set forward */
    uint64_t taken;   /* the token that was last taken over */
    uint64_t highest; /* fence granted so far */
    uint64_t ended;   /* a bit for each token whose process is known to have
                         ended */
    struct world_write late[WORLD_LATE_MAX]; /* given up: each applies later, or
                                                never */
    unsigned late_count;
    struct world_before before; /* where the place may go back to */
    bool forgot;                /* it has gone back */
    unsigned since;             /* ticks since then; as many as matter */
    struct world_resource resource;
    const char *violated; /* by the last step */
    /* Last: see world_copy. */
    struct world_worker workers[WORLD_WORKERS_MAX];
    struct world_mail heard[WORLD_WORKERS_MAX]; /* each one's last answer, in a
                                                   world with hints */
    struct world_person person;
};

/* What a step was, packed into the explorer's action: see step_apply. */
enum world_act {
    ACT_BEGIN,
    ACT_RETURN,         /* it begins by the tombstone that it has left */
    ACT_RETURN_IN_VAIN, /* which is there no more */
    ACT_RELEASE,
    ACT_CANCEL,
    ACT_HAND_ON,
    ACT_SERVE,
    ACT_DELIVER,
    ACT_CLOCK,
    ACT_GONE,         /* it sees that the holder's process is gone */
    ACT_RUNNING,      /* that it is there */
    ACT_OLD_EVIDENCE, /* something about another version */
    ACT_HINT,
    ACT_AGAIN, /* an answer that was had before */
    ACT_TICK,
    ACT_LATE,
    ACT_PURGE,
    ACT_SET_FORWARD, /* the store's clock, by a tick */
    ACT_WAKE,
    ACT_HEAL,
    ACT_SEND,   /* a write to the resource */
    ACT_ARRIVE, /* there */
    ACT_PERSON_COMES,
    ACT_PERSON_SERVE,
    ACT_PERSON_HEARS,
    ACT_PERSON_CLOCK,
    ACT_PERSON_GONE,
    ACT_PERSON_HINT,
    /* faults */
    ACT_UNKNOWN_APPLIED,
    ACT_UNKNOWN_DROPPED,
    ACT_UNKNOWN_LATER,
    ACT_UNAVAILABLE,
    ACT_READ_FAILS,
    ACT_SLOW,
    ACT_CUT,
    ACT_CRASH,
    ACT_ABANDON,
    ACT_FREEZE,
    ACT_CLEAR,
    ACT_FOREIGN,
    ACT_REMOVED,
    ACT_REPLACED,
    ACT_OVERWRITTEN,
    ACT_PERSON_ANSWER_LOST,
    ACT_PERSON_DROPPED,
    ACT_PERSON_LATER,
    ACT_PERSON_UNAVAILABLE,
    ACT_PERSON_SLOW,
    ACT_COUNT,
};

struct world_action {
    enum world_act act;
    unsigned who; /* worker, or index of the late write */
};

static inline uint16_t
world_action_number(struct world_action action)
{
    return (uint16_t)(action.act * WORLD_WHO_MAX + action.who);
}

static inline struct world_action
world_action_of(uint16_t number)
{
    return (struct world_action){(enum world_act)(number / WORLD_WHO_MAX),
                                 number % WORLD_WHO_MAX};
}

/* As `=`, without the workers that there are not: they are most of it; nor what
 * they have heard, nor a person, where there is none. */
void world_copy(struct world *to, const struct world *from);

void world_start(struct world *world, const struct world_config *config);

static inline struct hf_duration
world_ticks(int count)
{
    return (struct hf_duration){(int64_t)count * WORLD_TICK_MS};
}

/* A clock has gone on by so many ticks: what it knows of is longer ago. */
void world_age(struct hf_instant *instant, int count);

/* The terms of a worker's locks. */
struct hf_terms world_terms_of(const struct world_config *config,
                               unsigned worker);

/* Is a call under way to whose answer its contender no longer looks forward,
 * and which will tell it something all the same? */
bool worker_is_owed(const struct world_worker *w);

/* Has it something to do by its clock now? */
bool worker_is_due(const struct world_worker *w);

/* Would it give its question up if it were told the time? */
bool worker_is_overdue(const struct world_worker *w);

/* Does the worker believe that it holds the lock, by its own clock? */
bool world_believes(const struct world *world, unsigned worker);

/* The process has ended whose generation began with that token: as far as it
 * can be seen. */
void world_end_token(struct world *world, uint64_t token);

/* Has the process ended whose generation began with that token? */
bool world_has_ended(const struct world *world, uint64_t token);

/* Does the record stand for a claim of this worker's present process? */
bool world_owns(const struct world *world, unsigned worker);

/* The worker whose live process the record stands for; WORLD_WORKERS_MAX:
 * nobody's. */
unsigned world_owner(const struct world *world);

/* Is it a worker who acts, rather than time, the store or a person? */
bool world_is_workers(enum world_act act);

#endif
