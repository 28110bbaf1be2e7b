#ifndef HF_CLIENT_TABLE_QUEUE_H
#define HF_CLIENT_TABLE_QUEUE_H

#include "base/hash.h"
#include "base/heap.h"
#include "base/list.h"
#include "client/settings.h"
#include "client/table/seen.h"
#include "client/table/tombstones.h"
#include "client/table/trouble.h"
#include "core/examiner.h"
#include "store/store.h"

/*
 * Queue: all that one client wants of one key, and the lists of a manager that
 * queues and drivers are in.
 *
 *     line:      first --> second --> third ...     those who want the lock
 *                  |
 *              contender ------------------------> the store
 *                                                    ^
 *     examines:  one, another, ... (a machine each) -+
 *
 * The first of the line has the contender.  When its time is over, or it is
 * released or given up, the contender is set up anew for the next, with the
 * evidence that was gathered.  So a key costs its store the same for one waiter
 * as for ten thousand.
 *
 * Each setting up is a new incarnation of the machine: that tells an answer to
 * the former from one to the present.  Plain data and lists; nothing here
 * decides anything.
 */

enum { HF_ALARM_QUEUE, HF_ALARM_DRIVER }; /* what a heap node stands in */

/* ---- Drivers ------------------------------------------------------------- */

enum hf_driver_kind { HF_DRIVER_LOCK, HF_DRIVER_EXAMINE };

/* How urgent a question is to the store; within one, the oldest first. */
enum hf_urgency {
    HF_URGENT_BEAT,    /* or the right of a holder runs out */
    HF_URGENT_RELEASE, /* others wait for it; and what settles a claim */
    HF_URGENT_CLAIM,
    HF_URGENT_READ,
    HF_URGENCIES,
};

/* A machine with a question for the store. */
struct hf_requester {
    struct hf_queue *queue;
    struct hf_examine *examine; /* NULL: the contender of `queue` */
    struct hf_link link;        /* while its question waits */
    uint64_t number;            /* of the question that waits */
    uint64_t unsent[2]; /* writes that were given up while they waited */
    uint8_t unsent_count;
    uint8_t urgency; /* an enum hf_urgency */
    bool queued;     /* its question waits for a batch */
};

/* What may be asked of a driver that has ended. */
struct hf_result {
    struct hf_instant at;
    enum hf_life life; /* as it was judged then */
    struct hf_seen seen;
    struct hf_error error; /* HF_OK: it has an outcome */
};

/*
 * Driver: what one handle wants of a table of records, from the start to the
 * end: a lock, or a look at one.  Plain data, owned by its handle; in the
 * manager's hands from start until it has ended.
 */
struct hf_driver {
    const struct hf_settings *settings; /* borrowed from the handle */
    void *owner;                        /* the handle, which gets its news */
    uint64_t seed;                      /* LOCK: random */

    struct hf_queue *queue;     /* of its key; NULL before the start, and after
                                   the end */
    struct hf_driver *previous; /* in its line, or among the examines */
    struct hf_driver *next;
    struct hf_driver *next_with_news; /* in the manager's list of those */
    struct hf_heap_node alarm; /* LOCK, without a contender: the limit of its
                                  wait; EXAMINE: the machine's deadline */
    struct hf_instant joined_at;
    struct hf_instant granted_at;
    struct hf_instant right_until; /* as last known; INT64_MIN: none */
    uint64_t fence;                /* of the grant; 0 before it */
    int64_t since_ms; /* wall clock: its claim, or its clear, was first sent */
    /* Ended: what it may be asked for, owned.  NULL: there is nothing, or was
     * no memory for it. */
    struct hf_result *result;

    enum hf_driver_kind kind;
    unsigned news;         /* enum hf_news, not yet taken */
    enum hf_status status; /* ended: HF_OK, or why there is no outcome */
    enum hf_outcome outcome;
    bool has_news;  /* it is in the manager's list of those with news */
    bool granted;   /* it was, once */
    bool releasing; /* the caller gives back, or up */
    bool at_risk;   /* said so, and not taken back */
    bool shown;     /* the first sight of another holder was told */
    bool ended;
};

/* A look at a lock: EXAMINE.  It has a machine of its own. */
struct hf_examine {
    struct hf_driver driver; /* first */
    struct hf_requester requester;
    struct hf_examiner examiner;
};

/* The examine that this driver is; to change it, and to look at it. */
static inline struct hf_examine *
hf_examine_of(struct hf_driver *driver)
{
    return (struct hf_examine *)driver;
}

static inline const struct hf_examine *
hf_examine_at(const struct hf_driver *driver)
{
    return (const struct hf_examine *)driver;
}

/* ---- A queue ------------------------------------------------------------- */

struct hf_queue {
    struct hf_hash_node node; /* in the manager's table of keys */
    char *space;              /* owned, as is name */
    char *name;

    struct hf_driver *first; /* the line */
    struct hf_driver *last;
    struct hf_driver *examines;
    struct hf_instant tried_at; /* the last of the tries began */

    struct hf_contender contender; /* the first's, if at work */
    uint64_t incarnation;          /* of the contender */
    struct hf_requester requester;
    struct hf_heap_node alarm;   /* of the contender, the right, a back-off,
                                    news */
    struct hf_instant called_at; /* the first of `calls` was sent */

    struct hf_seen seen;
    struct hf_instant looked_at; /* the contender's last good look was sent */
    struct hf_holder *observed;  /* the observer's; NULL: none */
    struct hf_link peer;         /* in observed->queues */

    struct hf_instant shared_at; /* since when it is handed over here; 0: no */
    struct hf_instant back_off_until; /* left to other processes until then */
    struct hf_instant notified_at;    /* the last change was told */

    struct hf_link watch; /* watched: in the manager's list of those */
    uint64_t stood;       /* as the last wait left it: see hf_store_watch */
    struct hf_link hold;  /* held: in the manager's list of those */
    struct hf_queue *observe_next;
    struct hf_queue *dirty_next;

    unsigned tries;      /* how many of the line are tries */
    unsigned read_index; /* in the batch being packed, if its key is there */
    unsigned calls;      /* questions of this key with the store */
    bool at_work;        /* the first of the line is, with the contender */
    bool writing;        /* a write of this key is with the store */
    bool failed;         /* the last call that came back had no answer */
    bool own;            /* what was seen is our first's own record */
    bool watched;        /* a change is waited for */
    bool changed;        /* one was seen, and no read since has shown it */
    bool written;        /* by us, since its name was last lent to a wait */
    bool held;           /* the first of the line holds it */
    bool news_due;       /* a change is not told yet */
    bool observe_queued; /* it is in the manager's list for the observer */
    bool dirty;          /* it is in the list of those to be updated */
};

/* Does one look answer it, that is, does it not wait for a holder that lives,
 * or for one that is suspected? */
bool hf_queue_is_try(const struct hf_driver *driver);

/* Put a driver last in the line. */
void hf_queue_join(struct hf_queue *queue, struct hf_driver *driver);

/* Take it out of the line, wherever it stands. */
void hf_queue_leave(struct hf_queue *queue, struct hf_driver *driver);

/* The same among the examines. */
void hf_queue_attend(struct hf_queue *queue, struct hf_driver *driver);
void hf_queue_depart(struct hf_queue *queue, struct hf_driver *driver);

/* It has no driver, and no answer is due for it. */
bool hf_queue_is_idle(const struct hf_queue *queue);

/* Has its contender a claim of its own, made or kept? */
bool hf_queue_is_working(const struct hf_queue *queue);

/* Did its first hold it, and is that not settled yet? */
bool hf_queue_is_ours(const struct hf_queue *queue);

/* Does one of this client hold it? */
bool hf_queue_is_held(const struct hf_queue *queue);

/* ---- A manager's lists of them ------------------------------------------- */

struct hf_manager_config {
    const struct hf_alloc *alloc; /* borrowed, as all below */
    const struct hf_self *self;   /* who claims */
    struct hf_duration wake; /* how soon the place tells others of a change */
    size_t operations_max;   /* of one batch, as the store says */
    size_t bytes_max;
    bool remembers;     /* its own tombstones: a read is a trip */
    bool comes_back;    /* a place that does not answer is waited for */
    hf_trace_fn *trace; /* NULL: none */
    void *trace_ctx;
};

/* What a manager knows; manager.h has what it does. */
struct hf_manager {
    struct hf_manager_config config;
    struct hf_hash keys;                    /* of struct hf_queue */
    struct hf_heap alarms;                  /* of queues and drivers */
    size_t alarms_needed;                   /* room for them */
    size_t drivers_count;                   /* started, and not ended */
    struct hf_list questions[HF_URGENCIES]; /* requesters, by `link` */
    struct hf_list watching; /* queues that wait for a change, by `watch` */
    size_t watching_count;
    uint64_t watches_added; /* so often one was added */
    struct hf_list holding; /* queues whose first holds, by `hold` */
    struct hf_queue *dirty;
    struct hf_driver *news_first; /* those with news */
    struct hf_driver *news_last;
    struct hf_queue *to_observe;
    bool names_lent;                /* by hf_manager_watches */
    struct hf_queue *dropped;       /* since, with names that are lent */
    struct hf_table_batch *batches; /* with the store */
    unsigned commits;               /* since the last reads were taken */
    bool beats_asked;
    bool released; /* a record was deleted since hf_manager_purged */
    struct hf_duration silent; /* until the first answer: for so long it was
                                  asked in vain when it was opened */
    struct hf_trouble trouble;
    struct hf_tombstones tombstones;
};

/* A queue of a new key, or NULL. */
struct hf_queue *hf_queue_make(struct hf_manager *m, const char *space,
                               const char *name);

/* The queue of a key; NULL: this client wants nothing of it. */
struct hf_queue *hf_queue_find(const struct hf_manager *m, struct hf_key key);

/* It is idle: free it, or let the observer take it first. */
void hf_queue_drop(struct hf_manager *m, struct hf_queue *queue);

/* Names are no longer lent: free the queues that were dropped meanwhile. */
void hf_queue_free_dropped(struct hf_manager *m);

/* Room for one alarm more, so that setting it cannot fail; false: no memory. */
bool hf_queue_reserve_alarm(struct hf_manager *m);

/* Something of it changed: hf_line_update will look at it. */
void hf_queue_touch(struct hf_manager *m, struct hf_queue *queue);

/* This driver has news; it has none any more. */
void hf_queue_notify(struct hf_manager *m, struct hf_driver *driver,
                     enum hf_news news);
void hf_queue_forget_news(struct hf_manager *m, struct hf_driver *driver);

/* Is it in these lists? */
void hf_queue_set_watched(struct hf_manager *m, struct hf_queue *queue,
                          bool watched);
void hf_queue_set_held(struct hf_manager *m, struct hf_queue *queue, bool held);
void hf_queue_want_observed(struct hf_manager *m, struct hf_queue *queue);

#endif
