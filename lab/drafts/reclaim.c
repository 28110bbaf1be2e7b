#include "drafts/reclaim.h"

bool
table_is_own(const struct table *s, unsigned who)
{
    return s->token != 0 && s->token == s->mine[who];
}

void
table_give_up(struct table *s, unsigned who)
{
    s->cast.line[who] = TABLE_END;
    scene_stand(s, who, WHERE_MOVED_ON);
}

static void
hold(struct table *s, unsigned who)
{
    s->token = ++s->tokens;
    s->owner = (uint8_t)(who + 1);
    s->mine[who] = s->token;
    s->stale = 0;
    s->cast.line[who] = TABLE_HELD;
    scene_stand(s, who, WHERE_INSIDE);
}

void
table_take(struct scene *scene, struct table *s, unsigned who)
{
    bool lives = s->owner != 0 && scene_stands(s, s->owner - 1u, WHERE_INSIDE);

    if (s->taken == s->old[who])
        scene->violated = PROMISE_TWO_TAKERS;
    else if (lives && s->stale == 0)
        scene->violated = PROMISE_STOLEN;
    s->taken = s->old[who];
    hold(s, who);
}

void
table_delete(struct scene *scene, struct table *s, unsigned who)
{
    if (s->owner != who + 1 && s->owner != 0 &&
        scene_stands(s, s->owner - 1u, WHERE_INSIDE))
        scene->violated = PROMISE_LOST_LOCK;
    s->token = s->owner = s->stale = 0;
    s->cast.line[who] = TABLE_END;
    scene_stand(s, who, WHERE_DONE);
}

static bool
begin(struct scene *scene, struct table *s, unsigned who)
{
    if (s->token == 0) {
        hold(s, who);
        scene_tell(scene, TOLD_WRITE, who,
                   "Worker #%u inserts the lock, with token T%u", who + 1,
                   s->token);
        return true;
    }
    s->old[who] = s->token;
    s->cast.line[who] = TABLE_RECLAIM;
    if (s->stale == 0)
        table_give_up(s, who);
    scene_tell(scene, TOLD_READ, who, "Worker #%u reads the lock: T%u, %s",
               who + 1, s->token, s->stale ? "stale" : "fresh; and passes");
    return true;
}

static bool
close_at_once(struct scene *scene, struct table *s, unsigned who)
{
    if (table_is_own(s, who)) {
        table_delete(scene, s, who);
        scene_tell(scene, TOLD_REMOVE, who,
                   "Worker #%u finds its token, and deletes the lock", who + 1);
        return true;
    }
    table_give_up(s, who);
    scene_tell(scene, TOLD_READ, who,
               "Worker #%u finds another's token, and stops", who + 1);
    return true;
}

/* A heartbeat: it finds its own token, or that the lock was reclaimed. */
static bool
wake(struct scene *scene, struct table *s, unsigned who)
{
    bool own = table_is_own(s, who);

    if (!scene_stands(s, who, WHERE_PAUSED))
        return false;
    scene_stand(s, who, WHERE_INSIDE);
    if (own)
        s->stale = 0;
    else
        table_give_up(s, who);
    scene_tell(scene, TOLD_WRITE, who, "Worker #%u wakes, and %s", who + 1,
               own ? "updates its heartbeat" : "finds another's token");
    return true;
}

bool
table_rest(struct scene *scene, struct table *s, unsigned who, unsigned choice)
{
    if (who == SPECIMEN_WORLD)
        return false;
    if (choice == TABLE_PAUSE)
        return scene_pause(scene, s, who, "");
    return choice == TABLE_WAKE && wake(scene, s, who);
}

/* The heartbeat of a process that does not run grows old. */
static bool
grow_stale(struct scene *scene, struct table *s)
{
    if (s->token == 0 || s->stale != 0 ||
        scene_stands(s, s->owner - 1u, WHERE_INSIDE))
        return false;
    s->stale = 1;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "Time passes, and the lock of worker #%u is stale", s->owner);
    return true;
}

bool
table_act(struct scene *scene, struct table *s, unsigned who, unsigned choice)
{
    if (choice != TABLE_GO_ON)
        return false;
    if (who == SPECIMEN_WORLD)
        return grow_stale(scene, s);
    if (s->cast.line[who] == TABLE_BEGIN)
        return begin(scene, s, who);
    if (s->cast.line[who] == TABLE_HELD && !scene_stands(s, who, WHERE_PAUSED))
        return close_at_once(scene, s, who);
    return false;
}

void
table_show(const struct specimen_run *run, const void *state,
           struct hf_text *text)
{
    const struct table *s = state;

    (void)run;
    if (s->token != 0)
        hf_text_addf(text, "T%u%s", s->token, s->stale ? " stale" : "");
    if (s->token != 0 && s->owner != 0)
        hf_text_addf(text, " of #%u", s->owner);
    if (s->marker != 0)
        hf_text_addf(text, " + RECLAIM_T%u", s->marker);
}

bool
table_is_left(const struct specimen_run *run, const void *state)
{
    const struct table *s = state;

    (void)run;
    for (unsigned i = 0; i < TOLD_WORKERS_MAX; i++)
        if (s->cast.line[i] == TABLE_CLOSE) /* it will be deleted yet */
            return false;
    return s->token != 0;
}
