#include "tale/cases/heartbeat.h"

static struct locks_row
own_row(unsigned who)
{
    return (struct locks_row){.owner = (uint8_t)(who + 1)};
}

unsigned
heartbeat_holder(const struct heartbeat *s)
{
    return s->locks.rows[LOCKS_LOCK].owner;
}

bool
heartbeat_enter(struct scene *scene, struct heartbeat *s, unsigned who,
                const char *how)
{
    scene_stand(s, who, WHERE_INSIDE);
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u %s the lock", who + 1, how);
    return true;
}

static bool
acquire(struct scene *scene, struct heartbeat *s, unsigned who)
{
    LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_INSERT,
             .set = LOCKS_OWNER | LOCKS_BEAT, .row = own_row(who));
    return heartbeat_enter(scene, s, who, "acquires");
}

static bool
release(struct scene *scene, struct heartbeat *s, unsigned who)
{
    LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_DELETE, .where = LOCKS_OWNER,
             .match = own_row(who));
    scene_stand(s, who, WHERE_DONE);
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u releases the lock",
               who + 1);
    return true;
}

/* It beats as before.  What it could learn from the answer comes too late: it
 * is processing again. */
static bool
wake(struct scene *scene, struct heartbeat *s, unsigned who)
{
    if (!scene_wake(scene, s, who))
        return false;
    LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_UPDATE, .set = LOCKS_BEAT,
             .where = LOCKS_OWNER, .match = own_row(who));
    return true;
}

bool
heartbeat_suspect(struct scene *scene, struct heartbeat *s, unsigned who)
{
    if (!scene_stands(s, heartbeat_holder(s) - 1, WHERE_PAUSED))
        return false;
    s->cast.line[who] = 1;
    locks_pass_time(scene, &s->locks);
    LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_SELECT);
    return true;
}

bool
heartbeat_act(struct scene *scene, struct heartbeat *s, unsigned who,
              unsigned choice)
{
    if (who == SPECIMEN_WORLD)
        return false;
    if (choice == HEARTBEAT_PAUSE)
        return scene_pause(scene, s, who, ", and its heartbeat with it");
    if (choice == HEARTBEAT_WAKE)
        return wake(scene, s, who);
    if (scene_stands(s, who, WHERE_INSIDE))
        return release(scene, s, who);
    return scene_stands(s, who, WHERE_OUTSIDE) && heartbeat_holder(s) == 0 &&
           acquire(scene, s, who);
}

void
heartbeat_show(const struct specimen_run *run, const void *state,
               struct hf_text *text)
{
    (void)run;
    scene_show_holder(text, heartbeat_holder(state));
}

const struct locks *
heartbeat_locks(const void *state)
{
    return &((const struct heartbeat *)state)->locks;
}
