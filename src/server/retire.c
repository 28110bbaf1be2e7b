#include "server/retire.h"

#include "base/fail.h"
#include "store/store.h"
#include "wire/head.h"

/* For each read and write. */
static const struct hf_duration patience = {10 * 1000};

static const struct hf_key head_key = {HF_HEAD_SPACE, HF_HEAD_NAME};

struct watched {
    bool exists;
    uint64_t version;
    struct hf_head head;
    struct hf_error error; /* status: HF_OK, or it is not ours */
};

static void
take(void *ctx, size_t index, const struct hf_record *record)
{
    struct watched *watched = ctx;

    (void)index;
    *watched = (struct watched){
        .exists = record->exists,
        .version = record->version,
    };
    if (record->exists)
        watched->error.status = hf_head_decode(record->value, record->value_len,
                                               &watched->head, &watched->error);
}

static enum hf_status
look(struct hf_store *store, struct watched *watched, struct hf_error *error)
{
    enum hf_status status =
        hf_store_get(store, &head_key, 1, hf_after(hf_now(), patience), take,
                     watched, error);

    if (status == HF_OK && watched->error.status != HF_OK)
        status = hf_fail(error, watched->error.status, "the head: %s",
                         watched->error.text);
    return status;
}

/* It may return early; false: the head has changed. */
static bool
stands_for_its_ttl(struct hf_store *store, const struct watched *watched)
{
    struct hf_instant until = hf_after(hf_now(), watched->head.claim.terms.ttl);
    struct hf_store_watch watch = {
        .key = head_key,
        .version = watched->version,
    };

    while (!watch.changed && !hf_reached(hf_now(), until))
        hf_store_wait(store, &watch, 1, until, -1);
    return !watch.changed;
}

static enum hf_status
take_node_out(struct hf_store *store, struct watched *watched,
              struct hf_error *error)
{
    char value[HF_RECORD_TEXT_MAX];
    struct hf_store_op put = {
        .kind = HF_PUT,
        .key = head_key,
        .expect = {HF_EXPECT_VERSION, watched->version},
        .value = value,
    };
    struct hf_store_group group = {
        .ops = &put,
        .ops_count = 1,
        .verdict = HF_UNAVAILABLE,
    };

    watched->head.node[0] = '\0';
    put.value_len = hf_head_encode(&watched->head, value, sizeof(value));
    hf_store_commit(store, &group, 1, hf_after(hf_now(), patience), error);
    if (group.verdict == HF_APPLIED)
        return HF_OK;
    if (group.verdict == HF_REFUSED)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "somebody has begun to serve it");
    return HF_E_UNAVAILABLE;
}

static enum hf_status
retire(struct hf_store *store, struct hf_error *error)
{
    struct watched watched;
    enum hf_status status = look(store, &watched, error);

    if (status != HF_OK)
        return status;
    if (!watched.exists || watched.head.node[0] == '\0')
        return HF_OK;
    if (!stands_for_its_ttl(store, &watched))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "it is served, by a node that is alive: http://%.120s; "
                       "stop that one",
                       watched.head.address);
    return take_node_out(store, &watched, error);
}

enum hf_status
hf_retire(const struct hf_place *place, const struct hf_alloc *alloc,
          struct hf_error *error)
{
    struct hf_store *store;
    enum hf_status status = hf_store_open_at(place, alloc, &store, error);

    if (status != HF_OK)
        return status;
    status = retire(store, error);
    hf_store_close(store);
    return status;
}
