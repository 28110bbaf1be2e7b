#include "tale/cases/redis_nodes.h"

/*
 * Redlock: who has set its key on most of five nodes holds the lock, as long
 * as no node lets go of a key too early: by a clock that jumps, or by a restart
 * of a node that kept its keys in memory alone.
 */

enum { MAJORITY = 3, ALL = (1 << NODES) - 1 };
enum { CHOICE_GO_ON = NODES, CHOICES };

struct redlock {
    struct cast cast;
    struct nodes nodes;
    uint8_t asked[TOLD_WORKERS_MAX]; /* nodes: 1 << node */
    uint8_t granted[TOLD_WORKERS_MAX];
};

static bool
ask(struct scene *scene, struct redlock *s, unsigned who, unsigned node)
{
    struct told_event *event;
    bool granted;

    if (s->granted[who] >= MAJORITY || (s->asked[who] >> node & 1) != 0)
        return false;
    granted = nodes_set(&s->nodes, node, who + 1);
    s->asked[who] |= (uint8_t)(1u << node);
    s->granted[who] += granted;
    event = scene_tell(scene, TOLD_WRITE, who, "Worker #%u %s node %c", who + 1,
                       granted ? "sets its key on" : "is refused by",
                       (char)('A' + node));
    if (event != NULL)
        event->replica = node + 1;
    return true;
}

static bool
process(struct scene *scene, struct redlock *s, unsigned who)
{
    scene_stand(s, who, WHERE_INSIDE);
    return scene_say(scene, TOLD_START, who,
                     "has a majority, and processes the data set");
}

static bool
unlock(struct scene *scene, struct redlock *s, unsigned who, bool held)
{
    nodes_delete(&s->nodes, who + 1);
    s->asked[who] = s->granted[who] = 0;
    scene_stand(s, who, held ? WHERE_DONE : WHERE_OUTSIDE);
    return scene_say(scene, TOLD_REMOVE, who,
                     held ? "releases the lock"
                          : "has no majority, and gives up");
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct redlock *s = state;

    if (who == SPECIMEN_WORLD)
        return nodes_lose(scene, &s->nodes, choice, scene->run->specimen->text);
    if (scene_stands(s, who, WHERE_INSIDE))
        return choice == CHOICE_GO_ON && unlock(scene, s, who, true);
    if (!scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    if (choice != CHOICE_GO_ON)
        return ask(scene, s, who, choice);
    if (s->granted[who] >= MAJORITY)
        return process(scene, s, who);
    return s->asked[who] == ALL && unlock(scene, s, who, false);
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    (void)run;
    nodes_show(&((const struct redlock *)state)->nodes, text);
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
