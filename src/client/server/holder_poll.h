#ifndef HF_CLIENT_SERVER_HOLDER_POLL_H
#define HF_CLIENT_SERVER_HOLDER_POLL_H

#include "client/server/sessions.h"

/*
 * Holder poll: who holds the locks that are waited for, and what our place in
 * line is.  The user is shown it, and the machine, which decides, is told it.
 *
 * A lock that is not granted soon is polled, and again every two seconds.  One
 * poll is under way at a time, with a pause between two: so the more locks
 * wait, the less often each is polled.  The client is entered for all of it.
 */

/* The lock waits from now on.  There is room for it in server->polls.  It is
 * polled for as long as it waits. */
void hf_holder_poll_start(struct hf_server *server,
                          struct hf_server_lock *lock);

/* The lock is about to be freed. */
void hf_holder_poll_stop(struct hf_server *server, struct hf_server_lock *lock);

void hf_holder_poll_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_holder_poll_deadline(const struct hf_server *server);

#endif
