#include "specimen/specimens.h"

/*
 * Redlock: who has set its key on most of five nodes holds the lock, as long
 * as no node lets go of a key too early: by a clock that jumps, or by a restart
 * of a node that kept its keys in memory alone.
 */

enum { NODES = 5, MAJORITY = 3 };
enum { CHOICE_START = NODES, CHOICE_RETRY, CHOICE_RELEASE, CHOICES };

struct redlock {
    struct cast cast;
    uint8_t key[NODES];              /* the ID on each node; 0: none */
    uint8_t asked[TOLD_WORKERS_MAX]; /* nodes, each a bit */
    uint8_t granted[TOLD_WORKERS_MAX];
};

static bool
set_key(struct scene *scene, struct redlock *s, unsigned who, unsigned node)
{
    bool is_free = s->key[node] == 0;

    if ((s->asked[who] >> node & 1) != 0)
        return false;
    s->asked[who] |= (uint8_t)(1u << node);
    if (is_free) {
        s->key[node] = (uint8_t)(who + 1);
        s->granted[who] |= (uint8_t)(1u << node);
    }
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u %s node %c", who + 1,
               is_free ? "sets its key on" : "is refused by",
               (char)('A' + node));
    return true;
}

/* The worker's keys are deleted: those that are still its own. */
static bool
delete_keys(struct scene *scene, struct redlock *s, unsigned who, bool held)
{
    for (unsigned node = 0; node < NODES; node++)
        if (s->key[node] == who + 1)
            s->key[node] = 0;
    s->asked[who] = s->granted[who] = 0;
    scene_stand(s, who, held ? WHERE_DONE : WHERE_OUTSIDE);
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u %s", who + 1,
               held ? "releases the lock" : "has no majority, and gives up");
    return true;
}

static bool
lose_key(struct scene *scene, struct redlock *s, unsigned node)
{
    const char *why = scene->run->specimen->text;

    if (node >= NODES || s->key[node] == 0)
        return false;
    scene->fault = true;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "Node %c %s: worker #%u's key is gone", (char)('A' + node), why,
               s->key[node]);
    s->key[node] = 0;
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct redlock *s = state;
    unsigned granted = 0;

    if (who == SPECIMEN_WORLD)
        return lose_key(scene, s, choice);
    if (choice == CHOICE_RELEASE)
        return scene_stands(s, who, WHERE_INSIDE) &&
               delete_keys(scene, s, who, true);
    for (unsigned node = 0; node < NODES; node++)
        granted += s->granted[who] >> node & 1;
    if (!scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    if (granted < MAJORITY && choice < NODES)
        return set_key(scene, s, who, choice);
    if (granted < MAJORITY)
        return choice == CHOICE_RETRY && s->asked[who] == (1u << NODES) - 1 &&
               delete_keys(scene, s, who, false);
    if (choice != CHOICE_START)
        return false;
    scene_stand(s, who, WHERE_INSIDE);
    scene_tell(scene, TOLD_START, who,
               "Worker #%u has a majority, and processes the data set",
               who + 1);
    return true;
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    const struct redlock *s = state;

    (void)run;
    for (unsigned node = 0; node < NODES; node++)
        if (s->key[node] != 0)
            hf_text_addf(text, "%s%c: #%u", text->len == 0 ? "" : ", ",
                         (char)('A' + node), s->key[node]);
}

#define REDLOCK                                                                \
    .source = "Kleppmann, How to do distributed locking (2016)",               \
    .expect = PROMISE_OVERLAP, .workers = 2, .faults = 1, .choices = CHOICES,  \
    .size = sizeof(struct redlock), .act = act, .show = show

const struct specimen specimen_redlock_clock = {
    .name = "redlock-clock-jump",
    .about = "a majority of five nodes, one of whose clocks jumps",
    .text = "sees its clock jump",
    REDLOCK,
};

const struct specimen specimen_redlock_restart = {
    .name = "redlock-restart",
    .about = "a majority of five nodes, one of which forgets its keys",
    .text = "restarts without its memory",
    REDLOCK,
};
