#include "tale/timelock/parts.h"

#include <stdio.h>

/* What it asks the server to block for; 0: for ever. */
static unsigned
limit_of(const struct scene *scene, const struct timelock *s, unsigned who)
{
    unsigned limit = timelock_ticks(scene, TIMELOCK_AT_MOST);
    unsigned most = timelock_ticks(scene, TIMELOCK_TRUNCATE);

    if (limit != 0 && scene_setting(scene, TIMELOCK_DEADLINE) != DEADLINE_ANEW)
        limit -= s->waited[who];
    return most != 0 && (limit == 0 || most < limit) ? most : limit;
}

/* Whatever is left of former attempts is of one more before. */
static void
begin_attempt(struct timelock *s, unsigned who)
{
    for (unsigned i = 0; i < TIMELOCK_REQUESTS; i++)
        if (s->queue[i].client == who + 1)
            s->queue[i].later++;
    for (unsigned i = 0; i < TIMELOCK_MESSAGES; i++)
        if (s->under_way[i].client == who + 1)
            s->under_way[i].later++;
}

/* `how` is told, unless it is answered at once. */
static void
say_ask(struct scene *scene, const struct timelock *s, unsigned who,
        const char *how, unsigned limit)
{
    bool by_network = scene_setting(scene, TIMELOCK_NETWORK) != 0;
    char most[32] = "";
    struct told_event *event;

    if (!by_network && s->holder == 0 && timelock_kept(s) == 0)
        return;
    if (limit != 0)
        snprintf(most, sizeof(most), " for at most %u s",
                 limit * TIMELOCK_TICK_S);
    event =
        scene_tell(scene, TOLD_ISSUE, who, "Worker #%u %s%s, with request %s",
                   who + 1, how, most, timelock_next_name(scene, who).text);
    if (event != NULL && !by_network)
        event->replica = 1; /* it is there at once, and waits there */
}

static bool
ask(struct scene *scene, struct timelock *s, unsigned who, const char *how)
{
    bool again = s->cast.line[who] == LINE_LISTENS;
    unsigned limit = limit_of(scene, s, who);
    struct timelock_message message = {
        .client = (uint8_t)(who + 1),
        .limit = (uint8_t)limit,
        .kind = ASK,
    };

    if (!timelock_has_room(s, 1))
        return false;
    begin_attempt(s, who);
    if (again)
        scene_show_now(scene, s); /* after the end of the last attempt */
    s->cast.line[who] = LINE_LISTENS;
    s->silent[who] = 0;
    say_ask(scene, s, who, how, limit);
    return timelock_send(scene, s, message);
}

bool
timelock_ask_first(struct scene *scene, struct timelock *s, unsigned who)
{
    return ask(scene, s, who,
               scene_setting(scene, TIMELOCK_NETWORK) != 0
                   ? "asks for the lock"
                   : "blocks on acquiring the lock");
}

bool
timelock_ask_again(struct scene *scene, struct timelock *s, unsigned who)
{
    return ask(scene, s, who,
               scene_setting(scene, TIMELOCK_NETWORK) != 0
                   ? "asks again"
                   : "tries again, and blocks");
}

/* Whoever has waited enough says so to its caller at once. */
static bool
has_waited_enough(const struct scene *scene, const struct timelock *s,
                  unsigned who)
{
    unsigned most = timelock_ticks(scene, TIMELOCK_AT_MOST);

    return most != 0 && s->waited[who] >= most &&
           scene_setting(scene, TIMELOCK_DEADLINE) != DEADLINE_ANEW;
}

bool
timelock_give_up(struct scene *scene, struct timelock *s, unsigned who)
{
    bool releases = scene_setting(scene, TIMELOCK_LEAVES) == LEAVES_RELEASES;
    struct timelock_message message = {
        .client = (uint8_t)(who + 1),
        .kind = releases ? RELEASE : STREAM_ENDS,
    };

    if (s->cast.line[who] != LINE_LISTENS ||
        scene_setting(scene, TIMELOCK_DEADLINE) != DEADLINE_CLOCK ||
        !has_waited_enough(scene, s, who) || !timelock_has_room(s, 1))
        return false;
    timelock_leave_order(s, who);
    s->cast.line[who] = LINE_SETTLES;
    if (!releases)
        scene_stand(s, who, WHERE_MOVED_ON);
    scene_say(scene, TOLD_WORK, who, "has waited for %u s, and %s",
              scene_setting(scene, TIMELOCK_AT_MOST),
              releases ? "sends a release" : "closes its stream");
    return timelock_send(scene, s, message);
}

bool
timelock_hear_end(struct scene *scene, struct timelock *s, unsigned who,
                  bool by_limit)
{
    bool anew = scene_setting(scene, TIMELOCK_DEADLINE) == DEADLINE_ANEW;

    if (timelock_give_up(scene, s, who))
        return true;
    if (has_waited_enough(scene, s, who) ||
        (by_limit && anew && scene_setting(scene, TIMELOCK_TRUNCATE) == 0)) {
        timelock_leave_order(s, who);
        scene_stand(s, who, WHERE_MOVED_ON);
        return scene_say(scene, TOLD_WORK, who,
                         "has waited enough, and moves on");
    }
    return timelock_ask_again(scene, s, who);
}

bool
timelock_hang_up(struct scene *scene, struct timelock *s, unsigned who)
{
    unsigned patience = timelock_ticks(scene, TIMELOCK_PATIENCE);
    struct timelock_message end = {.client = (uint8_t)(who + 1),
                                   .kind = STREAM_ENDS};

    if (patience == 0 || !timelock_listens(s, who, 0) ||
        s->silent[who] < patience || !timelock_has_room(s, 2))
        return false;
    scene_say(scene, TOLD_WORK, who,
              "closes the stream of %s, on which nothing came for %u s",
              timelock_name(scene, who, 0).text,
              scene_setting(scene, TIMELOCK_PATIENCE));
    return timelock_send(scene, s, end) && timelock_ask_again(scene, s, who);
}

/* Where sendings have numbers, it is not its library that sends again, which
 * would send the same number. */
bool
timelock_break_stream(struct scene *scene, struct timelock *s, unsigned who)
{
    struct timelock_message end = {.client = (uint8_t)(who + 1),
                                   .kind = STREAM_ENDS};

    if (!timelock_listens(s, who, 0) || !timelock_has_room(s, 2))
        return false;
    scene->fault = true;
    scene_tell(scene, TOLD_WORLD, who, "The connection of worker #%u breaks",
               who + 1);
    if (!timelock_send(scene, s, end))
        return false;
    if (scene_setting(scene, TIMELOCK_KNOWN) == KNOWN_BY_ATTEMPT)
        return timelock_ask_again(scene, s, who);
    return ask(scene, s, who, "hears nothing of it: its library sends again");
}
