#ifndef HF_CLIENT_TABLE_PARTS_H
#define HF_CLIENT_TABLE_PARTS_H

#include "client/table/manager.h"

/*
 * The parts of a manager, for one another.  They call down this list only:
 *
 *   manager   the events, from outside
 *   batch     questions go to the store
 *   line      who of a key is at work, who ends by what, who is told
 *   machine   an event goes into a machine, and its effects come out
 *   keys      the queues, and the lists that they are in
 *
 * and beside them diagnose, which only looks, and ending, which keeps what is
 * known when a driver ends.
 */

enum { HF_ALARM_QUEUE, HF_ALARM_DRIVER }; /* what a heap node stands in */

/* ---- keys ---------------------------------------------------------------- */

/* A queue of a new key, or NULL. */
struct hf_queue *hf_keys_make(struct hf_manager *m, const char *space,
                              const char *name);

/* Nobody wants it: it goes as soon as nobody is observed for it. */
void hf_keys_drop(struct hf_manager *m, struct hf_queue *queue);

/* Their names are not lent any more: those that were dropped meanwhile go. */
void hf_keys_bury(struct hf_manager *m);

/* Room for one alarm more, so that setting it cannot fail; false: no memory. */
bool hf_keys_reserve_alarm(struct hf_manager *m);

/* Something of it changed: hf_line_settle will look at it. */
void hf_keys_touch(struct hf_manager *m, struct hf_queue *queue);

void hf_keys_tell(struct hf_manager *m, struct hf_driver *driver,
                  enum hf_news news);
void hf_keys_untell(struct hf_manager *m, struct hf_driver *driver);
void hf_keys_set_watched(struct hf_manager *m, struct hf_queue *queue,
                         bool watched);
void hf_keys_set_held(struct hf_manager *m, struct hf_queue *queue, bool held);
void hf_keys_want_observed(struct hf_manager *m, struct hf_queue *queue);

/* ---- machine ------------------------------------------------------------- */

/* Step this machine, or every one that is at work on the key. */
void hf_machine_pump(struct hf_manager *m, struct hf_asker *asker,
                     struct hf_event event);
void hf_machine_pump_all(struct hf_manager *m, struct hf_queue *queue,
                         struct hf_event event);

/* The record may have changed: to those who wait for that.  A keeper at work
 * would take the hint for another. */
void hf_machine_hint(struct hf_manager *m, struct hf_queue *queue,
                     struct hf_instant now);

/* ---- line ---------------------------------------------------------------- */

/* How a driver ends. */
struct hf_end {
    enum hf_status status;
    enum hf_outcome outcome;     /* HF_OK */
    struct hf_duration too_slow; /* a write took so long: see contender.h */
};

/* Put every key in order that something happened to. */
void hf_line_settle(struct hf_manager *m, struct hf_instant now);

/* A wait that is over its limit, of one that has no contender at work. */
void hf_line_end_at_limit(struct hf_manager *m, struct hf_queue *queue,
                          struct hf_driver *driver, struct hf_instant now);

/* One of the line that has nothing to settle ends. */
void hf_line_end_waiter(struct hf_manager *m, struct hf_queue *queue,
                        struct hf_driver *driver, const struct hf_end *end,
                        struct hf_instant now);

/* A driver that has left its queue, or was in none, has ended. */
void hf_line_end(struct hf_manager *m, struct hf_queue *queue,
                 struct hf_driver *driver, const struct hf_end *end,
                 struct hf_instant now);

/* ---- ending -------------------------------------------------------------- */

/* It has ended so: keep what it may be asked for. */
void hf_ending_make(struct hf_manager *m, const struct hf_queue *queue,
                    struct hf_driver *driver, const struct hf_end *end,
                    struct hf_instant now);

/* Of one that has ended: why without an outcome, or HF_OK; and what was known
 * of the holder then, or false: there was no memory to keep it. */
enum hf_status hf_ending_error(const struct hf_driver *driver,
                               struct hf_error *error);
bool hf_ending_tell(const struct hf_manager *m, const struct hf_driver *driver,
                    struct hf_diagnosis *diagnosis);

/* ---- diagnose ------------------------------------------------------------ */

/* What a look would show of the one that holds it here; the caller's. */
struct hf_seen hf_diagnose_own(const struct hf_manager *m,
                               const struct hf_queue *queue);

/* What is known of the holder, for one that goes on. */
void hf_diagnose_driver(const struct hf_manager *m,
                        const struct hf_driver *driver, struct hf_instant now,
                        struct hf_diagnosis *diagnosis);

/* What is known of the life of the holder that this driver looks at. */
enum hf_life hf_diagnose_life(const struct hf_queue *queue,
                              const struct hf_driver *driver);

#endif
