#ifndef HF_CLIENT_SERVER_SESSIONS_H
#define HF_CLIENT_SERVER_SESSIONS_H

#include "client/server/session_state.h"

/*
 * Sessions: the machines of core/session, one for each combination of terms.
 * Here they are given the time, their streams are calls, and their notices are
 * told to handles.  The client is entered for all of it.
 */

/* Does the lock wait, as far as the machine knows? */
bool hf_sessions_wait(const struct hf_server_lock *lock);

/* The session for locks with these settings, perhaps a new one.  HF_E_LIMIT: it
 * has no room for one more; HF_E_UNAVAILABLE: no random numbers; HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_sessions_for(struct hf_server *server,
                                           const struct hf_settings *settings,
                                           struct hf_server_session **session,
                                           struct hf_error *error);

/* Ask for the lock, as its settings say. */
void hf_sessions_request(struct hf_server_lock *lock);

/* Step the machine, and do all that comes of it. */
void hf_sessions_step(struct hf_server_session *session,
                      const struct hf_session_event *event);

/* Tell all of them the time; and when to call it next. */
void hf_sessions_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_sessions_deadline(const struct hf_server *server);

/* A node names another service, or the verdict has changed. */
void hf_sessions_services(struct hf_server *server);

/* Has any of them something at a server, or to be sent there? */
bool hf_sessions_want_services(const struct hf_server *server);

/* End all that are not left; and have they ended? */
void hf_sessions_end(struct hf_server *server);
bool hf_sessions_over(const struct hf_server *server);

/* Free all. */
void hf_sessions_fini(struct hf_server *server);

#endif
