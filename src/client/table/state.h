#ifndef HF_CLIENT_TABLE_STATE_H
#define HF_CLIENT_TABLE_STATE_H

#include "client/client.h"
#include "client/query_page.h"
#include "client/table/manager.h"
#include "client/table/observer.h"

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
    size_t resting;           /* workers that wait for work */
    bool watching;            /* one of them waits in the store, and not for */
    struct hf_condition work; /* ... this */
    int work_fd;              /* wakes that one */
    uint64_t watches_known;   /* of manager.watches_added, by that one */
    struct hf_instant armed;  /* the loop wakes then, or before */
    int alarm_fd;
    int epoll_fd;

    pthread_t loop;
    pthread_t *workers; /* owned */
    size_t workers_count;
};

/* After every event: tell who has news, set the alarm, wake a worker, observe
 * processes.  Entered. */
void hf_table_flush(struct hf_table *table);

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

#endif
