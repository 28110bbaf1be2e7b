#include "server/scratch.h"

/* The first version to be expected is the clock, as in a new store. */
static void
begin(struct hf_scratch *scratch, int64_t wall_us)
{
    if (scratch->sight.version == 0)
        scratch->sight = (struct hf_sight){
            .kind = HF_SIGHT_ABSENT,
            .version = (uint64_t)wall_us,
        };
}

void
hf_scratch_read(struct hf_scratch *scratch, int64_t wall_us,
                struct hf_sight *sight, struct hf_head_state *head)
{
    begin(scratch, wall_us);
    *sight = scratch->sight;
    *head = scratch->head;
    if (sight->kind == HF_SIGHT_ABSENT)
        head->begun_ms = wall_us / 1000;
}

enum hf_verdict
hf_scratch_write(struct hf_scratch *scratch, int64_t wall_us,
                 const struct hf_leader_effect *ask, uint64_t *version)
{
    const struct hf_op *op = &ask->ask.request.ops[0];
    struct hf_sight *sight = &scratch->sight;

    begin(scratch, wall_us);
    if (op->expect.version != sight->version)
        return HF_REFUSED;
    sight->kind = HF_SIGHT_LOCK;
    sight->version = (uint64_t)wall_us > sight->version ? (uint64_t)wall_us
                                                        : sight->version + 1;
    if (op->new_generation)
        sight->token = sight->version;
    sight->heartbeat = op->heartbeat;
    sight->terms = op->terms;
    scratch->head = ask->ask.head;
    *version = sight->version;
    return HF_APPLIED;
}
