#ifndef HF_CLIENT_TABLE_MANAGER_H
#define HF_CLIENT_TABLE_MANAGER_H

#include "base/arena.h"
#include "base/heap.h"
#include "client/owner.h"
#include "client/table/asking.h"
#include "client/table/queue.h"
#include "client/table/trouble.h"

/*
 * Manager: all that one client wants of one table of records.  It decides what
 * is asked of the store, when, and who is told; it does no I/O, has no thread
 * and reads no clock.
 *
 *     calls of the user's ----+                  +--> batches for the store
 *     answers to batches      |                  |
 *     keys that changed       +--> the machines -+--> who has news
 *     evidence of processes   |    of src/core   |
 *     time -------------------+                  +--> whom to observe
 *
 * Events are function calls; what comes out is taken by the functions named
 * *take* below, when the caller is ready; and there is one deadline.
 *
 * Of the line of one key only the first asks the store (queue.h).  What it
 * learns of the place or of the holder ends at once all behind it that would
 * end by it.  A batch is one call to the store: writes, the most urgent first,
 * or reads, each key once however many ask.  A key has one write with the store
 * at a time.  What is not asked any more is not sent.
 *
 * Fairness: a client that has handed a key over inside itself for a second
 * leaves it alone, once, for twice as long as the place needs to wake another;
 * so nobody who looks is kept out for ever.  Order between processes is not
 * promised.
 *
 * One thread at a time; the order of calls is all that it depends on, so that
 * test/simulate can replay them.  Without memory hf_manager_start and
 * hf_manager_take fail, and what was known of a holder cannot be told.
 */

struct hf_manager_config {
    const struct hf_alloc *alloc; /* borrowed, as all below */
    const struct hf_self *self;   /* who claims */
    struct hf_duration wake; /* how soon the place tells others of a change */
    size_t operations_max;   /* of one batch, as the store says */
    size_t bytes_max;
    hf_trace_fn *trace; /* NULL: none */
    void *trace_ctx;
};

struct hf_manager {
    struct hf_manager_config config;
    struct hf_hash keys;   /* of struct hf_queue */
    struct hf_heap alarms; /* of queues and drivers */
    size_t alarms_needed;  /* room for them */
    size_t drivers_count;  /* started, and not ended */
    struct hf_asking asking;
    struct hf_list watching; /* queues that wait for a change, by `watch` */
    size_t watching_count;
    uint64_t watches_added; /* so often one was added */
    struct hf_list holding; /* queues whose first holds, by `hold` */
    struct hf_queue *dirty;
    struct hf_driver *told_first; /* those with news */
    struct hf_driver *told_last;
    struct hf_queue *to_observe;
    bool names_lent;          /* by hf_manager_watches */
    struct hf_queue *graves;  /* dropped since, with names that are lent */
    struct hf_batch *batches; /* with the store */
    unsigned commits;         /* since the last reads were taken */
    bool beats_asked;
    bool released; /* a record was deleted since hf_manager_purged */
    struct hf_trouble trouble;
};

void hf_manager_init(struct hf_manager *m,
                     const struct hf_manager_config *config);

/* All drivers have ended, and no batch is with the store. */
void hf_manager_fini(struct hf_manager *m);

/* ---- What users want ----------------------------------------------------- */

/*
 * Begin.  The driver's kind, settings, owner and, of a lock, a random seed are
 * set, the rest is zero; the driver of an examine stands in one, whose examiner
 * is set up.  The settings' terms have been checked.  A lane that holds or
 * waits for this key ends at once.  HF_E_LIMIT, HF_E_NOMEM.
 */
HF_MUST_USE enum hf_status hf_manager_start(struct hf_manager *m,
                                            struct hf_driver *driver,
                                            struct hf_instant now,
                                            struct hf_error *error);

/* Give back or up; or, abandoned, end at once.  Nothing if it has ended. */
void hf_manager_release(struct hf_manager *m, struct hf_driver *driver,
                        struct hf_instant now);
void hf_manager_cancel(struct hf_manager *m, struct hf_driver *driver,
                       struct hf_instant now);
void hf_manager_abandon(struct hf_manager *m, struct hf_driver *driver,
                        struct hf_instant now);

/* Its handle is freed: it has ended, and owns nothing afterwards. */
void hf_manager_forget(struct hf_manager *m, struct hf_driver *driver);

/* Where it is, and what became of it, judged at `now`. */
enum hf_state hf_manager_state(const struct hf_driver *driver,
                               struct hf_instant now);
enum hf_outcome hf_manager_check(const struct hf_driver *driver,
                                 struct hf_instant now);

/* The end of its right, as far as it is proved; INT64_MIN: it has none. */
struct hf_instant hf_manager_right(const struct hf_driver *driver);

/* Why it has ended without an outcome; HF_OK if it has not. */
enum hf_status hf_manager_error(const struct hf_driver *driver,
                                struct hf_error *error);

/* What is known of the holder, for people; false: it has ended, and there was
 * no memory to keep it. */
bool hf_manager_diagnose(const struct hf_manager *m,
                         const struct hf_driver *driver, struct hf_instant now,
                         struct hf_diagnosis *diagnosis);

/* Is a question of its key out, or has the last one failed?  It has not
 * ended. */
bool hf_manager_is_unanswered(const struct hf_driver *driver);

/* The next driver with news since it was last taken, or NULL; driver->news is
 * the taker's to clear. */
struct hf_driver *hf_manager_take_told(struct hf_manager *m);

/* ---- Time ---------------------------------------------------------------- */

/* When to call hf_manager_tick next, or HF_NEVER. */
struct hf_instant hf_manager_deadline(const struct hf_manager *m);
void hf_manager_tick(struct hf_manager *m, struct hf_instant now);

/* ---- The store ----------------------------------------------------------- */

/* A question in a batch, with whose it is. */
struct hf_batch_item {
    struct hf_queue *queue;
    struct hf_examine *examine; /* NULL: of the queue's contender, or gone */
    bool of_contender;
    uint64_t incarnation; /* of the contender */
    uint64_t number;
    size_t index; /* of its group, or of its key */
    bool deletes; /* a release, or a clear */
    struct hf_store_op ops[HF_REQUEST_OPS];
};

/* One call to the store.  The caller makes it, and fills in what came back. */
struct hf_batch {
    struct hf_batch *next;
    struct hf_batch_item *items;
    size_t items_count;
    struct hf_instant until; /* no answer is of use later */

    struct hf_store_group *groups; /* a commit, unless there are none */
    size_t groups_count;
    struct hf_key *keys; /* a read of these */
    size_t keys_count;

    struct hf_reading *readings; /* out: of each key */
    enum hf_status status;       /* out: of the read */
    struct hf_error error;       /* out: why something failed */
};

/* Would there be a batch? */
bool hf_manager_has_batch(const struct hf_manager *m);

/*
 * Take the next batch, which lives in `arena` until it is answered; false:
 * there is none, or no memory, and then what is overdue is asked again.
 * `wall_ms` is Unix time, for the records.
 */
bool hf_manager_take(struct hf_manager *m, struct hf_arena *arena,
                     struct hf_instant now, int64_t wall_ms,
                     struct hf_batch **batch);

/* It came back: verdicts in its groups, or readings and status. */
void hf_manager_answer(struct hf_manager *m, struct hf_batch *batch,
                       struct hf_instant now);

/* Keys whose next version is waited for. */
struct hf_watching {
    struct hf_store_watch *watches; /* for hf_store_wait */
    struct hf_queue **queues;       /* whose each is */
    size_t count;
};

/*
 * Take them, in `arena`; their names are lent to them until hf_manager_waited,
 * once at a time.  False: there are none, or no memory; then machines look when
 * it is time.
 */
bool hf_manager_watches(struct hf_manager *m, struct hf_arena *arena,
                        struct hf_watching *watching);

/* The wait is over: whose key has changed is told. */
void hf_manager_waited(struct hf_manager *m, struct hf_watching *watching,
                       struct hf_instant now);

/* What this client wants of a key; NULL: nothing. */
struct hf_queue *hf_manager_find(const struct hf_manager *m, struct hf_key key);

/* This key's record may have changed. */
void hf_manager_changed(struct hf_manager *m, struct hf_key key,
                        struct hf_instant now);

/* What was released has been purged, or left for another time. */
void hf_manager_purged(struct hf_manager *m);

/* The place is not what it was. */
void hf_manager_went_back(struct hf_manager *m, struct hf_instant now);

/* ---- Processes ----------------------------------------------------------- */

/*
 * The next queue whose holder's processes are to be observed anew, or not any
 * more (*wanted false): look at hf_seen_value.  NULL: none.  A queue that
 * nobody wants is freed when it has been taken here.
 */
struct hf_queue *hf_manager_take_observe(struct hf_manager *m, bool *wanted);
void hf_manager_observed(struct hf_manager *m, struct hf_queue *queue);

/* What is known of the processes of the holder that was seen. */
void hf_manager_presence(struct hf_manager *m, struct hf_queue *queue,
                         bool here, enum hf_presence presence,
                         struct hf_instant now);

#endif
