#include "tale/timelock/parts.h"

static unsigned
sooner(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* From `age` to `due`, which may have been long ago; 0 ticks are no limit. */
static unsigned
until(unsigned due, unsigned age)
{
    if (due == 0)
        return TIMELOCK_NEVER;
    return age < due ? due - age : 0;
}

unsigned
timelock_until_end(const struct scene *scene, const struct timelock *s,
                   unsigned at)
{
    const struct timelock_request *request = &s->queue[at];
    unsigned blocking = timelock_ticks(scene, TIMELOCK_BLOCKING);

    if (request->state == PARKED)
        return until(timelock_ticks(scene, TIMELOCK_PLACE), request->age);
    if (blocking != 0 && request->state == WAITS_LONGER)
        blocking++;
    return sooner(until(blocking, request->age),
                  until(request->limit, request->age));
}

unsigned
timelock_until_close(const struct scene *scene, const struct timelock *s,
                     unsigned at)
{
    const struct timelock_request *request = &s->queue[at];

    if (request->state == PARKED ||
        !timelock_listens(s, request->client - 1u, request->later))
        return TIMELOCK_NEVER;
    return until(timelock_ticks(scene, TIMELOCK_IDLE), request->age);
}

/* One who has waited enough leaves at that instant; where the server is to
 * know, the first instant after it is told. */
static unsigned
until_deadline(const struct scene *scene, const struct timelock *s,
               unsigned who)
{
    unsigned most = timelock_ticks(scene, TIMELOCK_AT_MOST);

    if (scene_setting(scene, TIMELOCK_DEADLINE) == DEADLINE_CLOCK)
        return until(most, s->waited[who]);
    return most == 0 || s->waited[who] > most ? TIMELOCK_NEVER
                                              : most + 1 - s->waited[who];
}

static unsigned
until_next(const struct scene *scene, const struct timelock *s)
{
    unsigned next = timelock_can_grant(s) ? 0 : TIMELOCK_NEVER;

    if (s->holder != 0)
        next = until(
            timelock_ticks(scene, s->heard ? TIMELOCK_HOLD : TIMELOCK_REAP),
            s->held);
    for (unsigned i = 0; i < TIMELOCK_REQUESTS && s->queue[i].client != 0; i++)
        next = sooner(next, sooner(timelock_until_end(scene, s, i),
                                   timelock_until_close(scene, s, i)));
    for (unsigned i = 0; i < TIMELOCK_MESSAGES; i++)
        if (s->under_way[i].client != 0)
            next = sooner(next, until(timelock_ticks(scene, TIMELOCK_NETWORK),
                                      s->under_way[i].age));
    for (unsigned i = 0; i < scene->run->workers; i++)
        if (timelock_listens(s, i, 0)) {
            next = sooner(next, until_deadline(scene, s, i));
            next = sooner(next, until(timelock_ticks(scene, TIMELOCK_PATIENCE),
                                      s->silent[i]));
        }
    return next;
}

/* Has a worker waited for longer than it wanted? */
static void
judge(struct scene *scene, const struct timelock *s, unsigned who)
{
    unsigned most = timelock_ticks(scene, TIMELOCK_AT_MOST);

    if (most == 0 || s->waited[who] <= most)
        return;
    timelock_break(scene, SPECIMEN_LATE);
    scene_say(scene, TOLD_WORK, who, "has waited for %u s, and still waits",
              s->waited[who] * TIMELOCK_TICK_S);
}

bool
timelock_pass(struct scene *scene, struct timelock *s, bool whole)
{
    unsigned next = until_next(scene, s);
    uint8_t by = (uint8_t)(whole ? next : 1);

    if (next == 0 || next == TIMELOCK_NEVER || (!whole && next == 1))
        return false;
    s->held += by;
    for (unsigned i = 0; i < TIMELOCK_REQUESTS && s->queue[i].client != 0; i++)
        s->queue[i].age += by;
    for (unsigned i = 0; i < TIMELOCK_MESSAGES; i++)
        if (s->under_way[i].client != 0)
            s->under_way[i].age += by;
    for (unsigned i = 0; i < scene->run->workers; i++) {
        if (!timelock_listens(s, i, 0))
            continue;
        s->waited[i] += by;
        s->silent[i] += by;
        judge(scene, s, i);
    }
    return true;
}

void
timelock_forget(const struct scene *scene, struct timelock *s)
{
    unsigned most = timelock_ticks(scene, TIMELOCK_AT_MOST);

    if (s->holder == 0 ||
        scene_setting(scene, s->heard ? TIMELOCK_HOLD : TIMELOCK_REAP) == 0)
        s->held = 0;
    for (unsigned i = 0; i < TIMELOCK_REQUESTS; i++)
        if (s->queue[i].client != 0 &&
            timelock_until_end(scene, s, i) == TIMELOCK_NEVER &&
            timelock_until_close(scene, s, i) == TIMELOCK_NEVER)
            s->queue[i].age = 0;
    for (unsigned i = 0; i < scene->run->workers; i++) {
        bool listens = timelock_listens(s, i, 0);

        if (!listens || scene_setting(scene, TIMELOCK_PATIENCE) == 0)
            s->silent[i] = 0;
        if (!listens || most == 0)
            s->waited[i] = 0;
        else if (s->waited[i] > most + 1)
            s->waited[i] = (uint8_t)(most + 1);
    }
}
