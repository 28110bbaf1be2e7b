#include "tale/cases/reclaim.h"

static struct locks_row *
lock_of(struct table *s)
{
    return &s->locks.rows[LOCKS_LOCK];
}

/* The row that `who` would write. */
static struct locks_row
next_row(const struct table *s, unsigned who)
{
    return (struct locks_row){
        .token = (uint8_t)(s->tokens + 1),
        .owner = (uint8_t)(who + 1),
    };
}

/* Is `row` that of a holder, not this worker, which runs? */
static bool
is_of_another(const struct table *s, const struct locks_row *row, unsigned who)
{
    return row->owner != who + 1 && row->owner != 0 &&
           scene_stands(s, row->owner - 1u, WHERE_INSIDE);
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
    s->mine[who] = ++s->tokens;
    s->cast.line[who] = TABLE_HELD;
    scene_stand(s, who, WHERE_INSIDE);
}

bool
table_take(struct scene *scene, struct table *s, unsigned who, unsigned where)
{
    struct locks_row before = *lock_of(s);
    struct locks_row old = {.token = s->old[who], .stale = 1};

    if (LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_UPDATE,
                 .set = LOCKS_TOKEN | LOCKS_OWNER | LOCKS_BEAT,
                 .row = next_row(s, who), .where = where, .match = old)
            .rows == 0)
        return false;
    if (s->taken == s->old[who])
        scene->violated = PROMISE_TWO_TAKERS;
    else if (is_of_another(s, &before, who) && before.stale == 0)
        scene->violated = PROMISE_STOLEN;
    s->taken = s->old[who];
    hold(s, who);
    return true;
}

uint8_t
table_read_token(struct scene *scene, struct table *s, unsigned who)
{
    return LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_SELECT).row.token;
}

bool
table_delete(struct scene *scene, struct table *s, unsigned who, unsigned where)
{
    struct locks_row before = *lock_of(s);
    struct locks_row own = {.token = s->mine[who]};

    if (LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_DELETE, .where = where,
                 .match = own)
            .rows == 0)
        return false;
    if (is_of_another(s, &before, who))
        scene->violated = PROMISE_LOST_LOCK;
    s->cast.line[who] = TABLE_END;
    scene_stand(s, who, WHERE_DONE);
    return true;
}

bool
table_insert_marker(struct scene *scene, struct table *s, unsigned who)
{
    struct locks_row marker = {.token = s->old[who]};

    return LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_INSERT,
                    .name = LOCKS_RECLAIM, .set = LOCKS_TOKEN, .row = marker)
               .rows != 0;
}

void
table_delete_marker(struct scene *scene, struct table *s, unsigned who)
{
    struct locks_row marker = {.token = s->old[who]};

    LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_DELETE, .name = LOCKS_RECLAIM,
             .where = LOCKS_TOKEN, .match = marker);
}

static bool
begin(struct scene *scene, struct table *s, unsigned who)
{
    struct locks_row found;

    if (LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_INSERT,
                 .set = LOCKS_TOKEN | LOCKS_OWNER | LOCKS_BEAT,
                 .row = next_row(s, who))
            .rows != 0) {
        hold(s, who);
        scene_tell(scene, TOLD_WRITE, who,
                   "Worker #%u inserts the lock, with token T%u", who + 1,
                   s->mine[who]);
        return true;
    }
    found = LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_SELECT).row;
    s->old[who] = found.token;
    s->cast.line[who] = TABLE_RECLAIM;
    if (found.stale == 0)
        table_give_up(s, who);
    scene_tell(scene, TOLD_READ, who, "Worker #%u reads the lock: T%u, %s",
               who + 1, found.token,
               found.stale ? "stale" : "fresh; and passes");
    return true;
}

static bool
close_at_once(struct scene *scene, struct table *s, unsigned who)
{
    if (table_delete(scene, s, who, LOCKS_TOKEN)) {
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
    struct locks_row own_row = {.token = s->mine[who]};
    bool own;

    if (!scene_stands(s, who, WHERE_PAUSED))
        return false;
    scene_stand(s, who, WHERE_INSIDE);
    own = LOCKS_DO(scene, &s->locks, who, .verb = LOCKS_UPDATE,
                   .set = LOCKS_BEAT, .where = LOCKS_TOKEN, .match = own_row)
              .rows != 0;
    if (!own)
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
    const struct locks_row *lock = lock_of(s);

    if (lock->there == 0 || lock->stale != 0 ||
        scene_stands(s, lock->owner - 1u, WHERE_INSIDE))
        return false;
    locks_pass_time(scene, &s->locks);
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "Time passes, and the lock of worker #%u is stale", lock->owner);
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
    const struct locks *locks = table_locks(state);
    const struct locks_row *lock = &locks->rows[LOCKS_LOCK];
    const struct locks_row *marker = &locks->rows[LOCKS_RECLAIM];

    (void)run;
    if (lock->there != 0)
        hf_text_addf(text, "T%u%s", lock->token, lock->stale ? " stale" : "");
    if (lock->owner != 0)
        hf_text_addf(text, " of #%u", lock->owner);
    if (marker->there != 0)
        hf_text_addf(text, " + RECLAIM_T%u", marker->token);
}

bool
table_is_left(const struct specimen_run *run, const void *state)
{
    const struct table *s = state;

    (void)run;
    for (unsigned i = 0; i < TOLD_WORKERS_MAX; i++)
        if (s->cast.line[i] == TABLE_CLOSE) /* it will be deleted yet */
            return false;
    return s->locks.rows[LOCKS_LOCK].there != 0;
}

const struct locks *
table_locks(const void *state)
{
    return &((const struct table *)state)->locks;
}
