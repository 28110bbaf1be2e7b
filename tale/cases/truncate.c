#include "tale/cases/heartbeat.h"

/*
 * "This will still require manual intervention (truncating the locks table)
 * when a lock holder dies without releasing the lock": here the holder was
 * suspected dead, and lives.
 */

enum { SETTING_OPERATOR };

static bool
report(struct scene *scene, struct heartbeat *s, unsigned who)
{
    unsigned holder = heartbeat_holder(s);

    if (s->cast.line[who] != 0 || !heartbeat_suspect(scene, s, who))
        return false;
    s->reported = 1;
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u sees no heartbeat, and reports worker #%u as dead",
               who + 1, holder);
    return true;
}

static bool
truncate_table(struct scene *scene, struct heartbeat *s)
{
    bool checks = scene_setting(scene, SETTING_OPERATOR) != 0;

    if (s->reported == 0)
        return false;
    s->reported = 0;
    if (!checks)
        LOCKS_DO(scene, &s->locks, SPECIMEN_WORLD, .verb = LOCKS_DELETE_ALL);
    scene_tell(scene, checks ? TOLD_WORLD : TOLD_REMOVE, TOLD_NOBODY,
               checks ? "The operator finds that the holder lives"
                      : "The operator truncates the locks table");
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct heartbeat *s = state;

    if (who == SPECIMEN_WORLD)
        return choice == HEARTBEAT_GO_ON && truncate_table(scene, s);
    if (choice == HEARTBEAT_GO_ON && scene_stands(s, who, WHERE_OUTSIDE) &&
        heartbeat_holder(s) != 0)
        return report(scene, s, who);
    return heartbeat_act(scene, s, who, choice);
}

const struct specimen specimen_truncate = {
    .name = "heartbeat-truncate",
    .about = "an operator who truncates the table under a live holder",
    .expect = PROMISE_OVERLAP,
    .settings =
        SPECIMEN_SETTING("operator", "does what", "truncates", "checks"),
    .act = act,
    HEARTBEAT_SPECIMEN,
};
