#include "tale/timelock/parts.h"

/* ---- The queue ---------------------------------------------------------- */

static void
take_out(struct timelock *s, unsigned at)
{
    for (; at + 1 < TIMELOCK_REQUESTS; at++)
        s->queue[at] = s->queue[at + 1];
    s->queue[at] = (struct timelock_request){0};
}

/* The first request of that worker's; TIMELOCK_REQUESTS: it has none. */
static unsigned
find(const struct timelock *s, unsigned client)
{
    unsigned at = 0;

    while (at < TIMELOCK_REQUESTS && s->queue[at].client != client)
        at++;
    return at;
}

/* The one that its server is to end now. */
static unsigned
find_due(const struct scene *scene, const struct timelock *s, unsigned who)
{
    unsigned at = 0;

    while (at < TIMELOCK_REQUESTS && (s->queue[at].client != who + 1 ||
                                      timelock_until_end(scene, s, at) != 0))
        at++;
    return at;
}

/* The one that it listens on. */
static unsigned
find_heard(const struct timelock *s, unsigned who)
{
    unsigned at = 0;

    while (at < TIMELOCK_REQUESTS &&
           (s->queue[at].client != who + 1 || s->queue[at].state == PARKED ||
            !timelock_listens(s, who, s->queue[at].later)))
        at++;
    return at;
}

/* ---- Granting ----------------------------------------------------------- */

/* It has waited in the queue, or holds the lock as soon as it asks. */
static bool
hold(struct scene *scene, struct timelock *s, unsigned client, bool has_waited)
{
    s->holder = (uint8_t)client;
    s->heard = 1;
    s->held = 0;
    if (!timelock_leave_order(s, client - 1))
        timelock_break(scene, SPECIMEN_OVERTAKEN);
    scene_stand(s, client - 1, WHERE_INSIDE);
    return scene_say(scene, has_waited ? TOLD_GRANT : TOLD_WRITE, client - 1,
                     "acquires the lock");
}

bool
timelock_grant(struct scene *scene, struct timelock *s)
{
    struct timelock_request first = s->queue[0];

    if (!timelock_can_grant(s))
        return false;
    take_out(s, 0);
    if (timelock_kept(s) > scene->run->workers)
        timelock_break(scene, SPECIMEN_BACKLOG);
    if (timelock_listens(s, first.client - 1u, first.later))
        return hold(scene, s, first.client, true);
    s->holder = first.client;
    s->heard = s->held = 0;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "Request %s is granted, but worker #%u is no longer listening "
               "on it",
               timelock_name(scene, first.client - 1u, first.later).text,
               first.client);
    return true;
}

bool
timelock_reap(struct scene *scene, struct timelock *s)
{
    unsigned reap = timelock_ticks(scene, TIMELOCK_REAP);

    if (s->holder == 0 || s->heard || reap == 0 || s->held < reap)
        return false;
    s->holder = 0;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "The lock is reaped, which nobody has refreshed for %u s",
               scene_setting(scene, TIMELOCK_REAP));
    return true;
}

/* ---- Messages ----------------------------------------------------------- */

/* The request is known: the attempt takes the place of the one before. */
static bool
take_again(struct scene *scene, struct timelock *s,
           const struct timelock_message *message, unsigned at)
{
    struct timelock_request *request = &s->queue[at];

    if (scene_setting(scene, TIMELOCK_KNOWN) == KNOWN_BY_ATTEMPT &&
        message->later > request->later)
        return timelock_say_arrival(scene, message, "is superseded");
    request->later = message->later;
    request->limit = message->limit;
    request->age = 0;
    request->state = WAITS;
    return timelock_say_arrival(scene, message, "takes its place again");
}

/* What is over stays over, and what is granted is not granted twice. */
static bool
take_answered(struct scene *scene, struct timelock *s,
              const struct timelock_message *message)
{
    unsigned client = message->client - 1u;

    if (!s->over[client] && !s->heard &&
        timelock_listens(s, client, message->later))
        return hold(scene, s, message->client, false);
    return timelock_say_arrival(scene, message, "changes nothing");
}

/* Its first request comes; what comes again does not come later. */
static void
enter_order(struct timelock *s, unsigned who)
{
    unsigned at = 0;

    while (s->order[at] != 0 && s->order[at] != who + 1)
        at++;
    s->order[at] = (uint8_t)(who + 1);
}

bool
timelock_take_ask(struct scene *scene, struct timelock *s,
                  const struct timelock_message *message)
{
    bool known = scene_setting(scene, TIMELOCK_KNOWN) != KNOWN_NOT;
    unsigned kept = timelock_kept(s);
    unsigned client = message->client - 1u;

    if (known && (s->holder == message->client || s->over[client]))
        return take_answered(scene, s, message);
    if (known && find(s, message->client) < TIMELOCK_REQUESTS)
        return take_again(scene, s, message, find(s, message->client));
    if (kept >= scene_setting(scene, TIMELOCK_THREADS))
        return false; /* nobody is there to take it */
    if (timelock_listens(s, client, 0))
        enter_order(s, client);
    if (kept == 0 && s->holder == 0 &&
        timelock_listens(s, client, message->later))
        return hold(scene, s, message->client, false);
    s->queue[kept] = (struct timelock_request){
        .client = message->client,
        .later = message->later,
        .limit = message->limit,
    };
    if (scene_setting(scene, TIMELOCK_NETWORK) != 0)
        timelock_say_arrival(scene, message, "blocks");
    return true;
}

/* The end of the stream that is listened on, with which a place in the order is
 * lost; that of any other means nothing. */
bool
timelock_take_end(struct scene *scene, struct timelock *s,
                  const struct timelock_message *message)
{
    if (scene_setting(scene, TIMELOCK_ENDED) == ENDED_KEPT)
        return true;
    for (unsigned i = 0; i < TIMELOCK_REQUESTS; i++) {
        if (s->queue[i].client != message->client ||
            s->queue[i].later != message->later || s->queue[i].state == PARKED)
            continue;
        take_out(s, i);
        timelock_leave_order(s, message->client - 1u);
        scene_tell(
            scene, TOLD_WORLD, TOLD_NOBODY,
            "The server sees the end of %s, and drops it",
            timelock_name(scene, message->client - 1u, message->later).text);
        return true;
    }
    return true;
}

bool
timelock_take_release(struct scene *scene, struct timelock *s,
                      const struct timelock_message *message)
{
    unsigned client = message->client - 1u;
    unsigned at = find(s, message->client);

    s->over[client] = 1;
    if (at < TIMELOCK_REQUESTS)
        take_out(s, at);
    if (s->holder == message->client)
        s->holder = 0;
    scene_stand(s, client, WHERE_MOVED_ON);
    return scene_say(scene, TOLD_REMOVE, client,
                     "is told that its request is over, and moves on");
}

/* ---- Timeouts ----------------------------------------------------------- */

bool
timelock_close(struct scene *scene, struct timelock *s, unsigned who)
{
    unsigned at = find_heard(s, who);

    if (at == TIMELOCK_REQUESTS || timelock_until_close(scene, s, at) != 0)
        return false;
    scene_tell(scene, TOLD_WORLD, who,
               "The idle timeout of worker #%u's connection, %u s, closes the "
               "stream of %s",
               who + 1, scene_setting(scene, TIMELOCK_IDLE),
               timelock_name(scene, who, s->queue[at].later).text);
    if (scene_setting(scene, TIMELOCK_ENDED) == ENDED_LEFT)
        take_out(s, at);
    return true;
}

static enum timelock_end
give_place_away(struct scene *scene, struct timelock *s, unsigned at)
{
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "The place of worker #%u was not taken again in time",
               s->queue[at].client);
    take_out(s, at);
    return END_UNHEARD;
}

enum timelock_end
timelock_end(struct scene *scene, struct timelock *s, unsigned who)
{
    bool keeps = scene_setting(scene, TIMELOCK_PLACE) != 0;
    unsigned at = find_due(scene, s, who);
    bool heard;
    bool by_limit;

    if (at == TIMELOCK_REQUESTS)
        return END_NONE;
    if (s->queue[at].state == PARKED)
        return give_place_away(scene, s, at);
    heard = timelock_listens(s, who, s->queue[at].later);
    by_limit =
        s->queue[at].limit != 0 && s->queue[at].age >= s->queue[at].limit;
    scene_tell(scene, TOLD_WORLD, who, "%s, %u s, ends request %s%s",
               by_limit ? "What it asked for" : "The blocking timeout",
               by_limit ? s->queue[at].limit * TIMELOCK_TICK_S
                        : scene_setting(scene, TIMELOCK_BLOCKING),
               timelock_name(scene, who, s->queue[at].later).text,
               heard ? "" : ", unheard");
    if (keeps) {
        s->queue[at].state = PARKED;
        s->queue[at].age = 0;
    } else {
        take_out(s, at);
    }
    if (!heard)
        return END_UNHEARD;
    return by_limit ? END_BY_LIMIT : END_BY_SERVER;
}

bool
timelock_be_slow(struct scene *scene, struct timelock *s, unsigned who)
{
    unsigned at = find_heard(s, who);

    if (at == TIMELOCK_REQUESTS || s->queue[at].state != WAITS ||
        timelock_until_end(scene, s, at) != 0)
        return false;
    scene->fault = true;
    s->queue[at].state = WAITS_LONGER;
    scene_tell(scene, TOLD_WORLD, who,
               "The thread of request %s is interrupted %u s late",
               timelock_name(scene, who, s->queue[at].later).text,
               TIMELOCK_TICK_S);
    return true;
}
