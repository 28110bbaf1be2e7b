#include "tale/cases/reclaim.h"

/*
 * "When the lock is closed: shut down the heartbeat process; check if the
 * tokens match; if so, delete": in two steps, between which the lock, whose
 * heartbeat is shut down, goes stale and is reclaimed.
 */

enum { SETTING_CLOSE };

static bool
reclaim(struct scene *scene, struct table *s, unsigned who)
{
    if (!table_take(scene, s, who, LOCKS_TOKEN | LOCKS_BEAT)) {
        table_give_up(s, who);
        scene_tell(scene, TOLD_READ, who,
                   "Worker #%u finds the lock changed, and moves on", who + 1);
        return true;
    }
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u reclaims the lock: T%u",
               who + 1, s->mine[who]);
    return true;
}

/* The first step, which leaves it to the second to delete. */
static bool
check(struct scene *scene, struct table *s, unsigned who)
{
    if (table_read_token(scene, s, who) != s->mine[who]) {
        table_give_up(s, who);
        scene_tell(scene, TOLD_READ, who,
                   "Worker #%u finds another's token, and stops", who + 1);
        return true;
    }
    s->cast.line[who] = TABLE_CLOSE;
    scene_stand(s, who, WHERE_DONE);
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u has ended, and finds its token T%u", who + 1,
               s->mine[who]);
    return true;
}

static bool
delete_it(struct scene *scene, struct table *s, unsigned who)
{
    if (!table_delete(scene, s, who, 0)) /* it is not there any more */
        s->cast.line[who] = TABLE_END;
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u deletes the lock", who + 1);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct table *s = state;

    if (who == SPECIMEN_WORLD || choice != TABLE_GO_ON)
        return table_act(scene, s, who, choice);
    if (s->cast.line[who] == TABLE_RECLAIM)
        return reclaim(scene, s, who);
    if (s->cast.line[who] == TABLE_CLOSE)
        return delete_it(scene, s, who);
    if (s->cast.line[who] == TABLE_HELD &&
        scene_setting(scene, SETTING_CLOSE) == 0)
        return check(scene, s, who);
    return table_act(scene, s, who, choice);
}

const struct specimen specimen_close_two = {
    .name = "close-two-steps",
    .about = "a close that checks the token, and then deletes the lock",
    .expect = PROMISE_LOST_LOCK,
    .settings = SPECIMEN_SETTING("close", "steps of it", "two", "one"),
    .act = act,
    TABLE_SPECIMEN,
};
