#include "client/table/tombstones.h"

#define TURNS  8
#define LOOKS  16
#define AGE_MS 100

static struct hf_tombstone *
slot_of(struct hf_tombstones *t, uint64_t key)
{
    struct hf_tombstone *slot = &t->all[key % HF_TOMBSTONES_MAX];

    if (slot->key != key)
        *slot = (struct hf_tombstone){.key = key, .turns = TURNS};
    return slot;
}

void
hf_tombstones_keep(struct hf_tombstones *t, uint64_t key, uint64_t version,
                   struct hf_instant now)
{
    struct hf_tombstone *slot = slot_of(t, key);

    slot->version = version;
    slot->left_at = now;
}

uint64_t
hf_tombstones_take(struct hf_tombstones *t, uint64_t key, struct hf_instant now)
{
    struct hf_tombstone *slot = slot_of(t, key);
    uint64_t version = slot->version;

    slot->version = 0;
    if (version == 0 || hf_between(slot->left_at, now).ms >= AGE_MS)
        return 0;
    if (slot->turns > 0) {
        slot->turns--;
        return version;
    }
    slot->turns = slot->turns == 0 ? TURNS : slot->turns + 1;
    return 0;
}

void
hf_tombstones_refused(struct hf_tombstones *t, uint64_t key)
{
    slot_of(t, key)->turns = -LOOKS;
}
