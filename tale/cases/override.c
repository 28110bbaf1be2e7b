#include "tale/cases/heartbeat.h"

/*
 * "We needed to decide whether to allow someone waiting on a lock to override
 * the lock once it detects that the lock holder is dead (via its heartbeat)":
 * here they do, and the holder was only late.
 */

enum { SETTING_SUSPICION };

/* Overriding compares and sets: it fails once the holder has beaten again. */
static bool
override(struct scene *scene, struct heartbeat *s, unsigned who)
{
    struct locks_row seen = {.owner = s->locks.rows[LOCKS_LOCK].owner,
                             .stale = 1};
    struct locks_row own = {.owner = (uint8_t)(who + 1)};

    if (LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_UPDATE,
                 .set = LOCKS_OWNER | LOCKS_BEAT, .row = own,
                 .where = LOCKS_OWNER | LOCKS_BEAT, .match = seen)
            .rows != 0)
        return heartbeat_enter(scene, s, who, "overrides");
    s->cast.line[who] = 0;
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u cannot override a lock that has beaten again",
               who + 1);
    return true;
}

static bool throw(struct scene * scene, struct heartbeat *s, unsigned who)
{
    scene_stand(s, who, WHERE_MOVED_ON);
    scene_tell(scene, TOLD_WORK, who,
               "Worker #%u reports that the holder may be dead", who + 1);
    return true;
}

static bool
wait_for_holder(struct scene *scene, struct heartbeat *s, unsigned who)
{
    unsigned holder = heartbeat_holder(s);

    if (s->cast.line[who] != 0)
        return scene_setting(scene, SETTING_SUSPICION) != 0
                   ? throw(scene, s, who)
                   : override(scene, s, who);
    if (!heartbeat_suspect(scene, s, who))
        return false;
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u sees worker #%u's heartbeat stand still", who + 1,
               holder);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct heartbeat *s = state;

    if (choice == HEARTBEAT_GO_ON && scene_stands(s, who, WHERE_OUTSIDE) &&
        heartbeat_holder(s) != 0)
        return wait_for_holder(scene, s, who);
    return heartbeat_act(scene, s, who, choice);
}

const struct specimen specimen_override = {
    .name = "heartbeat-override",
    .about = "a lock that may be overridden once its heartbeat stands still",
    .expect = PROMISE_OVERLAP,
    .settings =
        SPECIMEN_SETTING("suspicion", "leads to what", "override", "throw"),
    .act = act,
    HEARTBEAT_SPECIMEN,
};
