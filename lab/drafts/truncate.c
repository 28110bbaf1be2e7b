#include "specimen/specimens.h"

/*
 * "This will still require manual intervention (truncating the locks table)
 * when a lock holder dies without releasing the lock": here the holder was
 * suspected dead, and lives.
 */

enum { SETTING_OPERATOR };
enum { CHOICE_GO_ON, CHOICE_PAUSE, CHOICE_WAKE };

struct table {
    struct cast cast; /* line 1: it has reported the holder */
    uint8_t lock;     /* the holder's ID; 0: the table is empty */
    uint8_t reported; /* 1: an operator knows */
};

static bool
acquire_or_report(struct scene *scene, struct table *s, unsigned who)
{
    if (s->lock == 0) {
        s->lock = (uint8_t)(who + 1);
        scene_stand(s, who, WHERE_INSIDE);
        scene_tell(scene, TOLD_WRITE, who, "Worker #%u acquires the lock",
                   who + 1);
        return true;
    }
    if (s->cast.line[who] != 0 || !scene_stands(s, s->lock - 1u, WHERE_PAUSED))
        return false;
    s->cast.line[who] = 1;
    s->reported = 1;
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u sees no heartbeat, and reports worker #%u as dead",
               who + 1, s->lock);
    return true;
}

static bool
release(struct scene *scene, struct table *s, unsigned who)
{
    if (s->lock == who + 1)
        s->lock = 0;
    scene_stand(s, who, WHERE_DONE);
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u releases the lock",
               who + 1);
    return true;
}

static bool
truncate_table(struct scene *scene, struct table *s)
{
    bool checks = scene_setting(scene, SETTING_OPERATOR) != 0;

    if (s->reported == 0)
        return false;
    s->reported = 0;
    if (!checks)
        s->lock = 0;
    scene_tell(scene, checks ? TOLD_WORLD : TOLD_REMOVE, TOLD_NOBODY,
               checks ? "The operator finds that the holder lives"
                      : "The operator truncates the locks table");
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct table *s = state;

    if (who == SPECIMEN_WORLD)
        return choice == CHOICE_GO_ON && truncate_table(scene, s);
    if (choice == CHOICE_PAUSE)
        return scene_pause(scene, s, who, ", and its heartbeat with it");
    if (choice == CHOICE_WAKE)
        return scene_wake(scene, s, who);
    if (scene_stands(s, who, WHERE_INSIDE))
        return release(scene, s, who);
    return scene_stands(s, who, WHERE_OUTSIDE) &&
           acquire_or_report(scene, s, who);
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    (void)run;
    scene_show_holder(text, ((const struct table *)state)->lock);
}

const struct specimen specimen_truncate = {
    .name = "heartbeat-truncate",
    .about = "an operator who truncates the table under a live holder",
    .source = "AtlasDB, decision 8: heartbeats for lock holders",
    .expect = PROMISE_OVERLAP,
    .workers = 2,
    .faults = 1,
    .settings =
        SPECIMEN_SETTING("operator", "does what", "truncates", "checks"),
    .choices = 3,
    .size = sizeof(struct table),
    .act = act,
    .show = show};
