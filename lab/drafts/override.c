#include "specimen/specimens.h"

/*
 * "We needed to decide whether to allow someone waiting on a lock to override
 * the lock once it detects that the lock holder is dead (via its heartbeat)":
 * here they do, and the holder was only late.
 */

enum { SETTING_SUSPICION };
enum { CHOICE_GO_ON, CHOICE_PAUSE, CHOICE_WAKE };

struct heartbeat {
    struct cast cast; /* line 1: it suspects the holder */
    uint8_t lock;     /* the holder's ID; 0: there is none */
};

static bool
acquire(struct scene *scene, struct heartbeat *s, unsigned who)
{
    scene_stand(s, who, WHERE_INSIDE);
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u %s the lock", who + 1,
               s->lock == 0 ? "acquires" : "overrides");
    s->lock = (uint8_t)(who + 1);
    return true;
}

/* Overriding compares and sets: it fails once the holder has beaten again. */
static bool
wait_for_holder(struct scene *scene, struct heartbeat *s, unsigned who)
{
    bool throws = scene_setting(scene, SETTING_SUSPICION) != 0;

    if (!scene_stands(s, s->lock - 1u, WHERE_PAUSED))
        return false;
    if (s->cast.line[who]++ == 0) {
        scene_tell(scene, TOLD_READ, who,
                   "Worker #%u sees worker #%u's heartbeat stand still",
                   who + 1, s->lock);
        return true;
    }
    if (!throws)
        return acquire(scene, s, who);
    scene_stand(s, who, WHERE_MOVED_ON);
    scene_tell(scene, TOLD_WORK, who,
               "Worker #%u reports that the holder may be dead", who + 1);
    return true;
}

static bool
release(struct scene *scene, struct heartbeat *s, unsigned who)
{
    if (s->lock == who + 1)
        s->lock = 0;
    scene_stand(s, who, WHERE_DONE);
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u releases the lock",
               who + 1);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct heartbeat *s = state;

    if (who == SPECIMEN_WORLD)
        return false;
    if (choice == CHOICE_PAUSE)
        return scene_pause(scene, s, who, ", and its heartbeat with it");
    if (choice == CHOICE_WAKE)
        return scene_wake(scene, s, who);
    if (scene_stands(s, who, WHERE_INSIDE))
        return release(scene, s, who);
    if (!scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    return s->lock == 0 ? acquire(scene, s, who)
                        : wait_for_holder(scene, s, who);
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    (void)run;
    scene_show_holder(text, ((const struct heartbeat *)state)->lock);
}

const struct specimen specimen_override = {
    .name = "heartbeat-override",
    .about = "a lock that may be overridden once its heartbeat stands still",
    .source = "AtlasDB, decision 8: heartbeats for lock holders",
    .expect = PROMISE_OVERLAP,
    .workers = 2,
    .faults = 1,
    .settings =
        SPECIMEN_SETTING("suspicion", "leads to what", "override", "throw"),
    .choices = 3,
    .size = sizeof(struct heartbeat),
    .act = act,
    .show = show,
};
