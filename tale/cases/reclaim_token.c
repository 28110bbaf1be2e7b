#include "tale/cases/reclaim.h"

/*
 * A reclaim in one transaction, which checks that the token is still the old
 * one; but a holder that was only late has updated its heartbeat since, and
 * that changes no token.
 */

enum { SETTING_CHECK };

static bool
reclaim(struct scene *scene, struct table *s, unsigned who)
{
    bool freshness = scene_setting(scene, SETTING_CHECK) != 0;

    if (!table_take(scene, s, who,
                    LOCKS_TOKEN | (freshness ? LOCKS_BEAT : 0))) {
        table_give_up(s, who);
        scene_tell(scene, TOLD_READ, who,
                   "Worker #%u finds the lock changed, and moves on", who + 1);
        return true;
    }
    scene_tell(scene, TOLD_WRITE, who,
               "Worker #%u finds token T%u, and reclaims the lock: T%u",
               who + 1, s->old[who], s->mine[who]);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct table *s = state;

    if (table_rest(scene, s, who, choice))
        return true;
    if (who != SPECIMEN_WORLD && choice == TABLE_GO_ON &&
        s->cast.line[who] == TABLE_RECLAIM)
        return reclaim(scene, s, who);
    return table_act(scene, s, who, choice);
}

const struct specimen specimen_reclaim_token = {
    .name = "reclaim-token-only",
    .about = "a stale lock: reclaimed if its token is the same, fresh or not",
    .expect = PROMISE_STOLEN,
    .faults = 1,
    .settings = SPECIMEN_SETTING("check", "of what", "token", "freshness"),
    .act = act,
    TABLE_SPECIMEN,
};
