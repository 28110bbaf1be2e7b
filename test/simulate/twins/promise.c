#include "simulate/twins/world.h"

/* It hears of who is there within that: a question, its answer, and a beat. */
enum { SLACK_MS = 2000 };

static bool
has_heard_both(const struct client *client)
{
    return client->heard_at[0] >= 0 && client->heard_at[1] >= 0;
}

static bool
has_just_heard_both(const struct world *w, const struct client *client)
{
    for (unsigned i = 0; i < TWINS; i++)
        if (client->heard_at[i] < 0 ||
            w->now - client->heard_at[i] >= MAX_TTL_MS)
            return false;
    return true;
}

static bool
were_both_there(const struct world *w, int64_t since)
{
    for (unsigned i = 0; i < TWINS; i++)
        if (w->away[i] || w->was_away[i] >= since)
            return false;
    return true;
}

void
promise_granted(struct world *w, unsigned client)
{
    const struct client *now = &w->clients[client];

    w->counts.grants++;
    if (w->clean && were_both_there(w, now->began_at))
        world_break(w, "who could hear of two services is granted nothing");
    if (has_just_heard_both(w, now))
        world_break(w, "who has heard of two services is granted nothing");
    for (unsigned i = 0; i < CLIENTS; i++) {
        if (i == client || !world_believes(w, i))
            continue;
        w->counts.overlaps++;
        if (w->clients[i].holds_at == now->holds_at)
            world_break(w, "a service grants a lock once");
        if (w->clean && has_heard_both(now))
            world_break(w, "of two who believe one did not know of both");
    }
}

void
promise_lost(struct world *w, unsigned client)
{
    unsigned twin = w->clients[client].holds_at;

    w->counts.lost++;
    if (w->clean && !w->away[twin] && w->now - w->was_away[twin] > TTL_MS)
        world_break(w, "nothing is lost for the sake of another service");
}

void
promise_sent(struct world *w, const struct hf_message *message, unsigned twin)
{
    if (message->kind != HF_MESSAGE_OPEN &&
        twin_service_of(message->session) != w->twins[twin].service)
        world_break(w, "a session is asked for at its own service alone");
}

void
promise_end(struct world *w)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        const struct client *client = &w->clients[i];

        if (client->wish != 0 && client->fence == 0 &&
            w->now - client->wanted_at > 2 * LEADER_TTL_MS + SLACK_MS)
            world_break(w, "nobody waits for ever");
    }
}
