#ifndef HF_CLIENT_TABLE_METHODS_H
#define HF_CLIENT_TABLE_METHODS_H

#include "client/place.h"

/* What a table of records can do; each as place.h has it. */

/* locks.c */
enum hf_status hf_locks_start(struct hf_backend *backend, struct hf_lock *lock,
                              struct hf_error *error);
void hf_locks_release(struct hf_backend *backend, struct hf_lock *lock);
void hf_locks_cancel(struct hf_backend *backend, struct hf_lock *lock);
void hf_locks_abandon(struct hf_backend *backend, struct hf_lock *lock);
void hf_locks_forget(struct hf_backend *backend, struct hf_lock *lock);
enum hf_state hf_locks_state(const struct hf_lock *lock);
enum hf_outcome hf_locks_check(const struct hf_lock *lock);
uint64_t hf_locks_fence(const struct hf_lock *lock);
int64_t hf_locks_right_ms(const struct hf_lock *lock);
enum hf_status hf_locks_error(const struct hf_lock *lock,
                              struct hf_error *error);
struct hf_view *hf_locks_watch(struct hf_backend *backend,
                               const struct hf_lock *lock);

/* queries.c */
enum hf_status hf_queries_examine(struct hf_backend *backend,
                                  struct hf_query *query,
                                  struct hf_error *error);
enum hf_status hf_queries_clear(struct hf_backend *backend,
                                struct hf_query *query, struct hf_error *error);
void hf_queries_cancel(struct hf_backend *backend, struct hf_query *query);
void hf_queries_forget(struct hf_backend *backend, struct hf_query *query);
struct hf_view *hf_queries_watch(struct hf_backend *backend,
                                 const struct hf_query *query);

/* list.c, audit.c, doctor.c */
enum hf_status hf_list_start(struct hf_backend *backend, struct hf_query *query,
                             struct hf_error *error);
enum hf_status hf_audit_start(struct hf_backend *backend,
                              struct hf_query *query, struct hf_error *error);
enum hf_status hf_doctor_start(struct hf_backend *backend,
                               struct hf_query *query, struct hf_error *error);

#endif
