#include "tale/specimen/specimens.h"

#include <string.h>

const struct specimen *const specimens[] = {
    &specimen_draft1,           &specimen_draft2,
    &specimen_draft3,           &specimen_draft4,
    &specimen_draft4_perfect,   &specimen_draft4_skew,
    &specimen_draft4_ids,       &specimen_put_failed,
    &specimen_resurrection,     &specimen_redlock_clock,
    &specimen_redlock_restart,  &specimen_lease,
    &specimen_blind_del,        &specimen_stale_file,
    &specimen_etcd_11456,       &specimen_reclaim_two,
    &specimen_reclaim_token,    &specimen_close_two,
    &specimen_override,         &specimen_truncate,
    &specimen_ghost_grant,      &specimen_ghost_backlog,
    &specimen_ghost_leader,     &specimen_ghost_grant_blocking_timeout,
    &specimen_blocking_as_idle, &specimen_blocking_late,
    &specimen_blocking_order,   &specimen_silent_retry,
    &specimen_at_most_anew,     &specimen_truncate_idle,
    &specimen_truncate_network, &specimen_holdfast_waiting,
};

const unsigned specimens_count = sizeof(specimens) / sizeof(specimens[0]);

const struct specimen *
specimens_find(const char *name)
{
    for (unsigned i = 0; i < specimens_count; i++)
        if (strcmp(specimens[i]->name, name) == 0)
            return specimens[i];
    return NULL;
}
