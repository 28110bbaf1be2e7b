#ifndef HF_CLIENT_TABLE_MANAGER_H
#define HF_CLIENT_TABLE_MANAGER_H

#include "base/arena.h"
#include "client/table/batch.h"

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
 * Events are function calls.  What comes out is taken by the functions named
 * *take*, when the caller is ready.  There is one deadline.
 *
 * Of the line of one key only the first asks the store (queue.h).  What it
 * learns of the place or of the holder ends at once all behind it that would
 * end by it.  What is asked of the store goes there in batches (batch.h).
 *
 * Its parts call down this list only:
 *
 *   manager    the events, from outside; time and limits
 *   line       steps the machines of a key: who is at work, who ends by what,
 *              who has news
 *   batch      the questions that wait, and the next call to the store
 *   diagnose   what is known of a holder, for people; it only looks
 *   queue      the keys, and the lists that they are in
 *
 * Fairness: a client that has handed a key over inside itself for a second
 * leaves it alone, once, for twice as long as the place needs to wake another;
 * so no client that looks is kept out for ever.  Order between processes is not
 * promised.
 *
 * One thread at a time; the order of calls is all that it depends on, so that
 * test/simulate can replay them.  Without memory hf_manager_start and
 * hf_batch_take fail, and what was known of a holder cannot be told.
 */

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
struct hf_driver *hf_manager_take_news(struct hf_manager *m);

/* ---- Time ---------------------------------------------------------------- */

/* When to call hf_manager_tick next, or HF_NEVER. */
struct hf_instant hf_manager_deadline(const struct hf_manager *m);
void hf_manager_tick(struct hf_manager *m, struct hf_instant now);

/* ---- The store ----------------------------------------------------------- */

/* A batch (hf_batch_take) came back: verdicts in its groups, or readings and
 * status. */
void hf_manager_answer(struct hf_manager *m, struct hf_table_batch *batch,
                       struct hf_instant now);

/* A batch came back with nothing done, for want of time: what is still asked
 * waits for another, and no machine is told of a failure. */
void hf_manager_requeue(struct hf_manager *m, struct hf_table_batch *batch,
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

/* This key's record may have changed: it is not watched until a read has shown
 * it, or a wait would end again and again while that is under way. */
void hf_manager_changed(struct hf_manager *m, struct hf_key key,
                        struct hf_instant now);

/* Released records have been purged, or left for another time. */
void hf_manager_purged(struct hf_manager *m);

/* The place is not what it was. */
void hf_manager_went_back(struct hf_manager *m, struct hf_instant now);

/* ---- Processes ----------------------------------------------------------- */

/*
 * The next queue whose holder's processes are to be observed anew, or no more
 * (*wanted false): look at hf_seen_value.  NULL: none.  A queue that is wanted
 * no more is freed when it has been taken here.
 */
struct hf_queue *hf_manager_take_observe(struct hf_manager *m, bool *wanted);
void hf_manager_observed(struct hf_manager *m, struct hf_queue *queue);

/* What is known of the processes of the holder that was seen. */
void hf_manager_presence(struct hf_manager *m, struct hf_queue *queue,
                         bool here, enum hf_presence presence,
                         struct hf_instant now);

#endif
