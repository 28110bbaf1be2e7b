#ifndef HF_TEST_LOCKS_H
#define HF_TEST_LOCKS_H

#include <stdarg.h>

#include <holdfast/holdfast.h>

struct hf_store;

/*
 * Locks: libholdfast for a test that would do nothing else meanwhile.  What
 * does not succeed ends the test, in the library's own words.
 *
 * Options follow in pairs, and NULL ends them:
 *
 *     hold(client, "deploy", HF_TTL, "2s", HF_IF_DEAD, "refuse", NULL)
 */
#define HF_TEST_OPTIONS __attribute__((sentinel))

/* No test waits longer for what must happen. */
#define HF_TEST_PATIENCE_MS 20000

/* ---- A client ------------------------------------------------------------ */

struct hf_client *open_client(const char *place);

/* On a store of the test's, which the client takes. */
struct hf_client *open_client_on(struct hf_store *store, const char *place);

/* Settles everything, and leaves nothing behind. */
void close_client(struct hf_client *client);

/* ---- A lock -------------------------------------------------------------- */

/* Not started yet. */
HF_TEST_OPTIONS struct hf_lock *new_lock(struct hf_client *client,
                                         const char *name, ...);

/* Started. */
HF_TEST_OPTIONS struct hf_lock *ask_for(struct hf_client *client,
                                        const char *name, ...);

/* Started, and waited for, however that ended. */
HF_TEST_OPTIONS struct hf_lock *acquire(struct hf_client *client,
                                        const char *name, ...);

/* Started, waited for, and held. */
HF_TEST_OPTIONS struct hf_lock *hold(struct hf_client *client, const char *name,
                                     ...);
struct hf_lock *hold_with(struct hf_client *client, const char *name,
                          va_list options);

/* Wait until it has ended, and free it; why it ended. */
enum hf_status finish(struct hf_lock *lock);

/* The same after a release, and after an abandon. */
enum hf_status give_back(struct hf_lock *lock);
enum hf_status leave_behind(struct hf_lock *lock);

/* ---- Notices ------------------------------------------------------------- */

/* Take notices of whatever handle, until this one has told one of `news`; all
 * that it told meanwhile. */
unsigned await_news(struct hf_client *client, uint64_t id, unsigned news);

/* The same, until a waiter has seen the holder. */
void await_holder(struct hf_client *client, const struct hf_lock *waiter);

/* ---- A query ------------------------------------------------------------- */

/* Not started yet. */
HF_TEST_OPTIONS struct hf_query *new_query(struct hf_client *client,
                                           enum hf_query_kind kind, ...);

/* Start it, or start it again, and wait for its end; how it ended. */
enum hf_status ask(struct hf_query *query);

/* Asked, and answered well; the view is the caller's. */
HF_TEST_OPTIONS struct hf_view *examine(struct hf_client *client,
                                        const char *name, ...);
HF_TEST_OPTIONS struct hf_view *clear(struct hf_client *client,
                                      const char *name, ...);

/* Clear it, whoever holds it; it was there. */
void clear_by_force(struct hf_client *client, const char *name);

#endif
