#ifndef HF_CLIENT_SERVER_METHODS_H
#define HF_CLIENT_SERVER_METHODS_H

#include "client/place.h"

struct hf_server;
struct hf_server_query_kind;

/* What a lock server does for a place: the functions of place.h by its names,
 * each in the file that the comment names. */

/* locks.c */
enum hf_status hf_server_locks_start(struct hf_backend *backend,
                                     struct hf_lock *lock,
                                     struct hf_error *error);
enum hf_status hf_server_locks_change(struct hf_backend *backend,
                                      struct hf_lock *lock, size_t index,
                                      enum hf_mode mode,
                                      struct hf_error *error);
void hf_server_locks_release(struct hf_backend *backend, struct hf_lock *lock);
void hf_server_locks_abandon(struct hf_backend *backend, struct hf_lock *lock);
void hf_server_locks_forget(struct hf_backend *backend, struct hf_lock *lock);
enum hf_state hf_server_locks_state(const struct hf_lock *lock);
enum hf_outcome hf_server_locks_check(const struct hf_lock *lock);
uint64_t hf_server_locks_fence(const struct hf_lock *lock);
int64_t hf_server_locks_right_ms(const struct hf_lock *lock);
enum hf_status hf_server_locks_error(const struct hf_lock *lock,
                                     struct hf_error *error);
struct hf_view *hf_server_locks_watch(struct hf_backend *backend,
                                      const struct hf_lock *lock);

/* farewell.c */
size_t hf_server_locks_farewell(const struct hf_lock *lock, char *buffer,
                                size_t size);

/* queries.c */
enum hf_status hf_server_queries_start(struct hf_server *server,
                                       struct hf_query *query,
                                       const struct hf_server_query_kind *kind,
                                       struct hf_error *error);
void hf_server_queries_cancel(struct hf_backend *backend,
                              struct hf_query *query);
void hf_server_queries_forget(struct hf_backend *backend,
                              struct hf_query *query);
struct hf_view *hf_server_queries_watch(struct hf_backend *backend,
                                        const struct hf_query *query);

/* Kinds of queries, each in a file of its own. */
extern const struct hf_server_query_kind hf_server_listing; /* listing.c */
extern const struct hf_server_query_kind hf_server_audit;   /* audit.c */
extern const struct hf_server_query_kind hf_server_roster;  /* roster.c */
extern const struct hf_server_query_kind hf_server_examine; /* examine.c */
extern const struct hf_server_query_kind hf_server_doctor;  /* doctor.c */

#endif
