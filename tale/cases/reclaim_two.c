#include "tale/cases/reclaim.h"

/*
 * "In one read/write transaction: check that the token of the lock is still
 * oldToken; attempt to insert a meta reclaim-lock; refresh the old lock": here
 * the check has a transaction of its own.
 */

enum { SETTING_TRANSACTIONS };

static void
start(const struct specimen_run *run, void *state)
{
    struct table *s = state;

    (void)run;
    /* T1, of a process that is gone. */
    s->locks.rows[LOCKS_LOCK] = (struct locks_row){1, 1, 0, 1};
    s->tokens = 1;
}

static bool
check(struct scene *scene, struct table *s, unsigned who)
{
    bool same = table_read_token(scene, s, who) == s->old[who];

    s->cast.line[who] = TABLE_RECLAIM_2;
    if (!same)
        table_give_up(s, who);
    scene_tell(scene, TOLD_READ, who, "Worker #%u checks the token: %s",
               who + 1, same ? "it is still the same" : "it has changed");
    return true;
}

static bool
insert_and_refresh(struct scene *scene, struct table *s, unsigned who)
{
    bool inserted = table_insert_marker(scene, s, who);

    if (inserted && table_take(scene, s, who, 0)) {
        s->cast.line[who] = TABLE_CLEAN_UP;
        scene_tell(scene, TOLD_WRITE, who,
                   "Worker #%u inserts RECLAIM_T%u, and refreshes the lock: "
                   "T%u",
                   who + 1, s->old[who], s->mine[who]);
        return true;
    }
    if (inserted) /* there is no lock to refresh */
        table_delete_marker(scene, s, who);
    table_give_up(s, who);
    scene_tell(scene, TOLD_WRITE, who,
               "Worker #%u cannot insert the reclaim-lock", who + 1);
    return true;
}

static bool
clean_up(struct scene *scene, struct table *s, unsigned who)
{
    table_delete_marker(scene, s, who);
    s->cast.line[who] = TABLE_HELD;
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u deletes the reclaim-lock",
               who + 1);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct table *s = state;

    if (who != SPECIMEN_WORLD && choice == TABLE_GO_ON) {
        if (s->cast.line[who] == TABLE_RECLAIM) {
            check(scene, s, who);
            if (scene_setting(scene, SETTING_TRANSACTIONS) == 0 ||
                s->cast.line[who] == TABLE_END)
                return true;
        }
        if (s->cast.line[who] == TABLE_RECLAIM_2)
            return insert_and_refresh(scene, s, who);
        if (s->cast.line[who] == TABLE_CLEAN_UP)
            return clean_up(scene, s, who);
    }
    return table_act(scene, s, who, choice);
}

const struct specimen specimen_reclaim_two = {
    .name = "reclaim-two-transactions",
    .about = "a stale lock: its token is checked before it is reclaimed",
    .expect = PROMISE_TWO_TAKERS,
    .settings = SPECIMEN_SETTING("transactions", "to reclaim", "two", "one"),
    .start = start,
    .act = act,
    TABLE_SPECIMEN,
};
