#include "lab/service/ids.h"

#include "core/lockspace/parts.h"

static bool
is_in_batch(const struct service_batch *batch, uint64_t id)
{
    for (unsigned i = 0; i < batch->count; i++)
        if (batch->changes[i].record.session == id)
            return true;
    return false;
}

static bool
is_at_node(const struct service_node *node, uint64_t id)
{
    const struct hf_lockspace *ls = service_lockspace(node);

    if (!node->alive)
        return false;
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        if (is_in_batch(&node->calls[i].batch, id))
            return true;
    for (uint32_t at = 1; ls != NULL && at <= ls->sessions.fresh; at++)
        if (hf_session_at(ls, at)->state != HF_SESSION_FREE &&
            hf_session_at(ls, at)->id == id)
            return true;
    return node->node.batch.number != 0 && is_in_batch(&node->batch, id);
}

static bool
is_at_client(const struct service_client *client, uint64_t id)
{
    if (service_client_session(client) == id)
        return true;
    for (unsigned i = 0; i < SERVICE_STREAMS; i++) {
        const struct service_stream *stream = &client->streams[i];

        if (stream->stage != SERVICE_NONE &&
            (stream->message.session == id ||
             (stream->answer.kind == HF_ANSWER_OPENED &&
              stream->answer.alive.session == id)))
            return true;
    }
    return false;
}

static bool
is_stored(const struct service_store *store, uint64_t id)
{
    for (unsigned i = 0; i < store->count; i++)
        if (store->records[i].session == id)
            return true;
    return false;
}

static bool
is_known(const struct service_world *world, unsigned client, uint64_t id)
{
    if (is_at_client(&world->clients[client], id) ||
        is_in_batch(&world->orphan.batch, id))
        return true;
    if (is_stored(&world->store, id) || is_stored(&world->older, id))
        return true;
    for (unsigned i = 0; i < world->config->nodes; i++)
        if (is_at_node(&world->nodes[i], id))
            return true;
    return false;
}

uint64_t
service_free_id(const struct service_world *world, unsigned client)
{
    for (unsigned i = 0; i < SERVICE_SESSIONS; i++) {
        uint64_t id = client * (uint64_t)SERVICE_SESSIONS + i + 1;

        if (!is_known(world, client, id))
            return id;
    }
    return 0;
}
