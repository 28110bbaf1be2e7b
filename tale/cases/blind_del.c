#include "tale/specimen/specimen.h"

/*
 * A key that is set if it is absent, lives for a while, and is deleted on
 * release, whosesoever it is by then: by a worker that was blocked for longer
 * than its key lived, the key of the next holder.
 */

enum { SETTING_DEL };
enum { CHOICE_LINE, CHOICE_PAUSE };

struct blind {
    struct cast cast;
    uint8_t key; /* the ID in it; 0: there is none */
};

static bool
set(struct scene *scene, struct blind *s, unsigned who)
{
    if (s->key != 0 || !scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    s->key = (uint8_t)(who + 1);
    scene_stand(s, who, WHERE_INSIDE);
    return scene_say(scene, TOLD_WRITE, who,
                     "sets the key, and processes the data set");
}

static bool
del(struct scene *scene, struct blind *s, unsigned who)
{
    bool paused = scene_stands(s, who, WHERE_PAUSED);
    bool compared = scene_setting(scene, SETTING_DEL) != 0;
    unsigned owner = s->key;

    if (!paused && !scene_stands(s, who, WHERE_INSIDE))
        return false;
    scene_stand(s, who, WHERE_DONE);
    if (compared && owner != who + 1) {
        return scene_say(scene, TOLD_READ, who,
                         "has ended, and finds that the key is not its own");
    }
    s->key = 0;
    if (owner != 0 && scene_stands(s, owner - 1, WHERE_INSIDE))
        scene->violated = PROMISE_LOST_LOCK;
    return scene_say(scene, TOLD_REMOVE, who, "has ended, and deletes %s",
                     owner == 0         ? "a key that is not there"
                     : owner == who + 1 ? "the key"
                                        : "the key, which is another's");
}

static bool
expire(struct scene *scene, struct blind *s)
{
    if (s->key == 0 || !scene_stands(s, s->key - 1u, WHERE_PAUSED))
        return false;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY, "The key of worker #%u expires",
               s->key);
    s->key = 0;
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    if (who == SPECIMEN_WORLD)
        return choice == CHOICE_LINE && expire(scene, state);
    if (choice == CHOICE_PAUSE)
        return scene_pause(scene, state, who, " for longer than its key lives");
    return set(scene, state, who) || del(scene, state, who);
}

const struct specimen specimen_blind_del = {
    .name = "blind-del",
    .about = "a release that deletes the key without looking whose it is",
    .source = "Redis, Distributed Locks with Redis",
    .expect = PROMISE_LOST_LOCK,
    .settings = SPECIMEN_SETTING("del", "of a key that may be another's",
                                 "blind", "compared"),
    .workers = 2,
    .faults = 1,
    .choices = 2,
    .size = sizeof(struct blind),
    .act = act,
    .holder_at = offsetof(struct blind, key),
};
