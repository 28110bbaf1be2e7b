#ifndef HF_CLIENT_SERVER_LOOKS_H
#define HF_CLIENT_SERVER_LOOKS_H

#include "client/server/sessions.h"
#include "wire/api_seen.h"

/*
 * Looks: who holds the locks that are waited for, and where in line we stand.
 * For people: nothing is decided by it but what is said of a wait that ends
 * without a grant, and `if_suspected`.
 *
 * A lock that is not granted soon is looked at, and again every two seconds,
 * one look at a time and with pauses: the more wait, the more seldom each is
 * looked at.
 * The client is entered for all of it.
 */

/* It waits from now on; room was made in server->looks. */
void hf_looks_begin(struct hf_server *server, struct hf_server_lock *lock);

/* It waits no more. */
void hf_looks_end(struct hf_server *server, struct hf_server_lock *lock);

/* It was told who holds it, without a look: what "holders" is in an answer. */
void hf_looks_take(struct hf_server *server, struct hf_server_lock *lock,
                   struct hf_bytes holders);

/* Do all of them give no sign of life, and are to be taken over?  For how long
 * that may take; 0: they do, or are not. */
struct hf_duration hf_looks_rest(const struct hf_server *server,
                                 struct hf_bytes holders);

/* It has ended: say the most that is known of why it was not granted. */
void hf_looks_judge(struct hf_server_lock *lock);

void hf_looks_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_looks_deadline(const struct hf_server *server);

#endif
