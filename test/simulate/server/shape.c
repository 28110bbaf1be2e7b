#include "simulate/server/shape.h"

#include "simulate/server/world.h"
#include "support/splitmix.h"

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    return splitmix64(state) % below;
}

static struct hf_lockspace_limits
limits(void)
{
    return (struct hf_lockspace_limits){
        .sessions = 256,
        .lanes = 512,
        .claims = 512,
        .waiters = 256,
        .names = 32,
        .spaces = 4,
        .parts = 1024,
        .texts = 1024,
        .session_lanes = 16,
        .session_waiters = 64,
        .session_grants = 64,
        .space_waiters = 512,
        .space_grants = 512,
        .request_names = 4,
        .search = 256,
        .record_bytes = 4096,
    };
}

/* Short ttls, so that much happens in little time. */
struct shape
shape_small(uint64_t seed)
{
    uint64_t state = seed;
    bool faults = draw(&state, 8) != 0;
    struct shape shape = {
        .node =
            {
                .leader = {.terms = {HF_TAKEOVER, {1000}, {200}},
                           .grace = {100},
                           .max_ttl = {2000}},
                .lockspace = {.limits = limits(),
                              .blocking = {1000},
                              .resume_grace = {200},
                              .ttl_max = {10000}},
                .budget = {draw(&state, 4) == 0 ? 4 : 48, 1 << 20},
                .rest = {200},
            },
        .session =
            {
                .limits = {.wishes = MINE_MAX,
                           .nodes = NODES,
                           .page = 1 + (uint32_t)draw(&state, 2)},
                .terms = {HF_TAKEOVER, {2000}, {300}},
                .grace = {300},
                .margin = hf_margin((struct hf_duration){2000}),
                .silence = {1500},
            },
        .names = 2 + (unsigned)draw(&state, 7),
        .drift = 25, /* what hf_margin covers */
        .pairs = (unsigned)draw(&state, 8),
        .refusing = (unsigned)draw(&state, 8),
        .network_ms = 1 + (int64_t)draw(&state, 20),
        .store_ms = 1 + (int64_t)draw(&state, 12),
        .load_ms = (int64_t)draw(&state, 40),
        .wake_ms = 1 + (int64_t)draw(&state, 10),
        .act_ms = 400 + (int64_t)draw(&state, 1200),
        .faults_ms = 6000,
    };

    shape.node.lockspace.takeover_grace.ms = draw(&state, 2) ? 300 : 0;
    if (draw(&state, 5) == 0)
        shape.node.lockspace.limits.session_lanes = 2;
    shape.looks = seed % 8 == 0;
    if (!faults)
        return shape;
    shape.trouble = (unsigned)draw(&state, 200);
    shape.store_trouble = (unsigned)draw(&state, 60);
    shape.fate_ms = 100 + (int64_t)draw(&state, 600);
    shape.clears = draw(&state, 2) == 0;
    shape.restores = draw(&state, 4) == 0;
    shape.removes = draw(&state, 4) == 0;
    return shape;
}

/* What a server is given if nobody says otherwise. */
struct shape
shape_failover(uint64_t seed)
{
    struct shape shape = shape_small(seed);
    uint64_t state = seed * 3 + 1;

    shape.node.leader = (struct hf_leader_config){
        .terms = {HF_TAKEOVER, {5000}, {1000}},
        .grace = {1000},
        .max_ttl = {60000},
    };
    shape.node.lockspace.blocking.ms = 27000;
    shape.node.lockspace.resume_grace.ms = 2000;
    shape.node.lockspace.takeover_grace.ms = 1250;
    shape.node.lockspace.ttl_max.ms = 60000;
    shape.node.lockspace.limits.session_lanes = 16;
    shape.node.budget.operations = 48;
    shape.node.rest.ms = 1000;
    shape.session.terms = (struct hf_terms){HF_TAKEOVER, {30000}, {2000}};
    shape.session.grace.ms = 10000;
    shape.session.margin = hf_margin((struct hf_duration){30000});
    shape.session.silence.ms = 33000;
    shape.names = NAMES_MAX;
    shape.drift = 0;
    shape.network_ms = 2 + (int64_t)draw(&state, 10);
    shape.store_ms = 2 + (int64_t)draw(&state, 20);
    shape.load_ms = 20 + (int64_t)draw(&state, 200);
    shape.act_ms = 1000;
    shape.faults_ms = 20000;
    shape.trouble = shape.store_trouble = 0;
    shape.fate_ms = 0;
    shape.clears = shape.restores = shape.removes = false;
    shape.kills_leader = true;
    return shape;
}
