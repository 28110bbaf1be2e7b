#include "tale/specimen/specimen.h"

/*
 * etcd's lock: a key for each who wants it, tied to a lease, and the oldest key
 * holds.  A waiter is granted when the keys before its own are gone; nobody
 * looked whether its own is still there.
 */

enum { SETTING_CHECK };
enum { CHOICE_LINE, CHOICE_LEASE_ENDS };

struct etcd {
    struct cast cast;                /* line 1: it has created its key */
    uint8_t keys;                    /* those that are there: 1 << who */
    uint8_t older[TOLD_WORKERS_MAX]; /* those there when it created its own */
};

static bool
create(struct scene *scene, struct etcd *s, unsigned who)
{
    bool waits = s->keys != 0;

    s->older[who] = s->keys;
    s->keys |= (uint8_t)(1u << who);
    s->cast.line[who] = 1;
    scene_stand(s, who, waits ? WHERE_OUTSIDE : WHERE_INSIDE);
    return scene_say(scene, TOLD_WRITE, who, "creates its key, and %s",
                     waits ? "waits" : "holds the lock");
}

static bool
grant(struct scene *scene, struct etcd *s, unsigned who)
{
    bool ended = (s->keys >> who & 1) == 0;
    bool refused = ended && scene_setting(scene, SETTING_CHECK) != 0;

    if ((s->keys & s->older[who]) != 0)
        return false;
    scene_stand(s, who, refused ? WHERE_MOVED_ON : WHERE_INSIDE);
    if (ended && !refused)
        scene->violated = PROMISE_LATE_ANSWER;
    return scene_say(scene, TOLD_START, who, "is %s the lock%s",
                     refused ? "refused" : "granted",
                     ended ? ": its lease has ended" : "");
}

/* By a release, or before its time. */
static bool
delete_key(struct scene *scene, struct etcd *s, unsigned who, bool released)
{
    if ((s->keys >> who & 1) == 0)
        return false;
    s->keys &= (uint8_t) ~(1u << who);
    scene->fault = !released;
    if (released)
        scene_stand(s, who, WHERE_DONE);
    return scene_say(scene, released ? TOLD_REMOVE : TOLD_WORLD, who, "%s",
                     released ? "deletes its key" : "lets its lease end");
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct etcd *s = state;

    if (scene_stands(s, who, WHERE_INSIDE))
        return choice == CHOICE_LINE && delete_key(scene, s, who, true);
    if (!scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    if (choice == CHOICE_LEASE_ENDS)
        return delete_key(scene, s, who, false);
    return s->cast.line[who] ? grant(scene, s, who) : create(scene, s, who);
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    const struct etcd *s = state;

    for (unsigned i = 0; i < run->workers; i++)
        if ((s->keys >> i & 1) != 0)
            hf_text_addf(text, "%s#%u", text->len == 0 ? "" : ", ", i + 1);
}

const struct specimen specimen_etcd_11456 = {
    .name = "etcd-11456",
    .about = "a waiter is granted after its own lease has ended",
    .source = "etcd, issue 11456",
    .expect = PROMISE_LATE_ANSWER,
    .settings = SPECIMEN_SETTING(
        "check", "of its own lease, when it is granted", "no", "yes"),
    .workers = 2,
    .faults = 1,
    .choices = 2,
    .size = sizeof(struct etcd),
    .act = act,
    .show = show,
};
