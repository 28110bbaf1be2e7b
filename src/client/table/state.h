#ifndef HF_CLIENT_TABLE_STATE_H
#define HF_CLIENT_TABLE_STATE_H

#include "client/client.h"
#include "client/query_page.h"
#include "client/table/manager.h"
#include "client/table/observer.h"

/* A thread that makes the store's calls: a worker, or a caller that waits. */
struct hf_worker {
    struct hf_table *table;
    struct hf_arena arena; /* of one turn */
    uint64_t turns_known;  /* of table->turns */
    unsigned naps;         /* in a row without another of those */
};

/* A table, for the files that it is made of; see table.h. */
struct hf_table {
    struct hf_backend backend;
    struct hf_client *client; /* borrowed */
    struct hf_store *store;   /* owned; NULL once closed */
    struct hf_self self;      /* constant */
    struct hf_manager manager;
    struct hf_observer observer;

    struct hf_list jobs; /* oldest first, none of them begun */
    uint64_t generation; /* of the store, as the manager knows it */
    bool stopping;
    struct hf_condition work; /* there is some, or they are to stop */
    size_t idle;              /* workers that wait for `work` */
    size_t napping;           /* of those, how many look again soon */
    bool watching;            /* a worker waits in the store, and not for... */
    int work_fd;              /* wakes that worker */
    size_t calls;             /* to the store, under way */
    size_t calls_max;         /* that it bears */
    uint64_t turns;           /* calls that callers made, in a row */
    struct hf_worker caller;  /* a caller that makes one */
    uint64_t releases;        /* counted from a random number */
    bool purge_due;
    uint64_t watches_known;  /* of manager.watches_added, by that one */
    struct hf_instant armed; /* the loop wakes then, or before */
    int alarm_fd;
    int epoll_fd;

    pthread_t loop;
    pthread_t *workers; /* owned */
    size_t workers_count;
};

/* After every event: tell who has news, set the alarm, wake a worker, observe
 * processes.  Entered. */
void hf_table_flush(struct hf_table *table);

/*
 * May a worker begin a call now?  Of a place that bears several, one is for who
 * watches.  More at a time make smaller batches, and a batch costs the server
 * about as much as a large one; but beside one that is slow, and so may be
 * stuck, another may begin.  Entered.
 */
bool hf_table_may_call(const struct hf_table *table);

/* When the loop is to look again.  Entered. */
struct hf_instant hf_table_deadline(const struct hf_table *table);

/* Wake a worker though it naps, if there is work for it.  Entered. */
void hf_table_wake(struct hf_table *table);

/* Look whether this holder's processes are there: all its keys hear of it. */
void hf_table_look_at(struct hf_table *table, struct hf_holder *holder);

/* What is known of the holder that this driver looks at; NULL: no memory. */
struct hf_view *hf_table_watch(struct hf_table *table,
                               const struct hf_driver *driver);

static inline struct hf_table *
hf_table_of(struct hf_backend *backend)
{
    return (struct hf_table *)backend;
}

/* ---- What a place does: place.h ------------------------------------------ */

extern const struct hf_lock_methods hf_table_locks;    /* locks.c */
extern const struct hf_query_methods hf_table_queries; /* queries.c */

/* ---- Jobs: queries that one call of a worker answers --------------------- */

/* Owns all that it needs: its query may be cancelled and freed meanwhile. */
struct hf_job {
    struct hf_query_page page;
    enum hf_query_kind kind;
    struct hf_link link; /* until it has begun */
    bool begun;
    size_t limit;
    char space[HF_SPACE_MAX + 1]; /* "": every */
    char name[HF_NAME_MAX + 1];   /* "": every; of a list, the prefix */
    int64_t since_ms;
    bool look_only;
};

/* The oldest that has not begun, which begins now; NULL: there is none. */
struct hf_job *hf_jobs_take(struct hf_table *table);

/* So long a job waits for all that it asks of the place: a listing may be
 * long. */
#define HF_JOB_PATIENCE ((struct hf_duration){10 * 1000})

/* Run it; not entered. */
enum hf_status hf_jobs_run(struct hf_job *job, struct hf_store *store,
                           struct hf_error *error);

/* It has run: its query has ended, unless it was cancelled; frees it. */
void hf_jobs_end(struct hf_job *job, enum hf_status status,
                 const struct hf_error *error);

/* Each answers a job; list.c, audit.c and doctor.c. */
enum hf_status hf_job_list(struct hf_job *job, struct hf_store *store,
                           struct hf_error *error);
enum hf_status hf_job_audit(struct hf_job *job, struct hf_store *store,
                            struct hf_error *error);
enum hf_status hf_job_doctor(struct hf_job *job, struct hf_store *store,
                             struct hf_error *error);

/* ---- Its threads --------------------------------------------------------- */

/* Each is given the table. */
void *hf_loop_main(void *arg);
void *hf_worker_main(void *arg);

/* A caller makes the turn of a worker: see place.h. */
bool hf_worker_turn(struct hf_backend *backend, bool alone);

#endif
