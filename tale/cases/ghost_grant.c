#include "tale/cases/ghost_server.h"

/*
 * Requests that block on the server: after the idle timeout of its connection
 * a client tries again, but the server still keeps the first request, and
 * grants it the lock, of which nobody hears.  A blocking timeout below the
 * idle timeout ends a request while its client still listens.
 */

enum { SETTING_IDLE, SETTING_BLOCKING };
enum { CHOICE_GRANT, CHOICE_TIME };

/* Until the next timeout: of the oldest request that is heard. */
static bool
pass_time(struct scene *scene, struct server *s)
{
    unsigned idle = scene_setting(scene, SETTING_IDLE);
    unsigned blocking = scene_setting(scene, SETTING_BLOCKING);
    bool ends = blocking != 0 && blocking < idle;
    unsigned oldest = REQUESTS;
    unsigned client;

    for (unsigned i = 0; i < REQUESTS; i++)
        if (s->queue[i].heard &&
            (oldest == REQUESTS || s->queue[i].age > s->queue[oldest].age))
            oldest = i;
    if (s->holder == 0 || oldest == REQUESTS ||
        s->queue[REQUESTS - 1].client != 0)
        return false;
    client = s->queue[oldest].client - 1u;
    for (unsigned i = 0, by = (ends ? blocking : idle) - s->queue[oldest].age;
         i < REQUESTS; i++)
        s->queue[i].age = (uint8_t)(s->queue[i].heard * (s->queue[i].age + by));
    scene_tell(scene, TOLD_WORLD, client, "%s of worker #%u's %s",
               ends ? "The blocking timeout" : "The idle timeout", client + 1,
               ends ? "request ends it" : "connection closes its stream");
    if (ends)
        server_take_out(s, oldest);
    else
        s->queue[oldest].heard = s->queue[oldest].age = 0;
    return server_block(scene, s, client, "tries again, and blocks");
}

static bool
act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    struct server *s = state;

    if (who == SPECIMEN_WORLD)
        return choice == CHOICE_GRANT ? server_grant(scene, s)
                                      : pass_time(scene, s);
    if (choice != 0 || s->cast.where[who] > WHERE_INSIDE)
        return false;
    if (scene_stands(s, who, WHERE_INSIDE)) {
        s->holder = 0;
        scene_stand(s, who, WHERE_DONE);
        return scene_say(scene, TOLD_REMOVE, who, "releases the lock");
    }
    if (s->cast.line[who] != 0)
        return false;
    return s->holder == 0 && s->queue[0].client == 0
               ? server_hold(scene, s, who)
               : server_block(scene, s, who, "blocks on acquiring the lock");
}

static const struct specimen_setting settings[] = {
    {"idle", "seconds until an idle stream is closed", {NULL}, 120},
    {"blocking", "seconds that a request may block; 0: any", {NULL}, 120},
    {NULL, NULL, {NULL}, 0},
};

#define GHOST_GRANT                                                            \
    .source = "AtlasDB, decision 11: BlockingTimeoutException", .workers = 2,  \
    .settings = settings, .choices = 2, .size = sizeof(struct server),         \
    .act = act, .show = server_show

const struct specimen specimen_ghost_grant = {
    .name = "ghost-grant",
    .about = "a request is granted after its client has stopped listening",
    .expect = SPECIMEN_GHOST,
    .defaults = {[SETTING_IDLE] = 30},
    GHOST_GRANT};

const struct specimen specimen_ghost_grant_blocking_timeout = {
    .name = "ghost-grant-blocking-timeout",
    .about = "the same, where no request blocks as long as a stream may idle",
    .defaults = {[SETTING_IDLE] = 30, [SETTING_BLOCKING] = 29},
    GHOST_GRANT};
