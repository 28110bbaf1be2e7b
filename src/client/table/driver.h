#ifndef HF_CLIENT_TABLE_DRIVER_H
#define HF_CLIENT_TABLE_DRIVER_H

#include "base/heap.h"
#include "base/list.h"
#include "client/settings.h"
#include "client/table/seen.h"
#include "core/examiner.h"

/*
 * Driver: what one handle wishes of a table of records, from the start to the
 * end: a lock, or a look at one.
 *
 * A lock's driver stands in the line of its key (queue.h), whose first has the
 * key's contender; an examine's has a machine of its own.  Plain data, owned by
 * its handle; in the manager's hands from start until it has ended.
 */

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
struct hf_asker {
    struct hf_queue *queue;
    struct hf_examine *examine; /* NULL: the contender of `queue` */
    struct hf_link link;        /* while it is queued */
    uint64_t number;            /* of the question that is queued */
    uint64_t unsent[2]; /* writes that were given up while they were queued */
    uint8_t unsent_count;
    uint8_t urgency; /* an enum hf_urgency */
    bool queued;
};

/* What may be asked of one that has ended. */
struct hf_ending {
    struct hf_instant at;
    enum hf_life life; /* as it was judged then */
    struct hf_seen seen;
    struct hf_error error; /* HF_OK: it has an outcome */
};

struct hf_driver {
    const struct hf_settings *settings; /* borrowed from the handle */
    void *owner;                        /* the handle, for who is told */
    uint64_t seed;                      /* LOCK: random */

    struct hf_queue *queue;     /* of its key; NULL before the start, and after
                                   the end */
    struct hf_driver *previous; /* in its line, or among the examines */
    struct hf_driver *next;
    struct hf_driver *next_told; /* in the manager's list of those with news */
    struct hf_heap_node alarm;   /* LOCK, without a contender: the limit of its
                                    wait; EXAMINE: the machine's deadline */
    struct hf_instant joined_at;
    struct hf_instant granted_at;
    struct hf_instant right_until; /* as last known; INT64_MIN: none */
    uint64_t fence;                /* of the grant; 0 before it */
    int64_t since_ms; /* wall clock: its claim, or its clear, was first sent */
    /* Ended: what it may be asked for, owned.  NULL: there is nothing, or was
     * no memory for it. */
    struct hf_ending *ending;

    enum hf_driver_kind kind;
    unsigned news;         /* enum hf_news, not yet taken */
    enum hf_status status; /* ended: HF_OK, or why there is no outcome */
    enum hf_outcome outcome;
    bool telling;   /* it is in the manager's list of those with news */
    bool granted;   /* it was, once */
    bool releasing; /* the caller gives back, or up */
    bool at_risk;   /* said so, and not taken back */
    bool shown;     /* the first sight of another holder was told */
    bool ended;
};

/* A look at a lock: EXAMINE. */
struct hf_examine {
    struct hf_driver driver; /* first */
    struct hf_asker asker;
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

#endif
