#include "lab/server/waiting_client.h"

#include "base/check.h"

bool
waiting_has_room(const struct waiting_client *client)
{
    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        if (client->streams[i].stage == STAGE_NONE)
            return true;
    return false;
}

/* The stream that a client listens on, by its index; WAITING_STREAMS: none. */
unsigned
waiting_heard(const struct waiting_client *client)
{
    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        if (client->streams[i].heard)
            return i;
    return WAITING_STREAMS;
}

void
waiting_forget(struct waiting_stream *stream)
{
    *stream = (struct waiting_stream){0};
}

/* Its client listens on, and nothing will come. */
void
waiting_lose(struct waiting_stream *stream)
{
    *stream = (struct waiting_stream){
        .stage = STAGE_LOST,
        .releases = stream->releases,
        .heard = true,
        .n = stream->n,
        .a = stream->a,
    };
}

static void
add(struct waiting_client *client, struct waiting_stream stream)
{
    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        if (client->streams[i].stage == STAGE_NONE) {
            client->streams[i] = stream;
            return;
        }
    HF_CHECK(!"there is no room for a stream");
}

/* Its request, or the release of it, once more or for the first time. */
void
waiting_send(struct waiting_client *client)
{
    bool releases = client->phase == PHASE_SETTLING;

    if (!releases)
        client->a++;
    add(client, (struct waiting_stream){
                    .stage = STAGE_SENT,
                    .releases = releases,
                    .heard = true,
                    .n = client->n,
                    .a = releases ? 0 : client->a,
                });
}

/* It listens no more: by its own will, or because the stream broke, in which
 * case what is on its way, or the end of it, comes at any time. */
static void
hang_up(struct waiting_stream *stream, bool broke)
{
    stream->heard = false;
    stream->late |= broke;
    if (stream->stage == STAGE_NONE || stream->stage == STAGE_LOST)
        waiting_forget(stream);
}

void
waiting_ask_again(struct waiting_client *client)
{
    unsigned old = waiting_heard(client);

    if (old < WAITING_STREAMS)
        hang_up(&client->streams[old], true);
    if (client->phase == PHASE_ASKING || client->phase == PHASE_SETTLING)
        waiting_send(client);
}

void
waiting_become(struct waiting_client *client, enum waiting_phase phase)
{
    client->phase = (uint8_t)phase;
    if (phase != PHASE_HOLDING)
        client->fence = 0;
    if (phase != PHASE_IDLE)
        return;
    client->newest = 0;
    client->listener = 0;
    client->handed = 0;
}

void
waiting_ask(struct waiting_client *client)
{
    waiting_become(client, PHASE_ASKING);
    client->n++;
    client->newest = 0;
    client->listener = 0;
    client->handed = 0;
    client->over = 0;
    waiting_send(client);
}

/* It no longer wants the lock that it has, or asks for. */
void
waiting_settle(struct waiting_client *client)
{
    unsigned old = waiting_heard(client);

    if (old < WAITING_STREAMS)
        hang_up(&client->streams[old], false);
    waiting_become(client, PHASE_SETTLING);
    waiting_send(client);
}

void
waiting_die(struct waiting_client *client, enum waiting_phase phase)
{
    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        hang_up(&client->streams[i], true);
    waiting_become(client, phase);
}

void
waiting_cut(struct waiting_client *client)
{
    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        hang_up(&client->streams[i], true);
    client->cut = true;
}

/* Two of them: the second comes when it comes, and nobody waits for what it is
 * answered. */
void
waiting_send_twice(struct waiting_client *client, unsigned index)
{
    struct waiting_stream second = client->streams[index];

    second.heard = false;
    second.late = true;
    add(client, second);
}
