#include "lab/service/world.h"

#include "core/session/parts.h"
#include "core/session/wishes.h"

/* ---- Clients ------------------------------------------------------------- */

const struct hf_wish *
service_client_wish(const struct service_client *client, unsigned lock)
{
    const struct hf_session *s = service_session(client);
    uint32_t number =
        client->alive ? hf_wishes_find(s, service_wish_id(lock)) : 0;

    return number == 0 ? NULL : hf_wish_at(s, number);
}

enum hf_outcome
service_client_holds(const struct service_client *client, unsigned lock)
{
    if (!client->alive)
        return HF_NOT_HELD;
    return hf_session_holds(service_session(client), service_wish_id(lock),
                            client->clock);
}

uint64_t
service_client_session(const struct service_client *client)
{
    const struct hf_session *s = service_session(client);

    if (!client->alive || s->state == HF_LEASE_NONE ||
        s->state == HF_LEASE_OPENING)
        return 0;
    return s->id;
}

/* ---- Records of the store ------------------------------------------------ */

static const struct service_record *
find(const struct service_store *store, uint64_t fence, uint64_t session)
{
    for (unsigned i = 0; i < store->count; i++) {
        const struct service_record *record = &store->records[i];

        if (record->fence == fence &&
            (fence != 0 || record->session == session))
            return record;
    }
    return NULL;
}

const struct service_record *
service_store_grant(const struct service_store *store, uint64_t fence)
{
    return find(store, fence, 0);
}

const struct service_record *
service_store_session(const struct service_store *store, uint64_t session)
{
    return find(store, 0, session);
}
