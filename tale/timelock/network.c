#include "tale/timelock/parts.h"

bool
timelock_has_room(const struct timelock *s, unsigned count)
{
    return s->under_way[TIMELOCK_MESSAGES - count].client == 0;
}

static bool
take(struct scene *scene, struct timelock *s,
     const struct timelock_message *message)
{
    switch ((enum timelock_kind)message->kind) {
    case ASK:
        return timelock_take_ask(scene, s, message);
    case STREAM_ENDS:
        return timelock_take_end(scene, s, message);
    case RELEASE:
        return timelock_take_release(scene, s, message);
    }
    return false;
}

bool
timelock_send(struct scene *scene, struct timelock *s,
              struct timelock_message message)
{
    unsigned at = 0;

    if (scene_setting(scene, TIMELOCK_NETWORK) == 0)
        return take(scene, s, &message);
    while (s->under_way[at].client != 0)
        at++;
    s->under_way[at] = message;
    return true;
}

/* The end of a stream comes after all else on it; a release has a stream of its
 * own, and may overtake. */
static bool
is_behind_another(const struct timelock *s, unsigned at)
{
    const struct timelock_message *message = &s->under_way[at];

    for (unsigned i = 0; i < at; i++)
        if (message->kind == STREAM_ENDS &&
            s->under_way[i].client == message->client &&
            s->under_way[i].later == message->later)
            return true;
    return false;
}

bool
timelock_arrive(struct scene *scene, struct timelock *s, unsigned who,
                unsigned n)
{
    struct timelock_message message;
    unsigned at = 0;

    for (; at < TIMELOCK_MESSAGES; at++)
        if (s->under_way[at].client == who + 1 && n-- == 0)
            break;
    if (at == TIMELOCK_MESSAGES || is_behind_another(s, at))
        return false;
    message = s->under_way[at];
    for (; at + 1 < TIMELOCK_MESSAGES; at++)
        s->under_way[at] = s->under_way[at + 1];
    s->under_way[at] = (struct timelock_message){0};
    return take(scene, s, &message);
}

/* Its newest attempt, which takes what was granted to a former one; or its
 * release, which gives it back. */
bool
timelock_is_coming(const struct timelock *s, unsigned who)
{
    for (unsigned i = 0; i < TIMELOCK_MESSAGES; i++)
        if (s->under_way[i].client == who + 1 && s->under_way[i].later == 0 &&
            s->under_way[i].kind != STREAM_ENDS)
            return true;
    return false;
}
