#ifndef HF_CLIENT_TABLE_DRIVER_H
#define HF_CLIENT_TABLE_DRIVER_H

#include "base/heap.h"
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
    struct hf_driver *examine; /* NULL: the contender of `queue` */
    struct hf_asker *next;     /* while it is queued */
    struct hf_asker *previous;
    enum hf_urgency urgency;
    bool queued;
    uint64_t number;    /* of the question that is queued */
    uint64_t unsent[2]; /* writes that were given up while they were queued */
    unsigned unsent_count;
};

struct hf_driver {
    enum hf_driver_kind kind;
    const struct hf_settings *settings; /* borrowed from the handle */
    void *owner;                        /* the handle, for who is told */

    struct hf_queue *queue;     /* of its key; NULL before the start, and after
                                   the end */
    struct hf_driver *previous; /* in its line, or among the examines */
    struct hf_driver *next;
    struct hf_heap_node alarm; /* LOCK, behind the first: its limit; EXAMINE:
                                  the machine's deadline */
    struct hf_instant joined_at;
    struct hf_instant limit_at;
    struct hf_instant granted_at;
    struct hf_instant ended_at;
    struct hf_contender_config config; /* LOCK */

    struct hf_examiner *examiner; /* EXAMINE: owned by its handle */
    struct hf_asker asker;        /* EXAMINE */
    bool force;                   /* EXAMINE: of a clear, for the audit */

    bool granted;     /* it was, once */
    bool releasing;   /* the caller gives back, or up */
    bool at_risk;     /* said so, and not taken back */
    bool shown;       /* the first sight of another holder was told */
    int64_t since_ms; /* wall clock: its claim, or its clear, was first sent */
    unsigned news;    /* enum hf_news, not yet taken */
    bool telling;     /* it is in the manager's list of those with news */
    struct hf_driver *next_told;

    bool ended;
    enum hf_status status; /* ended: HF_OK, or why there is no outcome */
    enum hf_outcome outcome;
    uint64_t fence;                /* of the grant; 0 before it */
    struct hf_instant right_until; /* as last known; INT64_MIN: none */
    struct hf_duration too_slow;   /* a write took so long: see contender.h */
    enum hf_life life;             /* ended: as it was judged then */
    struct hf_seen seen;           /* ended: what was seen; owned */
    struct hf_error *error;        /* ended: why, or NULL; owned */
};

#endif
