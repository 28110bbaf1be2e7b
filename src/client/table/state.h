#ifndef HF_CLIENT_TABLE_STATE_H
#define HF_CLIENT_TABLE_STATE_H

#include "client/client.h"
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
    size_t resting;          /* workers that wait for work */
    bool watching;           /* one of them waits in the store, and not for */
    pthread_cond_t work;     /* ... this */
    int work_fd;             /* wakes that one */
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

/* ---- Jobs: calls to the store that are no lock's ------------------------- */

struct hf_job;

/* Not entered. */
typedef enum hf_status hf_job_fn(struct hf_job *job, struct hf_store *store,
                                 struct hf_error *error);

/* One page of a list, and the like; owns all that it needs. */
struct hf_job {
    hf_job_fn *run;
    const struct hf_alloc *alloc;
    struct hf_query *query; /* NULL: it was cancelled; nobody asks any more */
    struct hf_link link;    /* until it has begun */
    bool begun;
    struct hf_view *rows;  /* out */
    struct hf_view **last; /* where the next row goes */
    char cursor[2 * 600];  /* in: from where; out: how far; "": the start */
    size_t limit;
    char space[HF_SPACE_MAX + 1]; /* "": every */
    char name[HF_NAME_MAX + 1];   /* "": every; of a list, the prefix */
    int64_t since_ms;
    const struct hf_table *table; /* for what a doctor looks at */
};

/* Begin a query that is a job.  HF_E_INVALID, HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_jobs_start(struct hf_table *table,
                                         struct hf_query *query, hf_job_fn *run,
                                         struct hf_error *error);

/* One that has begun goes on, and nobody hears of it. */
void hf_jobs_cancel(struct hf_table *table, struct hf_query *query);

/* The oldest that has not begun, which begins now; NULL: there is none. */
struct hf_job *hf_jobs_take(struct hf_table *table);

/* It has run: its query has ended, if it is asked yet; frees it. */
void hf_jobs_end(struct hf_job *job, enum hf_status status,
                 const struct hf_error *error);

/* Add a row behind the others; NULL: no memory.  Not entered. */
struct hf_view *hf_job_row(struct hf_job *job, enum hf_view_kind kind);

/* ---- Its threads --------------------------------------------------------- */

/* Each is given the table. */
void *hf_loop_main(void *arg);
void *hf_worker_main(void *arg);

#endif
