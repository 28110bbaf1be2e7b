#ifndef TALE_SPECIMEN_SPECIMENS_H
#define TALE_SPECIMEN_SPECIMENS_H

#include "tale/specimen/specimen.h"

/* Every specimen, in the order in which they are listed. */

extern const struct specimen specimen_draft1;
extern const struct specimen specimen_draft2;
extern const struct specimen specimen_draft3;
extern const struct specimen specimen_draft4;
extern const struct specimen specimen_draft4_perfect;
extern const struct specimen specimen_draft4_skew;
extern const struct specimen specimen_draft4_ids;
extern const struct specimen specimen_put_failed;
extern const struct specimen specimen_resurrection;
extern const struct specimen specimen_redlock_clock;
extern const struct specimen specimen_redlock_restart;
extern const struct specimen specimen_lease;
extern const struct specimen specimen_blind_del;
extern const struct specimen specimen_stale_file;
extern const struct specimen specimen_etcd_11456;
extern const struct specimen specimen_reclaim_two;
extern const struct specimen specimen_reclaim_token;
extern const struct specimen specimen_close_two;
extern const struct specimen specimen_override;
extern const struct specimen specimen_truncate;
extern const struct specimen specimen_ghost_grant;
extern const struct specimen specimen_ghost_backlog;
extern const struct specimen specimen_ghost_leader;
extern const struct specimen specimen_ghost_grant_blocking_timeout;
extern const struct specimen specimen_blocking_as_idle;
extern const struct specimen specimen_blocking_late;
extern const struct specimen specimen_blocking_order;
extern const struct specimen specimen_silent_retry;
extern const struct specimen specimen_at_most_anew;
extern const struct specimen specimen_truncate_idle;
extern const struct specimen specimen_truncate_network;
extern const struct specimen specimen_holdfast_waiting;

extern const struct specimen *const specimens[];
extern const unsigned specimens_count;

/* The specimen of that name, or NULL. */
const struct specimen *specimens_find(const char *name);

#endif
