#include "tale/specimen/specimen.h"

/* A lock file: whoever finds its process gone removes it, and tries again. */

struct file {
    struct cast cast; /* line 1: it has found that the process is gone */
    uint8_t owner;    /* whose ID is in the file; 0: there is none */
};

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct file *s = state;

    if (who == SPECIMEN_WORLD || choice != 0 ||
        scene_stands(s, who, WHERE_CRASHED))
        return false;
    if (scene_stands(s, who, WHERE_INSIDE)) {
        scene->fault = true;
        scene_stand(s, who, WHERE_CRASHED);
        return scene_say(scene, TOLD_CRASH, who, "crashes");
    }
    if (s->cast.line[who] == 1) {
        s->cast.line[who] = 0;
        s->owner = 0;
        return scene_say(scene, TOLD_REMOVE, who, "removes the file");
    }
    if (scene_stands(s, s->owner - 1u, WHERE_CRASHED)) {
        s->cast.line[who] = 1;
        return scene_say(scene, TOLD_READ, who, "finds a dead process's ID");
    }
    if (s->owner != 0)
        return false; /* its process runs: wait */
    s->owner = (uint8_t)(who + 1);
    scene_stand(s, who, WHERE_INSIDE);
    return scene_say(scene, TOLD_WRITE, who, "creates its file, and works");
}

const struct specimen specimen_stale_file = {
    .name = "stale-lock-file",
    .about = "a lock file that is removed when its process is gone",
    .source = "the PID files of many scripts and servers",
    .expect = PROMISE_OVERLAP,
    .workers = 3,
    .faults = 1,
    .choices = 1,
    .size = sizeof(struct file),
    .act = act,
    .holder_at = offsetof(struct file, owner),
};
