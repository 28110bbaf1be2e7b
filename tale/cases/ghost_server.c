#include "tale/cases/ghost_server.h"

void
server_take_out(struct server *s, unsigned at)
{
    for (; at + 1 < REQUESTS; at++)
        s->queue[at] = s->queue[at + 1];
    s->queue[at] = (struct request){0};
}

bool
server_block(struct scene *scene, struct server *s, unsigned client,
             const char *how)
{
    struct told_event *event;

    for (unsigned at = 0; at < REQUESTS; at++) {
        if (s->queue[at].client != 0)
            continue;
        s->queue[at] = (struct request){(uint8_t)(client + 1), 1, 0};
        s->cast.line[client] = 1;
        event = scene_tell(scene, TOLD_ISSUE, client, "Worker #%u %s",
                           client + 1, how);
        if (event != NULL)
            event->replica = 1; /* it is there at once, and waits there */
        return true;
    }
    return false; /* more than are tried here */
}

bool
server_hold(struct scene *scene, struct server *s, unsigned client)
{
    s->holder = (uint8_t)(client + 1);
    scene_stand(s, client, WHERE_INSIDE);
    return scene_say(scene, TOLD_WRITE, client, "acquires the lock");
}

bool
server_grant(struct scene *scene, struct server *s)
{
    struct request first = s->queue[0];

    if (s->holder != 0 || first.client == 0)
        return false;
    server_take_out(s, 0);
    if (first.heard)
        return server_hold(scene, s, first.client - 1u);
    s->holder = first.client;
    scene->violated = SPECIMEN_GHOST;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "The first request is granted, but worker #%u is no longer "
               "listening on it",
               first.client);
    return true;
}

void
server_show(const struct specimen_run *run, const void *state,
            struct hf_text *text)
{
    const struct server *s = state;

    (void)run;
    scene_show_holder(text, s->holder);
    for (unsigned i = 0; i < REQUESTS && s->queue[i].client != 0; i++)
        hf_text_addf(text, "%s#%u waits%s", text->len == 0 ? "" : ", ",
                     s->queue[i].client, s->queue[i].heard ? "" : " unheard");
}
