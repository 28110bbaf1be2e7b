#ifndef HF_CLIENT_CLIENT_H
#define HF_CLIENT_CLIENT_H

#include "client/place.h"
#include "client/state.h"

struct hf_store;

/*
 * A client: what holdfast.h calls one, on whatever stands behind its place.
 *
 *   holdfast.h:  client   lock   query   view      the caller's words
 *                   \      |      /
 *                    handle, settings              told and waited for
 *                          |
 *   - - - - - - - - - - place.h - - - - - - - - -  the seam
 *                          |
 *                   table/table                    a table of records
 *                   /      |     \
 *          table/loop  manager  table/worker       time, decisions, the store
 *
 *                   server/server                  or a lock server
 *                   /      |     \
 *          server/loop sessions connections        time, decisions, sockets
 *
 * One mutex guards handles and whatever is behind them.  Under it machines are
 * stepped and lists are linked; it is never held across a store call or a
 * system call that may block.
 */

/* hf_client_open on a store already open; takes `store` on HF_OK.  `place` is
 * its URL. */
HF_MUST_USE enum hf_status hf_client_open_on(struct hf_client *client,
                                             struct hf_store *store,
                                             const char *place,
                                             struct hf_error *error);

/* HF_E_INVALID in a forked child. */
HF_MUST_USE enum hf_status hf_client_may_call(const struct hf_client *client,
                                              struct hf_error *error);

/* The same, or it is open already: then nothing can be set. */
HF_MUST_USE enum hf_status hf_client_may_set(const struct hf_client *client,
                                             struct hf_error *error);

/* Is this the process that opened it?  A forked child's is not. */
bool hf_client_is_ours(const struct hf_client *client);

/* Lock it, with what signal handlers left taken in; give it up. */
void hf_client_enter(struct hf_client *client);
void hf_client_leave(struct hf_client *client);

/* Take in what signal handlers left; entered. */
void hf_client_take_signals(struct hf_client *client);

/* For the loop of a place; entered, and so again on return: sleep until a
 * descriptor is readable: one of these two of the place's, or that which signal
 * handlers write to.  Their signals are then to be taken. */
void hf_client_sleep(struct hf_client *client, int events_fd, int alarm_fd);

/* For a place: this handle has ended.  If the caller freed it, it is gone. */
void hf_client_ended(struct hf_client *client, struct hf_handle *handle);

#endif
