#ifndef HF_TEST_CONTENDER_BENCH_H
#define HF_TEST_CONTENDER_BENCH_H

#include "core/contender.h"
#include "unit/support/tale.h"

/* A contender, and the text of everything it has asked for and told. */
struct bench {
    struct hf_contender contender;
    struct tale tale;
};

/* Ids of the first three claims of a contender with seed 0. */
#define ID1 "7070836379803831727"
#define ID2 "7960286522194355700"
#define ID3 "487617019471545679"

/* A right lasts 750 ms from the sending, a call 200 ms, a beat every 200. */
static const struct hf_contender_config patient = {
    .terms = {HF_TAKEOVER, {1000}, {200}},
    .grace = {100},
    .limit = {10000},
};

static inline struct hf_contender_config
waiting_up_to(int64_t limit_ms)
{
    struct hf_contender_config config = patient;

    config.limit.ms = limit_ms;
    return config;
}

static inline struct hf_contender_config
trying(void)
{
    struct hf_contender_config config = patient;

    config.try_only = true;
    config.limit = config.terms.ttl;
    return config;
}

static inline struct hf_contender_config
of_refuse(void)
{
    struct hf_contender_config config = patient;

    config.terms.if_dead = HF_REFUSE;
    return config;
}

static inline void
step(struct bench *b, struct hf_event event)
{
    struct hf_effect effect;

    hf_contender_step(&b->contender, event);
    while (hf_contender_next(&b->contender, &effect))
        tale_add(&b->tale, event.at, &effect);
}

static inline struct hf_event
release(int64_t ms)
{
    return hf_event(HF_ON_RELEASE, T(ms));
}

static inline struct hf_event
cancel(int64_t ms)
{
    return hf_event(HF_ON_CANCEL, T(ms));
}

/* Somebody else's lock, with a ttl of 1 s and a beat every 200 ms. */
static inline struct hf_event
found_held(int64_t ms, uint64_t number, uint64_t version, uint64_t token,
           enum hf_if_dead if_dead)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = token,
                        .heartbeat = {token, version - token},
                        .terms = {if_dead, {1000}, {200}},
                    });
}

static inline struct hf_event
found_id(int64_t ms, uint64_t number, uint64_t version, uint64_t id)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = version,
                        .heartbeat = {id, 0},
                        .terms = patient.terms,
                    });
}

/* Its first look, #1, is out since 0. */
static inline struct bench
looking(struct hf_contender_config config)
{
    struct bench b = {0};

    hf_contender_init(&b.contender, &config);
    step(&b, hf_event(HF_ON_ACQUIRE, T(0)));
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n");
    return b;
}

/* Saw v7 of token 7 at 10; the next look, #2, is due at 210. */
static inline struct bench
watching(struct hf_contender_config config, enum hf_if_dead if_dead)
{
    struct bench b = looking(config);

    step(&b, found_held(10, 1, 7, 7, if_dead));
    EXPECT_TRACE(&b.tale, "10 waiting\n");
    return b;
}

/* As watching, and looked up to 1000; the look at 1010, #7, will prove. */
static inline struct bench
nearly_sure(struct hf_contender_config config, enum hf_if_dead if_dead)
{
    struct bench b = watching(config, if_dead);

    for (uint64_t number = 2; number <= 6; number++) {
        int64_t at_ms = 10 + ((int64_t)number - 1) * 200 - 5;

        step(&b, hf_event(HF_ON_HINT, T(at_ms)));
        step(&b, found_held(at_ms, number, 7, 7, if_dead));
    }
    b.tale = (struct tale){0};
    return b;
}

/* Found nothing at v7; its claim, #2, is out since 10. */
static inline struct bench
claiming(struct hf_contender_config config)
{
    struct bench b = looking(config);

    step(&b, found_absent(10, 1, 7));
    EXPECT_TRACE(&b.tale, "10 ask #2 put lock v7 " ID1 "_0 new\n");
    return b;
}

/* Granted v8 at 20; the beat, #3, is due at 210, its right ends at 760. */
static inline struct bench
holding(struct hf_contender_config config)
{
    struct bench b = claiming(config);

    step(&b, applied(20, 2, 8));
    EXPECT_TRACE(&b.tale, "20 granted\n");
    return b;
}

static inline enum hf_outcome
check(const struct bench *b, int64_t ms)
{
    return hf_contender_check(&b->contender, T(ms));
}

#define EXPECT_ENDED(b, want_status, want_outcome)                             \
    do {                                                                       \
        assert_int_equal((b)->contender.state, HF_CONTENDER_ENDED);            \
        assert_int_equal((b)->contender.status, (want_status));                \
        assert_int_equal((b)->contender.outcome, (want_outcome));              \
        assert_int_equal(hf_contender_deadline(&(b)->contender).ms,            \
                         HF_NEVER.ms);                                         \
    } while (0)

#endif
