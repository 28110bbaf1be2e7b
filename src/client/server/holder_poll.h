#ifndef HF_CLIENT_SERVER_HOLDER_POLL_H
#define HF_CLIENT_SERVER_HOLDER_POLL_H

#include "client/server/sessions.h"

/*
 * Looks: who holds the locks that are waited for, and where in line we stand.
 * It is shown to the user, and told to the machine, which decides.
 *
 * A lock that is not granted soon is looked at, and again every two seconds,
 * one look at a time and with pauses: the more wait, the more seldom each is
 * looked at.
 * The client is entered for all of it.
 */

/* It waits from now on; room was made in server->polls.  Once it waits no more
 * it is not looked at. */
void hf_holder_poll_start(struct hf_server *server,
                          struct hf_server_lock *lock);

/* It is not there any more. */
void hf_holder_poll_stop(struct hf_server *server, struct hf_server_lock *lock);

void hf_holder_poll_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_holder_poll_deadline(const struct hf_server *server);

#endif
