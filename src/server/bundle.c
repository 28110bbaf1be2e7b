#include "server/bundle.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "wire/cleared.h"
#include "wire/served.h"

enum hf_status
hf_bundle_init(struct hf_bundle *bundle, const struct hf_alloc *alloc)
{
    *bundle = (struct hf_bundle){.arena = {.alloc = alloc}};
    bundle->all =
        hf_calloc(alloc, HF_GROUP_OPERATIONS_MAX, sizeof(*bundle->all));
    return bundle->all == NULL ? HF_E_NOMEM : HF_OK;
}

void
hf_bundle_fini(struct hf_bundle *bundle)
{
    if (bundle->arena.alloc == NULL)
        return;
    hf_free(bundle->arena.alloc, bundle->all);
    hf_arena_fini(&bundle->arena);
    *bundle = (struct hf_bundle){.arena = {0}};
}

/* ---- Changes ------------------------------------------------------------- */

static struct hf_store_op *
add(struct hf_bundle *bundle, enum hf_op_kind kind, const char *space,
    const char *name)
{
    struct hf_store_op *op;

    HF_CHECK(bundle->count < HF_BUNDLE_MAX);
    op = &bundle->all[HF_REQUEST_OPS + bundle->count++];
    *op = (struct hf_store_op){
        .kind = kind,
        .key = {space, hf_arena_copy(&bundle->arena, name)},
        .expect = {.kind = HF_EXPECT_ANYTHING},
    };
    if (op->key.name == NULL)
        bundle->failed = true;
    return op;
}

static void
put(struct hf_bundle *bundle, const char *space, const char *name,
    const char *value)
{
    struct hf_store_op *op = add(bundle, HF_PUT, space, name);

    op->value = hf_arena_copy(&bundle->arena, value);
    op->value_len = strlen(value);
    op->new_generation = true;
    if (op->value == NULL)
        bundle->failed = true;
}

static void
put_session(struct hf_bundle *bundle, const struct hf_lockspace *ls,
            uint32_t number)
{
    struct hf_served_memory memory;
    struct hf_loaded_session session;
    char name[HF_SERVED_ID_SIZE];
    char text[HF_SERVED_RECORD_MAX];

    memory.texts_len = 0;
    hf_served_look_session(ls, number, &memory, &session);
    hf_served_encode_session(&session, text, sizeof(text));
    hf_served_id(session.id, name);
    put(bundle, HF_SERVED_SESSIONS, name, text);
}

static void
put_grant(struct hf_bundle *bundle, const struct hf_lockspace *ls,
          uint32_t number, int64_t wall_ms)
{
    struct hf_served_memory memory;
    struct hf_served_grant grant;
    char name[HF_SERVED_FENCE_SIZE];
    char text[HF_SERVED_RECORD_MAX];

    memory.texts_len = 0;
    hf_served_look_grant(ls, number, wall_ms, &memory, &grant);
    hf_served_encode_grant(&grant, text, sizeof(text));
    hf_served_fence(grant.loaded.fence, name);
    put(bundle, HF_SERVED_GRANTS, name, text);
}

/* Under the name of the lock and the fence that stand in it. */
static void
put_audit(struct hf_bundle *bundle, const struct hf_lockspace *ls,
          uint32_t number)
{
    struct hf_string ref = hf_look_audit_at(ls, number);
    struct hf_served_memory memory;
    struct hf_cleared cleared;
    char text[HF_RECORD_TEXT_MAX];
    char name[HF_NAME_COMPANION_SIZE];
    enum hf_status status;

    HF_CHECK(ref.len < sizeof(text));
    hf_look_text(ls, ref, text, sizeof(text));
    text[ref.len] = '\0';
    memory.texts_len = 0;
    status = hf_cleared_decode((struct hf_bytes){text, ref.len}, &memory,
                               &cleared, NULL);
    HF_CHECK(status == HF_OK); /* we wrote it when the clear was asked for */
    hf_name_companion(cleared.space, cleared.name, cleared.grant.loaded.fence,
                      name, sizeof(name));
    put(bundle, "!audit", name, text);
}

static void
add_change(struct hf_bundle *bundle, const struct hf_lockspace *ls,
           const struct hf_change *change, int64_t wall_ms)
{
    char id[HF_SERVED_ID_SIZE];
    char fence[HF_SERVED_FENCE_SIZE];

    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        put_session(bundle, ls, change->number);
        return;
    case HF_CHANGE_DELETE_SESSION:
        hf_served_id(change->key, id);
        add(bundle, HF_ERASE, HF_SERVED_SESSIONS, id);
        return;
    case HF_CHANGE_PUT_GRANT:
        put_grant(bundle, ls, change->number, wall_ms);
        return;
    case HF_CHANGE_DELETE_GRANT:
        hf_served_fence(change->key, fence);
        add(bundle, HF_ERASE, HF_SERVED_GRANTS, fence);
        return;
    case HF_CHANGE_PUT_AUDIT:
        put_audit(bundle, ls, change->number);
        return;
    }
}

void
hf_bundle_collect(struct hf_bundle *bundle, struct hf_node *node,
                  int64_t wall_ms)
{
    struct hf_change change;

    hf_arena_reset(&bundle->arena);
    bundle->count = 0;
    bundle->failed = false;
    bundle->number = 0;
    while (hf_node_take(node, &change))
        add_change(bundle, node->lockspace, &change, wall_ms);
}

struct hf_store_group
hf_bundle_group(struct hf_bundle *bundle, const struct hf_store_op *first,
                size_t first_count)
{
    struct hf_store_op *ops = &bundle->all[HF_REQUEST_OPS - first_count];

    HF_CHECK(first_count <= HF_REQUEST_OPS && !bundle->failed);
    memcpy(ops, first, first_count * sizeof(*ops));
    return (struct hf_store_group){
        .ops = ops,
        .ops_count = first_count + bundle->count,
    };
}
