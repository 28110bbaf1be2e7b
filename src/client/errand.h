#ifndef HF_CLIENT_ERRAND_H
#define HF_CLIENT_ERRAND_H

#include <holdfast/holdfast.h>

#include "base/process.h"
#include "core/contender.h"
#include "core/examiner.h"
#include "store/store.h"
#include "wire/record.h"

/*
 * Errand: one machine of core at work on one lock, with what its shell needs.
 *
 * Every event enters through hf_errand_pump, and there alone: step the
 * machine, perform its effects, see to the beater's alarm.  All functions want
 * the client's mutex held, unless they say otherwise; none blocks.
 */

enum hf_errand_kind { HF_ERRAND_LOCK, HF_ERRAND_EXAMINE };

/*
 * What a waiting caller has been shown of the holder.  Lives on that caller's
 * stack; an errand that nobody waits for has none.
 */
struct hf_seen {
    bool exists;
    bool corrupt;
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
    struct hf_value value; /* exists, and not corrupt */
    struct hf_instant first_at;
    struct hf_instant shown_at;        /* this version, first */
    bool here;                         /* its processes are of this host */
    uint64_t observed_token;           /* whose processes are observed */
    struct hf_observation observation; /* owned */
    enum hf_presence presence;
    unsigned changes;      /* counts what a caller may want to show */
    struct hf_error error; /* why the last look or write failed */
};

struct hf_errand {
    struct hf_client *client; /* one reference */
    enum hf_errand_kind kind; /* which machine */
    union {
        struct hf_contender contender;
        struct hf_examiner examiner;
    };
    char space[HF_SPACE_MAX + 1];
    char name[HF_NAME_MAX + 1];
    struct hf_owner owner; /* who claims or clears; the courier's, once begun */
    bool force;            /* of a clear, for the audit */

    struct hf_request request;  /* the question that is out */
    uint64_t unsent;            /* a write superseded while it was queued */
    bool queued;                /* it waits for the courier */
    bool carried;               /* the courier has a copy of it, or of one
                                     that it superseded */
    bool granted;               /* it was, once */
    bool detached;              /* nobody waits: freed when it has ended */
    int progress_fd;            /* written when a caller may want to look */
    struct hf_seen *seen;       /* borrowed from the waiting caller, or NULL */
    struct hf_errand *previous; /* in client->errands */
    struct hf_errand *next;
    struct hf_errand *queue_next; /* in client->queue */

    hf_news_fn *on_news;  /* the holder's, or NULL */
    void *news_ctx;       /* borrowed for as long as the lock lives */
    enum hf_news news[2]; /* not yet delivered: at most doubt, then loss */
    unsigned news_count;
    bool handed;  /* the caller has its lock: news may be delivered */
    bool calling; /* a callback is running */
};

/* The public handle of a lock. */
struct hf_lock {
    struct hf_errand errand;
};

/* Link it into its client, of which it then holds a reference. */
void hf_errand_add(struct hf_errand *errand);

/* Nobody waits for it any longer: it is freed once it has ended and is not on
 * its way with the courier; perhaps now. */
void hf_errand_detach(struct hf_errand *errand);

/* Free it if it is detached and has ended; returns whether. */
bool hf_errand_reap(struct hf_errand *errand);

void hf_errand_pump(struct hf_errand *errand, struct hf_event event);

/* The courier takes it off the queue: is its question still asked?  If not, the
 * machine is told that it was never sent. */
bool hf_errand_send(struct hf_errand *errand);

/* Take in what the courier read, then pump it; *error tells a failed look. */
void hf_errand_found(struct hf_errand *errand, uint64_t number,
                     const struct hf_record *record,
                     const struct hf_error *error);

/* Look at the holder's processes and pump what that proves, if anything. */
void hf_errand_observe(struct hf_errand *errand);

bool hf_errand_ended(const struct hf_errand *errand);
bool hf_errand_watching(const struct hf_errand *errand, uint64_t *version);
struct hf_instant hf_errand_deadline(const struct hf_errand *errand);

/* What is known of the holder now, for people. */
void hf_errand_diagnose(const struct hf_errand *errand,
                        struct hf_diagnosis *diagnosis);

#endif
