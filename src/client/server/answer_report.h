#ifndef HF_CLIENT_SERVER_ANSWER_REPORT_H
#define HF_CLIENT_SERVER_ANSWER_REPORT_H

#include "client/server/session_state.h"

/*
 * What an answer tells people, beside what the machine takes from it: why a
 * lock is not granted, and who cleared one.  server->reply is the answer as it
 * was read.  It is kept in the lock, the session and the server, from where
 * views and errors take it.
 *
 * `id`: of the lock that the answer is about; 0: it is about the session.
 * `lock`: that lock; NULL: it has ended, or there is none.  Returns what stands
 * in the way of it.
 */
struct hf_blocker hf_answer_report(struct hf_server_session *session,
                                   uint64_t id, struct hf_server_lock *lock,
                                   const struct hf_http_answer *answer,
                                   struct hf_instant asked_at);

#endif
