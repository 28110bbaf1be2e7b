#include "lab/service/client.h"

#include <string.h>

#include "base/check.h"
#include "core/session/parts.h"
#include "lab/check.h"
#include "lab/server/session_codec.h"
#include "lab/service/promise.h"

/* All that one client wants is asked for in one lane. */
enum { LABEL = 1 };

struct hf_session_config
service_session_config(const struct service_config *config)
{
    return (struct hf_session_config){
        .limits = {.wishes = SERVICE_LOCKS, .nodes = config->nodes, .page = 1},
        .terms = {.if_dead = config->if_dead,
                  .ttl = codec_length(config->ttl),
                  .beat = codec_length(1)},
        .margin = codec_length(1),
        .silence = codec_length(config->blocking + 1),
        .seed = SESSION_CODEC_SEED,
    };
}

/* ---- What the session does ----------------------------------------------- */

bool
service_client_has_room(const struct service_config *config,
                        const struct service_client *client)
{
    unsigned used = 0;

    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        used += client->streams[i].stage != SERVICE_NONE;
    return used < config->streams;
}

struct service_stream *
service_client_free(struct service_client *client)
{
    unsigned i = 0;

    while (client->streams[i].stage != SERVICE_NONE)
        i++;
    return &client->streams[i];
}

static void
note_fences(const struct hf_session *s, struct service_stream *stream)
{
    uint32_t cursor = 0;
    uint64_t fence;

    if (stream->message.kind == HF_MESSAGE_PAGE)
        while (hf_session_page(s, &cursor, &fence))
            stream->fences[stream->fences_count++] = fence;
}

/* Where there are more streams than a client has here, one more is lost. */
static void
send(struct service_world *world, unsigned number,
     const struct hf_session_send *send)
{
    struct service_client *client = &world->clients[number];
    struct service_stream *stream;

    if (!service_client_has_room(world->config, client))
        return;
    stream = service_client_free(client);
    *stream = (struct service_stream){
        .stage = SERVICE_SENT,
        .client = (uint8_t)number,
        .node = (uint8_t)(send->node - 1),
        .lock = (uint8_t)(send->id == 0 ? 0 : send->id - 1),
        .heard = true,
        .number = send->message.stream,
        .message = send->message,
    };
    if (stream->message.kind == HF_MESSAGE_OPEN)
        stream->message.term = 0; /* it is not read */
    if (stream->message.kind == HF_MESSAGE_ACQUIRE)
        stream->message.acquire.seen = 0; /* no clock is set back */
    note_fences(service_session(client), stream);
}

static void
close_stream(struct service_client *client, uint64_t number)
{
    for (unsigned i = 0; i < SERVICE_STREAMS; i++) {
        struct service_stream *stream = &client->streams[i];

        if (!stream->heard || stream->number != number)
            continue;
        stream->heard = false;
        if (stream->stage == SERVICE_BACK)
            *stream = (struct service_stream){0};
    }
}

static void
drain(struct service_world *world, unsigned number)
{
    struct service_client *client = &world->clients[number];
    struct hf_session_effect effect;

    while (hf_session_next(service_session(client), &effect))
        switch (effect.kind) {
        case HF_SESSION_TELL:
            service_promise_tell(world, number, &effect.tell);
            break;
        case HF_SESSION_CLOSE:
            close_stream(client, effect.stream);
            break;
        case HF_SESSION_SEND:
            send(world, number, &effect.send);
            break;
        }
}

/* A holder seen before the grant does not keep the client from the lock now. */
static void
forget_seen(struct service_client *client)
{
    for (unsigned i = 0; i < SERVICE_LOCKS; i++) {
        const struct hf_wish *wish = service_client_wish(client, i);

        if (wish != NULL && hf_wish_is_granted(wish))
            client->expects[i] = HF_TIMED_OUT;
    }
}

static void
step(struct service_world *world, unsigned number,
     struct hf_session_event *event)
{
    struct service_client *client = &world->clients[number];

    event->at = client->clock;
    hf_session_step(service_session(client), event);
    drain(world, number);
    forget_seen(client);
    hf_session_check(service_session(client));
}

/* ---- Its process --------------------------------------------------------- */

void
service_client_begin(struct service_world *world, unsigned number)
{
    struct service_client *client = &world->clients[number];
    struct hf_session_config config = service_session_config(world->config);

    HF_CHECK(hf_session_size(&config) <= sizeof(client->block));
    memset(client->block, 0, sizeof(client->block));
    hf_session_init(client->block, &config);
    client->alive = true;
}

void
service_client_die(struct service_world *world, unsigned number)
{
    struct service_client *client = &world->clients[number];

    service_promise_dies(world, number);
    client->alive = false;
    client->stalled = false;
    client->away = false;
    for (unsigned i = 0; i < SERVICE_STREAMS; i++) {
        client->streams[i].heard = false;
        if (client->streams[i].stage == SERVICE_BACK)
            client->streams[i] = (struct service_stream){0};
    }
}

void
service_client_want(struct service_world *world, unsigned number, unsigned lock)
{
    const struct service_config *config = world->config;
    struct service_client *client = &world->clients[number];
    struct hf_session_event event = {
        .kind = HF_SESSION_WANT,
        .want = {.id = service_wish_id(lock),
                 .label = LABEL,
                 .wait = config->wait == 0 ? HF_WAIT_FOREVER : HF_WAIT_LIMITED,
                 .deadline = HF_NEVER},
    };

    if (config->wait != 0)
        event.want.deadline =
            hf_after(client->clock, codec_length(config->wait));
    client->deadlines[lock] = event.want.deadline;
    client->changed[lock] = false;
    client->expects[lock] = HF_TIMED_OUT;
    step(world, number, &event);
}

void
service_client_release(struct service_world *world, unsigned number,
                       unsigned lock)
{
    struct hf_session_event event = {.kind = HF_SESSION_RELEASE,
                                     .wish = {.id = service_wish_id(lock)}};

    step(world, number, &event);
}

void
service_client_see(struct service_world *world, unsigned number, unsigned lock,
                   const struct hf_blocker *blocker)
{
    struct hf_session_event event = {
        .kind = HF_SESSION_SEEN,
        .wish = {.id = service_wish_id(lock), .blocker = *blocker}};

    step(world, number, &event);
}

void
service_client_clock(struct service_world *world, unsigned number)
{
    struct hf_session_event event = {.kind = HF_SESSION_CLOCK};

    step(world, number, &event);
}

/* Behind those that were cleared stand those that are held: of an even number
 * there is only a sum. */
static void
list_held(struct service_stream *heard, struct hf_session_event *event)
{
    struct hf_answer *answer = &event->answer.answer;
    const uint64_t *fences;
    unsigned count;

    if (answer->kind != HF_ANSWER_ALIVE)
        return;
    event->answer.fences_count = answer->alive.revoked;
    fences = &heard->fences[answer->alive.revoked];
    count = heard->fences_count - answer->alive.revoked;
    event->answer.held = count % 2 == 0 ? NULL : fences;
    event->answer.held_count = count;
    answer->alive.held = (struct hf_fence_sum){0};
    for (unsigned i = 0; i < count; i++)
        hf_fence_sum_add(&answer->alive.held, fences[i]);
}

void
service_client_hear(struct service_world *world, unsigned number,
                    unsigned index)
{
    struct service_stream *stream = &world->clients[number].streams[index];
    struct service_stream heard = *stream;
    struct hf_session_event event = {.kind = HF_SESSION_STREAM_ENDED};

    *stream = (struct service_stream){0};
    event.broken.stream = heard.number;
    if (!heard.broken) {
        event.kind = HF_SESSION_ANSWER;
        event.answer.answer = heard.answer;
        event.answer.answer.stream = heard.number;
        event.answer.leader = heard.leader;
        event.answer.term = heard.term;
        event.answer.secret = (struct hf_secret){0};
        event.answer.fences = heard.fences;
        event.answer.fences_count = heard.fences_count;
        list_held(&heard, &event);
    }
    step(world, number, &event);
}

/* ---- Looking ------------------------------------------------------------- */

bool
service_client_is_due(const struct service_client *client)
{
    return client->alive &&
           hf_reached(client->clock,
                      hf_session_deadline(service_session(client)));
}
