#include "specimen/specimens.h"

/*
 * etcd's lock: a key for each who wants it, tied to a lease, and the oldest key
 * holds.  A waiter is granted when the keys before its own are gone; nobody
 * looked whether its own is still there.
 */

enum { SETTING_CHECK };
enum { CHOICE_LINE, CHOICE_LEASE_ENDS };
enum { LINE_CREATE, LINE_WAIT, LINE_RELEASE, LINE_END };

struct etcd {
    struct cast cast;
    uint8_t revision;                  /* of the last key created */
    uint8_t created[TOLD_WORKERS_MAX]; /* revision of each one's key */
    uint8_t there[TOLD_WORKERS_MAX];   /* 1: the key is */
};

static bool
is_first(const struct etcd *s, unsigned who)
{
    for (unsigned i = 0; i < TOLD_WORKERS_MAX; i++)
        if (s->there[i] && s->created[i] < s->created[who])
            return false;
    return true;
}

static bool
create(struct scene *scene, struct etcd *s, unsigned who)
{
    s->created[who] = ++s->revision;
    s->there[who] = 1;
    s->cast.line[who] = is_first(s, who) ? LINE_RELEASE : LINE_WAIT;
    scene_stand(s, who, is_first(s, who) ? WHERE_INSIDE : WHERE_OUTSIDE);
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u creates its key, and %s",
               who + 1, is_first(s, who) ? "holds the lock" : "waits");
    return true;
}

static bool
grant(struct scene *scene, struct etcd *s, unsigned who)
{
    bool ended = s->there[who] == 0;
    bool checks = scene_setting(scene, SETTING_CHECK) != 0;

    if (!is_first(s, who))
        return false;
    s->cast.line[who] = ended && checks ? LINE_END : LINE_RELEASE;
    scene_stand(s, who, ended && checks ? WHERE_MOVED_ON : WHERE_INSIDE);
    if (ended && !checks)
        scene->violated = PROMISE_LATE_ANSWER;
    scene_tell(scene, TOLD_START, who, "Worker #%u is %s the lock%s", who + 1,
               ended && checks ? "refused" : "granted",
               ended ? ": its lease has ended" : "");
    return true;
}

static bool
release(struct scene *scene, struct etcd *s, unsigned who)
{
    s->there[who] = 0;
    s->cast.line[who] = LINE_END;
    scene_stand(s, who, WHERE_DONE);
    scene_tell(scene, TOLD_REMOVE, who, "Worker #%u deletes its key", who + 1);
    return true;
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct etcd *s = state;
    unsigned line = who == SPECIMEN_WORLD ? LINE_END : s->cast.line[who];

    if (choice == CHOICE_LEASE_ENDS) {
        if (line != LINE_WAIT || s->there[who] == 0)
            return false;
        scene->fault = true;
        s->there[who] = 0;
        scene_tell(scene, TOLD_WORLD, who, "Worker #%u's lease ends", who + 1);
        return true;
    }
    return (line == LINE_CREATE && create(scene, s, who)) ||
           (line == LINE_WAIT && grant(scene, s, who)) ||
           (line == LINE_RELEASE && release(scene, s, who));
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    const struct etcd *s = state;

    for (unsigned i = 0; i < run->workers; i++)
        if (s->there[i])
            hf_text_addf(text, "%s#%u at %u", text->len == 0 ? "" : " + ",
                         i + 1, s->created[i]);
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
    .show = show};
