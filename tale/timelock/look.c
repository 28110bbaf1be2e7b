#include "tale/timelock/parts.h"

#include <stdio.h>
#include <string.h>

/* ---- The server and its workers ------------------------------------------ */

bool
timelock_listens(const struct timelock *s, unsigned client, unsigned later)
{
    return later == 0 && s->cast.line[client] == LINE_LISTENS &&
           s->cast.where[client] == WHERE_OUTSIDE;
}

unsigned
timelock_kept(const struct timelock *s)
{
    unsigned kept = 0;

    while (kept < TIMELOCK_REQUESTS && s->queue[kept].client != 0)
        kept++;
    return kept;
}

bool
timelock_is_kept(const struct timelock *s, unsigned who)
{
    for (unsigned i = 0; i < TIMELOCK_REQUESTS; i++)
        if (s->queue[i].client == who + 1)
            return true;
    return false;
}

bool
timelock_leave_order(struct timelock *s, unsigned who)
{
    unsigned at = 0;
    bool first;

    while (at < TOLD_WORKERS_MAX && s->order[at] != who + 1)
        at++;
    first = at == 0 || at == TOLD_WORKERS_MAX;
    for (; at < TOLD_WORKERS_MAX; at++)
        s->order[at] = at + 1 < TOLD_WORKERS_MAX ? s->order[at + 1] : 0;
    return first;
}

bool
timelock_can_grant(const struct timelock *s)
{
    return s->holder == 0 && s->queue[0].client != 0 &&
           s->queue[0].state != PARKED;
}

/* ---- What is told -------------------------------------------------------- */

void
timelock_break(struct scene *scene, const char *property)
{
    const char *only = scene->run->only;

    if (scene->violated == NULL &&
        (only == NULL || strcmp(only, property) == 0))
        scene->violated = property;
}

/* How many of its attempts have been told. */
static unsigned
count_told(const struct scene *scene, unsigned client)
{
    unsigned count = 0;

    for (unsigned i = 0; scene->told != NULL && i < scene->told->count; i++)
        count += scene->told->events[i].kind == TOLD_ISSUE &&
                 scene->told->events[i].worker == client;
    return count;
}

static struct timelock_name
name_of(unsigned client, unsigned number)
{
    struct timelock_name name;

    snprintf(name.text, sizeof(name.text), "%c%u", (char)('A' + client),
             number);
    return name;
}

struct timelock_name
timelock_name(const struct scene *scene, unsigned client, unsigned later)
{
    return name_of(client, count_told(scene, client) - later);
}

struct timelock_name
timelock_next_name(const struct scene *scene, unsigned client)
{
    return name_of(client, count_told(scene, client) + 1);
}

/* The number of the event that told of that attempt. */
static unsigned
find_issue(const struct told *told, unsigned client, unsigned later)
{
    for (unsigned i = told->count; i > 0; i--)
        if (told->events[i - 1].kind == TOLD_ISSUE &&
            told->events[i - 1].worker == client && later-- == 0)
            return i;
    return 0;
}

bool
timelock_say_arrival(struct scene *scene,
                     const struct timelock_message *message, const char *what)
{
    unsigned client = message->client - 1u;
    struct told_event *event =
        scene_tell(scene, TOLD_ARRIVE, client, "Request %s arrives, and %s",
                   timelock_name(scene, client, message->later).text, what);

    if (event == NULL)
        return true;
    event->issue = find_issue(scene->told, client, message->later);
    event->replica = 1;
    return true;
}
