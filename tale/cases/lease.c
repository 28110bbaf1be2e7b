#include "tale/specimen/specimen.h"

/*
 * A lease without a fence: a worker looks whether it holds the lease, pauses,
 * and writes when it wakes, though another was granted the lease and has
 * written since.  With a fence the storage refuses the older grant.
 */

enum { SETTING_FENCE };
enum { CHOICE_LINE, CHOICE_PAUSE };

struct lease {
    struct cast cast;
    uint8_t holder; /* its ID; 0: nobody */
    uint8_t grants; /* so far: the number of the last one */
    uint8_t grant[TOLD_WORKERS_MAX];
    uint8_t highest; /* that the storage has seen */
};

static bool
acquire(struct scene *scene, struct lease *s, unsigned who)
{
    if (s->holder != 0 || !scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    s->holder = (uint8_t)(who + 1);
    s->grant[who] = ++s->grants;
    scene_stand(s, who, WHERE_INSIDE);
    return scene_say(scene, TOLD_WRITE, who, "is granted lease %u", s->grants);
}

static bool
write_and_release(struct scene *scene, struct lease *s, unsigned who)
{
    bool late = s->grant[who] < s->highest;
    bool refused = late && scene_setting(scene, SETTING_FENCE) != 0;
    bool paused = scene_stands(s, who, WHERE_PAUSED);

    if (!paused && !scene_stands(s, who, WHERE_INSIDE))
        return false;
    scene_stand(s, who, refused ? WHERE_MOVED_ON : WHERE_DONE);
    if (late && !refused)
        scene->violated = PROMISE_FENCE;
    if (!late)
        s->highest = s->grant[who];
    if (s->holder == who + 1)
        s->holder = 0;
    return scene_say(scene, TOLD_WRITE, who, "%swrites to the storage%s",
                     paused ? "wakes, and " : "",
                     refused ? ", which refuses it" : "");
}

static bool
expire(struct scene *scene, struct lease *s)
{
    if (s->holder == 0 || !scene_stands(s, s->holder - 1u, WHERE_PAUSED))
        return false;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "The lease of worker #%u expires", s->holder);
    s->holder = 0;
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    if (who == SPECIMEN_WORLD)
        return choice == CHOICE_LINE && expire(scene, state);
    if (choice == CHOICE_PAUSE)
        return scene_pause(scene, state, who, ", about to write");
    return acquire(scene, state, who) || write_and_release(scene, state, who);
}

const struct specimen specimen_lease = {
    .name = "lease-no-fence",
    .about = "a lease, and a storage that does not ask whose it is",
    .source = "Kleppmann, How to do distributed locking (2016)",
    .expect = PROMISE_FENCE,
    .settings = SPECIMEN_SETTING("fence", "the storage refuses an older grant",
                                 "no", "yes"),
    .workers = 2,
    .faults = 1,
    .choices = 2,
    .size = sizeof(struct lease),
    .act = act,
    .holder_at = offsetof(struct lease, holder),
};
