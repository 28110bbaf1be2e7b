#include "support/model_store.h"

#include "base/check.h"

static const struct model_cell nothing = {.kind = MODEL_NOTHING};

/* Where it is among the sides, or sides_count. */
static size_t
find_side(const struct model_store *store, const struct hf_op *op)
{
    size_t i = 0;

    while (i < store->sides_count && (store->sides[i].target != op->target ||
                                      store->sides[i].subject != op->subject))
        i++;
    return i;
}

static const struct model_cell *
find_cell(const struct model_store *store, const struct hf_op *op)
{
    size_t i = find_side(store, op);

    if (op->target == HF_TARGET_LOCK)
        return &store->lock;
    return i == store->sides_count ? &nothing : &store->sides[i].cell;
}

static uint64_t
version_of(const struct model_store *store, const struct model_cell *cell)
{
    return cell->kind == MODEL_NOTHING ? store->floor : cell->version;
}

uint64_t
model_version(const struct model_store *store)
{
    return version_of(store, &store->lock);
}

struct hf_sight
model_read(const struct model_store *store)
{
    const struct model_cell *lock = &store->lock;

    if (lock->kind != MODEL_RECORD)
        return (struct hf_sight){.kind = HF_SIGHT_ABSENT,
                                 .version = model_version(store)};
    return (struct hf_sight){
        .kind = HF_SIGHT_LOCK,
        .version = lock->version,
        .token = lock->token,
        .heartbeat = lock->heartbeat,
        .terms = lock->terms,
    };
}

static bool
holds(const struct model_store *store, const struct hf_op *op)
{
    const struct model_cell *cell = find_cell(store, op);

    switch (op->expect.kind) {
    case HF_EXPECT_VERSION:
        return version_of(store, cell) == op->expect.version;
    case HF_EXPECT_ABSENT:
        return cell->kind != MODEL_RECORD;
    case HF_EXPECT_ANYTHING:
        return true;
    }
    return false;
}

bool
model_applies(const struct model_store *store, const struct hf_request *request)
{
    for (unsigned i = 0; i < request->ops_count; i++)
        if (!holds(store, &request->ops[i]))
            return false;
    return true;
}

/* The rules that the contract lays on whoever asks. */
static void
check_request(const struct model_store *store, const struct hf_request *request)
{
    bool guarded = false;

    HF_CHECK(!request->read);
    HF_CHECK(request->ops_count >= 1);
    for (unsigned i = 0; i < request->ops_count; i++)
        guarded |= request->ops[i].expect.kind == HF_EXPECT_VERSION;
    for (unsigned i = 0; i < request->ops_count; i++) {
        const struct hf_op *op = &request->ops[i];

        HF_CHECK(op->expect.kind == HF_EXPECT_VERSION || guarded);
        HF_CHECK(op->target != HF_TARGET_LOCK ||
                 op->expect.kind == HF_EXPECT_VERSION);
        if (op->kind == HF_PUT && holds(store, op) &&
            find_cell(store, op)->kind != MODEL_RECORD)
            HF_CHECK(op->new_generation);
    }
}

static struct model_cell *
make_cell(struct model_store *store, const struct hf_op *op)
{
    size_t i = find_side(store, op);

    if (op->target == HF_TARGET_LOCK)
        return &store->lock;
    if (i == store->sides_count) {
        HF_CHECK(store->sides_count < MODEL_SIDES_MAX);
        store->sides[store->sides_count++] = (struct model_side){
            .target = op->target,
            .subject = op->subject,
        };
    }
    return &store->sides[i].cell;
}

static void
remove_side(struct model_store *store, size_t i)
{
    if (i < store->sides_count)
        store->sides[i] = store->sides[--store->sides_count];
}

static uint64_t
apply(struct model_store *store, const struct hf_op *op)
{
    struct model_cell *cell;
    uint64_t version;

    if (op->kind == HF_ERASE) {
        HF_CHECK(op->target != HF_TARGET_LOCK);
        remove_side(store, find_side(store, op));
        return 0;
    }
    cell = make_cell(store, op);
    version = version_of(store, cell) + 1;
    if (version < store->wall)
        version = store->wall;
    *cell = (struct model_cell){
        .kind = op->kind == HF_PUT ? MODEL_RECORD : MODEL_TOMBSTONE,
        .version = version,
        .token = op->new_generation ? version : cell->token,
        .heartbeat = op->heartbeat,
        .terms = op->terms,
    };
    return version;
}

enum hf_verdict
model_commit(struct model_store *store, const struct hf_request *request,
             uint64_t *version)
{
    check_request(store, request);
    if (!model_applies(store, request))
        return HF_REFUSED;
    for (unsigned i = 0; i < request->ops_count; i++) {
        uint64_t applied = apply(store, &request->ops[i]);

        if (i == 0)
            *version = applied;
    }
    return HF_APPLIED;
}

static void
raise_floor(struct model_store *store, uint64_t purged)
{
    if (store->floor <= purged)
        store->floor = purged + 1;
}

void
model_purge(struct model_store *store)
{
    if (store->lock.kind == MODEL_TOMBSTONE) {
        raise_floor(store, store->lock.version);
        store->lock = nothing;
    }
    for (size_t i = store->sides_count; i > 0; i--) {
        struct model_side *side = &store->sides[i - 1];

        if (side->target != HF_TARGET_MARKER)
            continue;
        raise_floor(store, side->cell.version);
        remove_side(store, i - 1);
    }
}
