#ifndef HF_CLIENT_TABLE_QUEUE_H
#define HF_CLIENT_TABLE_QUEUE_H

#include "base/hash.h"
#include "client/table/driver.h"
#include "store/store.h"

/*
 * Queue: all that one client wants of one key.
 *
 *     line:      first --> second --> third ...     those who want the lock
 *                  |
 *              contender ------------------------> the store
 *                                                    ^
 *     examines:  one, another, ... (a machine each) -+
 *
 * The first of the line has the contender; when its time is over, released or
 * given up, the contender is set up anew for the next, with the evidence that
 * was gathered.  So a key costs its store the same for one waiter as for ten
 * thousand.
 *
 * The machine's incarnation is what tells an answer to the former from one to
 * the present.  Plain data and lists; nothing here decides anything.
 */
struct hf_queue {
    struct hf_hash_node node; /* in the manager's table of keys */
    char *space;              /* owned, as is name */
    char *name;

    struct hf_driver *first; /* the line */
    struct hf_driver *last;
    struct hf_driver *examines;
    struct hf_instant quick_at; /* the last of the quick asked */

    struct hf_contender contender; /* the first's, if at work */
    uint64_t incarnation;          /* of the contender */
    struct hf_asker asker;
    struct hf_heap_node alarm;   /* of the contender, the right, a rest, news */
    struct hf_instant called_at; /* the first of `calls` was sent */

    struct hf_seen seen;
    struct hf_instant looked_at; /* the contender's last good look was sent */
    struct hf_holder *observed;  /* the observer's; NULL: nobody is observed */
    struct hf_link peer;         /* in observed->queues */

    struct hf_instant shared_at;  /* since when it is handed over here; 0: no */
    struct hf_instant rest_until; /* left to other processes until then */
    struct hf_instant told_at;    /* the last change was told */

    struct hf_link watch; /* watched: in the manager's list of those */
    uint64_t stood;       /* as the last wait left it: see hf_store_watch */
    struct hf_link hold;  /* held: in the manager's list of those */
    struct hf_queue *observe_next;
    struct hf_queue *dirty_next;

    unsigned quick;      /* of the line: those who are answered by a look */
    unsigned read_index; /* in the batch being packed, if its key is there */
    unsigned calls;      /* questions of this key with the store */
    bool at_work;        /* the first of the line is, with the contender */
    bool writing;        /* a write of this key is with the store */
    bool failed;         /* the last call that came back had no answer */
    bool own;            /* what was seen is our first's own record */
    bool watched;        /* somebody waits for a change */
    bool written;        /* by us, since its name was last lent to a wait */
    bool held;           /* the first of the line holds it */
    bool news_due;       /* a change is not told yet */
    bool observe_told;   /* it is in the manager's list for the observer */
    bool dirty;          /* it is in the list of those to be put in order */
};

/* Is it answered by a look, and does not wait for one who lives, or for one who
 * is suspected? */
bool hf_queue_is_quick(const struct hf_driver *driver);

/* Put a driver last in the line. */
void hf_queue_join(struct hf_queue *queue, struct hf_driver *driver);

/* Take it out of the line, wherever it stands. */
void hf_queue_leave(struct hf_queue *queue, struct hf_driver *driver);

/* The same among the examines. */
void hf_queue_attend(struct hf_queue *queue, struct hf_driver *driver);
void hf_queue_depart(struct hf_queue *queue, struct hf_driver *driver);

/* Does nobody want anything of it, and nothing come back for it? */
bool hf_queue_is_idle(const struct hf_queue *queue);

/* Has its contender a claim of its own, made or kept? */
bool hf_queue_is_working(const struct hf_queue *queue);

/* Did its first hold it, and is that not settled yet? */
bool hf_queue_is_ours(const struct hf_queue *queue);

/* Does one of this client hold it? */
bool hf_queue_is_held(const struct hf_queue *queue);

#endif
