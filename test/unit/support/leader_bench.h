#ifndef HF_TEST_LEADER_BENCH_H
#define HF_TEST_LEADER_BENCH_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/leader.h"
#include "unit/support/tale.h"

/* A leader, and the text of everything it has asked for and told.  Its owner
 * has a batch ready at every time, numbered from 1, and gives 10 fences in
 * each; or, when `idle`, none. */
struct bench {
    struct hf_leader leader;
    struct tale tale;
    bool idle;
    uint64_t batches;
    uint64_t next_fence;
    uint64_t service; /* of the head that was put last */
    int64_t begun_ms; /* and since when it says that the service is there */
};

#define ID1  "7070836379803831727"
#define ID2  "7960286522194355700"
#define MINE UINT64_C(7070836379803831727)

/* A right lasts 750 ms from the sending, an idle leader beats every 200. */
static const struct hf_leader_config quick = {
    .terms = {HF_TAKEOVER, {1000}, {200}},
    .grace = {100},
};

static inline void
note(struct bench *b, const char *text)
{
    size_t room = sizeof(b->tale.text) - b->tale.len;
    int len = snprintf(b->tale.text + b->tale.len, room, "%s\n", text);

    assert_true(len > 0 && (size_t)len < room);
    b->tale.len += (size_t)len;
}

static inline void
note_ask(struct bench *b, struct hf_instant at,
         const struct hf_leader_effect *effect)
{
    struct hf_effect ask = {.kind = HF_DO_ASK, .request = effect->ask.request};
    char line[HF_TRACE_MAX];
    char text[HF_TRACE_MAX + 140];
    size_t len;

    hf_trace_effect(at, &ask, line, sizeof(line));
    if (ask.request.read)
        snprintf(text, sizeof(text), "%s", line);
    else if (!effect->ask.head.led)
        snprintf(text, sizeof(text), "%s: no node, fence %" PRIu64, line,
                 effect->ask.head.next_fence);
    else if (effect->ask.batch == 0)
        snprintf(text, sizeof(text), "%s: fence %" PRIu64, line,
                 effect->ask.head.next_fence);
    else
        snprintf(text, sizeof(text), "%s: fence %" PRIu64 " batch %" PRIu64,
                 line, effect->ask.head.next_fence, effect->ask.batch);
    len = strlen(text);
    if (!ask.request.read && effect->ask.head.grace.ms > 0)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                " grace %" PRId64, effect->ask.head.grace.ms);
    if (!ask.request.read &&
        effect->ask.head.max_ttl.ms != b->leader.config.max_ttl.ms)
        snprintf(text + len, sizeof(text) - len, " max %" PRId64,
                 effect->ask.head.max_ttl.ms);
    if (!ask.request.read) {
        b->service = effect->ask.head.service;
        b->begun_ms = effect->ask.head.begun_ms;
    }
    note(b, text);
}

static inline void
fix(struct bench *b)
{
    if (b->idle) {
        hf_leader_fix(&b->leader, 0, 0);
        return;
    }
    b->next_fence += 10;
    hf_leader_fix(&b->leader, ++b->batches, b->next_fence);
}

static inline void
drain(struct bench *b, struct hf_instant at)
{
    struct hf_leader_effect effect;
    char text[80];

    while (hf_leader_next(&b->leader, &effect)) {
        switch (effect.kind) {
        case HF_LEADER_ASK:
            note_ask(b, at, &effect);
            continue;
        case HF_LEADER_FIX:
            fix(b);
            continue;
        case HF_LEADER_LEADS:
            b->next_fence = b->leader.next_fence;
            snprintf(text, sizeof(text), "%" PRId64 " leads in term %" PRIu64,
                     at.ms, effect.term);
            break;
        case HF_LEADER_APPLIED:
            snprintf(text, sizeof(text), "%" PRId64 " batch %" PRIu64, at.ms,
                     effect.applied);
            break;
        case HF_LEADER_OVER:
            snprintf(text, sizeof(text), "%" PRId64 " over", at.ms);
            break;
        case HF_LEADER_ENDED:
            snprintf(text, sizeof(text), "%" PRId64 " ended %s", at.ms,
                     hf_status_name(effect.ended));
            break;
        }
        note(b, text);
    }
}

static inline void
step(struct bench *b, struct hf_event event)
{
    hf_leader_step(&b->leader, event);
    drain(b, event.at);
}

static inline void
found(struct bench *b, int64_t ms, uint64_t number, struct hf_sight sight,
      struct hf_head_state head)
{
    hf_leader_found(&b->leader, T(ms), number, sight, head);
    drain(b, T(ms));
}

/* There is no head, and never was. */
static inline void
found_none(struct bench *b, int64_t ms, uint64_t number, uint64_t version)
{
    found(b, ms, number,
          (struct hf_sight){.kind = HF_SIGHT_ABSENT, .version = version},
          (struct hf_head_state){0});
}

static inline void
found_head(struct bench *b, int64_t ms, uint64_t number, uint64_t version,
           struct hf_heartbeat heartbeat, struct hf_head_state head)
{
    found(b, ms, number,
          (struct hf_sight){
              .kind = HF_SIGHT_LOCK,
              .version = version,
              .token = heartbeat.id == MINE ? 8 : version,
              .heartbeat = heartbeat,
              .terms = quick.terms,
          },
          head);
}

static inline struct hf_event
write_now(int64_t ms)
{
    return hf_event(HF_ON_WRITE, T(ms));
}

static inline struct hf_event
resign(int64_t ms)
{
    return hf_event(HF_ON_RELEASE, T(ms));
}

static inline struct bench
seeking(void)
{
    struct bench b = {0};

    hf_leader_init(&b.leader, &quick);
    hf_leader_seek(&b.leader, T(0));
    drain(&b, T(0));
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n");
    return b;
}

/* Found nobody's head at v7, whose next fence is 50, and claims it at 0. */
static inline struct bench
claiming(void)
{
    struct bench b = seeking();

    found_head(&b, 0, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = false, .next_fence = 50});
    EXPECT_TRACE(&b.tale, "0 ask #2 put lock v7 " ID1 "_0 new: fence 50\n");
    return b;
}

/* Leads in term 8, since 20; the next question is #3. */
static inline struct bench
leading(void)
{
    struct bench b = claiming();

    step(&b, applied(20, 2, 8));
    EXPECT_TRACE(&b.tale, "20 leads in term 8\n");
    return b;
}

#endif
