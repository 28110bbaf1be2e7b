#ifndef HF_TEST_KEEPER_BENCH_H
#define HF_TEST_KEEPER_BENCH_H

#include "core/keeper.h"
#include "unit/support/tale.h"

/* A keeper, and the text of everything it has asked for and told. */
struct bench {
    struct hf_keeper keeper;
    struct tale tale;
};

/* A right lasts 750 ms from the sending, a call 200 ms, a beat every 200. */
static const struct hf_keeper_config quick = {
    .terms = {HF_TAKEOVER, {1000}, {200}},
    .grace = {100},
    .margin = {250},
};

static const struct hf_keeper_config careful = {
    .terms = {HF_REFUSE, {1000}, {200}},
    .grace = {100},
    .margin = {250},
};

static inline void
step(struct bench *b, struct hf_event event)
{
    struct hf_effect effect;

    hf_keeper_step(&b->keeper, event);
    while (hf_keeper_next(&b->keeper, &effect))
        tale_add(&b->tale, event.at, &effect);
}

static inline struct hf_event
claim(int64_t ms, uint64_t version, uint64_t over)
{
    return hf_claim(T(ms), (struct hf_claim){5, version, over});
}

static inline struct hf_event
release(int64_t ms)
{
    return hf_event(HF_ON_RELEASE, T(ms));
}

static inline struct hf_event
found_id(int64_t ms, uint64_t number, uint64_t version, struct hf_heartbeat hb)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = hb.id == 5 ? 8 : version,
                        .heartbeat = hb,
                        .terms = quick.terms,
                    });
}

static inline struct hf_event
found_mine(int64_t ms, uint64_t number, uint64_t version, uint64_t count)
{
    return found_id(ms, number, version, (struct hf_heartbeat){5, count});
}

static inline struct hf_event
found_theirs(int64_t ms, uint64_t number, uint64_t version)
{
    return found_id(ms, number, version, (struct hf_heartbeat){6, 0});
}

/* Claims v7 at 0 and is granted v8 at 50; the beat #2 is due at 200. */
static inline struct bench
holding(const struct hf_keeper_config *config)
{
    struct bench b = {0};

    hf_keeper_init(&b.keeper, config);
    step(&b, claim(0, 7, 0));
    step(&b, applied(50, 1, 8));
    EXPECT_TRACE(&b.tale, "0 ask #1 put lock v7 5_0 new\n"
                          "50 granted\n");
    return b;
}

/* Claimed v7 at 0 with #1, and no answer came yet. */
static inline struct bench
claiming(const struct hf_keeper_config *config)
{
    struct bench b = {0};

    hf_keeper_init(&b.keeper, config);
    step(&b, claim(0, 7, 0));
    EXPECT_TRACE(&b.tale, "0 ask #1 put lock v7 5_0 new\n");
    return b;
}

/* The record is ours at v8, its right is over, #2 is the beat that is out. */
static inline struct bench
confirming(const struct hf_keeper_config *config)
{
    struct bench b = claiming(config);

    step(&b, applied(750, 1, 8));
    EXPECT_TRACE(&b.tale, "750 ask #2 put lock v8 5_1\n");
    return b;
}

#endif
